"""Does the index still show the working tree? Answered before every search."""

from __future__ import annotations

from pathlib import Path

from clew.index.session import Session
from clew.workspace import stat_tuples, watch_changed
from clew.workspace.events import ChangeEvents


class Tracker:
    """Compares an index with its tree: by change events where there are any, else by a stat per file and directory.

    Events are set up at the second look, since a process that answers one query has no use for them.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._events: ChangeEvents | None = None
        self._version = -1
        self._refused = -1  # the version for which the system gave no events: asking again would cost every query
        self._looks = 0

    def unchanged(self, session: Session) -> bool:
        """True when no file, directory or ignore rule differs from what the index knows.

        O(1) while no event came, else O(files + directories) stats. Inside a read transaction.
        """
        version = int(session.meta["version"])
        if self._events is not None and self._version == version and self._events.quiet():
            return True
        self._looks += 1
        if self._looks > 1 and self._refused != version and (self._events is None or self._version != version):
            self._start(session)
            self._refused = version if self._events is None else -1
        self._version = version
        paths, stored = session.stats()
        same = stat_tuples(self._root, paths) == stored and not watch_changed(self._root, session.watch())
        if not same:
            self.close()  # the next look, at the next generation, starts anew
        elif self._events is not None:
            self._events.verified()
        return same

    def _start(self, session: Session) -> None:
        self.close()
        watch = session.watch()
        self._events = ChangeEvents.start(
            self._root, (path for path, _ in watch.directories), (path for path, _ in watch.files)
        )

    def close(self) -> None:
        if self._events is not None:
            self._events.close()
            self._events = None
