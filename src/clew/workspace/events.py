"""Change events of a tree, for processes that answer many queries.

Linux queues an event before the write that caused it returns, so an empty queue proves that
nothing changed on this machine: a check costs microseconds instead of a stat per file. Elsewhere,
or where the system has no watches left, there are no events and every query compares stats.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

# Writes through a memory mapping and writes by other machines raise no event: after this many
# seconds the stats are compared all the same.
TRUSTED_SECONDS = 5.0
MAX_WATCHES = 50_000  # directories; a larger tree would take a user's whole allowance


class ChangeEvents:
    """Events since the last look. Not thread-safe."""

    def __init__(self, notify: Any) -> None:
        self._notify = notify
        self._verified = 0.0

    @classmethod
    def start(cls, root: Path, directories: Iterable[str], files: Iterable[str]) -> ChangeEvents | None:
        """Watch directories and the directories of single files, all relative to the root; None where that is not
        possible. Compare stats after starting: what happened before is not reported."""
        if not sys.platform.startswith("linux"):
            return None
        from inotify_simple import INotify, flags

        mask = (
            flags.MODIFY | flags.ATTRIB | flags.CREATE | flags.DELETE | flags.MOVED_FROM | flags.MOVED_TO
            | flags.DELETE_SELF | flags.MOVE_SELF | flags.ONLYDIR
        )  # fmt: skip
        paths = dict.fromkeys(os.path.join(root, path) for path in directories)
        # An ignore file that does not exist yet may lie in a directory that does not exist either.
        parents = (os.path.dirname(os.path.join(root, path)) for path in files)  # noqa: PTH120
        paths.update(dict.fromkeys(path for path in parents if os.path.isdir(path)))  # noqa: PTH112
        if len(paths) > MAX_WATCHES:
            return None
        try:
            notify = INotify(nonblocking=True)
        except OSError:
            return None
        try:
            for path in paths:
                notify.add_watch(path, mask)
        except OSError:
            notify.close()
            return None
        return cls(notify)

    def quiet(self) -> bool:
        """Whether nothing happened since the last call, and the last comparison of stats is recent enough."""
        try:
            events = any(True for _ in self._notify.read(timeout=0))
        except (OSError, ValueError):
            return False
        return not events and time.monotonic() - self._verified < TRUSTED_SECONDS

    def verified(self) -> None:
        """The stats were compared just now."""
        self._verified = time.monotonic()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._notify.close()
