"""Text to sub-word ids for static models.

A model's vectors are only right for the pieces it was trained on. So this is the model's own
splitting, used by training and by the run time alike, and it does not follow changes of the
splitting that text search uses.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain

_WORD = re.compile(r"[^\W_]+")
# For ASCII text the same cut: all but letters and digits to spaces. Three times as fast as the expression.
_SPACES = bytes(i if chr(i).isalnum() and i < 128 else 0x20 for i in range(256))
# Parts of a word's shape, first match wins: URLs | HTTP in HTTPServer | Server, server | 256 | letters without case.
_PART = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|-+")
# A longer run of letters and digits is data (a key, a base64 block), not a name: its head is enough.
MAX_WORD_CHARS = 256
# Longer words hardly come twice; caching them would only make the cache's memory unbounded.
MAX_CACHED_CHARS = 64
# Some 30 MB when full. Nine megabytes of varied Python hold 47,000 distinct words.
MAX_CACHED_WORDS = 131_072


class Pieces(dict[str, tuple[int, ...]]):
    """Words already seen, each with the ids of its pieces; an unseen word is cut when it is looked up.

    `vocabulary[i]` is the text of id i. A piece that does not begin its part of a word carries the
    prefix `continuation`; with an empty prefix both look alike. Cutting takes the longest piece that
    fits and skips a character that no piece begins with.
    """

    def __init__(self, vocabulary: Sequence[str], continuation: str = "##") -> None:
        super().__init__()
        self._heads = {piece: i for i, piece in enumerate(vocabulary)}
        skip = len(continuation)
        self._tails = {piece[skip:]: i for piece, i in self._heads.items() if piece.startswith(continuation)}
        self._longest = max(map(len, vocabulary), default=0)

    def __missing__(self, word: str) -> tuple[int, ...]:
        known = self._heads.get(word)
        if known is not None and word.isascii() and word.isalpha() and word.islower():
            ids: tuple[int, ...] = (known,)  # one part and one piece, as most words are
        else:
            ids = tuple(chain.from_iterable(map(self._cut, split_word(word[:MAX_WORD_CHARS]))))
        if len(word) <= MAX_CACHED_CHARS:
            if len(self) >= MAX_CACHED_WORDS:
                self.clear()  # the common words are back within one block; keeping an order would slow every hit
            self[word] = ids
        return ids

    def distinct_ids(self, text: str) -> list[int]:
        """The ids in the text, each once, ascending. O(characters), plus one cut per unseen word."""
        return sorted(set(chain.from_iterable(map(self.__getitem__, set(_words(text))))))

    def all_ids(self, text: str) -> list[int]:
        """The ids in the text, in order and repeated as there."""
        return list(chain.from_iterable(map(self.__getitem__, _words(text))))

    def _cut(self, part: str) -> list[int]:
        known = self._heads.get(part)
        if known is not None:
            return [known]
        ids: list[int] = []
        start = 0
        while start < len(part):
            end = min(len(part), start + self._longest)
            pieces = self._tails if start else self._heads
            while end > start and part[start:end] not in pieces:
                end -= 1
            if end > start:
                ids.append(pieces[part[start:end]])
            start = max(end, start + 1)
        return ids


def split_word(word: str) -> list[str]:
    """`getUserById2` -> get, user, by, id, 2: cut where case or digits change, lower-cased."""
    shape = word if word.isascii() else "".join(map(_shape, word))
    return [word[m.start() : m.end()].lower() for m in _PART.finditer(shape)]


def _words(text: str) -> list[str]:
    if text.isascii():
        return text.encode("ascii").translate(_SPACES).decode("ascii").split()
    return _WORD.findall(unicodedata.normalize("NFKC", text))


def _shape(char: str) -> str:
    if char.isascii():
        return char
    if char.isupper():
        return "A"
    if char.islower():
        return "a"
    return "0" if char.isdigit() else "-"
