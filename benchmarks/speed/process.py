"""Run a child process: wall time, CPU time and the peak memory of it and all its descendants."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

SAMPLE_SECONDS = 0.02  # between looks at the process tree; a look costs about 0.1 ms
# Switches that make a run unlike a user's: bytecode that is never kept, other kernels of numpy.
_DROPPED = ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "XDG_CONFIG_HOME")


class ChildError(Exception):
    """A child failed; the text is the last of what it said."""


@dataclass(frozen=True, slots=True)
class Ran:
    """One finished child. Memory in bytes: `peak` is the largest sum of resident memory over the process tree.

    Pages that processes share count once for each, so the sum errs upward. None where there is no /proc.
    `largest` is the peak of the largest single process, as `/usr/bin/time` gives it.
    """

    seconds: float
    cpu_seconds: float
    peak: int | None
    processes: int
    largest: int
    output: str

    def document(self) -> Any:
        return json.loads(self.output)


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without the user's clew settings and without switches that distort."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_") and name not in _DROPPED}
    return {**kept, **extra}


def run(command: Sequence[str], env: Mapping[str, str], *, sampled: bool = False) -> Ran:
    """Run a command to its end. ChildError when it fails. `sampled` follows the memory of the process tree."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = perf_counter()
        process = subprocess.Popen(command, env=dict(env), stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        sampler = _Sampler(process.pid) if sampled else None
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        finally:
            if sampler is not None:
                sampler.stop()
        seconds = perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        text = output.read().decode("utf-8", "replace")
        if process.returncode:
            said = errors.read().decode("utf-8", "replace").strip() or text.strip()
            raise ChildError(f"{Path(command[0]).name} {' '.join(command[1:4])}: {said[-2000:]}")
    return Ran(
        seconds=seconds,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak=sampler.peak if sampler is not None else None,
        processes=sampler.processes if sampler is not None else 1,
        largest=usage.ru_maxrss * (1 if os.uname().sysname == "Darwin" else 1024),
        output=text,
    )


class _Sampler:
    """A thread that adds up the resident memory of a process tree until it is stopped."""

    def __init__(self, pid: int) -> None:
        self.peak: int | None = None
        self.processes = 0
        self._pid = pid
        self._page = os.sysconf("SC_PAGE_SIZE")
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._done.set()
        self._thread.join()

    def _follow(self) -> None:
        while not self._done.is_set():
            sizes = [size for pid in descendants(self._pid) if (size := self._resident(pid))]
            if sizes:
                self.peak = max(self.peak or 0, sum(sizes))
                self.processes = max(self.processes, len(sizes))
            self._done.wait(SAMPLE_SECONDS)

    def _resident(self, pid: int) -> int:
        try:
            with open(f"/proc/{pid}/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * self._page
        except (OSError, IndexError, ValueError):  # it ended meanwhile
            return 0


def descendants(pid: int) -> list[int]:
    """A process and all below it, from /proc. Children hang on the thread that started them."""
    found, todo = [], [pid]
    while todo:
        each = todo.pop()
        found.append(each)
        try:
            for thread in Path(f"/proc/{each}/task").iterdir():
                todo += map(int, (thread / "children").read_text(encoding="ascii").split())
        except (OSError, ValueError):
            continue
    return found
