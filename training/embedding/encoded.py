"""Pairs as arrays of piece ids, so that a training run reads them in a second.

One `.npz` holds the queries, the documents and the masked documents, each as one flat array of ids
and an array of offsets, and per pair the numbers of its source, language and package.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from texts import SOURCES, Pair, read_pairs_of

from clew.embedding.pieces import Pieces

Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
_WORKERS = 2


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of different lengths: row i is `flat[offsets[i] : offsets[i + 1]]`."""

    flat: Ids
    offsets: Offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: npt.NDArray[np.int64]) -> Ragged:
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        source = np.repeat(self.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Ragged(self.flat[source], offsets)


@dataclass(frozen=True, slots=True)
class Encoded:
    """Pairs as ids. `questions` [N] is a hash of each query: two pairs of one hash are no negatives."""

    queries: Ragged
    documents: Ragged
    masked: Ragged
    sources: npt.NDArray[np.int32]  # index into SOURCES
    languages: npt.NDArray[np.int32]
    packages: npt.NDArray[np.int32]
    questions: npt.NDArray[np.int64]
    language_names: list[str]

    def __len__(self) -> int:
        return len(self.queries)

    def select(self, rows: npt.NDArray[np.int64]) -> Encoded:
        return Encoded(
            self.queries.take(rows), self.documents.take(rows), self.masked.take(rows), self.sources[rows],
            self.languages[rows], self.packages[rows], self.questions[rows], self.language_names,
        )  # fmt: skip


def ragged(rows: Sequence[Ids]) -> Ragged:
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    return Ragged(np.concatenate(rows) if rows else np.zeros(0, np.int32), offsets)


def joined(first: Ragged, second: Ragged) -> Ragged:
    offsets = np.concatenate((first.offsets, second.offsets[1:] + first.offsets[-1]))
    return Ragged(np.concatenate((first.flat, second.flat)), offsets)


def load(pairs: Path, vocabulary: Sequence[str], cache: Path) -> Encoded:
    """The pairs of a folder, from `cache` when it was made of the same files and vocabulary."""
    files = sorted(pairs.glob("*.jsonl"))
    state = repr([(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files])
    key = f"{zlib.crc32(state.encode()):08x}{zlib.crc32(chr(10).join(vocabulary).encode()):08x}"
    if cache.is_file():
        with np.load(cache, allow_pickle=False) as data:
            if str(data["key"]) == key:
                return _from_arrays({name: data[name] for name in data.files})
    encoded = _encode(files, vocabulary)
    cache.parent.mkdir(parents=True, exist_ok=True)
    arrays = {"key": np.array(key), **_to_arrays(encoded)}
    np.savez(cache, allow_pickle=False, **arrays)
    return encoded


def _encode(files: list[Path], vocabulary: Sequence[str]) -> Encoded:
    pieces = Pieces(vocabulary)
    numbers: dict[str, int] = {}
    rows: list[list[Ids]] = [[], [], []]
    columns: list[tuple[int, int, int, int]] = []
    with ProcessPoolExecutor(_WORKERS, initializer=_start, initargs=(pieces,)) as pool:
        for package, part in enumerate(pool.map(_encode_file, files, chunksize=4)):
            for query, document, masked, source, language, question in part:
                for kind, ids in zip(rows, (query, document, masked), strict=True):
                    kind.append(ids)
                columns.append((source, numbers.setdefault(language, len(numbers)), package, question))
    sources, languages, packages, questions = np.array(columns, np.int64).T
    return Encoded(
        ragged(rows[0]), ragged(rows[1]), ragged(rows[2]), sources.astype(np.int32), languages.astype(np.int32),
        packages.astype(np.int32), questions, list(numbers),
    )  # fmt: skip


_PIECES: list[Pieces] = []


def _start(pieces: Pieces) -> None:
    _PIECES[:] = [pieces]


def _encode_file(path: Path) -> list[tuple[Ids, Ids, Ids, int, str, int]]:
    return [row for pair in read_pairs_of(path) if (row := _row(pair, _PIECES[0]))]


def _row(pair: Pair, pieces: Pieces) -> tuple[Ids, Ids, Ids, int, str, int] | None:
    query, document, masked = (
        np.array(pieces.distinct_ids(text), np.int32) for text in (pair.question, pair.document, pair.masked)
    )
    if not len(query) or not len(document) or not len(masked):
        return None
    question = zlib.crc32(query.tobytes())
    return query, document, masked, SOURCES.index(pair.source), pair.language, question


def _to_arrays(encoded: Encoded) -> dict[str, npt.NDArray[Any]]:
    out: dict[str, npt.NDArray[Any]] = {}
    for name in ("queries", "documents", "masked"):
        each: Ragged = getattr(encoded, name)
        out[f"{name}_flat"], out[f"{name}_offsets"] = each.flat, each.offsets
    for name in ("sources", "languages", "packages", "questions"):
        out[name] = getattr(encoded, name)
    out["language_names"] = np.array(encoded.language_names)
    return out


def _from_arrays(data: dict[str, npt.NDArray[Any]]) -> Encoded:
    parts = [Ragged(data[f"{name}_flat"], data[f"{name}_offsets"]) for name in ("queries", "documents", "masked")]
    return Encoded(
        parts[0], parts[1], parts[2], data["sources"], data["languages"], data["packages"], data["questions"],
        [str(name) for name in data["language_names"]],
    )  # fmt: skip
