"""A segment as one generation sees it: which of its rows live, and which a filter admits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from clew.errors import UsageError
from clew.index.local_manifest import SegmentEntry
from clew.index.segment import Segment, damaged
from clew.index.store import CHUNK_FIELDS, Float32s, Int64s, Where
from clew.records import CHUNK_KINDS

Mask = npt.NDArray[np.bool_]
STRIPES = 64  # see best_rows; more stripes make the bound cheaper and looser

_NO_ROWS = np.zeros(0, np.int64)
_NO_COUNTS = np.zeros(0, np.uint8)


class View:
    """Read-only. What it computes on demand is the same every time, so threads may race for it."""

    __slots__ = ("_damping", "_dead", "_dead_rows", "_last", "_lengths", "_living", "segment")

    def __init__(self, segment: Segment, dead: Int64s) -> None:
        """`dead` are rows of files."""
        self.segment = segment
        self._dead = dead
        self._living = self._living_masks()
        self._dead_rows = tuple(np.flatnonzero(~mask) for mask in self._living or ())
        self._lengths: dict[str, int] = {}
        self._damping: dict[str, Float32s] = {}
        self._last: tuple[Where, bool, Mask | None] | None = None

    @classmethod
    def open(cls, directory: Path, entry: SegmentEntry, dimension: int | None) -> View:
        segment = Segment(directory, entry.file)
        if (segment.files, segment.chunks) != (entry.files, entry.chunks):
            raise damaged(entry.file, "it does not have the rows that the manifest states")
        if segment.chunks and segment.dimension != dimension:
            raise damaged(entry.file, "its vectors differ from those of the manifest")
        dead = segment.file_rows(np.array(entry.dead, np.int64)) if entry.dead else np.zeros(0, np.int64)
        if dead.size and int(dead.min()) < 0:
            raise damaged(entry.file, "the manifest removes files that it does not hold")
        return cls(segment, dead)

    def living(self, field: str) -> int:
        """How many documents of the field live."""
        dead = self._dead_rows[field in CHUNK_FIELDS].size if self._dead_rows else 0
        return self.segment.documents(field) - dead

    def living_files(self) -> Int64s:
        ids: Int64s = self.segment.arrays["file_ids"]
        return ids if self._living is None else ids[self._living[0]]

    def total_length(self, field: str) -> int:
        """The sum of the living documents' lengths in terms."""
        if field not in self._lengths:
            lengths, mask = self.segment.arrays[f"{field}.lengths"], self._living_of(field)
            self._lengths[field] = int((lengths if mask is None else lengths[mask]).sum(dtype=np.int64))
        return self._lengths[field]

    def damping(self, field: str, average: float, k1: float, b: float) -> Float32s:
        """BM25's `k1 * (1 - b + b * length / average)` of every row. Kept: 4 bytes per row and field."""
        if field not in self._damping:
            lengths = self.segment.arrays[f"{field}.lengths"]
            damping = lengths.astype(np.float32)
            damping *= np.float32(k1 * b / average)
            damping += np.float32(k1 * (1 - b))
            self._damping[field] = damping
        return self._damping[field]

    def postings(self, field: str, term: str) -> tuple[Int64s, npt.NDArray[np.uint8]]:
        """Rows and counts of a term, dead rows included."""
        number = self.segment.term_id(term)
        if number is None:
            return _NO_ROWS, _NO_COUNTS
        rows, counts = self.segment.postings(field, number)
        return rows.astype(np.int64), counts  # once here: numpy would convert at every use as an index

    def frequency(self, field: str, rows: Int64s) -> int:
        """How many of the rows live."""
        mask = self._living_of(field)
        return rows.size if mask is None else int(np.count_nonzero(mask.take(rows)))

    def drop(self, scores: Float32s, field: str, where: Where | None) -> None:
        """Set the scores of rows that are dead or that the filter does not admit to 0."""
        if where is not None:
            admitted = self.admitted(field in CHUNK_FIELDS, where)
            if admitted is not None:
                scores *= admitted
        elif self._dead_rows:
            scores[self._dead_rows[field in CHUNK_FIELDS]] = 0

    def chunk_rows(self, chunk_ids: Int64s) -> Int64s:
        """The row of each living chunk, -1 where it is not here."""
        rows = self.segment.chunk_rows(chunk_ids)
        if self._living is None or not self.segment.chunks:
            return rows
        return np.where((rows >= 0) & self._living[1][rows], rows, -1)

    def admitted(self, chunked: bool, where: Where | None) -> Mask | None:
        """Which rows of chunks, or of files, live and pass the filter; None when all do.

        The last answer is kept, because a query asks with one filter in several fields.
        """
        if where is None:
            return None if self._living is None else self._living[chunked]
        last = self._last
        if last is not None and last[0] is where and last[1] == chunked:
            return last[2]
        mask = self._admitted_chunks(where) if chunked else self._admitted_files(where)
        self._last = (where, chunked, mask)
        return mask

    def _admitted_files(self, where: Where) -> Mask | None:
        living = self._living_of("path")
        if where.files is None:
            return living
        rows = self.segment.file_rows(np.asarray(where.files, np.int64))
        mask = _marked(rows, self.segment.files)
        return mask if living is None else mask & living

    def _admitted_chunks(self, where: Where) -> Mask | None:
        mask = self._living_of("body")
        if where.files is not None:
            files = self._admitted_files(where)
            assert files is not None
            mask = np.repeat(files, np.diff(self.segment.arrays["chunk_starts"]))
        if where.kinds is not None:
            kinds = _kind_table(where.kinds)[self.segment.arrays["kinds"]]
            mask = kinds if mask is None else mask & kinds
        if where.chunks is not None:
            chunks = _marked(self.segment.chunk_rows(np.asarray(where.chunks, np.int64)), self.segment.chunks)
            mask = chunks if mask is None else mask & chunks
        return mask

    def _living_masks(self) -> tuple[Mask, Mask] | None:
        """Masks of files and of chunks; None when nothing is dead."""
        if not self._dead.size:
            return None
        files = np.ones(self.segment.files, np.bool_)
        files[self._dead] = False
        return files, np.repeat(files, np.diff(self.segment.arrays["chunk_starts"]))

    def _living_of(self, field: str) -> Mask | None:
        return None if self._living is None else self._living[field in CHUNK_FIELDS]


def best_rows(scores: Float32s, limit: int, above: float) -> Int64s:
    """The rows of the `limit` best scores above a bound, and of all that tie with the last.

    O(rows), two passes of plain comparisons. Sorting or partitioning all rows would cost ten times
    as much: instead the best of each of rows/64 groups gives a bound that at least `limit` rows
    reach, and only those are looked at.
    """
    groups = scores.size // STRIPES
    floor = -np.inf
    if groups > limit:
        peaks = scores[: groups * STRIPES].reshape(STRIPES, groups).max(axis=0)
        floor = np.partition(peaks, groups - limit)[groups - limit]
    rows = np.flatnonzero(scores >= floor) if floor > above else np.flatnonzero(scores > above)
    if rows.size <= limit:
        return rows
    found = scores[rows]
    best: Int64s = rows[found >= np.partition(found, rows.size - limit)[rows.size - limit]]
    return best


def _marked(rows: Int64s, size: int) -> Mask:
    mask = np.zeros(size, np.bool_)
    mask[rows[rows >= 0]] = True
    return mask


def _kind_table(kinds: frozenset[str]) -> Mask:
    unknown = sorted(kinds.difference(CHUNK_KINDS))
    if unknown:
        raise UsageError(f"unknown kind '{unknown[0]}'", hint=f"kinds are: {', '.join(CHUNK_KINDS)}")
    # 256 entries: a damaged file may hold any byte, and must not make this fail.
    table = np.zeros(256, np.bool_)
    table[[CHUNK_KINDS.index(kind) for kind in kinds]] = True
    return table
