"""Small helpers of the engine tests: write a tree, open an engine, read an answer."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clew.errors
from clew import Answer, Engine, Place, Settings
from clew.embedding import write_static_model

SOURCE = Path(clew.errors.__file__).parents[1]
COMMAND = (sys.executable, "-m", "clew")
PARSER = "clew.parsing.worker"
Content = str | bytes
# Seconds. A file that changed within one clock tick of being read is read again, so tests that count reads wait.
TICK = 0.05

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")


def write(root: Path, files: Mapping[str, Content]) -> None:
    """Write files below the root; text as UTF-8 with the line ends as given."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def engine(root: Path, **settings: Any) -> Engine:
    """An engine without embeddings and with two parsers, unless the settings say otherwise."""
    return Engine.open(root, Settings(**{"embedder": "none", "workers": 2, **settings}))


def indexed(root: Path, files: Mapping[str, Content], **settings: Any) -> Engine:
    """Write the files and index them; every stamp is old enough to be trusted."""
    write(root, files)
    settle(root)
    opened = engine(root, **settings)
    opened.index()
    return opened


def settle(root: Path) -> None:
    """Wait until the clock that stamps files has left the tick of the newest change below the root."""
    newest = max(os.lstat(path).st_ctime_ns for path in _everything(root))
    wait_until(lambda: time.time_ns() - newest > TICK * 1e9, "the clock moves on")


def _everything(root: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".clew"]
        yield folder
        yield from (os.path.join(folder, name) for name in files)


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 20.0) -> None:
    """Poll a condition until it holds; AssertionError after the deadline."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"timed out: {what}"
        time.sleep(0.002)


def paths(answer: Answer) -> list[str]:
    return [hit.path for hit in answer.hits]


def places(answer: Answer) -> list[Place]:
    return [place for hit in answer.hits for place in hit.places]


def texts(answer: Answer) -> str:
    return "\n".join(place.text or "" for place in places(answer))


def place_of(answer: Answer, path: str) -> Place:
    """The best place of a file's hit."""
    return next(hit for hit in answer.hits if hit.path == path).places[0]


def clew_run(
    root: Path, *argv: str, env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run the command in the root, with pipes."""
    return subprocess.run(
        [*COMMAND, *argv],
        cwd=root,
        env=os.environ | dict(env or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        **options,
    )


def git(folder: Path, *argv: str) -> str:
    return subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *argv],
        cwd=folder, check=True, capture_output=True, encoding="utf-8", timeout=60,
    ).stdout  # fmt: skip


def repository(folder: Path, files: Mapping[str, Content]) -> Path:
    """A git repository with these files committed."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    write(folder, files)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def stored(opened: Engine) -> dict[str, str]:
    """Digest of every file of the index that holds content: catalog, segments, pointer, vectors."""
    return {
        path.relative_to(opened.index_path).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(opened.index_path.rglob("*"))
        if path.is_file() and path.suffix not in (".lock", ".pid") and not path.name.endswith(("-shm", "-wal"))
    }


def static_model(folder: Path) -> str:
    """A small real model: letters and some words, each with a fixed random vector. Returns the folder."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    words = ["def", "return", "alpha", "beta", "gamma", "delta", "value", "total", "price", "user", "load"]
    vocabulary = [*letters, *(f"##{letter}" for letter in letters), *words]
    vectors = np.random.default_rng(7).standard_normal((len(vocabulary), 16)).astype(np.float32)
    write_static_model(folder, name="tiny", vocabulary=vocabulary, vectors=vectors)
    return str(folder)


def functions(*names: str) -> str:
    """A Python file with a function for each name that has the name in it and nothing of the others."""
    one = 'def {name}(value):\n    """About {name}."""\n    return value + {number}\n'
    return "\n\n".join(one.format(name=name, number=len(name)) for name in names)


def parsers_of(pid: int) -> list[int]:
    """Parser processes that a process has started."""
    return [child for child, (parent, command) in _processes().items() if parent == pid and PARSER in command]


def alive(pids: Iterable[int]) -> list[int]:
    """Those of the parser processes that still run."""
    running = _processes()
    return [pid for pid in pids if pid in running and PARSER in running[pid][1]]


def _processes() -> dict[int, tuple[int, str]]:
    """Parent and command line of every running process; a dead one that nobody waited for has no command line."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError, IndexError):
                parent = int((entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
                found[int(entry.name)] = (parent, (entry / "cmdline").read_bytes().decode("utf-8", "replace"))
    return found
