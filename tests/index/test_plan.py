from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.catalog import FileRecord
from clew.index.plan import (
    BYTES_PER_SECOND,
    RACY_NS,
    SECONDS_PER_FILE,
    START_SECONDS,
    UNKNOWN_STAT,
    Plan,
    plan,
    trusted,
)
from clew.records import FileStat, SourceFile

STAT = FileStat(size=10, mtime_ns=1, ctime_ns=1, inode=1)


def found(path: str, stat: FileStat = STAT) -> SourceFile:
    return SourceFile(path, stat)


def known(path: str, stat: FileStat = STAT, strategy: str = "syntax") -> dict[str, FileRecord]:
    return {path: FileRecord(1, path, stat, b"hash", "python", 0, strategy, 1, "", "")}


def test_a_new_file_is_read() -> None:
    assert plan([found("a")], {}) == Plan((found("a"),), (), 0)


def test_a_file_with_the_same_stat_is_not_read() -> None:
    assert plan([found("a")], known("a")) == Plan((), (), 1)


def test_any_part_of_a_stat_that_differs_means_reading() -> None:
    for part in ("size", "mtime_ns", "ctime_ns", "inode"):
        changed = found("a", replace(STAT, **{part: 99}))
        assert plan([changed], known("a")).read == (changed,)


def test_a_file_that_failed_before_is_read_again() -> None:
    assert plan([found("a")], known("a", strategy="failed")).read == (found("a"),)


def test_a_file_that_is_no_longer_there_is_gone() -> None:
    stored = known("a")
    assert plan([], stored) == Plan((), (stored["a"],), 0)


def test_a_renamed_file_is_gone_and_new() -> None:
    done = plan([found("b")], known("a"))
    assert ([each.path for each in done.read], [each.path for each in done.gone], done.changes) == (["b"], ["a"], 2)


def test_the_time_of_a_plan_is_that_of_its_bytes_and_files_and_nothing_without_changes() -> None:
    assert Plan((), (), 5).seconds == 0.0
    large = found("a", replace(STAT, size=BYTES_PER_SECOND))
    assert Plan((large, large), (), 0).seconds == pytest.approx(START_SECONDS + 2 + 2 * SECONDS_PER_FILE)
    assert Plan((), (known("a")["a"],), 0).seconds == pytest.approx(START_SECONDS + SECONDS_PER_FILE)


STATS = st.builds(FileStat, st.integers(0, 1), st.integers(0, 1), st.just(0), st.just(0))


@given(st.dictionaries(st.sampled_from("abcdef"), STATS), st.dictionaries(st.sampled_from("abcdef"), STATS))
def test_every_file_is_read_unchanged_or_gone(now: dict[str, FileStat], before: dict[str, FileStat]) -> None:
    stored = {path: known(path, stat)[path] for path, stat in before.items()}
    done = plan([found(path, stat) for path, stat in now.items()], stored)
    assert {each.path for each in done.read} == {path for path in now if now[path] != before.get(path)}
    assert {each.path for each in done.gone} == before.keys() - now.keys()
    assert done.unchanged == len(now) - len(done.read)
    assert done.changes == len(done.read) + len(done.gone)


def test_a_stat_is_trusted_when_the_file_is_older_than_the_clock_is_coarse() -> None:
    read_at = 10**18
    old, fresh = (replace(STAT, ctime_ns=read_at - RACY_NS + late) for late in (0, 1))
    assert trusted(old, read_at) == old
    assert trusted(fresh, read_at) == UNKNOWN_STAT


def test_an_unknown_stat_equals_that_of_no_file() -> None:
    assert plan([found("a")], known("a", UNKNOWN_STAT)).read == (found("a"),)
