"""Parse many files in worker processes; a file that hangs or kills its worker costs only itself."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

from clew.errors import ClewError, debugging
from clew.parsing.file import ParsedFile
from clew.parsing.limits import Limits
from clew.parsing.worker import HANG_SECONDS, read_frame, unpack_file, write_frame

BATCH_FILES = 32  # enough to make a batch's overhead small, few enough to keep two workers busy to the end
BATCH_BYTES = 1_000_000
# The worker finds clew where this process did, also when that place is not on the path of a new interpreter.
_START = "import sys; sys.path.append(sys.argv[1]); from clew.parsing.worker import main; main()"
STARTS = 3  # want of memory ends a process now and then, a broken installation every time
_LAST_BYTES = 2_000  # of what a worker complained about


@dataclass(frozen=True, slots=True)
class ParsedBatch:
    """Parsed files with their term counts: per field, bytes of uint32 rows, vocabulary indexes and counts."""

    files: tuple[ParsedFile, ...]
    vocabulary: list[str]
    postings: dict[str, tuple[bytes, bytes, bytes]]


def batches(files: Sequence[tuple[str, int]]) -> Iterator[list[str]]:
    """Group `(path, size)` into batches, in order."""
    batch: list[str] = []
    size = 0
    for path, length in files:
        if batch and (len(batch) >= BATCH_FILES or size + length > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += length
    if batch:
        yield batch


def parse_all(root: str, files: Sequence[tuple[str, int]], limits: Limits, workers: int = 0) -> Iterator[ParsedBatch]:
    """Parse `(path, size)` pairs; batches come as they are ready, each file exactly once.

    `workers` 0 means one per core. A file on which a worker hangs or dies comes back with `failed`.
    """
    todo: queue.SimpleQueue[list[str] | None] = queue.SimpleQueue()
    work = list(batches(files))
    count = max(1, min(workers or os.cpu_count() or 1, len(work)))
    for batch in work:
        todo.put(batch)
    for _ in range(count):
        todo.put(None)
    results: queue.Queue[ParsedBatch | BaseException | None] = queue.Queue(maxsize=2 * count)
    pool = [_Worker(root, limits, todo, results) for _ in range(count)] if work else []
    try:
        yield from _collect(pool, results)
    finally:
        for worker in pool:
            worker.stop()


def _collect(pool: list[_Worker], results: queue.Queue[ParsedBatch | BaseException | None]) -> Iterator[ParsedBatch]:
    running = len(pool)
    while running:
        try:
            result = results.get(timeout=1.0)
        except queue.Empty:
            for worker in pool:
                worker.kill_if_hanging()
            continue
        if result is None:
            running -= 1
        elif isinstance(result, BaseException):
            raise result
        else:
            yield result


class _Worker:
    """One process and the thread that feeds it."""

    def __init__(
        self,
        root: str,
        limits: Limits,
        todo: queue.SimpleQueue[list[str] | None],
        results: queue.Queue[ParsedBatch | BaseException | None],
    ) -> None:
        self._root, self._limits, self._todo, self._results = root, limits, todo, results
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: IO[bytes]
        self._heard = time.monotonic()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="clew-parser", daemon=True)
        self._thread.start()

    def kill_if_hanging(self) -> None:
        process = self._process
        if process is not None and time.monotonic() - self._heard > self._limits.parse_seconds + 2 * HANG_SECONDS:
            process.kill()

    def stop(self) -> None:
        self._stopping = True
        self._end()
        with contextlib.suppress(queue.Empty):
            while True:  # let a thread that waits for room in the queue see that nobody reads any more
                self._results.get_nowait()
        self._thread.join(timeout=5)
        self._end()  # a process that the thread started meanwhile

    def _run(self) -> None:
        try:
            while not self._stopping and (batch := self._todo.get()) is not None:
                for parsed in self._parse(batch):
                    self._results.put(parsed)
            self._end()
            self._results.put(None)
        except BaseException as error:
            self._results.put(error)

    def _parse(self, paths: list[str]) -> Iterator[ParsedBatch]:
        """Parse a batch; a file that ends the worker is taken out and tried alone, without a grammar."""
        while paths and not self._stopping:
            answer, last = self._ask(paths, self._limits)
            if answer is not None:
                yield _unpacked(answer)
                return
            paths, culprit = paths[:last] + paths[last + 1 :], paths[last]
            if self._stopping:
                return
            answer, _ = self._ask([culprit], replace(self._limits, parse_seconds=0.0))
            if answer is None:
                yield ParsedBatch((ParsedFile(culprit, failed="the parser hung or crashed on it"),), [], {})
            else:
                yield _unpacked(answer, error="the grammar hung or crashed on it, indexed by lines")

    def _ask(self, paths: list[str], limits: Limits) -> tuple[Any, int]:
        """The worker's answer, or None and the index of the file it died on. ClewError when it cannot even start."""
        reason = ""
        for _ in range(STARTS):
            answer, last, reason = self._try(paths, limits)
            if answer is not None or last >= 0 or self._stopping:
                return answer, max(last, 0)
        raise ClewError(f"the parser process cannot start: {reason or 'it ended at once'}", hint="clew doctor")

    def _try(self, paths: list[str], limits: Limits) -> tuple[Any, int, str]:
        """The answer or None, the index of the file that was begun last (-1: none), and the worker's complaint."""
        last = -1
        self._heard = time.monotonic()
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            write_frame(process.stdin, {"root": self._root, "limits": asdict(limits), "paths": paths})
            while (message := read_frame(process.stdout)) is not None:
                self._heard = time.monotonic()
                if message[0] == "done":
                    return message[1:], last, ""
                last = message[1]
        except OSError:
            pass
        return None, last, self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
            # -P: the directory clew runs in must not provide modules to it.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, str(Path(__file__).parents[2])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if debugging() else self._complaints,
            )
        return self._process

    def _end(self) -> str:
        """End the process; its last complaint, if it had one."""
        process, self._process = self._process, None
        if process is None:
            return ""
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        process.wait()
        with self._complaints as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - _LAST_BYTES))
            lines = stream.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""


def _unpacked(answer: Any, error: str = "") -> ParsedBatch:
    files, vocabulary, postings = answer
    parsed = tuple(map(unpack_file, files))
    return ParsedBatch(tuple(replace(each, error=error) for each in parsed) if error else parsed, vocabulary, postings)
