"""Fit the weights of the sum: python training/ranker/linear.py DUMP.npz

Pairwise logistic regression with the pairs weighted by how much swapping them changes NDCG@10 (LambdaRank, Burges
et al. 2006, with a linear model), on the development sets. Prints the figures cross-validated by repository, then
the weights fitted on everything, for `clew/search/ranker.py`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from data import DEV_SETS, FOLDS, Example, Floats, by_repository, folds, load, ndcg

from clew.search.ranker import WEIGHTS

# Limits of a weight, where the sets say little or nothing: they hold hardly any tests, documents or
# stack traces, and users ask for those too. A match never counts against a file.
PENALTY = (-1.2, 0.0)
BOUNDS = {
    "pointed": (2.0, 9.0), "defines": (0.6, 9.0), "defines_folded": (0.1, 9.0), "stem_exact": (0.1, 9.0),
    "test": PENALTY, "example": PENALTY, "vendored": PENALTY, "documentation": PENALTY, "stub": (-0.6, 0.0),
    "alone": (0.3, 9.0), "alone_type": (0.3, 9.0), "header": (-0.3, 0.0), "older": (-0.6, -0.2),
    "data": PENALTY, "barrel": (-0.5, 0.1), "depth": (-0.1, 0.0), "length": (0.0, 0.1),
}  # fmt: skip
ROUNDS = 300
DEPTH = 60  # candidates a query, best first by the weights in use


def fit(examples: Sequence[Example]) -> dict[str, float]:
    """Adam on the LambdaRank gradient, averaged over the last third; pulled softly towards the weights in use."""
    names = list(WEIGHTS)
    usable = [each for each in examples if 0 < each.gold.sum() < len(each.gold)]
    signals, gold, there = _padded(usable, names)
    scale = signals[there].std(axis=0) + 1e-6
    signals /= scale
    share = {name: 1.0 / max(1, sum(e.set_name == name for e in usable)) for name in DEV_SETS}
    weight = np.array([share[each.set_name] for each in usable])
    limits = np.array([BOUNDS.get(name, (0.0, 9.0)) for name in names])
    low, high = limits[:, 0] * scale, limits[:, 1] * scale
    begin = np.array(list(WEIGHTS.values())) * scale
    weights, first, second = begin.copy(), np.zeros_like(begin), np.zeros_like(begin)
    kept = []
    for step in range(1, ROUNDS + 1):
        gradient = 0.002 * (weights - begin) - _lambda(signals, gold, there, weight, weights)
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        rate = 0.05 / (1 + step / 100)
        weights = weights - rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        weights = np.clip(weights, low, high)
        if step > 2 * ROUNDS // 3:
            kept.append(weights)
    return dict(zip(names, (np.mean(kept, axis=0) / scale).tolist(), strict=True))


def score(example: Example, weights: dict[str, float]) -> Floats:
    total = np.zeros(len(example.gold))
    for name, weight in weights.items():
        total += weight * example.signals.values[name]
    return total


def _padded(examples: Sequence[Example], names: list[str]) -> tuple[Floats, Floats, np.ndarray]:
    signals = np.zeros((len(examples), DEPTH, len(names)))
    gold, there = np.zeros((len(examples), DEPTH)), np.zeros((len(examples), DEPTH), bool)
    for row, example in enumerate(examples):
        best = np.argsort(-score(example, WEIGHTS), kind="stable")[:DEPTH]
        signals[row, : len(best)] = np.stack([example.signals.values[name][best] for name in names], axis=1)
        gold[row, : len(best)], there[row, : len(best)] = example.gold[best], True
    return signals, gold, there


def _lambda(signals: Floats, gold: Floats, there: np.ndarray, weight: Floats, weights: Floats) -> Floats:
    scores = np.where(there, signals @ weights, -1e9)
    ranks = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1, kind="stable")
    discount = np.where(ranks < 30, 1 / np.log2(ranks + 2.0), 0.02)
    pull = np.zeros_like(scores)
    for place in range(int(gold.sum(axis=1).max())):  # golds by their order: few queries have more than three
        nth = np.where((gold > 0) & (np.cumsum(gold, axis=1) == place + 1))
        if not len(nth[0]):
            continue
        query, at = nth
        difference = np.clip(4.0 * (scores[query, at][:, None] - scores[query]), -30, 30)
        push = np.abs(discount[query, at][:, None] - discount[query]) / (1 + np.exp(difference))
        push *= (there[query] & (gold[query] == 0)) * weight[query][:, None]
        pull[query] -= push
        pull[query, at] += push.sum(axis=1)
    total: Floats = np.einsum("qk,qkf->f", pull, signals)
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", type=Path)
    examples = [each for each in load(parser.parse_args().dump) if each.tuning]
    fold_of = folds(examples)
    report("weights in use", examples, [WEIGHTS] * len(examples))
    fitted = [fit([e for e in examples if fold_of[e.repository] != fold]) for fold in range(FOLDS)]
    report("cross-validated", examples, [fitted[fold_of[e.repository]] for e in examples])
    weights = fit(examples)
    report("fitted on all", examples, [weights] * len(examples))
    for name, value in weights.items():
        print(f'    "{name}": {value:.2f},')
    return 0


def report(title: str, examples: Sequence[Example], weights: Sequence[dict[str, float]]) -> None:
    figures = [
        ndcg(e.gold[np.argsort(-score(e, w), kind="stable")], e.golds) for e, w in zip(examples, weights, strict=True)
    ]
    line = [f"{title:18}"]
    for name in DEV_SETS:
        own = [place for place, e in enumerate(examples) if e.set_name == name]
        means = by_repository([examples[i] for i in own], [figures[i] for i in own])
        line.append(f"{name} {statistics.fmean(means.values()):.4f}")
    print("  ".join(line))


if __name__ == "__main__":
    sys.exit(main())
