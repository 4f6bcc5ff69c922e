from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import RootError, UsageError
from clew.workspace import find_root, find_root_or_none, resolve_inside


def make(root: Path, *directories: str) -> Path:
    for name in directories:
        (root / name).mkdir(parents=True, exist_ok=True)
    return root.resolve()


def test_an_explicit_root_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make(tmp_path, "a", "b/.git")
    monkeypatch.setenv("CLEW_ROOT", str(root / "b"))
    assert find_root(root / "b", explicit=root / "a") == (root / "a", "explicit")


def test_the_environment_comes_before_markers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make(tmp_path, "a", "b/.git")
    monkeypatch.setenv("CLEW_ROOT", str(root / "a"))
    assert find_root(root / "b") == (root / "a", "environment CLEW_ROOT")


def test_the_nearest_marker_wins_whichever_it_is(tmp_path: Path) -> None:
    root = make(tmp_path, "r/.git", "r/in/.clew", "r/in/src", "r/other/src", "s/.clew", "s/lib/.git")
    assert find_root(root / "r/in/src") == (root / "r/in", "nearest .clew")
    assert find_root(root / "r/other/src") == (root / "r", "nearest .git")
    assert find_root(root / "s/lib") == (root / "s/lib", "nearest .git")


def test_a_dot_git_file_marks_a_worktree_or_submodule(tmp_path: Path) -> None:
    root = make(tmp_path, "r/.git", "r/wt/src")
    (root / "r/wt/.git").write_text("gitdir: ../.git/worktrees/wt\n", encoding="utf-8")
    assert find_root(root / "r/wt/src") == (root / "r/wt", "nearest .git")


def test_without_a_marker_the_working_directory_is_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make(tmp_path, "plain/sub")
    monkeypatch.chdir(root / "plain/sub")
    assert find_root() == (root / "plain/sub", "working directory")


def test_a_file_starts_at_its_directory(tmp_path: Path) -> None:
    root = make(tmp_path, "r/.git")
    (root / "r/a.py").touch()
    assert find_root(root / "r/a.py") == (root / "r", "nearest .git")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = make(tmp_path, "users/me/proj", "users/me/.git") / "users/me"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    return home


def test_home_and_what_lies_above_it_are_refused_unless_forced(home: Path) -> None:
    for directory in (home, home.parent, Path(home.anchor)):
        with pytest.raises(RootError, match="home directory or above") as caught:
            find_root(home, explicit=directory)
        assert str(directory) in caught.value.message
        assert "--force" in caught.value.hint
        assert find_root(home, explicit=directory, force=True) == (directory, "explicit")
    with pytest.raises(RootError):
        find_root(home)


def test_a_link_to_home_is_home(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home)
    with pytest.raises(RootError):
        find_root(explicit=tmp_path / "link")


def test_home_named_by_the_environment_is_refused_too(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_ROOT", "~")
    with pytest.raises(RootError):
        find_root(home / "proj")


def test_a_repository_in_home_does_not_claim_the_projects_below(home: Path) -> None:
    assert find_root(home / "proj") == (home / "proj", "working directory")


def test_a_root_that_is_missing_or_a_file_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RootError, match="does not exist"):
        find_root(explicit=tmp_path / "none")
    with pytest.raises(RootError, match="is not a directory"):
        find_root(explicit=tmp_path / "file")
    monkeypatch.setenv("CLEW_ROOT", str(tmp_path / "none"))
    with pytest.raises(RootError, match="from CLEW_ROOT"):
        find_root(tmp_path)


def test_a_given_environment_takes_the_place_of_the_process_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_ROOT", str(tmp_path / "missing"))
    assert find_root(environ={"CLEW_ROOT": str(tmp_path)})[0] == tmp_path.resolve()


def test_where_none_is_named_no_root_is_no_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    assert find_root_or_none() is None
    assert find_root_or_none(force=True) == home.resolve()


def test_a_named_root_that_cannot_serve_is_an_error_however_it_was_named(home: Path) -> None:
    with pytest.raises(RootError):
        find_root_or_none(home)
    with pytest.raises(RootError):
        find_root_or_none(environ={"CLEW_ROOT": str(home)})


def test_paths_inside_become_relative(tmp_path: Path) -> None:
    root = make(tmp_path, "proj/src") / "proj"
    assert resolve_inside(root, "src/a.py") == "src/a.py"
    assert resolve_inside(root, str(root / "src" / "a.py")) == "src/a.py"
    assert resolve_inside(root, "./src/../src/") == "src"
    assert resolve_inside(root, ".") == resolve_inside(root, "") == resolve_inside(root, str(root)) == ""
    assert resolve_inside(root, "..a/b") == "..a/b"


def test_a_link_inside_gives_the_path_it_leads_to(tmp_path: Path) -> None:
    root = make(tmp_path, "proj/src") / "proj"
    (root / "link").symlink_to(root / "src")
    assert resolve_inside(root, "link/a.py") == "src/a.py"
    (tmp_path / "way").symlink_to(root)
    assert resolve_inside(tmp_path / "way", str(tmp_path / "way" / "src")) == "src"


@pytest.mark.parametrize(
    "text", ["..", "../proj-evil/a", "src/../../x", "/", "/etc/passwd", "out/a", "a\0b", "~/../.."]
)
def test_paths_outside_are_refused(tmp_path: Path, text: str) -> None:
    root = make(tmp_path, "proj/src", "proj-evil") / "proj"
    (root / "out").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="outside the root"):
        resolve_inside(root, text)


def test_a_neighbour_whose_name_begins_alike_is_outside(tmp_path: Path) -> None:
    root = make(tmp_path, "proj", "proj-evil")
    with pytest.raises(UsageError):
        resolve_inside(root / "proj", str(root / "proj-evil" / "a.py"))


@given(st.lists(st.sampled_from(["a", "..", ".", "b", "", "..."]), max_size=8))
def test_what_is_accepted_never_leaves_the_root(parts: list[str]) -> None:
    root = Path("/nonexistent/root/of/test")
    try:
        inside = resolve_inside(root, "/".join(parts).lstrip("/"))
    except UsageError:
        assert ".." in parts
        return
    assert not os.path.isabs(inside) and ".." not in inside.split("/")
