"""The walker's own rules, and folders without git."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from workspace_trees import paths, repository, write

from clew.errors import RootError
from clew.records import FileFlag
from clew.workspace import stat_file, to_file_stat, walk


def test_files_come_sorted_with_their_stat_and_flags(tmp_path: Path) -> None:
    write(tmp_path, {"b.py": "xyz", "a/test_a.py": "", "README.md": ""})
    found = walk(tmp_path)
    assert paths(found) == ["README.md", "a/test_a.py", "b.py"]
    assert [file.flags for file in found.files] == [FileFlag.DOCUMENTATION, FileFlag.TEST, FileFlag.NONE]
    assert found.files[2].stat.size == 3
    assert found.files[2].stat.inode == (tmp_path / "b.py").stat().st_ino


def test_without_git_what_tools_make_is_left_out_quickly(tmp_path: Path) -> None:
    write(
        tmp_path, {"src/a.js": "", "src/build/codegen.js": "", "build/out.js": "", "target/x.rs": "", "venv/a.py": ""}
    )
    write(tmp_path, {f"node_modules/x/{number}.js": "" for number in range(200)})
    write(tmp_path, {"env/pyvenv.cfg": "", "env/lib/a.py": "", "pkg/package.json": "", "pkg/dist/a.js": ""})
    found = walk(tmp_path)
    assert paths(found) == ["pkg/package.json", "src/a.js", "src/build/codegen.js"]
    assert found.skipped == {"ignored by default": 6}
    assert found.skipped_dirs == ("build", "env", "node_modules", "pkg/dist", "target", "venv")


def test_what_is_left_out_as_a_whole_is_named_with_what_lies_nearest_the_root_first(tmp_path: Path) -> None:
    write(tmp_path, {"z/a.py": "", "src/deep/gen/a.py": "", ".clewignore": "z/\ngen/\n"})
    assert walk(tmp_path).notes == ("left out as a whole: z, src/deep/gen",)


def test_of_many_directories_left_out_the_note_counts_the_rest(tmp_path: Path) -> None:
    write(tmp_path, {f"{letter}/node_modules/a.js": "" for letter in "abcdefgh"})
    (note,) = walk(tmp_path).notes
    assert note.startswith("left out as a whole: a/node_modules, b/node_modules,") and note.endswith(" and 3 more")


def test_a_walked_file_has_the_stat_that_reading_it_gives(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\n"})
    (file,) = walk(tmp_path).files
    with (tmp_path / "a.py").open("rb") as stream:
        assert file.stat == to_file_stat(os.fstat(stream.fileno())) == stat_file(tmp_path, "a.py")
    assert file.stat.inode != 0


def test_a_project_below_a_directory_named_build_is_walked(tmp_path: Path) -> None:
    write(tmp_path, {"build/proj/a.py": ""})
    assert paths(walk(tmp_path / "build/proj")) == ["a.py"]


@pytest.mark.parametrize("name", [".gitignore", ".clewignore"])
def test_a_negated_rule_takes_back_what_is_left_out_by_default(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"dist/a.js": "", name: "!dist/\n"})
    assert "dist/a.js" in paths(walk(tmp_path))


def test_without_git_nested_ignore_files_hold(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*.log\n", "a/.gitignore": "!keep.log\n/x\n", "a/keep.log": "", "a/no.log": ""})
    write(tmp_path, {"a/x/y.py": "", "b/x/y.py": ""})
    found = walk(tmp_path)
    assert paths(found) == [".gitignore", "a/.gitignore", "a/keep.log", "b/x/y.py"]
    assert found.skipped == {"ignored by .gitignore": 2}


def test_without_git_a_repository_inside_brings_its_exclude_file(tmp_path: Path) -> None:
    clone = repository(tmp_path / "clone", {"a.py": "", "ex/b.py": ""})
    (clone / ".git/info/exclude").write_text("ex/\n", encoding="utf-8")
    assert paths(walk(tmp_path)) == ["clone/a.py"]


def test_the_own_ignore_file_leaves_out_tracked_files(tmp_path: Path) -> None:
    files = {"data/big.py": "", "data/keep.py": "", "a.py": "", "sub/x.gen.py": "", "sub/y.gen.py": ""}
    root = repository(tmp_path / "r", files, commit=True)
    write(root, {".clewignore": "data/*\n!data/keep.py\n", "sub/.clewignore": "*.gen.py\n!y.gen.py\n"})
    found = walk(root)
    assert [path for path in paths(found) if path.endswith(".py")] == ["a.py", "data/keep.py", "sub/y.gen.py"]
    assert found.skipped == {"ignored by .clewignore": 2}


def test_a_directory_left_out_as_a_whole_counts_once(tmp_path: Path) -> None:
    root = repository(
        tmp_path / "r", {"gen/a.py": "", "gen/b.py": "", "c.py": "", ".clewignore": "gen/\n"}, commit=True
    )
    found = walk(root)
    assert found.skipped == {"ignored by .clewignore": 1}
    assert found.skipped_dirs == ("gen",)


def test_ignore_files_of_other_tools_are_not_read(tmp_path: Path) -> None:
    write(tmp_path, {".dockerignore": "a.py\n", ".npmignore": "a.py\n", ".ignore": "a.py\n", "a.py": ""})
    assert "a.py" in paths(walk(tmp_path))


def test_the_users_ignore_file_holds_in_every_root_and_the_roots_own_can_take_it_back(tmp_path: Path) -> None:
    user = tmp_path / "ignore"
    user.write_text("*.sql\n", encoding="utf-8")
    write(tmp_path / "r", {"a.sql": "", "keep/b.sql": "", "keep/.clewignore": "!b.sql\n"})
    found = walk(tmp_path / "r", user_ignore=user)
    assert paths(found) == ["keep/.clewignore", "keep/b.sql"]
    assert found.skipped == {"ignored by the user's ignore file": 1}


def test_patterns_from_settings_exclude(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "b.js": "", "src/c.js": "", "gen/d.py": ""})
    assert paths(walk(tmp_path, exclude=["gen/", "*.js"])) == ["a.py"]
    assert walk(tmp_path, exclude=["gen/"]).skipped == {"excluded": 1}


def test_secrets_stay_out_even_when_a_rule_asks_for_them(tmp_path: Path) -> None:
    forced = "!.env\n!id_rsa\n!cert.pem\n"
    files = {".env": "API_KEY=sk-live", "id_rsa": "k", "cert.pem": "c", "a.py": "", ".env.local": ""}
    root = repository(tmp_path / "r", {**files, ".gitignore": forced, ".clewignore": forced}, commit=True)
    found = walk(root)
    assert paths(found) == [".clewignore", ".gitignore", "a.py"]
    assert found.skipped == {"secret": 4}


def test_agent_instructions_stay_out_whatever_their_case(tmp_path: Path) -> None:
    write(tmp_path, {"AGENTS.md": "", "sub/Claude.MD": "", ".github/copilot-instructions.md": "", "a.md": ""})
    found = walk(tmp_path)
    assert paths(found) == ["a.md"]
    assert found.skipped == {"agent instructions": 3}


def test_links_are_counted_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "r", {"a.py": ""})
    (tmp_path / "r/evil.py").symlink_to("/etc/passwd")
    (tmp_path / "r/dir").symlink_to("..")
    for root in (tmp_path / "r", repository(tmp_path / "r")):
        found = walk(root)
        assert paths(found) == ["a.py"]
        assert found.skipped == {"symlink": 2}


def test_large_and_binary_files_are_counted(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x" * 101, "b.py": "x" * 100, "logo.PNG": ""})
    found = walk(tmp_path, max_bytes=100)
    assert paths(found) == ["b.py"]
    assert found.skipped == {"binary": 1, "too large": 1}


@pytest.mark.skipif(os.name == "nt", reason="no named pipes there")
def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    os.mkfifo(tmp_path / ".clewignore")
    write(tmp_path, {"a.py": ""})
    assert paths(walk(tmp_path)) == ["a.py"]


def test_a_linked_ignore_file_is_not_read_and_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("a.py\n", encoding="utf-8")
    write(tmp_path / "r", {"a.py": ""})
    (tmp_path / "r/.clewignore").symlink_to(tmp_path / "elsewhere")
    found = walk(tmp_path / "r")
    assert paths(found) == ["a.py"]
    assert "symbolic link" in found.notes[0]


def test_the_index_directory_and_repositories_data_are_never_walked(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {".clew/x.py": "", "sub/.clew/y.py": "", "a.py": ""})
    found = walk(root)
    assert paths(found) == ["a.py"]
    assert found.skipped == {}


def test_a_missing_root_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(RootError, match="cannot be listed"):
        walk(tmp_path / "none")


def test_a_hostile_pattern_costs_no_more_than_another(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*a" * 30 + "b\n" + "**/a/" * 30 + "b\n", "a" * 200: "", "/".join("a" * 60): ""})
    started = time.perf_counter()
    assert len(walk(tmp_path).files) == 3
    assert time.perf_counter() - started < 2


def test_a_deep_tree_is_walked(tmp_path: Path) -> None:
    deep = "/".join("d" * 400)
    write(tmp_path, {f"{deep}/a.py": ""})
    assert paths(walk(tmp_path)) == [f"{deep}/a.py"]
