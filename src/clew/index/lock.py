"""One writer at a time. The operating system frees the lock when its holder dies."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from clew.errors import BusyIndexError
from clew.index import layout

_LOCK = "writer.lock"
_HOLDER = "writer.pid"  # beside the lock: whoever tries the lock truncates the lock file itself
_PID_DIGITS = 10  # pids have 32 bits


@contextmanager
def writer_lock(directory: Path, wait_seconds: float) -> Iterator[None]:
    """Hold the writer lock of an index directory; BusyIndexError with the holder's pid when it stays taken."""
    try:
        lock = FileLock(layout.make_way(directory / _LOCK), thread_local=False)
        lock.acquire(timeout=wait_seconds)
    except Timeout:
        pid = holder(directory)
        raise BusyIndexError(
            f"another process{f' (pid {pid})' if pid else ''} is writing the index {directory}",
            hint="wait until it is done, or end that process",
        ) from None
    except OSError as error:
        raise layout.unwritable(directory, error) from None
    try:
        with contextlib.suppress(OSError):  # it only helps others to tell who holds the lock
            layout.write_small(directory / _HOLDER, str(os.getpid()))
        yield
    finally:
        with contextlib.suppress(OSError):
            (directory / _HOLDER).unlink()
        lock.release()


def holder(directory: Path) -> int | None:
    """The pid that holds or last held the lock without giving it back; None when unknown."""
    try:
        text = layout.read_small(directory / _HOLDER).strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() and len(text) <= _PID_DIGITS else None


def is_locked(directory: Path) -> bool:
    """Whether somebody holds the writer lock now. Creates nothing."""
    if not (directory / _LOCK).exists():
        return False
    lock = FileLock(directory / _LOCK, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False
