"""Order the candidates: a weighted sum of the signals, then a correction by trees for the best of them.

The weights are the start, sure of what labelled queries hardly hold (tests, stack traces, documents). Trees add
what depends on more than one signal: gradient boosted on LambdaMART's gradient (Burges 2010), started from that sum.
They correct questions only, of which they were trained on many: a lone name and a pasted error message are answered
better without them.
`training/ranker` makes both again. There are two files of trees, with and without an embedding: a file without
vectors must not be judged by trees that have learned to trust them.
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import numpy.typing as npt

from clew.index.store import Float32s, Int64s
from clew.search import trees
from clew.search.features import FileSignals

WEIGHTS = {
    "body_top3": 0.39,
    "file_body": 0.42,
    "path": 0.42,
    "cover_body": 0.4,
    "cover_symbol": 0.2,
    "cover_path": 0.33,
    "phrase": 0.24,
    "verbatim": 1.5,
    "quoted": 1.0,
    "vector": 0.54,
    "vector_top3": 0.09,
    "defines": 0.6,
    "defines_folded": 0.1,
    "alone": 0.3,
    "alone_type": 0.3,
    "stem": 0.14,
    "stem_exact": 0.1,
    "pointed": 3.0,
    "test": -1.0,
    "example": -1.0,
    "vendored": -1.0,
    "documentation": -0.8,
    "stub": -0.5,
    "header": -0.26,
    "older": -0.6,
    "barrel": 0.1,
    "data": -0.8,
    "depth": -0.07,
    "length": 0.07,
}
SHORTLIST = 100  # files that trees look at; 99 % of the golds of the development sets are among them
# Decimals that count. Sums over more segments differ in the last bits of a float32, and a tree turns on one.
SIGNAL_DECIMALS, SCORE_DECIMALS = 4, 5
BEHIND = 1e-3  # a distance that survives rounding
_FOLDER = Path(__file__).with_name("ranking")
_LEXICAL, _VECTORS = _FOLDER / "lexical.json", _FOLDER / "vectors.json"


def rank(signals: FileSignals) -> tuple[Int64s, Float32s]:
    """File ids best first and their scores; equal scores by path, so that the same query gives the same order on
    every run and on every index of the same tree, whatever ids its files have there. O(files); 0.7 ms for 350."""
    scores = start(signals)
    if not signals.question:
        order = _order(scores, signals.paths)
        return signals.ids[order], scores[order].astype(np.float32)
    first = _order(scores, signals.paths)[:SHORTLIST]
    found = shipped(signals.vectors)
    corrected = np.round(scores[first] + found(rows(signals, found.columns, first)), SCORE_DECIMALS)
    rest = np.ones(len(scores), bool)
    rest[first] = False
    if rest.any():  # behind the shortlist, in the order they had
        scores[rest] += min(0.0, float(corrected.min()) - float(scores[rest].max()) - BEHIND)
    scores[first] = corrected
    order = _order(scores, signals.paths)
    return signals.ids[order], scores[order].astype(np.float32)


def start(signals: FileSignals) -> npt.NDArray[np.float64]:
    """The weighted sum of each file."""
    scores = np.zeros(len(signals.ids), np.float64)
    for name, weight in WEIGHTS.items():
        scores += weight * signals.values[name]
    return np.round(scores, SCORE_DECIMALS)


def rows(signals: FileSignals, columns: tuple[str, ...], files: Int64s) -> Float32s:
    """What trees see of these files: (files, columns), rounded."""
    out = np.stack([signals.values[name][files] for name in columns], axis=1).astype(np.float32)
    return np.round(out, SIGNAL_DECIMALS)


@functools.cache
def shipped(vectors: bool) -> trees.Trees:
    """The trees that were trained with, or without, the signals of an embedding. ModelError when damaged.

    Those without serve both where no others were trained: the weighted sum knows the embedding in any case.
    """
    return trees.load(_VECTORS if vectors and _VECTORS.exists() else _LEXICAL)


def _order(scores: npt.NDArray[np.float64], paths: tuple[str, ...]) -> Int64s:
    by_path = np.empty(len(scores), np.int64)
    by_path[sorted(range(len(scores)), key=paths.__getitem__)] = np.arange(len(scores))
    return np.lexsort((by_path, -scores))
