"""What a shell, a script or an agent sees of the process, whatever the command is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.cli import main

RunClew = Callable[..., "subprocess.CompletedProcess[str]"]
HEAVY = ("numpy", "tree_sitter", "sqlite3", "asyncio", "tomllib", "multiprocessing", "subprocess", "clew.engine")


def loaded_after(environment: dict[str, str], cwd: Path, *argv: str) -> list[str]:
    code = (
        "import sys; from clew.cli import main; main(sys.argv[2:]);"
        "print('loaded:', *(name for name in sys.argv[1].split(',') if name in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, ",".join(HEAVY), *argv],
        cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    return done.stderr.split("loaded:")[1].split()


@pytest.mark.parametrize("argv", [["--help"], ["search", "--help"], ["--version"], ["graph"], ["index", "x"], []])
def test_help_and_mistakes_load_nothing_heavy(environment: dict[str, str], tmp_path: Path, argv: list[str]) -> None:
    assert loaded_after(environment, tmp_path, *argv) == []


def test_help_is_text_on_stdout_also_in_a_pipe(clew_run: RunClew) -> None:
    done = clew_run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "clew WORDS..." in done.stdout


def test_version_is_one_line(clew_run: RunClew) -> None:
    done = clew_run("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("clew ")
    assert done.stdout.count("\n") == 1


def test_a_usage_error_in_a_pipe_is_one_json_document_and_exit_2(clew_run: RunClew) -> None:
    done = clew_run("--limit", "0", "x")
    assert (done.returncode, done.stderr) == (2, "")
    error = json.loads(done.stdout)["error"]
    assert sorted(error) == ["code", "hint", "message"]
    assert error["code"] == "usage"


def test_a_usage_error_as_text_goes_to_stderr(clew_run: RunClew) -> None:
    done = clew_run("graph", "--no-json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "clew: `graph` is not available in this version of clew\n  to search for the word: clew search graph\n"
    )


def test_no_words_in_a_pipe_are_a_usage_error(clew_run: RunClew) -> None:
    done = clew_run()
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "usage"


def test_an_error_quotes_any_text_as_valid_json(clew_run: RunClew) -> None:
    word = 'a"\\\x1b\u2028用'
    done = clew_run("index", word)
    assert word in json.loads(done.stdout)["error"]["hint"]


@pytest.mark.skipif(sys.platform == "win32", reason="bytes as arguments")
def test_an_argument_that_is_not_utf8_does_not_break_the_document(environment: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "clew", "index", b"caf\xe9"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert "caf\udce9" in json.loads(done.stdout.decode("utf-8"))["error"]["hint"]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16"])
def test_json_is_utf8_whatever_the_locale(environment: dict[str, str], tmp_path: Path, encoding: str) -> None:
    env = environment | {"PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "clew", "index", "用户"], cwd=tmp_path, env=env, capture_output=True, check=False
    )
    assert "用户" in json.loads(done.stdout.decode("utf-8"))["error"]["hint"]


def test_text_in_an_ascii_locale_is_escaped_not_a_crash(clew_run: RunClew) -> None:
    done = clew_run("index", "用", "--no-json", env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 2
    assert "\\u7528" in done.stderr


def test_a_reader_that_leaves_early_is_no_error(environment: dict[str, str], tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "clew", "--help"],
            cwd=tmp_path, env=environment, stdout=stdout, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_one_line_and_a_failure(environment: dict[str, str], tmp_path: Path) -> None:
    with open("/dev/full", "wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "clew", "--help"],
            cwd=tmp_path, env=environment, stdout=stdout, stderr=subprocess.PIPE, encoding="utf-8", check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "clew: cannot write the result: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX shell")
def test_closed_streams_are_survived(environment: dict[str, str], tmp_path: Path) -> None:
    script = f'"{sys.executable}" -m clew --help >&- 2>&-; echo $?; "{sys.executable}" -m clew graph >&- 2>&-; echo $?'
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.split() == ["0", "2"]


def test_main_returns_the_status_and_takes_its_words_from_the_caller(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "clew WORDS..." in capsys.readouterr().out
    assert main(["--json", "impact"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "usage"
