"""From raw pairs to training and held-out files without duplicates or leaks.

    python dedupe.py --output DIR

Reads `DIR/raw/<split>/*.jsonl`, writes `DIR/pairs/<split>/*.jsonl` and `DIR/pairs/counts.json`. Dropped are:

- pairs whose code equals or nearly equals code of a benchmark repository or (from training) of a held-out package,
- pairs with a documentation sentence of those,
- pairs whose code equals or nearly equals one kept already from the same kind of source,
- sentences that stand for many functions ("Returns the value.") beyond the third.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_SAME_QUERY = 3
_SHINGLE = 4  # words; shorter ones make unlike functions alike
_BANDS, _ROWS = 4, 5  # two functions that share nine tenths of their shingles meet with 0.97, three quarters 0.66
_MIN_NEAR_WORDS = 12  # below this only equal code is a duplicate: getters all look alike
_WORD = re.compile(r"[A-Za-z_]\w*")
_LONG_SENTENCE = 4  # words; shorter ones are common to all projects and leak nothing
_GENERATOR = np.random.default_rng(3)
_FACTORS = _GENERATOR.integers(1, 2**32, _BANDS * _ROWS, dtype=np.uint64) | np.uint64(1)
_OFFSETS = _GENERATOR.integers(0, 2**32, _BANDS * _ROWS, dtype=np.uint64)
Row = dict[str, Any]


@dataclass(slots=True)
class Seen:
    """Fingerprints of code and questions that were met."""

    bodies: set[int] = field(default_factory=set)
    bands: set[int] = field(default_factory=set)
    queries: set[int] = field(default_factory=set)

    def has_code(self, prints: tuple[int, ...]) -> bool:
        return prints[0] in self.bodies or any(band in self.bands for band in prints[1:])

    def add_code(self, prints: tuple[int, ...]) -> None:
        self.bodies.add(prints[0])
        self.bands.update(prints[1:])


def fingerprints(row: Row) -> tuple[int, ...]:
    """A hash of the code's words without the function's own name, and one hash a band of its MinHash."""
    words = ["" if word == row["name"] else word.lower() for word in _WORD.findall(row["code"])]
    body = _hash(" ".join(words))
    if len(words) < _MIN_NEAR_WORDS:
        return (body,)
    joined = {" ".join(words[start : start + _SHINGLE]) for start in range(len(words) - _SHINGLE + 1)}
    shingles = np.fromiter((zlib.crc32(each.encode()) for each in joined), np.uint64, len(joined))
    return (body, *_bands(shingles))


def _bands(shingles: NDArray[np.uint64]) -> list[int]:
    mixed = ((shingles[:, None] * _FACTORS + _OFFSETS) >> np.uint64(16)) & np.uint64(0xFFFFFFFF)
    lowest = mixed.min(axis=0).reshape(_BANDS, _ROWS)
    return [hash((band, *map(int, row))) for band, row in enumerate(lowest)]  # of integers: the same in every run


def _hash(text: str) -> int:
    return zlib.crc32(text.encode()) << 32 | zlib.adler32(text[::-1].encode())


def query_print(query: str) -> int | None:
    """A hash of a question's words; None for one too short to tell anything."""
    words = re.findall(r"\w+", query.lower())
    return _hash(" ".join(words)) if len(words) >= _LONG_SENTENCE else None


def rows(folder: Path) -> Iterator[tuple[str, list[Row]]]:
    """Package by package, in the order of their names."""
    for path in sorted(folder.glob("*.jsonl")):
        with path.open(encoding="utf-8") as stream:
            yield path.name, [json.loads(line) for line in stream]


def forbidden(folder: Path, into: Seen) -> None:
    """Remember the code and the sentences of a split that others must not hold."""
    for _, found in rows(folder):
        for row in found:
            into.add_code(fingerprints(row))
            mark = query_print(row["query"])
            if mark is not None and row["source"] == "doc":
                into.queries.add(mark)


def clean(folder: Path, target: Path, banned: Seen, reasons: Counter[str]) -> Counter[str]:
    """Write what may stay of a split; gives the number of pairs by language and source."""
    counts: Counter[str] = Counter()
    seen: dict[str, Seen] = {}
    asked: Counter[int] = Counter()
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name, found in rows(folder):
        kept = [row for row in found if _keeps(row, banned, seen, asked, reasons)]
        if not kept:
            continue
        with (target / name).open("w", encoding="utf-8") as stream:
            for row in kept:
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
                counts[f"{row['language']} {row['source']}"] += 1
    return counts


def _keeps(row: Row, banned: Seen, seen: dict[str, Seen], asked: Counter[int], reasons: Counter[str]) -> bool:
    prints, mark = fingerprints(row), query_print(row["query"])
    before = seen.setdefault(row["source"], Seen())
    asking = mark if mark is not None else _hash(row["query"].lower())
    if banned.has_code(prints):
        reasons["code of a kept-back package"] += 1
    elif mark is not None and mark in banned.queries:
        reasons["sentence of a kept-back package"] += 1
    elif before.has_code(prints):
        reasons["same code"] += 1
    elif asked[asking] >= MAX_SAME_QUERY:
        reasons["same question"] += 1
    else:
        before.add_code(prints)
        asked[asking] += 1
        return True
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--output", type=Path, required=True)
    output: Path = parser.parse_args().output
    raw, pairs = output / "raw", output / "pairs"
    banned, reasons = Seen(), Counter[str]()
    forbidden(raw / "excluded", banned)
    counts = {"heldout": clean(raw / "heldout", pairs / "heldout", banned, reasons)}
    forbidden(raw / "heldout", banned)
    counts["train"] = clean(raw / "train", pairs / "train", banned, reasons)
    report = {split: dict(found.most_common()) for split, found in counts.items()} | {"dropped": dict(reasons)}
    (pairs / "counts.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    for split, found in counts.items():
        print(split, found.total(), dict(found.most_common()))
    print("dropped", dict(reasons))


if __name__ == "__main__":
    main()
