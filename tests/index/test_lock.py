"""One writer at a time, in this process and in others."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew.errors import BusyIndexError
from clew.index.lock import holder, is_locked, writer_lock

HOLD = "import sys; from pathlib import Path; from clew.index.lock import writer_lock\n" + (
    "with writer_lock(Path(sys.argv[1]), 0):\n    print('held', flush=True)\n    sys.stdin.read()\n"
)


@contextmanager
def other_writer(directory: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its input ends."""
    command = [sys.executable, "-c", HOLD, str(directory)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process


def test_a_held_lock_is_seen_and_its_holder_named(tmp_path: Path) -> None:
    with writer_lock(tmp_path, 0):
        assert is_locked(tmp_path) and holder(tmp_path) == os.getpid()
    assert not is_locked(tmp_path) and holder(tmp_path) is None


def test_a_second_writer_of_the_same_process_is_told_who_writes(tmp_path: Path) -> None:
    with (
        writer_lock(tmp_path, 0),
        pytest.raises(BusyIndexError, match=rf"\(pid {os.getpid()}\) is writing"),
        writer_lock(tmp_path, 0),
    ):
        pytest.fail("two writers")  # pragma: no cover


def test_a_writer_of_another_process_is_named_and_waited_for(tmp_path: Path) -> None:
    with other_writer(tmp_path) as process:
        with pytest.raises(BusyIndexError, match=str(process.pid)), writer_lock(tmp_path, 0.05):
            pytest.fail("two writers")  # pragma: no cover
        assert is_locked(tmp_path)
        assert process.stdin is not None
        process.stdin.close()
        with writer_lock(tmp_path, 20):
            assert holder(tmp_path) == os.getpid()


def test_a_killed_writer_leaves_the_lock_free(tmp_path: Path) -> None:
    with other_writer(tmp_path) as process:
        process.kill()
        process.wait()
        assert holder(tmp_path) == process.pid  # it never gave the lock back
        assert not is_locked(tmp_path)
        with writer_lock(tmp_path, 0):
            assert holder(tmp_path) == os.getpid()


def test_the_lock_is_given_back_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), writer_lock(tmp_path, 0):
        raise KeyboardInterrupt
    with writer_lock(tmp_path, 0):
        pass


def test_a_wait_ends(tmp_path: Path) -> None:
    with other_writer(tmp_path):
        started = time.monotonic()
        with pytest.raises(BusyIndexError), writer_lock(tmp_path, 0.2):
            pytest.fail("two writers")  # pragma: no cover
        assert 0.2 <= time.monotonic() - started < 5


def test_looking_for_a_lock_creates_nothing(tmp_path: Path) -> None:
    assert not is_locked(tmp_path) and holder(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"not a number", b"\xff\xfe", b"9" * 5000])
def test_a_holder_that_cannot_be_told_is_unknown(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "writer.pid").write_bytes(content)
    assert holder(tmp_path) is None
