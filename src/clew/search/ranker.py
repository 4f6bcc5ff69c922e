"""Order the candidates: a weighted sum of the signals, weights fitted on the development sets.

The weights are cross-validated by repository; `benchmarks/quality/fit.py` makes them again.
"""

from __future__ import annotations

import numpy as np

from clew.index.store import Float32s, Int64s
from clew.search.features import FileSignals

WEIGHTS = {
    "body": 0.07,
    "body_top3": 0.45,
    "file_body": 0.45,
    "symbol": 0.0,
    "file_symbol": 0.05,
    "path": 0.57,
    "cover_body": 0.38,
    "cover_file": 0.05,
    "cover_symbol": 0.26,
    "cover_path": 0.3,
    "vector": 0.8,
    "vector_top3": 0.4,
    "defines": 0.6,
    "defines_folded": 0.1,
    "stem": 0.15,
    "stem_exact": 0.1,
    "pointed": 2.0,
    "test": -1.0,
    "example": -1.0,
    "vendored": -1.0,
    "documentation": -0.8,
    "stub": -0.5,
    "barrel": 0.1,
    "data": -0.8,
    "depth": -0.06,
    "length": 0.07,
}


def rank(signals: FileSignals) -> tuple[Int64s, Float32s]:
    """File ids best first and their scores; equal scores by path, so that the same query gives the same order on
    every run and on every index of the same tree, whatever ids its files have there."""
    scores = np.zeros(len(signals.ids), np.float32)
    for name, weight in WEIGHTS.items():
        scores += np.float32(weight) * signals.values[name]
    scores = np.round(scores, 5)  # sums over more segments differ in the last bits
    by_path = np.empty(len(scores), np.int64)
    by_path[sorted(range(len(scores)), key=signals.paths.__getitem__)] = np.arange(len(scores))
    order = np.lexsort((by_path, -scores))
    return signals.ids[order], scores[order]
