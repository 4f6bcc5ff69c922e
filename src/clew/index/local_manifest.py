"""What the local store keeps in the catalog: which segments are alive, and which of their files are dead."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Any

from clew.errors import DamagedIndexError
from clew.index.segment import MAX_DIMENSION, MAX_FILE_ID

FORMAT = 1
# The only names ever opened or removed; they cannot lead out of the directory.
SEGMENT_NAME = re.compile(r"seg-[0-9a-f]{32}\.bin")
TEMPORARY_NAME = re.compile(r"tmp-[0-9a-f]{32}\.bin")


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """`files` and `chunks` count all rows of the segment; `dead` are ids of files removed since, ascending."""

    file: str
    files: int
    chunks: int
    dead: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    segments: tuple[SegmentEntry, ...] = ()
    dimension: int | None = None  # of the vectors; None when nothing is embedded

    def to_json(self) -> dict[str, Any]:
        rows = [{"file": e.file, "files": e.files, "chunks": e.chunks, "dead": list(e.dead)} for e in self.segments]
        return {"format": FORMAT, "dimension": self.dimension, "segments": rows}


def parse_manifest(value: Any) -> Manifest:
    """Check a stored manifest. Raises DamagedIndexError."""
    if not isinstance(value, dict) or not isinstance(value.get("segments"), list):
        raise _damaged("it is not a manifest of the local store")
    if value.get("format") != FORMAT:
        raise _damaged(f"unknown format {str(value.get('format'))[:20]}")
    dimension = value.get("dimension")
    if dimension is not None and (not _is_count(dimension, MAX_DIMENSION) or dimension == 0):
        raise _damaged("impossible dimension")
    segments = tuple(_entry(row) for row in value["segments"])
    if len({entry.file for entry in segments}) != len(segments):
        raise _damaged("a segment is listed twice")
    return Manifest(segments, dimension)


def _entry(row: Any) -> SegmentEntry:
    if not isinstance(row, dict):
        raise _damaged("a segment is not an object")
    file: Any = row.get("file")
    files: Any = row.get("files")
    chunks: Any = row.get("chunks")
    dead: Any = row.get("dead")
    if not isinstance(file, str) or not SEGMENT_NAME.fullmatch(file):
        raise _damaged("a segment has no valid file name")
    if not _is_count(files, MAX_FILE_ID) or not _is_count(chunks, MAX_FILE_ID):
        raise _damaged(f"{file} has no valid counts")
    if not isinstance(dead, list) or not all(_is_count(file_id, MAX_FILE_ID) for file_id in dead):
        raise _damaged(f"{file} has no valid list of removed files")
    if any(second <= first for first, second in itertools.pairwise(dead)):
        raise _damaged(f"the removed files of {file} are not ascending")
    return SegmentEntry(file, files, chunks, tuple(dead))


def _is_count(value: Any, limit: int) -> bool:
    return type(value) is int and 0 <= value <= limit


def _damaged(reason: str) -> DamagedIndexError:
    return DamagedIndexError(f"the index manifest is damaged: {reason}", hint="rebuild it with: clew index --full")
