"""Order the candidates: a weighted sum of the signals, weights fitted on the development sets.

The weights are cross-validated by repository; `benchmarks/quality/fit.py` makes them again.
"""

from __future__ import annotations

import numpy as np

from clew.index.store import Float32s, Int64s
from clew.search.features import FileSignals

WEIGHTS = {
    "body": 1.0,
    "body_top3": 0.4,
    "file_body": 0.8,
    "symbol": 0.3,
    "file_symbol": 0.5,
    "path": 0.5,
    "cover_body": 0.3,
    "cover_file": 0.4,
    "cover_symbol": 0.2,
    "cover_path": 0.2,
    "vector": 0.8,
    "vector_top3": 0.4,
    "defines": 1.5,
    "defines_folded": 0.5,
    "stem": 0.4,
    "stem_exact": 0.8,
    "pointed": 3.0,
    "test": -0.8,
    "example": -0.5,
    "vendored": -0.4,
    "documentation": -0.3,
    "stub": -0.3,
    "barrel": -0.2,
    "data": -0.4,
    "depth": -0.01,
    "length": 0.0,
}


def rank(signals: FileSignals) -> tuple[Int64s, Float32s]:
    """File ids best first and their scores; equal scores by id, so the same query always gives the same order."""
    scores = np.zeros(len(signals.ids), np.float32)
    for name, weight in WEIGHTS.items():
        scores += np.float32(weight) * signals.values[name]
    order = np.lexsort((signals.ids, -scores))
    return signals.ids[order], scores[order]
