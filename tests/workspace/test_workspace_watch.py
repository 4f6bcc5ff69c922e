from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workspace_trees import git, paths, repository, write

from clew.errors import DamagedIndexError
from clew.records import FileStat
from clew.workspace import (
    Watch,
    stat_file,
    stat_tuples,
    walk,
    watch_changed,
    watch_from_json,
    watch_to_json,
)
from clew.workspace.watch import is_racy

FILES = {
    "a.py": "",
    "pkg/sub/b.py": "",
    "pkg/.gitignore": "*.tmp\n",
    "only_ignored/x.log": "",
    ".gitignore": "*.log\nignored/\n",
    ".clewignore": "*.sql\n",
    "ignored/deep/c.py": "",
}


@pytest.fixture(params=["git", "no git"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = tmp_path / "r"
    if request.param == "git":
        repository(root)
    write(root, FILES)
    (root / "empty/inner").mkdir(parents=True)
    return root


def test_right_after_a_walk_nothing_has_changed(root: Path) -> None:
    assert not watch_changed(root, walk(root).watch)


CHANGES: dict[str, Callable[[Path], object]] = {
    "new file": lambda root: write(root, {"pkg/new.py": ""}),
    "new directory": lambda root: write(root, {"pkg/new/x.py": ""}),
    "new file in an empty directory": lambda root: write(root, {"empty/inner/x.py": ""}),
    "new file beside ignored ones": lambda root: write(root, {"only_ignored/x.py": ""}),
    "deleted file": lambda root: (root / "pkg/sub/b.py").unlink(),
    "renamed file": lambda root: (root / "a.py").rename(root / "z.py"),
    "renamed directory": lambda root: (root / "pkg").rename(root / "gkp"),
    "edited ignore file": lambda root: (root / ".gitignore").write_text("a.py\n", encoding="utf-8"),
    "edited nested ignore file": lambda root: (root / "pkg/.gitignore").write_text("b.py\n", encoding="utf-8"),
    "edited own ignore file": lambda root: (root / ".clewignore").write_text("a.py\n", encoding="utf-8"),
    "new ignore file": lambda root: write(root, {"pkg/sub/.gitignore": "b.py\n"}),
    "new own ignore file": lambda root: write(root, {"pkg/sub/.clewignore": "b.py\n"}),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_change_of_the_file_set_is_noticed(root: Path, change: Callable[[Path], object]) -> None:
    watch = walk(root).watch
    change(root)
    assert watch_changed(root, watch)


def test_a_new_file_with_an_old_time_of_its_directory_is_noticed(root: Path) -> None:
    before = (root / "pkg").stat()
    watch = walk(root).watch
    write(root, {"pkg/new.py": ""})
    os.utime(root / "pkg", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert watch_changed(root, watch)


def test_a_change_in_the_very_tick_of_the_walk_is_noticed(tmp_path: Path) -> None:
    for number in range(10):
        root = tmp_path / str(number)
        write(root, {"a.py": ""})
        watch = walk(root).watch
        write(root, {"b.py": ""})
        assert watch_changed(root, watch)


def test_a_stamp_is_trusted_unless_a_change_could_have_left_it_as_it_is() -> None:
    second = 1_000_000_000
    started, ended = 1000 * second + 5, 1001 * second + 5
    assert is_racy(started + 1, started, ended)
    assert is_racy(started - 10_000_000, started, ended)
    assert not is_racy(started - 30_000_000, started, ended)
    assert is_racy(999 * second, started, ended), "whole seconds: the file system may keep no finer ones"
    assert not is_racy(1500 * second + 1, started, ended), "in the future: the next change moves it"


UNRELATED: dict[str, Callable[[Path], object]] = {
    "edited file": lambda root: (root / "a.py").write_text("x = 1\n", encoding="utf-8"),
    "file in an ignored directory": lambda root: write(root, {"ignored/deep/d.py": "", "ignored/e.py": ""}),
    "file in the index directory": lambda root: write(root, {".clew/catalog": "x"}),
}


@pytest.mark.parametrize("change", UNRELATED.values(), ids=UNRELATED.keys())
def test_what_does_not_touch_the_file_set_is_not_taken_for_a_change(
    root: Path, change: Callable[[Path], object]
) -> None:
    (root / ".clew").mkdir()
    watch = walk(root).watch
    change(root)
    assert not watch_changed(root, watch)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return repository(tmp_path / "top", {"pkg/a.py": "", "pkg/gen/b.py": "", "ig/x.py": "", ".gitignore": "ig/\n"})


@pytest.mark.parametrize(
    "change",
    [
        lambda top: git(top, "add", "-f", "ig/x.py"),
        lambda top: (top / ".git/info/exclude").write_text("gen/\n", encoding="utf-8"),
        lambda top: git(top, "config", "core.excludesFile", "/nonexistent"),
        lambda top: write(Path.home(), {".config/git/ignore": "x"}),
        lambda top: write(Path.home(), {".gitconfig": "[core]\n"}),
    ],
    ids=["index", "info/exclude", "config", "user's ignore file appears", "user's configuration appears"],
)
def test_what_git_goes_by_is_watched(checkout: Path, change: Callable[[Path], object]) -> None:
    watch = walk(checkout).watch
    assert not watch_changed(checkout, watch)
    change(checkout)
    assert watch_changed(checkout, watch)


def test_rules_above_a_subfolder_are_watched_even_before_they_exist(checkout: Path) -> None:
    (checkout / ".gitignore").unlink()
    watch = walk(checkout / "pkg").watch
    assert not watch_changed(checkout / "pkg", watch)
    (checkout / ".gitignore").write_text("gen/\n", encoding="utf-8")
    assert watch_changed(checkout / "pkg", watch)


def test_a_repository_made_around_or_in_the_root_is_noticed(tmp_path: Path) -> None:
    write(tmp_path / "top/r", {"a.py": ""})
    watch = walk(tmp_path / "top/r").watch
    repository(tmp_path / "top")
    assert watch_changed(tmp_path / "top/r", watch)


def test_a_repair_of_a_damaged_repository_is_noticed(checkout: Path) -> None:
    (checkout / ".git/index").write_bytes(b"not an index")
    watch = walk(checkout).watch
    assert not watch_changed(checkout, watch)
    (checkout / ".git/index").unlink()
    assert watch_changed(checkout, watch)


def test_a_folder_that_is_no_longer_ignored_by_the_repository_around_it_is_noticed(checkout: Path) -> None:
    root = checkout / "ig"
    watch = walk(root).watch
    assert not watch_changed(root, watch)
    (checkout / ".gitignore").write_text("", encoding="utf-8")
    assert watch_changed(root, watch)


def test_the_users_own_ignore_file_is_watched_even_before_it_exists(tmp_path: Path) -> None:
    write(tmp_path / "r", {"a.py": ""})
    watch = walk(tmp_path / "r", user_ignore=tmp_path / "ignore").watch
    assert not watch_changed(tmp_path / "r", watch)
    (tmp_path / "ignore").write_text("a.py\n", encoding="utf-8")
    assert watch_changed(tmp_path / "r", watch)


def test_submodules_are_watched(tmp_path: Path) -> None:
    lib = repository(tmp_path / "lib", {"lib.py": ""}, commit=True)
    main = repository(tmp_path / "main", {"a.py": ""}, commit=True)
    git(main, "submodule", "add", "-q", str(lib), "lib")
    watch = walk(main).watch
    assert not watch_changed(main, watch)
    write(main, {"lib/new.py": ""})
    assert watch_changed(main, watch)


def test_the_arrival_of_git_is_noticed(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "")
        watch = walk(checkout).watch
        assert not watch_changed(checkout, watch)
    assert watch_changed(checkout, watch)


def test_a_watch_survives_json(root: Path) -> None:
    watch = walk(root).watch
    assert watch_from_json(json.loads(json.dumps(watch_to_json(watch)))) == watch


@pytest.mark.parametrize(
    "damage",
    [
        None,
        [],
        {"format": 99},
        {"directories": {}},
        {"directories": {"paths": "a\0../up", "stamps": [1, 2]}},
        {"directories": {"paths": "a/../../up", "stamps": [1]}},
        {"directories": {"paths": "/etc", "stamps": [1]}},
        {"directories": {"paths": "a", "stamps": ["1"]}},
        {"directories": {"paths": "a", "stamps": [True]}},
        {"directories": {"paths": "a\0b", "stamps": [1]}},
        {"files": [["a", [1, 2, 3]]]},
        {"files": [[1, None]]},
        {"without_git": None},
    ],
)
def test_a_damaged_watch_is_a_clear_error(damage: object) -> None:
    data: object = {**watch_to_json(Watch((), ())), **damage} if isinstance(damage, dict) else damage
    with pytest.raises(DamagedIndexError, match="damaged"):
        watch_from_json(data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
)


@given(directories=json_values, files=json_values)
def test_whatever_stands_in_the_index_no_other_error_escapes(directories: object, files: object) -> None:
    data = {"format": 2, "directories": directories, "files": files, "without_git": False}
    try:
        watch = watch_from_json(data)
    except DamagedIndexError:
        return
    watch_changed(Path("/nonexistent"), watch)


def test_stats_of_many_files_agree_with_those_of_one(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "xy", "d/b.py": ""})
    (tmp_path / "link.py").symlink_to("a.py")
    names = ["a.py", "none.py", "d/b.py", "d", "link.py", "bad\0name"]
    one_by_one = [stat_file(tmp_path, name) for name in names]
    assert [None if known is None else FileStat(*known) for known in stat_tuples(tmp_path, names)] == one_by_one
    assert [known is None for known in one_by_one] == [False, True, False, True, True, True]
    assert one_by_one[0] == walk(tmp_path).files[paths(walk(tmp_path)).index("a.py")].stat
