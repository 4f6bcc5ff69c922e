"""Is a difference more than chance? Bootstrap intervals and a paired randomisation test over queries.

The randomisation test asks how often a difference at least as large arises when, for each query, the two
results change places at random. It needs no assumption on how the values are distributed; for measures of
retrieval, which are bounded and full of ties, it is the one to use (Smucker, Allan and Carterette 2007,
who advise against the sign test and Wilcoxon's). All draws are seeded: the same values give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95
RESAMPLES = 5_000  # of a bootstrap: the ends of an interval move by less than a hundredth of its width
FLIPS = 20_000  # random sign patterns: the standard error of p = 0.05 is 0.0015
EXACT = 16  # up to so many queries that differ, every one of the 2^n sign patterns is counted
_BATCH = 4_000_000  # numbers held at once, about 32 MB
_SEED = 20_070  # any constant
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Paired:
    """`difference` is after less before. `effect` is that in units of the standard deviation of the differences."""

    before: float
    after: float
    difference: float
    low: float
    high: float
    p: float
    effect: float
    better: int
    worse: int
    equal: int


def interval(values: Floats) -> tuple[float, float]:
    """Percentile bootstrap of the mean. O(RESAMPLES x values), one value at least."""
    means = np.concatenate([values[draw].mean(axis=1) for draw in _resamples(len(values))])
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, (tail, 1 - tail))
    return float(low), float(high)


def paired(before: Floats, after: Floats) -> Paired:
    """Compare two runs over the same queries, in the same order."""
    differences = after - before
    low, high = interval(differences)
    spread = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    mean = float(differences.mean())
    return Paired(
        before=float(before.mean()),
        after=float(after.mean()),
        difference=mean,
        low=low,
        high=high,
        p=randomisation(differences),
        effect=mean / spread if spread else 0.0,
        better=int((differences > 0).sum()),
        worse=int((differences < 0).sum()),
        equal=int((differences == 0).sum()),
    )


def randomisation(differences: Floats) -> float:
    """Two-sided p of a mean difference other than 0. Exact for few queries that differ, else by random draws."""
    sizes = np.abs(differences[differences != 0])
    if not len(sizes):
        return 1.0
    observed = abs(float(differences.sum())) - 1e-9  # sums in another order differ in their last bits
    if len(sizes) <= EXACT:
        numbers = np.arange(2 ** len(sizes), dtype=np.int64)
        signs = 1.0 - 2.0 * ((numbers[:, None] >> np.arange(len(sizes))) & 1)
        return float((np.abs(signs @ sizes) >= observed).mean())
    count = sum(int((np.abs(signs @ sizes) >= observed).sum()) for signs in _signs(len(sizes)))
    return (count + 1) / (FLIPS + 1)  # the observed pattern is one of those that count


def _signs(length: int) -> Iterator[Floats]:
    generator = np.random.default_rng(_SEED)
    for rows in _batches(FLIPS, length):
        yield 1.0 - 2.0 * generator.integers(0, 2, (rows, length), np.int8)


def _resamples(length: int) -> Iterator[npt.NDArray[np.int64]]:
    generator = np.random.default_rng(_SEED)
    for rows in _batches(RESAMPLES, length):
        yield generator.integers(0, length, (rows, length))


def _batches(rows: int, length: int) -> Iterator[int]:
    step = max(1, _BATCH // length)
    for start in range(0, rows, step):
        yield min(step, rows - start)
