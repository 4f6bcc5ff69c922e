"""The local chunk store: immutable segment files, read by memory mapping. numpy only.

A writer adds segments and never touches an existing one; what a file's removal makes dead is
listed in the manifest. So a manifest stays readable as long as its segment files exist, and they
go only by `collect_garbage`.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from clew.index.local_manifest import SEGMENT_NAME, TEMPORARY_NAME, Manifest, parse_manifest
from clew.index.local_reader import LocalReader
from clew.index.store import StoreWriter


class LocalStore:
    """A directory of segment files. The directory is made when the first segment is written."""

    name = "local"

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def reader(self, manifest: Any) -> LocalReader:
        """Open one generation. Raises DamagedIndexError."""
        return LocalReader(self.directory, parse_manifest(manifest))

    def writer(self, manifest: Any | None) -> StoreWriter:
        """Continue from a manifest, or from nothing. One writer at a time: the caller holds the lock."""
        from clew.index.local_writer import LocalWriter  # a query never writes

        return LocalWriter(self.directory, Manifest() if manifest is None else parse_manifest(manifest))

    def collect_garbage(self, manifest: Any) -> int:
        """Remove segments that the manifest does not list, and what killed writers left.

        Returns how many files went. Where a file that a reader has mapped cannot be removed
        (Windows), it stays until the next time.
        """
        wanted = {entry.file for entry in parse_manifest(manifest).segments}
        removed = 0
        if not self.directory.is_dir():
            return removed
        for path in list(self.directory.iterdir()):
            ours = SEGMENT_NAME.fullmatch(path.name) or TEMPORARY_NAME.fullmatch(path.name)
            if not ours or path.name in wanted:
                continue
            with contextlib.suppress(OSError):
                path.unlink()
                removed += 1
        return removed
