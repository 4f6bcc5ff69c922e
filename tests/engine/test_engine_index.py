"""What indexing stores, and what it leaves as it is."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from engine_tools import (
    Content,
    clew_run,
    engine,
    functions,
    git,
    indexed,
    linux_only,
    parsers_of,
    paths,
    repository,
    settle,
    static_model,
    stored,
    texts,
    wait_until,
    write,
)

import clew.engine
import clew.parsing.pool
from clew import BusyIndexError, ClewError, NoIndexError

THREE = {"a.py": functions("alpha", "beta"), "b.py": functions("gamma"), "docs/c.md": "# Title\n\nSome words.\n"}


# Nothing to do


def test_a_second_index_changes_no_byte_of_the_index(root: Path, tmp_path: Path) -> None:
    with indexed(root, THREE, embedder=static_model(tmp_path / "model")) as opened:
        before, generation = stored(opened), opened.status().generation
        report = opened.index()
        assert (report.files.indexed, report.files.unchanged, report.embedded) == (0, 3, 0)
        assert report.generation == generation
        assert stored(opened) == before


def test_a_search_of_an_unchanged_tree_changes_no_byte_of_the_index(root: Path) -> None:
    with indexed(root, THREE) as opened:
        before = stored(opened)
        assert opened.search("alpha").freshness.state == "fresh"
        assert stored(opened) == before


def test_a_touched_file_with_the_same_content_makes_no_new_generation(root: Path, tmp_path: Path) -> None:
    with indexed(root, THREE, embedder=static_model(tmp_path / "model")) as opened:
        generation = opened.status().generation
        os.utime(root / "a.py", (1, 1))
        settle(root)
        report = opened.index()
        assert (report.generation, report.files.indexed, report.embedded) == (generation, 0, 0)
        assert not opened.status().stale


def test_a_rebuild_embeds_nothing_and_answers_alike(root: Path, tmp_path: Path) -> None:
    with indexed(root, THREE, embedder=static_model(tmp_path / "model")) as opened:
        before = opened.search("alpha value")
        report = opened.index(full=True)
        assert (report.files.indexed, report.embedded) == (3, 0)
        after = opened.search("alpha value")
        assert after.hits == before.hits
        assert after.generation == report.generation == before.generation + 1


def test_a_renamed_file_embeds_nothing(root: Path, tmp_path: Path) -> None:
    with indexed(root, THREE, embedder=static_model(tmp_path / "model")) as opened:
        (root / "a.py").rename(root / "renamed.py")
        report = opened.index()
        assert (report.files.indexed, report.files.removed, report.embedded) == (1, 1, 0)
        assert paths(opened.search("alpha"))[0] == "renamed.py"  # vectors find something in every file


def test_editing_one_function_embeds_only_its_chunk(root: Path, tmp_path: Path) -> None:
    source = functions("alpha", "beta", "gamma", "delta")
    with indexed(root, {"a.py": source}, embedder=static_model(tmp_path / "model")) as opened:
        assert opened.status().chunks == 4
        write(root, {"a.py": source.replace("About gamma", "Now about something else")})
        report = opened.index()
        assert (report.chunks, report.embedded) == (4, 1)


def test_switching_a_branch_back_embeds_nothing(root: Path, tmp_path: Path) -> None:
    repository(root, {"a.py": functions("alpha")})
    with engine(root, embedder=static_model(tmp_path / "model")) as opened:
        opened.index()
        git(root, "checkout", "-q", "-b", "other")
        write(root, {"a.py": functions("beta")})
        git(root, "commit", "-qam", "second")
        assert opened.index().embedded == 1
        git(root, "checkout", "-q", "main")
        assert opened.index().embedded == 0
        assert "def alpha" in texts(opened.search("alpha"))


def test_a_dry_run_writes_nothing(root: Path) -> None:
    write(root, THREE)
    with engine(root) as opened:
        estimate = opened.estimate()
    assert (estimate.files, estimate.changed_files) == (3, 3)
    assert not (root / ".clew").exists()


def test_a_changed_setting_is_named_by_the_search_and_rebuilds_the_index(root: Path, tmp_path: Path) -> None:
    indexed(root, THREE).close()
    with engine(root, embedder=static_model(tmp_path / "model")) as other:
        answer = other.search("alpha")
        assert answer.freshness.state == "stale"
        assert "embedder: none -> static:tiny" in answer.freshness.message
        report = other.index()
        assert any("embedder: none -> static:tiny" in note for note in report.notes)
        assert report.embedded == report.chunks
        assert other.search("alpha").freshness.state == "fresh"


# Where the index lies


def test_the_index_is_never_committed(root: Path) -> None:
    repository(root, {"a.py": "x = 1\n"})
    with engine(root) as opened:
        opened.index()
    assert git(root, "status", "--porcelain") == ""


def test_an_index_directory_outside_leaves_the_tree_as_it_is(root: Path, tmp_path: Path) -> None:
    write(root, {"a.py": "def alpha(): pass\n"})
    outside = {"CLEW_INDEX_DIR": str(tmp_path / "indexes")}
    assert clew_run(root, "index", env=outside).returncode == 0
    done = clew_run(root, "search", "alpha", env=outside)
    assert (done.returncode, '"path":"a.py"' in done.stdout) == (0, True)
    assert os.listdir(root) == ["a.py"]
    assert clew_run(root, "search", "alpha").returncode == 1


def test_two_roots_of_one_name_share_an_index_directory_without_mixing(tmp_path: Path) -> None:
    where = str(tmp_path / "indexes")
    for parent, name in (("one", "alpha"), ("two", "beta")):
        folder = tmp_path / parent / "project"
        folder.mkdir(parents=True)
        indexed(folder, {f"{name}.py": functions(name)}, index_dir=where).close()
    with engine(tmp_path / "one" / "project", index_dir=where) as first:
        assert paths(first.search("about")) == ["alpha.py"]


def test_worktrees_have_indexes_of_their_own(root: Path) -> None:
    repository(root, {"a.py": functions("alpha")})
    git(root, "worktree", "add", "-q", "--detach", ".worktrees/wt")
    other = root / ".worktrees" / "wt"
    write(other, {"a.py": functions("beta")})
    with engine(root) as main, engine(other) as linked:
        main.index()
        linked.index()
        assert main.index_path != linked.index_path
        assert "def alpha" in texts(main.search("about"))
        assert "def beta" in texts(linked.search("about"))
        assert paths(main.search("beta")) == []


def test_an_index_directory_that_cannot_be_made_is_one_clear_error(root: Path) -> None:
    write(root, {"a.py": "x = 1\n", ".clew": "a file in its place"})
    done = clew_run(root, "index", "--root", ".", "--no-json")
    assert done.returncode == 1
    assert "cannot write the index directory" in done.stderr
    assert "Traceback" not in done.stderr


# Odd files


ODD_TEXTS: dict[str, Content] = {
    "utf16.ps1": "function Get-Alpha { 1 }\r\n".encode("utf-16"),
    "latin.py": "# -*- coding: latin-1 -*-\ndef alpha():\n    return 'é'\n".encode("latin-1"),
    "bom.cs": b"\xef\xbb\xbf" + b"class Alpha { void Beta() { } }\n",
    "crlf.py": b"x = 1\r\n\r\ndef alpha():\r\n    pass\r\n",
    "cr.py": b"x = 1\r\rdef alpha():\r    pass\r",
    "feed.py": "x = 1\n\f\ns = '\u2028'\ndef alpha():\n    pass\n",
    "unended.py": "def alpha(): pass",
}


def test_odd_encodings_and_line_ends_are_found_with_clean_text(root: Path) -> None:
    with indexed(root, ODD_TEXTS) as opened:
        answer = opened.search("alpha", limit=20)
        assert sorted(paths(answer)) == sorted(ODD_TEXTS)
        assert not {"\0", "\ufffd"} & set(texts(answer))


def test_nesting_of_two_thousand_levels_is_indexed(root: Path) -> None:
    deep = {
        "calls.py": "def alpha():\n    return " + "(" * 2000 + "1" + ")" * 2000 + "\n",
        "data.json": "[" * 2000 + "]" * 2000 + "\n",
        "blocks.js": "function alpha() " + "{" * 2000 + "}" * 2000 + "\n",
    }
    with indexed(root, deep) as opened:
        assert opened.index().failures == ()
        assert set(paths(opened.search("alpha"))) >= {"calls.py", "blocks.js"}


def test_a_literal_beyond_the_size_limit_is_left_out_with_its_reason(root: Path) -> None:
    with indexed(root, {"big.py": "s = '" + "x" * 3_000_000 + "'\n", "a.py": functions("alpha")}) as opened:
        assert opened.status().skipped_reasons == {"too large": 1}
        assert paths(opened.search("alpha")) == ["a.py"]


def test_a_literal_of_three_megabytes_within_the_limit_is_indexed(root: Path) -> None:
    big = "def alpha():\n    return '" + "word " * 600_000 + "'\n"
    with indexed(root, {"big.py": big}, max_file_bytes=4_000_000) as opened:
        answer = opened.search("alpha", budget=500)
        assert paths(answer) == ["big.py"]
        assert answer.tokens <= 500


def test_an_empty_file_and_a_binary_one_do_not_answer(root: Path) -> None:
    files: dict[str, Content] = {"empty.py": "", "binary.py": b"\x7fELF alpha\0\1\2" * 50, "a.py": functions("alpha")}
    with indexed(root, files) as opened:
        assert paths(opened.search("alpha")) == ["a.py"]
        assert opened.status().skipped_reasons == {"binary": 1}


@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not allow")
def test_names_with_line_breaks_and_quotes_are_indexed_and_found(root: Path) -> None:
    names = ["new\nline.py", "qu\"o'te.py", "spa ce.py", "tab\t.py", "-dash.py", "日本.py", "[x]*?.py"]
    with indexed(root, {name: functions("alpha") for name in names}) as opened:
        assert sorted(paths(opened.search("alpha", limit=20))) == sorted(names)
        assert opened.search("alpha").freshness.state == "fresh"


@pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes")
def test_a_name_that_is_not_utf8_is_counted_and_left_out(root: Path) -> None:
    (root / "a.py").write_text(functions("alpha"), encoding="utf-8")
    with open(os.path.join(os.fsencode(root), b"caf\xe9.py"), "wb") as stream:
        stream.write(b"def alpha(): pass\n")
    with engine(root) as opened:
        assert dict(opened.index().skipped_reasons) == {"name is not UTF-8": 1}
        assert paths(opened.search("alpha")) == ["a.py"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes in the file system")
def test_pipes_sockets_and_devices_are_never_opened(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, {"a.py": functions("alpha")})
    os.mkfifo(root / "pipe.py")
    monkeypatch.chdir(root)  # a socket's path may have 107 bytes
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.py")
        special = 2
        try:
            os.mknod("device.py", stat.S_IFCHR | 0o600, os.makedev(1, 5))  # /dev/zero: never ends
            special = 3
        except OSError:
            pass  # only the administrator may
        with engine(root) as opened:
            assert dict(opened.index().skipped_reasons) == {"not a regular file": special}
            assert paths(opened.search("alpha")) == ["a.py"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes in the file system")
def test_a_file_that_becomes_a_pipe_is_dropped_by_the_next_search(root: Path) -> None:
    with indexed(root, {"a.py": functions("alpha"), "b.py": functions("alpha")}) as opened:
        (root / "b.py").unlink()
        os.mkfifo(root / "b.py")
        assert paths(opened.search("alpha")) == ["a.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
def test_links_are_neither_read_nor_followed(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside.py": "def alpha_outside(): pass\n"})
    write(root, {"a.py": functions("alpha"), "sub/b.py": functions("beta")})
    (root / "leak.py").symlink_to(tmp_path / "outside.py")
    (root / "sub" / "up").symlink_to("..")
    (root / "self").symlink_to("self")
    with engine(root) as opened:
        assert dict(opened.index().skipped_reasons) == {"symlink": 3}
        assert paths(opened.search("alpha outside")) == ["a.py"]


def test_a_file_replaced_by_a_link_is_dropped_by_the_next_search(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside.py": "def alpha(): return 'outside'\n"})
    with indexed(root, {"a.py": functions("alpha"), "b.py": functions("beta")}) as opened:
        (root / "a.py").unlink()
        (root / "a.py").symlink_to(tmp_path / "outside.py")
        assert paths(opened.search("alpha")) == []


# Parser processes


SMALL_AND_LARGE = {f"f{number}.py": functions(f"alpha{number}") for number in range(32)} | {
    "large.py": functions(*(f"large{number}" for number in range(2500)))
}


def strike(number: signal.Signals) -> Callable[[str, int, int], None]:
    """Progress that sends a signal to the parser once, while it works on the large file."""
    struck: list[int] = []

    def progress(stage: str, done: int, total: int) -> None:
        if not struck:
            struck.extend(parsers_of(os.getpid()))
            os.kill(struck[0], number)

    return progress


@linux_only
@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL], ids=["hangs", "is killed"])
def test_a_parser_that_fails_on_a_file_costs_only_the_structure_of_that_file(
    root: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setattr(clew.parsing.pool, "HANG_SECONDS", 1.5)
    write(root, SMALL_AND_LARGE)
    with engine(root, workers=1, parse_seconds=1) as opened:
        report = opened.index(progress=strike(number))
        assert (report.files.indexed, report.files.failed) == (33, 1)
        assert report.failures[0].path == "large.py"
        assert "hung or crashed" in report.failures[0].reason
        assert paths(opened.search("large1234"))[0] == "large.py"
        assert paths(opened.search("alpha7"))[0] == "f7.py"
    assert parsers_of(os.getpid()) == []


@linux_only
@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL], ids=["hangs", "is killed"])
def test_a_parser_that_fails_before_its_first_file_costs_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setattr(clew.parsing.pool, "HANG_SECONDS", 1.5)
    write(root, THREE)

    def at_the_start() -> None:
        wait_until(lambda: bool(parsers_of(os.getpid())), "a parser starts")
        os.kill(parsers_of(os.getpid())[0], number)

    striker = threading.Thread(target=at_the_start)
    striker.start()
    with engine(root, workers=1, parse_seconds=0.1) as opened:
        report = opened.index()
        striker.join()
        assert (report.files.indexed, report.files.failed) == (3, 0)


def test_an_installation_that_cannot_parse_is_one_clear_error(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", shutil.which("false"))
    write(root, THREE)
    with engine(root) as opened, pytest.raises(ClewError, match="parser process cannot start"):
        opened.index()


@linux_only
def test_an_interrupted_index_leaves_no_parser_and_the_next_one_completes_it(root: Path) -> None:
    write(root, {f"f{number}.py": functions(f"alpha{number}") for number in range(80)})

    def interrupt(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with engine(root) as opened:
        with pytest.raises(KeyboardInterrupt):
            opened.index(progress=interrupt)
        assert parsers_of(os.getpid()) == []
        with pytest.raises(NoIndexError):
            opened.search("about")
        assert opened.index().files.indexed == 80
        assert len([path for path in opened.index_path.iterdir() if path.is_dir()]) == 1


# One writer


def test_a_second_writer_is_told_who_holds_the_lock(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clew.engine, "LOCK_SECONDS", 0.1)
    write(root, THREE)
    told: list[str] = []

    def meanwhile(stage: str, done: int, total: int) -> None:
        with engine(root) as other, pytest.raises(BusyIndexError) as raised:
            other.index()
        told.append(raised.value.message)

    with engine(root) as opened:
        opened.index(progress=meanwhile)
    assert f"pid {os.getpid()}" in told[0]


def test_a_search_while_the_first_index_is_made_says_who_makes_it(root: Path) -> None:
    write(root, THREE)
    seen: list[BusyIndexError] = []

    def meanwhile(stage: str, done: int, total: int) -> None:
        with engine(root) as other, pytest.raises(BusyIndexError) as raised:
            other.search("alpha")
        seen.append(raised.value)

    with engine(root) as opened:
        opened.index(progress=meanwhile)
    assert f"pid {os.getpid()}" in seen[0].message
