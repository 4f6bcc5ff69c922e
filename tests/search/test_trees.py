from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import ModelError
from clew.search.features import SIGNALS
from clew.search.ranker import WEIGHTS, shipped
from clew.search.trees import MAX_LEAVES, Trees, digest, encode, load, parse

# x0 <= 0.5 ? (x1 <= 0.25 ? 1 : 2) : 3   and   x1 <= 0.75 ? 10 : 20
FEATURES, THRESHOLDS, STARTS = [0, 1, 1], [0.5, 0.25, 0.75], [0, 2]
MASKS = [0xFFFF & ~0b011, 0xFFFF & ~0b001, 0xFFFF & ~0b001]  # the leaves that stay when a test fails
LEAVES = [[1.0, 2.0, 3.0], [10.0, 20.0]]
UNIT = st.floats(0, 1, width=32)


def small() -> Trees:
    values = np.zeros((2, MAX_LEAVES), np.float32)
    for row, leaves in enumerate(LEAVES):
        values[row, : len(leaves)] = leaves
    return Trees(
        ("left", "right"), np.array(FEATURES, np.uint16), np.array(THRESHOLDS, np.float32), np.array(MASKS, np.uint16),
        np.array(STARTS, np.uint32), values, {"what": "a test"}, {},
    )  # fmt: skip


def walked(left: float, right: float) -> float:
    first = (1.0 if right <= 0.25 else 2.0) if left <= 0.5 else 3.0
    return first + (10.0 if right <= 0.75 else 20.0)


@given(st.lists(st.tuples(UNIT, UNIT), max_size=30))
def test_the_sum_is_that_of_walking_each_tree(rows: list[tuple[float, float]]) -> None:
    found = small()(np.array(rows, np.float32).reshape(-1, 2))
    assert found.tolist() == [walked(*row) for row in rows]


def test_a_value_at_the_threshold_goes_left() -> None:
    assert small()(np.array([[0.5, 0.25]], np.float32)).tolist() == [11.0]


def test_no_trees_correct_nothing() -> None:
    nothing = np.zeros(0)
    trees = Trees(
        ("left",), nothing.astype(np.uint16), nothing.astype(np.float32), nothing.astype(np.uint16),
        nothing.astype(np.uint32), np.zeros((0, MAX_LEAVES), np.float32), {}, {},
    )  # fmt: skip
    assert trees(np.ones((3, 1), np.float32)).tolist() == [0, 0, 0]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "trees.json"
    path.write_text(json.dumps(encode(small()), indent=3), encoding="utf-8")
    rows = np.random.default_rng(0).random((50, 2), np.float32)
    found = load(path)
    assert (found.columns, found.about) == (("left", "right"), {"what": "a test"})
    np.testing.assert_array_equal(found(rows), small()(rows))


@pytest.mark.parametrize("place", ["about", "columns", "examples", "trees"])
def test_a_change_anywhere_is_noticed(place: str, tmp_path: Path) -> None:
    document = encode(small())
    document[place] = {"something": "else"}
    path = tmp_path / "trees.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelError, match="does not match its hash"):
        load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features": np.array([0, 1, 2], np.uint16)}, "a column that is not there"),
        ({"masks": np.array([1], np.uint16)}, "different length"),
        ({"starts": np.array([0, 3], np.uint32)}, "follow each other"),
        ({"starts": np.array([0], np.uint32)}, "leaves of other trees"),
        ({"values": np.full((2, MAX_LEAVES), np.nan, np.float32)}, "not finite"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(change: dict[str, Any], message: str) -> None:
    whole = small()
    parts = {name: getattr(whole, name) for name in Trees.__slots__}
    with pytest.raises(ValueError, match=message):
        parse(encode(Trees(**{**parts, **change})))


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"format": 2}', "[" * 100_000])
def test_a_file_that_holds_no_trees_is_one_clear_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / "trees.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match="cannot be used"):
        load(path)


def test_a_missing_file_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be used"):
        load(tmp_path / "none.json")


def test_the_hash_does_not_depend_on_the_order_of_keys() -> None:
    document = encode(small())
    assert digest(dict(reversed(document.items()))) == document["hash"]


@pytest.mark.parametrize("vectors", [False, True])
def test_shipped_trees_score_as_lightgbm_did(vectors: bool) -> None:
    trees = shipped(vectors)
    rows = np.array(trees.examples["rows"], np.float32)
    assert rows.shape[0] >= 20 and rows.shape[1] == len(trees.columns)
    np.testing.assert_allclose(trees(rows), trees.examples["scores"], atol=1e-5)


@pytest.mark.parametrize("vectors", [False, True])
def test_shipped_trees_read_documented_signals_and_say_how_they_were_made(vectors: bool) -> None:
    trees = shipped(vectors)
    assert set(trees.columns) <= SIGNALS.keys()
    assert {"data", "folds", "figures", "made_with"} <= trees.about.keys()
    assert trees.about["made_with"]["sum"] == WEIGHTS, "the weights changed: train the trees again"


def test_trees_without_an_embedding_never_look_at_its_signals() -> None:
    assert not {"vector", "vector_top3"} & set(shipped(False).columns)


def test_a_match_never_counts_against_a_file_and_being_a_test_never_for_it() -> None:
    for vectors in (False, True):
        trees = shipped(vectors)
        rows = np.array(trees.examples["rows"], np.float32)
        for name, sign in (("defines", 1), ("file_body", 1), ("cover_file", 1), ("test", -1), ("vendored", -1)):
            column = trees.columns.index(name)
            low, high = rows.copy(), rows.copy()
            low[:, column], high[:, column] = 0, 1
            assert (sign * (trees(high) - trees(low)) >= -1e-6).all(), name
