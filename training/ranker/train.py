"""Train the ranker's trees and report: python training/ranker/train.py DUMP.npz [--write FILE.json]

Cross-validated by repository in 7 folds over the development sets; other sets in the dump are only added to the
training side of every fold. Prints tables against the weighted sum alone and against the first, hand-set weights,
with paired intervals. `--write` then trains on everything and saves the trees with these figures. `--without SIGNAL`
repeats it without a signal.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from boost import DEPTH, PARAMETERS, SCALE, columns, predict, to_trees, train
from data import DEV_SETS, FOLDS, Example, Floats, by_repository, folds, grouped, interval, load, ndcg
from linear import fit, score

from clew.search.features import SIGNALS
from clew.search.ranker import SHORTLIST, WEIGHTS, rows, start
from clew.search.trees import encode

STORED_EXAMPLES = 24
# The weights that were set by hand before any were fitted with trees: what all later ones are measured against.
HAND_SET = {
    "body": 0.07, "body_top3": 0.45, "file_body": 0.45, "file_symbol": 0.05, "path": 0.57, "cover_body": 0.38,
    "cover_file": 0.05, "cover_symbol": 0.26, "cover_path": 0.3, "vector": 0.8, "vector_top3": 0.4, "defines": 0.6,
    "defines_folded": 0.1, "stem": 0.15, "stem_exact": 0.1, "pointed": 2.0, "test": -1.0, "example": -1.0,
    "vendored": -1.0, "documentation": -0.8, "stub": -0.5, "barrel": 0.1, "data": -0.8, "depth": -0.06, "length": 0.07,
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", type=Path)
    parser.add_argument("--write", type=Path, help="save trees trained on all")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--extra-weight", type=float, default=0.5, help="of a query of a set that is only trained on")
    parser.add_argument("--only-dev", action="store_true", help="leave out the sets that are only trained on")
    parser.add_argument("--refit", action="store_true", help="also fit the sum's weights anew in every fold")
    parser.add_argument("--without", action="append", default=[], choices=list(SIGNALS))
    parser.add_argument("--brief", action="store_true", help="only the first table")
    arguments = parser.parse_args()
    examples = [each for each in load(arguments.dump) if each.tuning or not arguments.only_dev]
    vectors = any(each.signals.vectors for each in examples)
    names = tuple(name for name in columns(vectors, list(SIGNALS)) if name not in arguments.without)
    dev = [each for each in examples if each.tuning]
    sums, trees = _cross_validated(examples, dev, names, arguments)
    figures = _report(dev, sums, trees, arguments.brief)
    if arguments.write:
        _write(arguments.write, examples, names, vectors, figures, arguments)
    return 0


def _cross_validated(
    examples: list[Example], dev: list[Example], names: tuple[str, ...], arguments: argparse.Namespace
) -> tuple[list[float], list[float]]:  # fmt: skip
    """NDCG@10 of each development query: by the sum, and by the trees of the folds without its repository."""
    fold_of = folds(dev)
    sums, with_trees = [0.0] * len(dev), [0.0] * len(dev)
    for fold in range(FOLDS):
        seen = [each for each in examples if fold_of.get(each.repository) != fold]
        weights = fit([each for each in seen if each.tuning]) if arguments.refit else None
        initial = lambda example: start(example.signals) if weights is None else score(example, weights)  # noqa: E731, B023
        boosters = train(
            seen, [initial(each) for each in seen], names, arguments.rounds, range(arguments.seeds),
            arguments.extra_weight,
        )  # fmt: skip
        for place, example in enumerate(dev):
            if fold_of[example.repository] == fold:
                own = initial(example)
                order = np.argsort(-own, kind="stable")[:SHORTLIST]
                sums[place] = ndcg(example.gold[order], example.golds)
                if len(order) and example.signals.question:
                    total = own[order] + predict(boosters, rows(example.signals, names, order))
                    order = order[np.argsort(-total, kind="stable")]
                with_trees[place] = ndcg(example.gold[order], example.golds)
    return sums, with_trees


def _report(dev: list[Example], sums: list[float], trees: list[float], brief: bool) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    recall = statistics.fmean(_recall(each) for each in dev)
    print(f"{len(dev)} queries; share of golds among the first {SHORTLIST} files of the sum: {recall:.4f}")
    for name in DEV_SETS:
        own = [place for place, each in enumerate(dev) if each.set_name == name]
        figures[name] = _line(name, dev, sums, trees, own, over_repositories=True)
    figures["recall_at_shortlist"] = round(recall, 4)
    if brief:
        return figures
    for title, key in (("category", lambda e: e.category), ("language", lambda e: f"{e.set_name} {e.language}")):
        print(f"-- by {title}, mean over queries")
        for group, own in grouped(dev, key).items():
            _line(group, dev, sums, trees, own, over_repositories=False)
    return figures


def _line(
    title: str, dev: list[Example], sums: list[float], trees: list[float], own: list[int], over_repositories: bool
) -> dict[str, Any]:  # fmt: skip
    chosen = [dev[i] for i in own]
    mean: Callable[[Sequence[float]], float] = (
        (lambda values: statistics.fmean(by_repository(chosen, values).values()))
        if over_repositories
        else statistics.fmean
    )
    before, after = [sums[i] for i in own], [trees[i] for i in own]
    low, high = interval(chosen, after)
    less, more = interval(chosen, [a - b for a, b in zip(after, before, strict=True)])
    hand = [_by_hand(each) for each in chosen]
    behind, ahead = interval(chosen, [a - b for a, b in zip(after, hand, strict=True)])
    print(
        f"{title:24}{len(own):5}  sum {mean(before):.4f}  trees {mean(after):.4f} [{low:.3f}, {high:.3f}]"
        f"  to sum {mean(after) - mean(before):+.4f} [{less:+.3f}, {more:+.3f}]"
        f"  to hand-set {mean(after) - mean(hand):+.4f} [{behind:+.3f}, {ahead:+.3f}]",
        flush=True,
    )
    return {"ndcg10": round(mean(after), 4), "interval": [round(low, 4), round(high, 4)], "sum": round(mean(before), 4)}


def _by_hand(example: Example) -> float:
    order = np.argsort(-score(example, HAND_SET), kind="stable")
    return ndcg(example.gold[order], example.golds)


def _recall(example: Example) -> float:
    best = np.argsort(-start(example.signals), kind="stable")[:SHORTLIST]
    return float(example.gold[best].sum()) / example.golds


def _write(
    path: Path, examples: list[Example], names: tuple[str, ...], vectors: bool, figures: dict[str, Any],
    arguments: argparse.Namespace,
) -> None:  # fmt: skip
    boosters = train(
        examples, [start(each.signals) for each in examples], names, arguments.rounds, range(arguments.seeds),
        arguments.extra_weight,
    )  # fmt: skip
    about = {
        "what": "LambdaMART trees that correct the weighted sum of clew's ranker",
        "signals": "with an embedding" if vectors else "without an embedding",
        "data": {name: len(own) for name, own in grouped(examples, lambda each: each.set_name).items()},
        "repositories": {
            "cross-validated": len({each.repository for each in examples if each.tuning}),
            "only trained on": sorted({each.repository for each in examples if not each.tuning}),
        },
        "folds": f"{FOLDS}, by repository: those of the development sets in alphabetical order, in turn",
        "figures": figures,
        "made_with": {
            "lightgbm": lightgbm.__version__, "parameters": PARAMETERS, "rounds": arguments.rounds,
            "seeds": arguments.seeds, "extra_weight": arguments.extra_weight, "sum_scale": SCALE, "depth": DEPTH,
            "sum": WEIGHTS,
        },
    }  # fmt: skip
    some = _some_rows(examples, names)
    stored = {
        "rows": [[round(float(value), 4) for value in row] for row in some],
        "scores": predict(boosters, some).tolist(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    document = encode(to_trees(boosters, names, about, stored))
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{path}: {path.stat().st_size} bytes")


def _some_rows(examples: list[Example], names: tuple[str, ...]) -> Floats:
    """Rows of candidates from all over, to prove that the product computes what LightGBM does."""
    chosen = [each for each in examples if len(each.gold)][:: max(1, len(examples) // STORED_EXAMPLES)]
    return np.concatenate([rows(each.signals, names, np.argsort(-start(each.signals))[:1]) for each in chosen])


if __name__ == "__main__":
    sys.exit(main())
