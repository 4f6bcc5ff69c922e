"""Fit the ranker's weights: python benchmarks/quality/fit.py DATA CHECKOUTS [--cache DIR]

Pairwise logistic regression with the pairs weighted by how much swapping them changes NDCG@10
(LambdaRank, Burges et al. 2006, with a linear model). Prints the figures cross-validated by
repository in 7 folds, then the weights fitted on everything, for `clew/search/ranker.py`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from datasets import SETS, LabelledQuery, queries, repositories
from run import make_engine

from clew import Engine
from clew.index.store import Where
from clew.parsing.tokens import Tokenizer
from clew.search.candidates import gather
from clew.search.features import SIGNALS, file_signals
from clew.search.query import analyse
from clew.search.ranker import WEIGHTS

FOLDS = 7
# Limits of a weight, where the sets say little or nothing: they hold hardly any tests, documents or
# stack traces, and users ask for those too. A match never counts against a file.
PENALTY = (-1.2, 0.0)
BOUNDS = {
    "pointed": (2.0, 9.0), "defines": (0.6, 9.0), "defines_folded": (0.1, 9.0), "stem_exact": (0.1, 9.0),
    "test": PENALTY, "example": PENALTY, "vendored": PENALTY, "documentation": PENALTY, "stub": (-0.6, 0.0),
    "data": PENALTY, "barrel": (-0.5, 0.1), "depth": (-0.1, 0.0), "length": (0.0, 0.1),
}  # fmt: skip
ROUNDS = 300
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """One query: signals (files, signals), which files are gold, how many golds exist."""

    set_name: str
    repository: str
    signals: Floats
    gold: npt.NDArray[np.bool_]
    golds: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "clew-bench")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="e.g. chunk_tokens=300")
    arguments = parser.parse_args()
    examples = collect(arguments.data, arguments.checkouts, arguments.cache, arguments.setting)
    recall = statistics.fmean(e.gold.sum() / e.golds for e in examples)
    print(f"{len(examples)} queries, recall of the candidates {recall:.4f}")
    names = list(SIGNALS)
    current = np.array([WEIGHTS[name] for name in names])
    report("weights in use", examples, [current] * len(examples))
    repositories_found = sorted({e.repository for e in examples})
    fold_of = {name: i % FOLDS for i, name in enumerate(repositories_found)}
    fitted = []
    for fold in range(FOLDS):
        fitted.append(fit([e for e in examples if fold_of[e.repository] != fold], current))
    report("cross-validated", examples, [fitted[fold_of[e.repository]] for e in examples])
    weights = fit(examples, current)
    report("fitted on all", examples, [weights] * len(examples))
    for name, weight in zip(names, weights, strict=True):
        print(f'    "{name}": {weight:.2f},')
    return 0


def collect(data: Path, checkouts: Path, cache: Path, settings: Sequence[str]) -> list[Example]:
    known = repositories(data, checkouts)
    engines: dict[str, Engine] = {}
    tokenizer = Tokenizer()
    out = []
    for set_name in SETS:
        for query in queries(data, set_name, known):
            if query.repository not in engines:
                engines[query.repository] = make_engine(known[query.repository], cache, settings)
            out.append(_example(set_name, query, engines[query.repository], tokenizer))
    return out


def _example(set_name: str, query: LabelledQuery, engine: Engine, tokenizer: Tokenizer) -> Example:
    opened = engine._opened()
    analysed = analyse(query.text, tokenizer)
    vector = engine.embedder.embed_query(query.text) if engine.embedder else None
    candidates = gather(opened.catalog, opened.reader, analysed, vector, Where())
    signals = file_signals(candidates, analysed)
    wanted = {gold.path for gold in query.gold}
    gold = np.array([candidates.files[int(each)].path in wanted for each in signals.ids], bool)
    matrix = np.stack([signals.values[name] for name in SIGNALS], axis=1).astype(np.float64)
    return Example(set_name, query.repository, matrix, gold, len(wanted))


def ndcg(example: Example, weights: Floats) -> float:
    order = np.argsort(-(example.signals @ weights), kind="stable")[:10]
    gains = example.gold[order] / np.log2(np.arange(2, len(order) + 2))
    ideal = (1 / np.log2(np.arange(2, min(10, example.golds) + 2))).sum()
    return float(gains.sum() / ideal)


def report(title: str, examples: list[Example], weights: list[Floats]) -> None:
    line = [f"{title:18}"]
    for set_name in SETS:
        scores: dict[str, list[float]] = {}
        for example, each in zip(examples, weights, strict=True):
            if example.set_name == set_name:
                scores.setdefault(example.repository, []).append(ndcg(example, each))
        line.append(f"{set_name} {statistics.fmean(statistics.fmean(s) for s in scores.values()):.4f}")
    print("  ".join(line))


def fit(examples: list[Example], start: Floats) -> Floats:
    """Adam on the LambdaRank gradient, averaged over the last third; pulled softly towards the start."""
    scale = np.concatenate([e.signals for e in examples]).std(axis=0) + 1e-6
    weights = start * scale
    limits = np.array([BOUNDS.get(name, (0.0, 9.0)) for name in SIGNALS])
    low, high = limits[:, 0] * scale, limits[:, 1] * scale
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    kept = []
    share = {name: 1.0 / sum(e.set_name == name for e in examples) for name in SETS}
    usable = [(e, share[e.set_name]) for e in examples if 0 < e.gold.sum() < len(e.gold)]
    for step in range(1, ROUNDS + 1):
        gradient = 0.002 * (weights - start * scale)
        for example, weight in usable:
            gradient -= weight * _lambda(example.signals / scale, example, weights)
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        rate = 0.05 / (1 + step / 100)
        weights = weights - rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        weights = np.clip(weights, low, high)
        if step > 2 * ROUNDS // 3:
            kept.append(weights)
    return np.mean(kept, axis=0) / scale


def _lambda(signals: Floats, example: Example, weights: Floats) -> Floats:
    scores = signals @ weights
    ranks = np.empty(len(scores), np.int64)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    discount = np.where(ranks < 30, 1 / np.log2(ranks + 2.0), 0.02)
    gold, other = np.flatnonzero(example.gold), np.flatnonzero(~example.gold & (ranks < 60))
    difference = 4.0 * (scores[gold][:, None] - scores[other][None, :])
    push = np.abs(discount[gold][:, None] - discount[other][None, :]) / (1 + np.exp(np.clip(difference, -30, 30)))
    return push.sum(axis=1) @ signals[gold] - push.sum(axis=0) @ signals[other]


if __name__ == "__main__":
    sys.exit(main())
