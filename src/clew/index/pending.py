"""Files waiting in memory to become a segment."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.index.postings import MAX_ROWS, Keys, add_equal, by_terms, fold_rows, pack, ranges, remap, sums
from clew.index.segment import FIELDS, Array
from clew.index.segment_writer import SegmentWriter, gather, quantise
from clew.index.store import CHUNK_FIELDS, ChunkBatch, Float32s, Int64s

# Bounds of what waits; about 300 MB together, twice that while it is written out.
MAX_POSTINGS = 16_000_000  # 8 bytes each
MAX_VECTOR_BYTES = 160 << 20
MAX_CHUNKS = MAX_ROWS // 4  # far below the row limit, so that one batch never passes it

ADDED_FIELDS = (*CHUNK_FIELDS, "path")
_SUMMED = {"file_body": "body", "file_symbol": "symbol"}


@dataclass(frozen=True, slots=True)
class _File:
    file_id: int
    path: bytes
    row: int  # of the file in order of arrival
    first_chunk: int  # in order of arrival
    chunks: int


class Pending:
    """Batches in order of arrival. A file added again replaces the earlier one."""

    def __init__(self) -> None:
        self._files: dict[int, _File] = {}
        self._terms: defaultdict[str, int] = defaultdict(itertools.count().__next__)
        self._keys: dict[str, list[Keys]] = {field: [] for field in ADDED_FIELDS}
        self._lengths: dict[str, list[Int64s]] = {field: [] for field in ADDED_FIELDS}
        self._kinds: list[npt.NDArray[np.uint8]] = []
        self._vectors: list[npt.NDArray[np.float16]] = []
        self._file_rows = self._chunk_rows = self._postings = self._vector_bytes = 0

    def __len__(self) -> int:
        return len(self._files)

    @property
    def full(self) -> bool:
        return (
            self._postings >= MAX_POSTINGS
            or self._vector_bytes >= MAX_VECTOR_BYTES
            or max(self._chunk_rows, self._file_rows) >= MAX_CHUNKS
        )

    def add(self, batch: ChunkBatch) -> None:
        """Take over a checked batch. O(its postings)."""
        # All of this runs inside the interpreter's C code: a cold build looks up millions of words here.
        known = _numbers(map(self._terms.__getitem__, batch.vocabulary))
        for field in ADDED_FIELDS:
            first, documents = self._place(field, batch)
            postings = batch.postings[field]
            self._lengths[field].append(sums_by_row(postings.rows, postings.counts, documents))
            used = postings.counts > 0
            rows = postings.rows[used].astype(np.int64) + first
            self._keys[field].append(pack(known[postings.terms[used]], rows, postings.counts[used]))
            self._postings += rows.size
        chunk = self._chunk_rows
        for row, file in enumerate(batch.files, self._file_rows):
            path = file.path.encode("utf-8", "surrogatepass")
            self._files[file.file_id] = _File(file.file_id, path, row, chunk, file.chunks)
            chunk += file.chunks
        self._file_rows += len(batch.files)
        self._chunk_rows = chunk
        self._kinds.append(batch.kinds.astype(np.uint8))
        if batch.vectors is not None and batch.vectors.size:
            self._vectors.append(np.array(batch.vectors, np.float16))  # a copy: the caller may reuse its buffer
            self._vector_bytes += self._vectors[-1].nbytes

    def discard(self, file_ids: Iterable[int]) -> None:
        for file_id in file_ids:
            self._files.pop(file_id, None)

    def write(self, out: SegmentWriter) -> tuple[int, int]:
        """Write everything and return the numbers of files and chunks; what waited is used up.

        O(postings x log postings). Memory: the postings of one field twice.
        """
        files = sorted(self._files.values(), key=lambda file: file.path)
        sizes = _numbers(file.chunks for file in files)
        chunk_rows = ranges(_numbers(file.first_chunk for file in files), sizes)
        file_rows = _numbers(file.row for file in files)
        out.write("file_ids", [_numbers(file.file_id for file in files)])
        out.write_starts("chunk_starts", sizes)
        out.write_texts("paths", [file.path for file in files])
        out.write("kinds", [_joined(self._kinds, np.uint8)[chunk_rows]])
        self._write_lengths(out, chunk_rows, file_rows, sizes)
        self._write_postings(out, chunk_rows, file_rows, sizes)
        if self._vectors:
            self._write_vectors(out, chunk_rows)
        return len(files), chunk_rows.size

    def _place(self, field: str, batch: ChunkBatch) -> tuple[int, int]:
        """The first row and the number of documents of a batch in a field."""
        if field in CHUNK_FIELDS:
            return self._chunk_rows, batch.kinds.size
        return self._file_rows, len(batch.files)

    def _write_lengths(self, out: SegmentWriter, chunk_rows: Int64s, file_rows: Int64s, sizes: Int64s) -> None:
        lengths = {field: _joined(self._lengths[field], np.int64) for field in ADDED_FIELDS}
        kept = {field: lengths[field][chunk_rows] for field in CHUNK_FIELDS} | {"path": lengths["path"][file_rows]}
        kept |= {field: sums(kept[source], sizes) for field, source in _SUMMED.items()}
        for field in FIELDS:
            out.write(f"{field}.lengths", [np.minimum(kept[field], np.iinfo(np.uint32).max)])

    def _write_postings(self, out: SegmentWriter, chunk_rows: Int64s, file_rows: Int64s, sizes: Int64s) -> None:
        ordered = sorted(self._terms)
        ranks = np.empty(len(ordered), np.int64)
        ranks[_numbers(map(self._terms.__getitem__, ordered))] = np.arange(len(ordered))
        self._terms.clear()
        new_chunks = inverse(chunk_rows, self._chunk_rows)
        groups = np.repeat(np.arange(sizes.size, dtype=np.int64), sizes)
        used: dict[str, Int64s] = {}
        for field in ADDED_FIELDS:
            new_rows = new_chunks if field in CHUNK_FIELDS else inverse(file_rows, self._file_rows)
            keys = remap(_joined(self._keys.pop(field), np.uint64), ranks, new_rows)
            keys.sort()
            used[field] = out.write_postings(field, map(add_equal, by_terms(keys)), len(ordered))
            if field in CHUNK_FIELDS:
                folded = (fold_rows(part, groups) for part in by_terms(keys))
                used[f"file_{field}"] = out.write_postings(f"file_{field}", folded, len(ordered))
        write_vocabulary(out, used, [term.encode("utf-8", "surrogatepass") for term in ordered])

    def _write_vectors(self, out: SegmentWriter, chunk_rows: Int64s) -> None:
        starts = np.cumsum([0, *(len(part) for part in self._vectors)])
        sources = np.searchsorted(starts, chunk_rows, side="right") - 1
        rows = chunk_rows - starts[sources]
        rounded: list[tuple[Array, Float32s, Float32s]] = []

        def exact() -> Iterator[Array]:
            for block in gather(self._vectors, sources, rows):
                rounded.append(quantise(block.astype(np.float32)))
                yield block

        dimension = self._vectors[0].shape[1]
        out.write("vectors", exact(), dimension)
        out.write("coarse", (block[0] for block in rounded), dimension)
        out.write("scales", (block[1] for block in rounded))
        out.write("errors", (block[2] for block in rounded))


def sums_by_row(rows: npt.NDArray[np.uint32], counts: npt.NDArray[np.uint32], documents: int) -> Int64s:
    return np.bincount(rows, weights=counts, minlength=documents).astype(np.int64)


def write_vocabulary(out: SegmentWriter, used: dict[str, Int64s], terms: list[bytes]) -> None:
    """Write the terms that have postings in any field, and where their postings start."""
    kept = np.zeros(len(terms), np.bool_)
    for sizes in used.values():
        kept |= sizes > 0
    for field, sizes in used.items():
        out.write_starts(f"{field}.starts", sizes[kept])
    out.write_texts("terms", [term for term, keep in zip(terms, kept.tolist(), strict=True) if keep])


def _numbers(values: Iterable[int]) -> Int64s:
    return np.fromiter(values, np.int64)


def _joined(parts: list[npt.NDArray[Any]], dtype: type[np.generic]) -> npt.NDArray[Any]:
    """All parts as one array; the list is emptied so that both never stay in memory."""
    whole = np.concatenate(parts) if parts else np.zeros(0, dtype)
    parts.clear()
    return whole


def inverse(rows: Int64s, size: int, places: Int64s | None = None) -> Int64s:
    """For each old row its new one, -1 for those not among `rows`: `new[rows[i]]` is `places[i]`, or i."""
    new = np.full(size, -1, np.int64)
    new[rows] = np.arange(rows.size) if places is None else places
    return new
