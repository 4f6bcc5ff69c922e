"""Train trees with LightGBM and write them down as `clew.search.trees` reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lightgbm
import numpy as np
from data import Example, Floats

from clew.search.ranker import rows
from clew.search.trees import MAX_LEAVES, Trees

DEPTH = 50  # candidates a query that are trained on, best first by the weighted sum; 98 % of the golds
SCALE = 2.0  # the weighted sum in units of LambdaRank's sigmoid: 1, 2 and 4 were tried
# Small trees and few columns each: 15 leaves of 30 files at least lost 0.005.
PARAMETERS = {
    "objective": "lambdarank", "learning_rate": 0.05, "num_leaves": 8, "min_data_in_leaf": 100,
    "feature_fraction": 0.3, "bagging_fraction": 0.8, "bagging_freq": 1, "bagging_by_query": True, "lambda_l2": 5.0,
    "lambdarank_truncation_level": 20, "max_bin": 127, "force_col_wise": True, "deterministic": True,
    "num_threads": 1, "verbose": -1,
}  # fmt: skip
# A match never counts against a file, and being a test or third-party code never for it.
NEVER_AGAINST = (
    "body", "body_top3", "file_body", "symbol", "file_symbol", "path", "cover_body", "cover_file", "cover_symbol",
    "cover_path", "cover_definition", "vector", "vector_top3", "defines", "defines_folded", "defines_type", "alone",
    "alone_type", "named",
    "stem", "stem_exact",
)  # fmt: skip
NEVER_FOR = ("test", "example", "vendored", "documentation", "stub", "header", "older", "data")
# Too rare in the development sets to be learned: the weighted sum has the last word on it.
LEFT_OUT = ("pointed",)


def columns(vectors: bool, names: Sequence[str]) -> tuple[str, ...]:
    without = (*LEFT_OUT, *(() if vectors else ("vector", "vector_top3")))
    return tuple(name for name in names if name not in without)


def train(
    examples: Sequence[Example], starts: Sequence[Floats], names: tuple[str, ...], rounds: int, seeds: Sequence[int],
    extra_weight: float,
) -> list[lightgbm.Booster]:  # fmt: skip
    """One booster a seed. Examples without a gold among the candidates teach nothing and are left out."""
    matrix, gold, initial, sizes, weights = [], [], [], [], []
    for example, own in zip(examples, starts, strict=True):
        best = np.argsort(-own, kind="stable")[:DEPTH]
        if not example.gold[best].any():
            continue
        matrix.append(rows(example.signals, names, best))
        gold.append(example.gold[best].astype(np.int32))
        initial.append(SCALE * own[best])
        sizes.append(len(best))
        weights.append(np.full(len(best), 1.0 if example.tuning else extra_weight))
    data = lightgbm.Dataset(
        np.concatenate(matrix), np.concatenate(gold), group=sizes, init_score=np.concatenate(initial),
        weight=np.concatenate(weights), free_raw_data=False,
    )  # fmt: skip
    constraints = [(name in NEVER_AGAINST) - (name in NEVER_FOR) for name in names]
    return [
        lightgbm.train({**PARAMETERS, "monotone_constraints": constraints, "seed": seed}, data, rounds)
        for seed in seeds
    ]


def predict(boosters: Sequence[lightgbm.Booster], matrix: Any) -> Floats:
    """The correction, in units of the weighted sum, as the product adds it."""
    return sum(np.asarray(each.predict(matrix)) for each in boosters) / (SCALE * len(boosters))  # type: ignore[return-value]


def to_trees(
    boosters: Sequence[lightgbm.Booster], names: tuple[str, ...], about: dict[str, Any], examples: dict[str, Any]
) -> Trees:  # fmt: skip
    features: list[int] = []
    thresholds: list[float] = []
    masks: list[int] = []
    starts: list[int] = []
    values: list[list[float]] = []
    share = 1 / (SCALE * len(boosters))
    for booster in boosters:
        for tree in booster.dump_model()["tree_info"]:
            splits, leaves = _flattened(tree["tree_structure"])
            if not splits:  # a constant moves all files alike
                continue
            starts.append(len(features))
            for feature, threshold, mask in splits:
                features.append(feature)
                thresholds.append(_rounded_down(threshold))
                masks.append(mask)
            values.append([leaf * share for leaf in leaves] + [0.0] * (MAX_LEAVES - len(leaves)))
    return Trees(
        names, np.array(features, np.uint16), np.array(thresholds, np.float32), np.array(masks, np.uint16),
        np.array(starts, np.uint32), np.array(values, np.float32).reshape(-1, MAX_LEAVES), about, examples,
    )  # fmt: skip


def _flattened(root: dict[str, Any]) -> tuple[list[tuple[int, float, int]], list[float]]:
    """Splits as (feature, threshold, leaves that stay when the test fails), and leaves from left to right."""
    leaves: list[float] = []
    splits: list[tuple[int, float, int]] = []
    stack: list[Any] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):  # the left side of this split is done: its leaves are those since `first`
            split, first = node
            inside = (1 << len(leaves)) - (1 << first)
            splits.append((split["split_feature"], split["threshold"], 0xFFFF & ~inside))
        elif "leaf_value" in node:
            leaves.append(node["leaf_value"])
        else:
            if node["decision_type"] != "<=":
                raise ValueError(f"unexpected test {node['decision_type']}")
            stack += [node["right_child"], (node, len(leaves)), node["left_child"]]
    return splits, leaves


def _rounded_down(threshold: float) -> np.float32:
    """The largest float32 that is not above it, so that float32 rows fall on the same side."""
    near = np.float32(threshold)
    return np.nextafter(near, np.float32(-np.inf)) if float(near) > threshold else near
