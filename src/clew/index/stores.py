"""Which chunk store an index uses."""

from __future__ import annotations

from pathlib import Path

from clew.index.local import LocalStore
from clew.index.store import Store

SEGMENTS = "segments"


def open_store(build: Path) -> Store:
    """The store of one build directory."""
    return LocalStore(build / SEGMENTS)
