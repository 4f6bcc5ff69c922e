from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.index.merge import MAX_MERGED_ROWS, MAX_SEGMENTS, Size, plan_merge

sizes = st.builds(Size, live=st.integers(1, 1 << 20), dead=st.integers(0, 1 << 20), bytes=st.integers(0, 1 << 30))


def clean(*live: int) -> list[Size]:
    return [Size(rows, 0, rows) for rows in live]


def test_few_clean_segments_are_left_alone() -> None:
    assert plan_merge(clean(*range(1, MAX_SEGMENTS + 1))) == []


def test_the_smallest_segments_go_first() -> None:
    assert plan_merge(clean(1000, 5, 400, 5, 90, 5, 70, 80, 60)) == [1, 3, 5]


def test_a_segment_with_too_many_dead_rows_is_rewritten_alone_among_larger_ones() -> None:
    assert plan_merge([Size(100, 0, 0), Size(10, 5, 0), Size(90, 20, 0)]) == [1]


def test_a_rewritten_segment_takes_smaller_ones_along() -> None:
    assert plan_merge([Size(3, 0, 0), Size(100, 60, 0), Size(2000, 0, 0)]) == [0, 1]


@given(st.lists(sizes, max_size=30))
def test_a_merge_brings_the_number_within_the_bound_unless_it_would_grow_too_large(found: list[Size]) -> None:
    chosen = plan_merge(found)
    assert len(set(chosen)) == len(chosen)
    left = len(found) - len(chosen) + bool(chosen)
    rest = [size.live for number, size in enumerate(found) if number not in chosen]
    rows = sum(found[number].live for number in chosen)
    grown = bool(rest) and rows + max(rest) > MAX_MERGED_ROWS
    assert left <= MAX_SEGMENTS or grown or sum(size.bytes for size in found) > 4 << 30


def test_refreshing_for_a_long_time_rewrites_each_row_only_a_few_times() -> None:
    live, written, refreshes = [100_000], 0, 2000
    for _ in range(refreshes):
        live.append(100)
        chosen = plan_merge(clean(*live))
        merged = sum(live[number] for number in chosen)
        written += merged
        live = [rows for number, rows in enumerate(live) if number not in chosen] + [merged] * bool(chosen)
    assert written < 8 * (100 * refreshes + 100_000)
