"""The vocabulary: python training/embedding/tokenizer.py PAIRS VOCABULARY [--size 32000]

Words are cut exactly as `clew.embedding.Pieces` cuts them (case, digits, lower-cased); a WordPiece
trainer then learns pieces from the parts, weighted by how many texts hold them. At run time the
longest piece that fits is taken, with '##' before one that continues a part.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from texts import read_pairs
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from clew.embedding.pieces import MAX_WORD_CHARS, _words, split_word

SIZE = 32_000
# A part that fewer texts hold teaches the pieces nothing.
MIN_TEXTS = 3
# The trainer takes text, not counts: counts are scaled to about this many words.
_TRAINER_WORDS = 12_000_000
# Beyond Latin, Greek and Cyrillic, single characters would fill the vocabulary.
_ALPHABET = 300
# Data (hashes, base64) would teach pieces of noise.
_MAX_PART = 24


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("--size", type=int, default=SIZE)
    arguments = parser.parse_args()
    parts = count_parts(text for pair in read_pairs(arguments.pairs) for text in (pair.question, pair.document))
    vocabulary = train_vocabulary(parts, arguments.size)
    arguments.vocabulary.write_text("".join(f"{piece}\n" for piece in vocabulary), encoding="utf-8")
    known = set(vocabulary)
    whole = sum(count for part, count in parts.items() if part in known)
    print(f"{len(parts)} parts, {len(vocabulary)} pieces, {whole / parts.total():.3f} of the parts are one piece")
    return 0


def count_parts(texts: Iterable[str]) -> Counter[str]:
    """In how many texts each part of a word stands."""
    words: Counter[str] = Counter()
    for text in texts:
        words.update(set(_words(text)))
    parts: Counter[str] = Counter()
    for word, count in words.items():
        for part in split_word(word[:MAX_WORD_CHARS]):
            parts[part] += count
    return parts


def train_vocabulary(parts: Counter[str], size: int) -> list[str]:
    """`size` pieces, by id."""
    kept = {part: n for part, n in parts.items() if n >= MIN_TEXTS and len(part) <= _MAX_PART}
    scale = max(1.0, sum(kept.values()) / _TRAINER_WORDS)
    model = Tokenizer(models.WordPiece(max_input_chars_per_word=MAX_WORD_CHARS))
    model.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, limit_alphabet=_ALPHABET, special_tokens=[], continuing_subword_prefix="##",
        show_progress=False,
    )  # fmt: skip
    model.train_from_iterator(_repeated(kept, scale), trainer)
    found = model.get_vocab()
    return sorted(found, key=lambda piece: found[piece])


def _repeated(parts: dict[str, int], scale: float) -> Iterator[str]:
    for part in sorted(parts):
        yield f"{part} " * max(1, round(parts[part] / scale))


if __name__ == "__main__":
    raise SystemExit(main())
