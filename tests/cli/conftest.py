"""The command as users run it: a fresh process, in a folder and an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import clew.errors
from clew.cli import main

if sys.platform != "win32":
    import termios

SOURCE = Path(clew.errors.__file__).parents[1]
RunClew = Callable[..., "subprocess.CompletedProcess[str]"]
COMMAND = (sys.executable, "-m", "clew")


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The caller's environment without its settings: no user file, no CLEW_*, no colour choices."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CLEW_", "XDG_", "GIT_")) and name not in ("NO_COLOR", "TERM", "COLUMNS")
    }
    home = tmp_path_factory.mktemp("home")
    return kept | {"HOME": str(home), "APPDATA": str(home), "PYTHONPATH": str(SOURCE), "TERM": "xterm"}


@pytest.fixture
def clew_run(tmp_path: Path, environment: dict[str, str]) -> RunClew:
    """Run clew with pipes for stdout and stderr; `env` is added to the environment."""

    def run(*argv: str, cwd: Path = tmp_path, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *argv],
            cwd=cwd,
            env=environment | dict(env or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def clew_call(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> RunClew:
    """Like `clew_run`, but in this process: the same code without the start of an interpreter."""

    def call(
        *argv: str, cwd: Path = tmp_path, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        with monkeypatch.context() as patch:
            patch.chdir(cwd)
            for name in [name for name in os.environ if name.startswith(("CLEW_", "XDG_"))]:
                patch.delenv(name)
            for name, value in (environment | dict(env or {})).items():
                patch.setenv(name, value)
            capsys.readouterr()
            status = main(argv)
        captured = capsys.readouterr()
        return subprocess.CompletedProcess(argv, status, captured.out, captured.err)

    return call


@pytest.fixture
def clew_terminal(tmp_path: Path, environment: dict[str, str]) -> Callable[..., tuple[int, str, str]]:
    """Run clew on a terminal of 80 columns: stdout on one, stderr on another. Returns (status, stdout, stderr)."""
    if sys.platform == "win32":
        pytest.skip("needs pseudo-terminals")

    def run(*argv: str, cwd: Path = tmp_path, env: Mapping[str, str] | None = None) -> tuple[int, str, str]:
        out, err = _Terminal(), _Terminal()
        process = subprocess.Popen(
            [*COMMAND, *argv],
            cwd=cwd,
            env=environment | dict(env or {}),
            stdin=subprocess.DEVNULL,
            stdout=out.inner,
            stderr=err.inner,
        )
        texts = out.read(), err.read()
        return process.wait(timeout=60), *texts

    return run


class _Terminal:
    """One pseudo-terminal; a thread drains it, so that the writer never waits."""

    def __init__(self) -> None:
        self.outer, self.inner = os.openpty()
        termios.tcsetwinsize(self.inner, (24, 80))
        self._parts: list[bytes] = []
        self._thread = threading.Thread(target=self._drain)
        self._thread.start()

    def _drain(self) -> None:
        while True:
            try:
                part = os.read(self.outer, 65536)
            except OSError:  # Linux: every writer has closed
                return
            if not part:
                return
            self._parts.append(part)

    def read(self) -> str:
        """Everything written until the process closed its side."""
        os.close(self.inner)
        self._thread.join(timeout=60)
        os.close(self.outer)
        return b"".join(self._parts).decode("utf-8").replace("\r\n", "\n")
