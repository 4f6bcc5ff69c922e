"""Metrics against values computed by hand: discounts are 1, 0.6309, 0.5, 0.4307, 0.3869 ... for ranks 1, 2, 3 ..."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.evaluation import Gold, QueryScore, score_query
from clew.evaluation.metrics import DEPTH


def hits(*paths: str) -> list[list[tuple[str, int, int]]]:
    return [[(path, 1, 10)] for path in paths]


def test_the_only_gold_on_the_first_rank_is_perfect() -> None:
    assert score_query(hits("a", "b"), [Gold("a")]) == QueryScore(1.0, 1.0, 1.0, 1.0, 1.0, (1,))


def test_the_only_gold_on_the_third_rank_is_discounted() -> None:
    assert score_query(hits("x", "y", "a"), [Gold("a")]) == QueryScore(0.5, 1 / 3, 0.0, 1.0, 1.0, (3,))


def test_two_golds_are_compared_with_the_ideal_order() -> None:
    found = score_query(hits("a", "x", "b"), [Gold("b"), Gold("a")])
    assert found.ndcg == pytest.approx((1 + 0.5) / (1 + 0.63092975))
    assert (found.mrr, found.hit1, found.recall5, found.ranks) == (1.0, 1.0, 1.0, (3, 1))


def test_a_gold_that_is_missing_lowers_recall_and_ndcg() -> None:
    found = score_query(hits("a"), [Gold("a"), Gold("b")])
    assert found.ndcg == pytest.approx(1 / 1.63092975)
    assert (found.recall5, found.recall10, found.ranks) == (0.5, 0.5, (1, 0))


def test_ranks_beyond_the_fifth_and_the_tenth_count_less_or_not_at_all() -> None:
    sixth = score_query(hits(*"uvwxy", "a"), [Gold("a")])
    assert (sixth.recall5, sixth.recall10) == (0.0, 1.0)
    assert sixth.ndcg == pytest.approx(1 / math.log2(7))
    eleventh = score_query(hits(*(f"x{number}" for number in range(DEPTH)), "a"), [Gold("a")])
    assert eleventh == QueryScore(0.0, 0.0, 0.0, 0.0, 0.0, (0,))


@pytest.mark.parametrize(("found", "gold"), [([], [Gold("a")]), (hits("a"), []), ([], [])])
def test_nothing_found_or_nothing_wanted_scores_nothing(
    found: list[list[tuple[str, int, int]]], gold: list[Gold]
) -> None:
    score = score_query(found, gold)
    assert (score.ndcg, score.mrr, score.hit1, score.recall5, score.recall10) == (0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("start", "end", "matches"), [(1, 4, False), (1, 5, True), (7, 8, True), (10, 20, True), (11, 20, False)]
)
def test_lines_of_a_gold_must_be_overlapped(start: int, end: int, matches: bool) -> None:
    assert Gold("a", 5, 10).matches("a", start, end) is matches
    assert not Gold("a", 5, 10).matches("b", start, end)


def test_a_gold_without_lines_is_the_whole_file() -> None:
    assert Gold("a").matches("a", 1, 1) and Gold("a").matches("a", 999, 1000)


def test_any_place_of_a_hit_counts_at_the_rank_of_the_hit() -> None:
    found = [[("x", 1, 5)], [("a", 1, 5), ("a", 40, 50)]]
    assert score_query(found, [Gold("a", 45, 60)]).ranks == (2,)


def test_a_repeated_gold_file_counts_at_its_first_rank() -> None:
    assert score_query(hits("a", "a", "b"), [Gold("a"), Gold("b")]).ranks == (1, 3)


@given(st.lists(st.sampled_from("abcdef"), max_size=14), st.sets(st.sampled_from("abcdef"), min_size=1))
def test_every_measure_lies_between_nothing_and_perfect(found: list[str], wanted: set[str]) -> None:
    score = score_query(hits(*found), [Gold(path) for path in sorted(wanted)])
    for value in (score.ndcg, score.mrr, score.hit1, score.recall5, score.recall10):
        assert 0.0 <= value <= 1.0 + 1e-9


@given(st.permutations("abcdef"), st.integers(1, 5))
def test_moving_a_gold_up_never_lowers_a_measure(order: list[str], rank: int) -> None:
    gold = [Gold("a"), Gold("b")]
    if order[rank] in "ab" and order[rank - 1] not in "ab":
        better = [*order]
        better[rank - 1], better[rank] = better[rank], better[rank - 1]
        before, after = score_query(hits(*order), gold), score_query(hits(*better), gold)
        assert after.ndcg > before.ndcg and after.mrr >= before.mrr and after.recall5 >= before.recall5


def test_two_golds_in_one_hit_do_not_beat_the_ideal() -> None:
    score = score_query([[("a", 1, 10), ("a", 20, 30)]], [Gold("a", 1, 5), Gold("a", 20, 25)])
    assert score.ranks == (1, 1)
    assert score.ndcg == 1.0
