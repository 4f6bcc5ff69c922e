"""Inside git: what tree shapes and repository states give."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from workspace_trees import git, listed_by_git, paths, repository, write

from clew.workspace import git_executable, walk


def test_info_exclude_holds_in_the_checkout_and_in_a_linked_worktree(tmp_path: Path) -> None:
    main = repository(tmp_path / "main", {"a.py": ""}, commit=True)
    (main / ".git/info/exclude").write_text("ex/\n", encoding="utf-8")
    write(main, {"ex/b.py": ""})
    git(main, "worktree", "add", "-q", str(tmp_path / "wt"))
    write(tmp_path / "wt", {"ex/b.py": ""})
    assert paths(walk(main)) == ["a.py"]
    assert paths(walk(tmp_path / "wt")) == ["a.py"]


def test_the_users_excludes_file_holds(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "", "b.tmp.py": ""})
    (tmp_path / "mine").write_text("*.tmp.py\n", encoding="utf-8")
    git(root, "config", "core.excludesFile", str(tmp_path / "mine"))
    assert paths(walk(root)) == ["a.py"]


def test_rules_above_a_subfolder_hold_inside_it(tmp_path: Path) -> None:
    top = repository(tmp_path / "r", {".gitignore": "gen/\n", "pkg/gen/g.py": "", "pkg/a.py": "", "other.py": ""})
    assert paths(walk(top / "pkg")) == ["a.py"]


def test_a_mark_at_the_start_of_an_ignore_file_is_no_part_of_its_first_rule(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {".gitignore": b"\xef\xbb\xbfgen/\n", "gen/g.py": "", "a.py": ""})
    assert paths(walk(root)) == [".gitignore", "a.py"]


def test_a_tracked_file_in_an_ignored_directory_belongs_and_an_untracked_one_does_not(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"src/build/codegen.py": ""}, commit=True)
    write(root, {".gitignore": "build/\n", "build/out.py": ""})
    found = walk(root)
    assert paths(found) == [".gitignore", "src/build/codegen.py"]
    assert found.skipped_dirs == ("build",)
    assert found.skipped == {"ignored by git": 1}


def test_a_deleted_tracked_file_does_not_appear(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "", "b.py": ""}, commit=True)
    (root / "b.py").unlink()
    assert paths(walk(root)) == ["a.py"]


def test_a_tracked_file_below_what_is_now_a_link_does_not_appear(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"dir/a.py": "", "b.py": ""}, commit=True)
    (root / "dir").rename(tmp_path / "elsewhere")
    (root / "dir").symlink_to(tmp_path / "elsewhere")
    found = walk(root)
    assert paths(found) == ["b.py"]
    assert found.skipped == {"symlink": 1}


def test_a_file_that_became_a_directory_is_walked(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a": "", "b.py": ""}, commit=True)
    (root / "a").unlink()
    write(root, {"a/c.py": ""})
    found = walk(root)
    assert paths(found) == listed_by_git(root) == ["a/c.py", "b.py"]
    assert found.notes == ()


def test_a_linked_worktree_inside_the_checkout_is_left_out(tmp_path: Path) -> None:
    main = repository(tmp_path / "main", {"a.py": "", "pkg/b.py": ""}, commit=True)
    git(main, "worktree", "add", "-q", str(main / ".worktrees/wt"))
    found = walk(main)
    assert paths(found) == ["a.py", "pkg/b.py"]
    assert found.skipped == {"linked worktree": 1}
    assert paths(walk(main / ".worktrees/wt")) == ["a.py", "pkg/b.py"]


@pytest.fixture
def with_submodule(tmp_path: Path) -> Path:
    inner = repository(tmp_path / "inner", {"deep.py": ""}, commit=True)
    lib = repository(tmp_path / "lib", {"lib.py": "", ".gitignore": "*.log\n"}, commit=True)
    git(lib, "submodule", "add", "-q", str(inner), "inner")
    git(lib, "commit", "-q", "-m", "inner")
    main = repository(tmp_path / "main", {"a.py": ""}, commit=True)
    git(main, "submodule", "add", "-q", str(lib), "vendor/lib")
    git(main, "commit", "-q", "-m", "lib")
    return main


def test_files_of_initialised_submodules_belong_and_nested_ones_too(with_submodule: Path) -> None:
    git(with_submodule, "submodule", "update", "-q", "--init", "--recursive")
    write(with_submodule, {"vendor/lib/new.py": "", "vendor/lib/x.log": ""})
    found = walk(with_submodule)
    assert [path for path in paths(found) if path.endswith(".py")] == [
        "a.py",
        "vendor/lib/inner/deep.py",
        "vendor/lib/lib.py",
        "vendor/lib/new.py",
    ]
    assert found.notes == ()


def test_a_submodule_that_is_not_initialised_gives_a_note(with_submodule: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(with_submodule), str(tmp_path / "clone"))
    found = walk(tmp_path / "clone")
    assert paths(found) == [".gitmodules", "a.py"]
    assert "vendor/lib" in found.notes[0] and "not initialised" in found.notes[0]


def test_a_repository_inside_that_is_no_submodule_gives_a_note(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": ""})
    repository(root / "clone", {"b.py": ""}, commit=True)
    found = walk(root)
    assert paths(found) == ["a.py"]
    assert found.skipped == {"nested repository": 1}
    assert "clone" in found.notes[0]


def test_a_folder_that_the_repository_around_it_ignores_is_walked_with_a_note(tmp_path: Path) -> None:
    root = repository(
        tmp_path / "r", {".gitignore": "cache/\n", "cache/proj/a.py": "", "cache/proj/node_modules/b.js": ""}
    )
    found = walk(root / "cache/proj")
    assert paths(found) == ["a.py"]
    assert "ignores this folder" in found.notes[0]


def test_a_damaged_repository_falls_back_with_a_note(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {".gitignore": "*.log\n", "a.py": "", "b.log": ""})
    (root / ".git/index").write_bytes(b"not an index")
    found = walk(root)
    assert paths(found) == [".gitignore", "a.py"]
    assert "git could not be asked" in found.notes[0]


def test_an_empty_dot_git_is_no_repository_and_said_to_be_none(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": ""})
    (tmp_path / ".git").mkdir()
    found = walk(tmp_path)
    assert paths(found) == ["a.py"]
    assert "not a git repository" in found.notes[0]


def test_without_the_git_program_the_ignore_files_are_read_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "r", {".gitignore": "gen/\n", "gen/g.py": "", "a.py": "", "pkg/gen/h.py": ""})
    monkeypatch.setenv("PATH", "")
    found = walk(root)
    assert paths(found) == [".gitignore", "a.py"]
    assert "git is not installed" in found.notes[0]
    assert paths(walk(root / "pkg")) == []


def test_a_repository_cannot_make_git_run_its_programs(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": ""}, commit=True)
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n", encoding="utf-8")
    trap.chmod(0o755)
    git(root, "config", "core.fsmonitor", str(trap))
    assert paths(walk(root)) == ["a.py"]
    assert not (tmp_path / "sprung").exists()


def test_variables_of_a_hook_do_not_lead_to_another_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = repository(tmp_path / "other", {"wrong.py": ""}, commit=True)
    root = repository(tmp_path / "r", {"a.py": ""}, commit=True)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert paths(walk(root)) == ["a.py"]


def test_an_index_entry_that_leaves_the_root_is_not_read(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"aa/b.py": ""}, commit=True)
    write(tmp_path, {"b.py": "secret"})
    index = root / ".git/index"
    index.write_bytes(index.read_bytes().replace(b"aa/b.py", b"../b.py"))
    assert all(not path.startswith("..") for path in paths(walk(root)))


@pytest.mark.skipif(os.name == "nt", reason="such a name cannot exist there")
def test_a_directory_with_a_name_that_git_could_take_for_an_option_or_a_pattern_is_walked(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"-z/a.py": "", ":(top)/b.py": ""})
    (root / ":(glob)**").mkdir()
    (root / "--stdin").mkdir()
    found = walk(root)
    assert paths(found) == ["-z/a.py", ":(top)/b.py"]
    assert found.notes == () and found.skipped == {}
    assert {"--stdin", ":(glob)**"} <= {path for path, _ in found.watch.directories}


@pytest.mark.skipif(os.name == "nt", reason="such names cannot exist there")
def test_names_with_line_breaks_and_quotes_belong_and_names_that_are_not_utf8_are_counted(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"new\nline.py": "", 'quo"te.py': "", "tab\t.py": "", "ünï.py": ""})
    Path(os.fsdecode(os.fsencode(root) + b"/bad\xff.py")).write_text("", encoding="utf-8")
    os.mkdir(os.fsencode(root) + b"/dir\xfe")
    Path(os.fsdecode(os.fsencode(root) + b"/dir\xfe/a.py")).write_text("", encoding="utf-8")
    found = walk(root)
    assert paths(found) == sorted(["new\nline.py", 'quo"te.py', "tab\t.py", "ünï.py"])
    assert found.skipped == {"name is not UTF-8": 2}


@pytest.mark.skipif(os.name == "nt", reason="a program by its mode bits")
def test_a_git_in_a_relative_entry_of_the_path_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("checkout", "installed"):
        write(tmp_path, {f"{folder}/git": "#!/bin/sh\n"})
        (tmp_path / folder / "git").chmod(0o755)
    monkeypatch.chdir(tmp_path / "checkout")
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", str(tmp_path / "installed")]))
    assert git_executable() == str(tmp_path / "installed/git")
