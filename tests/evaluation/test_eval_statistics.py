"""Intervals and p values against what is known of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.evaluation.statistics import EXACT, interval, paired, randomisation

SCORES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12)


def test_equal_runs_differ_by_nothing() -> None:
    scores = np.array([1.0, 0.5, 0.0])
    found = paired(scores, scores)
    assert (found.difference, found.low, found.high, found.p, found.effect) == (0.0, 0.0, 0.0, 1.0, 0.0)
    assert (found.better, found.worse, found.equal) == (0, 0, 3)


@pytest.mark.parametrize(("count", "p"), [(1, 1.0), (2, 0.5), (5, 2 / 32), (10, 2 / 1024)])
def test_all_queries_better_by_the_same_has_the_p_of_equal_coins(count: int, p: float) -> None:
    assert randomisation(np.full(count, 0.1)) == pytest.approx(p)


def test_an_exact_p_counts_the_patterns_at_least_as_large() -> None:
    # Sums of +-3 +-2 +-1: of eight patterns 6, 4, -4 and -6 are at least 4 away from nothing.
    assert randomisation(np.array([3.0, 2.0, -1.0])) == pytest.approx(4 / 8)


def test_queries_that_do_not_differ_say_nothing() -> None:
    few, many = np.array([0.5, -0.1, 0.2]), np.zeros(50)
    assert randomisation(np.concatenate([few, many])) == randomisation(few)


def test_random_draws_agree_with_counting() -> None:
    values = np.random.default_rng(1).normal(0.3, 1.0, EXACT)
    exact = randomisation(values)
    # One more difference, too small to matter, is past the limit of counting.
    assert randomisation(np.append(values, 1e-12)) == pytest.approx(exact, abs=0.015)


def test_chance_alone_is_seldom_significant() -> None:
    generator = np.random.default_rng(2)
    values = [randomisation(generator.normal(0, 1, 12)) for _ in range(200)]
    assert 0.01 <= np.mean([p < 0.05 for p in values]) <= 0.1


def test_an_interval_of_a_mean_is_about_two_standard_errors_wide() -> None:
    values = np.random.default_rng(3).normal(0.5, 0.1, 400)
    low, high = interval(values)
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * 0.1 / 20, rel=0.15)


def test_the_same_values_give_the_same_answer() -> None:
    before, after = np.random.default_rng(4).random((2, 60))
    assert paired(before, after) == paired(before, after)


@given(SCORES)
def test_a_comparison_turned_round_has_the_same_p_and_the_opposite_difference(
    scores: list[tuple[float, float]],
) -> None:
    before, after = (np.array(column) for column in zip(*scores, strict=True))
    one, other = paired(before, after), paired(after, before)
    assert one.difference == pytest.approx(-other.difference)
    assert one.p == pytest.approx(other.p)
    assert (one.better, one.worse) == (other.worse, other.better)
    assert 0.0 < one.p <= 1.0
    assert one.low <= one.high
