"""Postings as packed 64-bit keys: 32 bits term, 24 bits document row, 8 bits count.

One sort of plain integers orders postings by term and then by row, in place, without an index
array; numpy sorts them with vector instructions where the processor has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.index.store import Int64s

Keys = npt.NDArray[np.uint64]

MAX_ROWS = 1 << 24  # documents of one field in one segment
MAX_COUNT = 255  # more occurrences than this move a BM25 score by less than 0.5 %
COUNT_MASK = np.uint64(MAX_COUNT)
BLOCK = 1 << 20  # postings handled at once, to bound temporary arrays


def pack(terms: npt.NDArray[Any], rows: npt.NDArray[Any], counts: npt.NDArray[Any]) -> Keys:
    keys = terms.astype(np.uint64)
    keys <<= np.uint64(24)
    keys |= rows.astype(np.uint64)
    keys <<= np.uint64(8)
    keys |= np.minimum(counts, MAX_COUNT).astype(np.uint64)
    return keys


def term_numbers(keys: Keys) -> Int64s:
    return (keys >> np.uint64(32)).astype(np.int64)


def row_numbers(keys: Keys) -> Int64s:
    return ((keys >> np.uint64(8)) & np.uint64(MAX_ROWS - 1)).astype(np.int64)


def remap(keys: Keys, new_terms: Int64s, new_rows: Int64s) -> Keys:
    """Renumber terms and rows; postings whose new row is -1 fall out. Reuses the memory of `keys`."""
    kept = 0
    for start in range(0, keys.size, BLOCK):
        part = keys[start : start + BLOCK]
        rows = new_rows[row_numbers(part)]
        live = rows >= 0
        renumbered = pack(new_terms[term_numbers(part[live])], rows[live], part[live] & COUNT_MASK)
        keys[kept : kept + renumbered.size] = renumbered
        kept += renumbered.size
    return keys[:kept]


def by_terms(keys: Keys, size: int = BLOCK) -> Iterator[Keys]:
    """Cut sorted keys into blocks of about `size`, never inside a term."""
    start = 0
    while start < keys.size:
        end = min(start + size, keys.size)
        if end < keys.size:
            next_term = ((keys[end - 1] >> np.uint64(32)) + np.uint64(1)) << np.uint64(32)
            end = int(np.searchsorted(keys, next_term))
        yield keys[start:end]
        start = end


def add_equal(keys: Keys) -> Keys:
    """Sum the counts of sorted keys with equal term and row."""
    places = keys >> np.uint64(8)
    first = np.flatnonzero(np.concatenate(([True], places[1:] != places[:-1])))[: keys.size]
    if first.size == keys.size:
        return keys
    sums = np.add.reduceat((keys & COUNT_MASK).astype(np.int64), first)
    return (places[first] << np.uint64(8)) | np.minimum(sums, MAX_COUNT).astype(np.uint64)


def fold_rows(keys: Keys, groups: Int64s) -> Keys:
    """Sorted keys of chunks to sorted keys of their files; `groups[row]` never falls as rows rise."""
    return add_equal(pack(term_numbers(keys), groups[row_numbers(keys)], keys & COUNT_MASK))


def ranges(starts: Int64s, sizes: Int64s) -> Int64s:
    """The numbers start, start + 1, ... of each range, one range after the other."""
    if not sizes.size:
        return np.zeros(0, np.int64)
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()), dtype=np.int64)


def sums(values: npt.NDArray[Any], sizes: Int64s) -> Int64s:
    """The sum of each consecutive run of `sizes[i]` values."""
    running = np.zeros(values.size + 1, np.int64)
    np.cumsum(values, out=running[1:])
    ends = np.cumsum(sizes)
    total: Int64s = running[ends] - running[ends - sizes]
    return total
