from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.search.features import SIGNALS, FileSignals
from clew.search.ranker import SHORTLIST, WEIGHTS, rank, rows, shipped, start


def signals(count: int, **values: list[float]) -> FileSignals:
    arrays = {name: np.array(values.get(name, [0.0] * count), np.float32) for name in SIGNALS}
    # Paths in the opposite order of the ids, so that a test can tell by which of them a tie was broken.
    paths = tuple(f"{chr(ord('a') + count - place)}.py" for place in range(count))
    return FileSignals(np.arange(1, count + 1, dtype=np.int64) * 10, paths, arrays)


def test_every_weight_is_of_a_signal() -> None:
    assert WEIGHTS.keys() <= SIGNALS.keys()


def test_the_start_is_the_weighted_sum() -> None:
    found = start(signals(2, body_top3=[0.5, 1.0], test=[0.0, 1.0]))
    expected = [0.5 * WEIGHTS["body_top3"], WEIGHTS["body_top3"] + WEIGHTS["test"]]
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_trees_add_to_the_start() -> None:
    given_signals = signals(2, body_top3=[0.5, 1.0], length=[3.0, 5.0])
    ids, scores = rank(given_signals)
    found = shipped(False)
    expected = start(given_signals) + found(rows(given_signals, found.columns, np.arange(2)))
    np.testing.assert_allclose(scores[np.argsort(ids)], expected, atol=1e-4)


def test_files_behind_the_shortlist_follow_it_in_the_order_of_their_start() -> None:
    count = SHORTLIST + 20
    ids, scores = rank(signals(count, body_top3=[1 - place / count for place in range(count)]))
    assert ids[SHORTLIST:].tolist() == [10 * (place + 1) for place in range(SHORTLIST, count)]
    assert (np.diff(scores) <= 0).all() and len(set(ids.tolist())) == count


def test_a_name_or_an_error_message_is_answered_by_the_start_alone() -> None:
    asked = replace(signals(2, body_top3=[1.0, 0.9], path=[0.2, 1.0]), question=False)
    assert sorted(rank(asked)[1].tolist()) == pytest.approx(sorted(start(asked).tolist()))


def test_a_path_that_is_pointed_at_wins_over_every_other_signal() -> None:
    best = {name: [0.0, 1.0] for name in ("body", "body_top3", "file_body", "cover_file", "cover_body")}
    assert rank(signals(2, pointed=[1.0, 0.0], **best))[0].tolist() == [10, 20]


def test_what_speaks_for_a_file_is_positive_and_what_speaks_against_it_is_not() -> None:
    for name in ("body_top3", "file_body", "path", "defines", "pointed", "vector"):
        assert WEIGHTS[name] > 0, name
    for name in ("test", "example", "vendored", "documentation", "stub", "header", "older"):
        assert WEIGHTS[name] <= 0, name


def test_equal_scores_are_ordered_by_path_whatever_the_ids() -> None:
    assert rank(signals(3, body_top3=[0.5, 0.9, 0.5]))[0].tolist() == [20, 30, 10]


def test_scores_that_differ_by_rounding_only_are_equal() -> None:
    assert rank(signals(2, body_top3=[0.5, 0.5 - 1e-7]))[0].tolist() == [20, 10]


def test_nothing_is_ranked_as_nothing() -> None:
    ids, scores = rank(signals(0))
    assert (len(ids), len(scores)) == (0, 0)


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=20))
def test_scores_fall_and_every_file_is_ranked_once(values: list[float]) -> None:
    ids, scores = rank(signals(len(values), file_body=values))
    assert sorted(ids.tolist()) == [10 * (place + 1) for place in range(len(values))]
    assert (np.diff(scores) <= 0).all()


@given(st.lists(st.floats(0, 1, width=32), min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_that_of_the_candidates(values: list[float], random: object) -> None:
    given_signals = signals(len(values), file_body=values)
    order = list(range(len(values)))
    random.shuffle(order)  # type: ignore[attr-defined]
    shuffled = FileSignals(
        given_signals.ids[order],
        tuple(given_signals.paths[place] for place in order),
        {name: each[order] for name, each in given_signals.values.items()},
    )
    assert rank(shuffled)[0].tolist() == rank(given_signals)[0].tolist()


TREE = {
    "src/cart.py": "class Cart:\n    def total(self, items):\n        return sum(items)\n",
    "src/item.py": "def total(items):\n    return len(items)\n",
    "tests/test_cart.py": "def test_total():\n    assert Cart().total([]) == 0\n",
    "README.md": "# Cart\n\nThe total of the items of a cart.\n",
}
SEARCH = """
import sys
from clew import Engine, to_json
with Engine.open(sys.argv[1]) as engine:
    if not engine.exists():
        engine.index()
    for query in ("where is the total of a cart computed", "Cart.total", "src/item.py", "items"):
        answer = engine.search(query, explain=True)
        print([(hit.path, hit.score, sorted(hit.signals.items()), to_json(hit.places)) for hit in answer.hits])
"""


def test_an_answer_does_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    for path, text in TREE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    outputs = set()
    for seed in ("0", "1", "4242"):  # each indexes anew: the order of terms must not matter either
        environment = {**os.environ, "PYTHONHASHSEED": seed, "CLEW_INDEX_DIR": str(tmp_path / seed)}
        done = subprocess.run(
            [sys.executable, "-c", SEARCH, str(root)],
            capture_output=True, check=True, text=True, encoding="utf-8", env=environment,
        )  # fmt: skip
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert "src/cart.py" in outputs.pop()
