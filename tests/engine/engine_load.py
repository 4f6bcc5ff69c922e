"""Load on one index from several processes: readers that check every answer, a writer, and a writer that is killed.

The files of the tree all hold the same token `mark<k>`, and a new k replaces them all between two
index runs. So an answer in which two files show different tokens mixes generations. The readers do
not catch up by themselves, since they would then rightly see a tree that is half rewritten.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine_tools import COMMAND, alive, engine, parsers_of, wait_until

from clew import Answer, ClewError, Engine

MARK = re.compile(r"\bmark\d+\b")
QUERY = "shared marker"
# Seconds a parser may outlive its parent: it notices at the next file.
ORPHAN_SECONDS = 10.0


def write_generation(root: Path, number: int, files: int) -> None:
    """Make every file say `mark<number>`, each replaced at once. Nothing else changes."""
    for each in range(files):
        path = root / f"m{each}.py"
        temporary = path.with_suffix(".tmp")
        body = "\n\n".join(
            f'def shared_marker_{each}_{part}(value):\n    """The shared marker: mark{number}."""\n    return value\n'
            for part in range(8)
        )
        temporary.write_text(body, encoding="utf-8")
        os.replace(temporary, path)


def mark_of(answer: Answer, files: int) -> str:
    """The token that the whole answer shows. AssertionError when it mixes generations or lacks a file."""
    assert len(answer.hits) == files, f"{len(answer.hits)} of {files} files answer"
    marks: set[str] = {mark for hit in answer.hits for place in hit.places for mark in MARK.findall(place.text or "")}
    assert len(marks) == 1, f"generation {answer.generation} shows {sorted(marks)}"
    return marks.pop()


def ask(opened: Engine, files: int) -> Answer:
    return opened.search(QUERY, limit=files)


# Readers and a writer


@dataclass(slots=True)
class Readings:
    """What one reader saw: answers, the slowest in seconds, the token of each generation, and what went wrong."""

    answers: int = 0
    slowest: float = 0.0
    marks: dict[int, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


def read_for(root: Path, seconds: float, files: int) -> Readings:
    """Search as fast as possible and check every answer."""
    seen = Readings()
    newest = 0
    deadline = time.monotonic() + seconds
    with engine(root, refresh_seconds=0) as opened:
        while time.monotonic() < deadline:
            started = time.monotonic()
            try:
                answer = ask(opened, files)
                mark = mark_of(answer, files)
                assert seen.marks.setdefault(answer.generation, mark) == mark, "one generation, two contents"
                assert answer.generation >= newest, f"generation {answer.generation} after {newest}"
                newest = answer.generation
            except (ClewError, AssertionError) as error:
                seen.errors.append(f"{type(error).__name__}: {error}")
            seen.answers += 1
            seen.slowest = max(seen.slowest, time.monotonic() - started)
    return seen


def readers_and_writer(root: Path, seconds: float, files: int, readers: int = 2) -> tuple[list[Readings], int]:
    """Let readers search for so long while this process rewrites and indexes. Returns their readings and the runs."""
    write_generation(root, 0, files)
    with engine(root) as opened:
        opened.index()
        command = [sys.executable, __file__, str(root), str(seconds), str(files)]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") for _ in range(readers)]
        runs = 0
        while any(process.poll() is None for process in running):
            runs += 1
            write_generation(root, runs, files)
            opened.index()
    found = [json.loads(process.communicate()[0]) for process in running]
    return [
        Readings(each["answers"], each["slowest"], {int(k): v for k, v in each["marks"].items()}, each["errors"])
        for each in found
    ], runs


# A writer that is killed


@dataclass(frozen=True, slots=True)
class Kill:
    """One round: seconds until the kill, whether the writer still ran, and whether the old generation was shown."""

    after: float
    struck: bool
    old: bool
    full: bool


def duration_of_index(root: Path, number: int, files: int, *, full: bool) -> float:
    """Seconds that an index run takes as a whole process, with everything changed."""
    write_generation(root, number, files)
    started = time.monotonic()
    subprocess.run(index_command(full=full), cwd=root, check=True, capture_output=True, timeout=120)
    return time.monotonic() - started


def index_command(*, full: bool) -> list[str]:
    return [*COMMAND, "index", *(["--full"] if full else [])]


def kill_rounds(root: Path, rounds: int, files: int, seed: int) -> Iterator[Kill]:
    """Kill an index run at random moments; after each, the index must serve one whole generation and be repaired.

    Goes on until so many kills struck a running process. Raises AssertionError when a generation is not whole
    or not repaired, and ClewError when a search or the repair fails.
    """
    moments = random.Random(seed)
    write_generation(root, 0, files)
    durations = {full: duration_of_index(root, number, files, full=full) for number, full in enumerate((True, False))}
    number, strikes = 1, 0
    while strikes < rounds:
        number += 1
        assert number < 10 * rounds + 10, "the writer is never caught"
        write_generation(root, number, files)
        full = number % 2 == 0
        after = moments.uniform(0.2, 1.0) * durations[full]
        struck = kill_index(root, after, full=full)
        strikes += struck
        with engine(root, embedder="default", refresh_seconds=0) as opened:  # as the killed command has it
            shown = mark_of(ask(opened, files), files)
        old = shown == f"mark{number - 1}"
        assert old or shown == f"mark{number}", f"round {number} shows {shown}"
        with engine(root, embedder="default") as opened:
            assert mark_of(ask(opened, files), files) == f"mark{number}", "the next search catches up"
            opened.index()
            assert not opened.status().stale
            assert {check.state for check in opened.index_health()} == {"ok"}
        builds = [path.name for path in (root / ".clew").iterdir() if path.is_dir()]
        assert len(builds) == 1, f"left behind: {builds}"
        yield Kill(after, struck, old, full)


def kill_index(root: Path, after: float, *, full: bool) -> bool:
    """Start an index run as a process and kill it with SIGKILL; whether it still ran. Its parsers end by themselves."""
    process = subprocess.Popen(
        index_command(full=full), cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=after)
    struck = process.poll() is None
    if struck:
        process.send_signal(signal.SIGSTOP)  # it starts no more parsers while they are counted
        parsers = parsers_of(process.pid)
        process.kill()
        process.wait()
        wait_until(lambda: not alive(parsers), "parsers of a killed writer end", ORPHAN_SECONDS)
    return struck


def counts(opened: Engine) -> dict[str, Any]:
    """What must be equal for two indexes of one tree."""
    status = opened.status()
    return {name: getattr(status, name) for name in ("files", "chunks", "definitions", "languages", "skipped_reasons")}


def contents(opened: Engine) -> dict[str, Any]:
    """All that is stored of each file, ids apart."""
    catalog = opened._opened().catalog
    return {
        file.path: (file.hash, catalog.text(file.id), catalog.chunks(file.id), catalog.definitions(file.id))
        for file in catalog.files()
    }


if __name__ == "__main__":
    readings = read_for(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
    print(json.dumps({name: getattr(readings, name) for name in ("answers", "slowest", "marks", "errors")}))
