"""Exact nearest neighbours in one segment: a scan of int8 vectors, then proof by the stored ones."""

from __future__ import annotations

import os
from functools import partial

import numpy as np

from clew.index.segment import Segment, damaged
from clew.index.segment_view import Mask, best_rows
from clew.index.store import Float32s, Int64s

# The float32 copy of a block must stay in the second-level cache, of 1 or 2 MB today. Measured with 256
# dimensions: blocks of 1 MiB scan in half the time of 4 MiB, smaller ones pay more calls.
BLOCK_BYTES = 1 << 20
MIN_CANDIDATES = 200
MAX_THREADS = 4  # a scan reads memory faster than it computes; measured with two: 1.9 times as fast
THREAD_ROWS = 20_000  # rows for which another thread pays: about 2 ms of work
# Below this share of admitted rows it is cheaper to fetch their stored vectors than to scan all int8 ones.
DIRECT_SHARE = 1 / 16


def nearest_rows(segment: Segment, query: Float32s, limit: int, admitted: Mask | None) -> tuple[Int64s, Float32s]:
    """At least the `limit` nearest admitted rows, and their cosines, for a unit query. Exact.

    The true cosine of a row is at most its coarse one plus the length of what quantising it lost.
    The best coarse rows give a cosine that `limit` rows reach; every row whose bound reaches it is
    scored with its stored vector. Each such score is computed alike wherever the row lies, so
    equal vectors tie.
    """
    wanted = segment.chunks if admitted is None else int(np.count_nonzero(admitted))
    if not wanted:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    with np.errstate(all="ignore"):  # only damaged files overflow; that is checked on the results
        if admitted is not None and wanted <= max(MIN_CANDIDATES, segment.chunks * DIRECT_SHARE):
            rows = np.flatnonzero(admitted)
            scores = _exact(segment, rows, query)
        else:
            rows, scores = _scan(segment, query, limit, admitted)
    if not np.isfinite(scores).all():
        raise damaged(segment.name, "vectors hold numbers that are not finite")
    best = best_rows(scores, limit, -np.inf)
    return rows[best], scores[best]


def _scan(segment: Segment, query: Float32s, limit: int, admitted: Mask | None) -> tuple[Int64s, Float32s]:
    bounds = _coarse(segment, query, admitted)
    rows = best_rows(bounds, max(4 * limit, MIN_CANDIDATES), -np.inf)
    scores = _exact(segment, rows, query)
    if rows.size <= limit:
        return rows, scores
    reached = np.partition(scores, rows.size - limit)[rows.size - limit]
    bounds += segment.arrays["errors"]
    # Both scores are sums of `dimension` float32 products: their rounding is below this.
    slack = query.size * np.finfo(np.float32).eps
    known = np.zeros(segment.chunks, np.bool_)
    known[rows] = True
    more = np.flatnonzero((bounds >= reached - slack) & ~known)
    return np.concatenate((rows, more)), np.concatenate((scores, _exact(segment, more, query)))


def _coarse(segment: Segment, query: Float32s, admitted: Mask | None) -> Float32s:
    """Approximate cosines of all rows; minus infinity where not admitted. On several cores when there are many."""
    scores = np.full(segment.chunks, -np.inf, np.float32)
    parts = min(os.cpu_count() or 1, MAX_THREADS, segment.chunks // THREAD_ROWS)
    if parts < 2:
        _coarse_part(segment, query, admitted, scores, 0, segment.chunks)
    else:
        from concurrent.futures import ThreadPoolExecutor  # 6 ms, which a small index need not pay

        ends = [segment.chunks * part // parts for part in range(parts + 1)]
        with ThreadPoolExecutor(parts) as pool:  # numpy lets go of the lock; starting threads takes 0.1 ms
            list(pool.map(partial(_coarse_part, segment, query, admitted, scores), ends[:-1], ends[1:]))
    if np.isnan(scores).any():
        raise damaged(segment.name, "vector scales hold numbers that are not finite")
    if admitted is not None:
        scores[~admitted] = -np.inf
    return scores


def _coarse_part(
    segment: Segment, query: Float32s, admitted: Mask | None, scores: Float32s, first: int, last: int
) -> None:
    coarse, scales = segment.arrays["coarse"], segment.arrays["scales"]
    height = _block_rows(query)
    block = np.empty((height, query.size), np.float32)
    with np.errstate(all="ignore"):  # it holds for one thread only
        for start in range(first, last, height):
            end = min(start + height, last)
            if admitted is not None and not admitted[start:end].any():
                continue
            part = block[: end - start]
            np.copyto(part, coarse[start:end])
            np.dot(part, query, out=scores[start:end])
            scores[start:end] *= scales[start:end]


def _exact(segment: Segment, rows: Int64s, query: Float32s) -> Float32s:
    """Cosines by float32. Not by BLAS, whose sums depend on where in a block a row lies."""
    vectors = segment.arrays["vectors"]
    scores = np.empty(rows.size, np.float32)
    height = _block_rows(query)
    for start in range(0, rows.size, height):
        part = vectors[rows[start : start + height]].astype(np.float32)
        np.einsum("ij,j->i", part, query, out=scores[start : start + height])
    return scores


def _block_rows(query: Float32s) -> int:
    return max(1, BLOCK_BYTES // query.nbytes)
