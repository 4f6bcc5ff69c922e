"""Text to search terms, the same for documents and queries.

Words are split at camelCase, snake_case and digits, lower-cased, accents removed, English endings
stemmed; an identifier of several words also gives its joined form, so that `getUserById`,
`get_user_by_id` and "get user by id" meet and the exact name still counts more. CJK text gives
characters and bigrams, since it has no spaces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import Stemmer

MAX_WORD = 80  # characters; longer runs are data (hashes, base64), not words
_CACHE_WORDS = 500_000  # about 100 MB at worst; a corpus beyond that starts afresh

_WORDS = re.compile(r"\w+")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_PLAIN = re.compile(r"[a-z]+")
# Han, Hiragana, Katakana, Hangul: written without spaces, or with spaces that do not bound words.
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
# Normalisation sorts the marks of a character in quadratic time; 30 a character are what Unicode's
# stream-safe text allows, and no script needs more.
_MANY_MARKS = re.compile(r"([^\x00-\x7f\w\s]{30})(?=[^\x00-\x7f\w\s])")
_STEMMER = Stemmer.Stemmer("english", 0)


class Tokenizer:
    """Keeps what it computed for each distinct word: a corpus repeats its words hundreds of times."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, ...]] = {}

    def __call__(self, text: str) -> list[str]:
        """The terms of a text in order, repeated as they occur. O(length)."""
        known = self._known
        if not text.isascii():
            # An accent may be a character of its own.
            text = unicodedata.normalize("NFKC", _MANY_MARKS.sub(r"\1 ", text))
        out: list[str] = []
        for word in _WORDS.findall(text):
            terms = known.get(word)
            if terms is None:
                terms = word_terms(word)
                if len(known) >= _CACHE_WORDS:
                    known.clear()
                if len(word) <= MAX_WORD:
                    known[word] = terms
            out += terms
        return out


def word_terms(word: str) -> tuple[str, ...]:
    """The terms of one word or identifier."""
    if word == "_" or (len(word) > MAX_WORD and not _CJK.search(word)):
        return ()
    if _PLAIN.fullmatch(word):
        return (_STEMMER.stemWord(word),)
    if not word.isascii():
        word = _unaccented(word)
    if _CJK.search(word):
        return tuple(_cjk_terms(word))
    parts = [part.lower() for part in _PARTS.findall(word)]
    if len(parts) == 1:
        return (_STEMMER.stemWord(parts[0]),)
    joined = "".join(parts)
    return (*(_STEMMER.stemWord(part) for part in parts), joined) if parts else ()


def _unaccented(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not unicodedata.combining(c)))


def _cjk_terms(word: str) -> Iterable[str]:
    position = 0
    for run in _CJK.finditer(word):
        yield from word_terms(word[position : run.start()]) if run.start() > position else ()
        yield from run[0]
        yield from (run[0][i : i + 2] for i in range(len(run[0]) - 1))
        position = run.end()
    if position < len(word):
        yield from word_terms(word[position:])


def split_words(identifier: str) -> list[str]:
    """The words of an identifier as written, lower-cased: `getUserById` is get, user, by, id."""
    return [part.lower() for part in _PARTS.findall(identifier)]
