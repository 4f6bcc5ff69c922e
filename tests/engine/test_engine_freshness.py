"""The next search sees what changed: in a fresh process, and in one that has long been listening to events."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_tools import (
    clew_run,
    engine,
    functions,
    git,
    indexed,
    paths,
    place_of,
    repository,
    texts,
    write,
)

from clew import Engine, NoIndexError, RootError

TREE = {"a.py": functions("alpha"), "b.py": functions("beta"), "sub/c.py": functions("gamma")}


def following(root: Path, looks: int) -> Engine:
    """An engine over TREE that has looked at it so often: from the second look on it listens to change events."""
    with indexed(root, TREE):
        pass
    fresh = engine(root)
    for _ in range(looks):
        assert fresh.search("alpha").freshness.state == "fresh"
    return fresh


@pytest.fixture
def opened(root: Path) -> Iterator[Engine]:
    """One that has long been following the tree."""
    with following(root, 4) as engine_that_listens:
        yield engine_that_listens


@pytest.fixture(params=[0, 4], ids=["cold", "listening"])
def either(request: pytest.FixtureRequest, root: Path) -> Iterator[Engine]:
    with following(root, request.param) as fresh:
        yield fresh


def test_an_edit_is_seen(either: Engine) -> None:
    write(either.root, {"a.py": functions("alpha", "novel")})
    answer = either.search("novel")
    assert (paths(answer), answer.freshness.state, answer.freshness.changed_files) == (["a.py"], "refreshed", 1)
    assert either.search("novel").freshness.state == "fresh"


def test_an_edit_of_the_same_size_is_seen(opened: Engine) -> None:
    write(opened.root, {"a.py": functions("alpha").replace("alpha", "omega")})
    assert paths(opened.search("alpha")) == []
    assert paths(opened.search("omega")) == ["a.py"]


def test_an_edit_of_the_same_size_with_the_old_modification_time_is_seen(either: Engine) -> None:
    path = either.root / "a.py"
    before = path.stat()
    write(either.root, {"a.py": functions("omega")})
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert paths(either.search("omega")) == ["a.py"]


def test_several_edits_within_one_clock_tick_are_seen(opened: Engine) -> None:
    for name in ("first", "secnd", "third"):
        write(opened.root, {"a.py": functions(name)})
        answer = opened.search(name)
        assert paths(answer) == ["a.py"]
        assert f"def {name}" in texts(answer)


def test_a_deleted_file_does_not_answer(either: Engine) -> None:
    (either.root / "a.py").unlink()
    answer = either.search("alpha")
    assert (paths(answer), answer.freshness.state) == ([], "refreshed")
    assert either.status().files == 2


def test_a_deleted_folder_does_not_answer(opened: Engine) -> None:
    shutil.rmtree(opened.root / "sub")
    assert paths(opened.search("gamma")) == []


def test_a_new_file_is_seen(either: Engine) -> None:
    write(either.root, {"d.py": functions("delta")})
    assert paths(either.search("delta")) == ["d.py"]


def test_a_new_file_in_a_new_folder_is_seen(opened: Engine) -> None:
    write(opened.root, {"deep/er/d.py": functions("delta")})
    assert paths(opened.search("delta")) == ["deep/er/d.py"]
    write(opened.root, {"deep/er/e.py": functions("epsilon")})
    assert paths(opened.search("epsilon")) == ["deep/er/e.py"]


def test_a_renamed_file_answers_under_its_new_name_only(either: Engine) -> None:
    (either.root / "a.py").rename(either.root / "renamed.py")
    assert paths(either.search("alpha")) == ["renamed.py"]


def test_a_renamed_folder_answers_under_its_new_name_only(opened: Engine) -> None:
    (opened.root / "sub").rename(opened.root / "other")
    assert paths(opened.search("gamma")) == ["other/c.py"]


def test_two_files_that_swap_their_names_are_not_confused(opened: Engine) -> None:
    (opened.root / "a.py").rename(opened.root / "x")
    (opened.root / "b.py").rename(opened.root / "a.py")
    (opened.root / "x").rename(opened.root / "b.py")
    assert paths(opened.search("alpha")) == ["b.py"]
    assert paths(opened.search("beta")) == ["a.py"]


def test_a_new_ignore_rule_is_seen(either: Engine) -> None:
    write(either.root, {".clewignore": "a.py\n"})
    assert paths(either.search("alpha")) == []
    (either.root / ".clewignore").unlink()
    assert paths(either.search("alpha")) == ["a.py"]


def test_a_new_ignore_file_of_a_subfolder_is_seen(opened: Engine) -> None:
    write(opened.root, {"sub/.gitignore": "c.py\n"})
    assert paths(opened.search("gamma")) == []


def test_a_file_replaced_by_a_folder_is_seen(opened: Engine) -> None:
    (opened.root / "a.py").unlink()
    write(opened.root, {"a.py/inner.py": functions("alpha")})
    assert paths(opened.search("alpha")) == ["a.py/inner.py"]


def test_an_index_run_by_another_process_is_followed(opened: Engine) -> None:
    write(opened.root, {"a.py": functions("novel")})
    with engine(opened.root) as other:
        generation = other.index().generation
    answer = opened.search("novel")
    assert (paths(answer), answer.generation) == (["a.py"], generation)


def test_a_rebuild_by_another_process_is_followed(opened: Engine) -> None:
    write(opened.root, {"a.py": functions("novel")})
    with engine(opened.root) as other:
        other.index(full=True)
    assert paths(opened.search("novel")) == ["a.py"]


def test_a_touched_file_is_not_stored_again(opened: Engine) -> None:
    generation = opened.status().generation
    os.utime(opened.root / "a.py", (1, 1))
    answer = opened.search("alpha")
    assert (paths(answer), answer.generation, answer.freshness.state) == (["a.py"], generation, "fresh")


# Git


def test_a_file_ignored_after_the_fact_is_dropped(root: Path) -> None:
    repository(root, TREE)
    write(root, {"d.py": functions("delta")})
    with engine(root) as opened:
        opened.index()
        assert paths(opened.search("delta")) == ["d.py"]
        (root / ".git" / "info" / "exclude").write_text("d.py\n", encoding="ascii")
        assert paths(opened.search("delta")) == []


def test_a_switched_branch_is_seen(root: Path) -> None:
    repository(root, TREE)
    with engine(root) as opened:
        opened.index()
        git(root, "checkout", "-q", "-b", "other")
        write(root, {"a.py": functions("novel")})
        git(root, "rm", "-qf", "b.py")
        git(root, "commit", "-qam", "second")
        assert paths(opened.search("novel beta")) == ["a.py"]
        git(root, "checkout", "-q", "main")
        assert paths(opened.search("novel beta")) == ["b.py"]


# Too much to catch up with


def fall_behind(root: Path) -> Engine:
    """An engine that may not catch up, over a tree of 320 files of which 300 were edited, one deleted, one added."""
    files = {f"m{number}.py": functions("shared", f"name{number}") for number in range(320)}
    opened = indexed(root, files, refresh_seconds=0)
    write(root, {f"m{number}.py": functions("shared", f"other{number}") for number in range(300)})
    (root / "m310.py").unlink()
    write(root, {"new.py": functions("shared", "brand_new")})
    return opened


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """For tests that only ask: as long as nobody indexes, it stays behind."""
    with fall_behind(tmp_path_factory.mktemp("behind")) as opened:
        yield opened


def test_a_stale_answer_says_so_and_what_to_do(behind: Engine) -> None:
    fresh = behind.search("name315").freshness
    assert (fresh.state, fresh.changed_files) == ("stale", 302)
    assert "302 files changed" in fresh.message
    assert "clew index" in fresh.message


def test_a_stale_answer_marks_the_files_that_changed_and_no_others(behind: Engine) -> None:
    marks = {hit.path: hit.stale for hit in behind.search("name7 name315", limit=50).hits}
    assert (marks["m7.py"], marks["m315.py"]) == (True, False)


def test_a_stale_answer_does_not_show_deleted_files(behind: Engine) -> None:
    assert "m310.py" not in paths(behind.search("name310", limit=50))
    assert len(behind.search("shared", limit=5).hits) == 5


def test_a_stale_answer_shows_text_of_its_own_generation(behind: Engine) -> None:
    place = place_of(behind.search("name7"), "m7.py")
    assert place.symbol == "name7"
    assert "def name7" in (place.text or "")


def test_an_index_run_ends_the_staleness(root: Path) -> None:
    with fall_behind(root) as opened:
        report = opened.index()
        assert (report.files.indexed, report.files.removed) == (301, 1)
        answer = opened.search("other7 brand_new", limit=5)
    assert answer.freshness.state == "fresh"
    assert set(paths(answer)) >= {"m7.py", "new.py"}


def test_300_changed_files_are_caught_up_with_when_that_may_take_the_time(root: Path) -> None:
    with fall_behind(root), engine(root, refresh_seconds=60) as patient:
        answer = patient.search("other7")
    assert (paths(answer)[0], answer.freshness.state, answer.freshness.changed_files) == ("m7.py", "refreshed", 302)


def test_the_command_catches_up_when_it_was_asked_to(root: Path) -> None:
    with fall_behind(root):
        done = clew_run(root, "search", "other7", "--index", env={"CLEW_REFRESH_SECONDS": "0"})
    assert done.returncode == 0
    assert '"state":"fresh"' in done.stdout


# The root itself


def test_a_deleted_root_is_one_clear_error(opened: Engine) -> None:
    shutil.rmtree(opened.root)
    with pytest.raises((RootError, NoIndexError)):
        opened.search("alpha")


def test_a_moved_root_is_one_clear_error_and_its_index_moves_along(opened: Engine) -> None:
    moved = opened.root.rename(opened.root.with_name("moved"))
    with pytest.raises((RootError, NoIndexError)):
        opened.search("alpha")
    with engine(moved) as elsewhere:
        answer = elsewhere.search("alpha")
        assert paths(answer) == ["a.py"]
        assert answer.root == str(moved)


def test_a_deleted_root_with_its_index_elsewhere_is_one_clear_error(root: Path, tmp_path: Path) -> None:
    with indexed(root, TREE, index_dir=str(tmp_path / "indexes")) as opened:
        shutil.rmtree(root)
        with pytest.raises(RootError):
            opened.search("alpha")


def test_a_deleted_index_is_told_apart_from_a_damaged_one(opened: Engine) -> None:
    shutil.rmtree(opened.index_path)
    assert not opened.status().exists
    done = clew_run(opened.root, "search", "alpha")
    assert (done.returncode, '"code":"no_index"' in done.stdout) == (1, True)
    opened.index()
    assert paths(opened.search("alpha")) == ["a.py"]
