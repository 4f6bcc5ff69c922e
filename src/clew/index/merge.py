"""Merging segments of the local store: which ones, and how."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clew.index.pending import inverse, write_vocabulary
from clew.index.postings import BLOCK, MAX_ROWS, Keys, pack, ranges
from clew.index.segment import FIELDS, VECTOR_ARRAYS, Segment, damaged
from clew.index.segment_writer import SegmentWriter, gather
from clew.index.store import CHUNK_FIELDS, Int64s

MAX_SEGMENTS = 8  # each costs about 1 ms to open and a share of every query
MAX_DEAD_SHARE = 0.2  # of a segment's rows; with more it is rewritten
# Bounds of a merged segment, for the time one merge takes and for the 32-bit starts of postings.
MAX_MERGED_ROWS = MAX_ROWS // 4
MAX_MERGED_BYTES = 4 << 30


@dataclass(frozen=True, slots=True)
class Size:
    """Rows of a segment, files and chunks together, and its bytes."""

    live: int
    dead: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Source:
    """A segment to merge, with the ids of its dead files."""

    segment: Segment
    dead: Int64s


def plan_merge(sizes: Sequence[Size]) -> list[int]:
    """The numbers of the segments to rewrite as one; empty when none.

    Those with too many dead rows, and, when there are too many segments, the smallest ones, as
    long as the next is no larger than what is merged already. So a row is rewritten O(log rows)
    times in its life, and refreshing a few files seldom touches the large segments.
    """
    by_size = sorted(range(len(sizes)), key=lambda number: (sizes[number].live, number))
    dirty = [number for number in by_size if _is_dirty(sizes[number])]
    if not dirty and len(sizes) <= MAX_SEGMENTS:
        return []
    chosen: list[int] = []
    rows = size = 0
    for number in dirty + [number for number in by_size if not _is_dirty(sizes[number])]:
        candidate = sizes[number]
        few_enough = len(sizes) - max(len(chosen), 1) + 1 <= MAX_SEGMENTS
        if chosen and number not in dirty and few_enough and candidate.live > rows:
            break
        if chosen and (rows + candidate.live > MAX_MERGED_ROWS or size + candidate.bytes > MAX_MERGED_BYTES):
            break
        chosen.append(number)
        rows, size = rows + candidate.live, size + candidate.bytes
    return sorted(chosen) if dirty or len(chosen) > 1 else []


def merge(directory: Path, sources: Sequence[Source]) -> tuple[str, int, int]:
    """Write the live rows of the sources as one new segment; returns its name, files and chunks.

    Checks the sources first, so that damage is never copied under a fresh checksum: raises
    DamagedIndexError. O(postings x log of sources). Memory: the vocabularies and a block of postings.
    """
    segments = [source.segment for source in sources]
    for segment in segments:
        segment.verify()
    layout = _lay_out(sources)
    with SegmentWriter(directory) as out:
        _write_rows(out, segments, layout)
        _write_terms(out, segments, layout)
        _write_vectors(out, segments, layout)
        return out.commit(), layout.file_rows.size, layout.chunk_rows.size


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where each document of the merged segment comes from, and where each old row goes (-1: nowhere)."""

    paths: list[bytes]
    chunk_counts: Int64s  # per file
    file_sources: Int64s
    file_rows: Int64s
    chunk_sources: Int64s
    chunk_rows: Int64s
    new_files: list[Int64s]
    new_chunks: list[Int64s]


def _lay_out(sources: Sequence[Source]) -> _Layout:
    files: list[tuple[bytes, int, int]] = []
    for number, source in enumerate(sources):
        alive = np.ones(source.segment.files, np.bool_)
        dead = source.segment.file_rows(source.dead)
        alive[dead[dead >= 0]] = False
        paths = source.segment.texts("paths")
        files.extend((paths[row], number, row) for row in np.flatnonzero(alive).tolist())
    files.sort()
    file_sources = np.fromiter((file[1] for file in files), np.int64, len(files))
    file_rows = np.fromiter((file[2] for file in files), np.int64, len(files))
    first = _pick([s.segment.arrays["chunk_starts"][:-1] for s in sources], file_sources, file_rows)
    counts = _pick([np.diff(s.segment.arrays["chunk_starts"]) for s in sources], file_sources, file_rows)
    chunk_sources, chunk_rows = np.repeat(file_sources, counts), ranges(first, counts)
    return _Layout(
        paths=[file[0] for file in files],
        chunk_counts=counts,
        file_sources=file_sources,
        file_rows=file_rows,
        chunk_sources=chunk_sources,
        chunk_rows=chunk_rows,
        new_files=[_moves(file_sources, file_rows, n, s.segment.files) for n, s in enumerate(sources)],
        new_chunks=[_moves(chunk_sources, chunk_rows, n, s.segment.chunks) for n, s in enumerate(sources)],
    )


def _write_rows(out: SegmentWriter, segments: Sequence[Segment], layout: _Layout) -> None:
    out.write("file_ids", gather([s.arrays["file_ids"] for s in segments], layout.file_sources, layout.file_rows))
    out.write_starts("chunk_starts", layout.chunk_counts)
    out.write_texts("paths", layout.paths)
    out.write("kinds", gather([s.arrays["kinds"] for s in segments], layout.chunk_sources, layout.chunk_rows))
    for field in FIELDS:
        lengths = [segment.arrays[f"{field}.lengths"] for segment in segments]
        chunked = field in CHUNK_FIELDS
        places = (layout.chunk_sources, layout.chunk_rows) if chunked else (layout.file_sources, layout.file_rows)
        out.write(f"{field}.lengths", gather(lengths, *places))


def _write_terms(out: SegmentWriter, segments: Sequence[Segment], layout: _Layout) -> None:
    terms, numbers = _union([segment.texts("terms") for segment in segments])
    for segment, own in zip(segments, numbers, strict=True):
        if np.any(own[1:] <= own[:-1]):
            raise damaged(segment.name, "the vocabulary is not ascending")
    used: dict[str, Int64s] = {}
    for field in FIELDS:
        moves = layout.new_chunks if field in CHUNK_FIELDS else layout.new_files
        blocks = _merged_blocks(field, segments, numbers, moves, len(terms))
        used[field] = out.write_postings(field, blocks, len(terms))
    write_vocabulary(out, used, terms)


def _write_vectors(out: SegmentWriter, segments: Sequence[Segment], layout: _Layout) -> None:
    dimension = next((segment.dimension for segment in segments if segment.dimension), None)
    if dimension is None or not layout.chunk_rows.size:
        return
    for key, dtype in VECTOR_ARRAYS.items():
        columns = dimension if key in ("vectors", "coarse") else None
        nothing = np.zeros((0, dimension) if columns else 0, dtype)  # of a segment whose files have no chunks
        parts = [segment.arrays.get(key, nothing) for segment in segments]
        out.write(key, gather(parts, layout.chunk_sources, layout.chunk_rows), columns)


def _merged_blocks(
    field: str, segments: Sequence[Segment], numbers: Sequence[Int64s], moves: Sequence[Int64s], terms: int
) -> Iterator[Keys]:
    """Sorted postings of ascending ranges of the common terms, renumbered, without dead rows."""
    all_starts = [segment.arrays[f"{field}.starts"].astype(np.int64) for segment in segments]
    sizes = np.zeros(terms, np.int64)
    for starts, own in zip(all_starts, numbers, strict=True):
        sizes[own] += np.diff(starts)
    running = np.cumsum(sizes)
    first = 0
    while first < terms:
        before = int(running[first - 1]) if first else 0
        end = max(first + 1, int(np.searchsorted(running, before + BLOCK, side="right")))
        keys = np.concatenate(
            [
                _renumbered(field, segment, starts, own, new_rows, first, end)
                for segment, starts, own, new_rows in zip(segments, all_starts, numbers, moves, strict=True)
            ]
        )
        keys.sort()
        yield keys
        first = end


def _renumbered(
    field: str, segment: Segment, starts: Int64s, own: Int64s, new_rows: Int64s, first: int, end: int
) -> Keys:
    """One segment's live postings of the common terms `first` to `end`."""
    low, high = np.searchsorted(own, (first, end)).tolist()
    postings = slice(int(starts[low]), int(starts[high]))
    terms = np.repeat(own[low:high], np.diff(starts[low : high + 1]))
    rows = new_rows[segment.arrays[f"{field}.rows"][postings]]
    live = rows >= 0
    return pack(terms[live], rows[live], segment.arrays[f"{field}.counts"][postings][live])


def _union(vocabularies: Sequence[list[bytes]]) -> tuple[list[bytes], list[Int64s]]:
    """All terms in order, and for each vocabulary the numbers of its terms among them.

    The sort finds the vocabularies as sorted runs and only merges them.
    """
    everything = list(itertools.chain.from_iterable(vocabularies))
    order = sorted(range(len(everything)), key=everything.__getitem__)
    ordered = [everything[number] for number in order]
    fresh = np.ones(len(ordered), np.int64)
    fresh[1:] = np.fromiter(map(operator.ne, ordered[1:], ordered), np.int64, max(len(ordered) - 1, 0))
    numbers = np.empty(len(ordered), np.int64)
    numbers[order] = np.cumsum(fresh) - 1
    terms = list(itertools.compress(ordered, fresh.tolist()))
    return terms, np.split(numbers, np.cumsum([len(words) for words in vocabularies])[:-1])


def _is_dirty(size: Size) -> bool:
    return size.dead > MAX_DEAD_SHARE * (size.live + size.dead)


def _moves(sources: Int64s, rows: Int64s, number: int, size: int) -> Int64s:
    """For each row of source `number` its row in the merged segment, or -1."""
    here = np.flatnonzero(sources == number)
    return inverse(rows[here], size, here)


def _pick(parts: Sequence[np.ndarray], sources: Int64s, rows: Int64s) -> Int64s:
    blocks = list(gather(parts, sources, rows))
    return np.concatenate(blocks).astype(np.int64) if blocks else np.zeros(0, np.int64)
