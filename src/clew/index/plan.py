"""What changed since the last generation: by stat first, by content hash when a file is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from clew.index.catalog import FAILED, FileRecord
from clew.records import FileStat, SourceFile

# Measured on one core: reading, parsing, counting and storing. Deliberately low: a wrong promise
# of a quick answer costs more than a late refresh.
BYTES_PER_SECOND = 1_500_000
SECONDS_PER_FILE = 0.0015  # opening, rows and transaction, whatever its size: 0.7 ms measured, doubled
START_SECONDS = 0.3  # walking and starting a worker
# A file written within this time before it was read may change again without a new time stamp
# (kernel clocks tick every 4 to 10 ms), so its stat proves nothing.
RACY_NS = 20_000_000
UNKNOWN_STAT = FileStat(-1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Plan:
    """`read` must be read again; `gone` are ids of files that are no longer there."""

    read: tuple[SourceFile, ...]
    gone: tuple[FileRecord, ...]
    unchanged: int

    @property
    def changes(self) -> int:
        return len(self.read) + len(self.gone)

    @property
    def seconds(self) -> float:
        """A rough estimate of what carrying it out takes."""
        if not self.changes:
            return 0.0
        size = sum(each.stat.size for each in self.read)
        return START_SECONDS + size / BYTES_PER_SECOND + self.changes * SECONDS_PER_FILE


def plan(found: Iterable[SourceFile], known: Mapping[str, FileRecord]) -> Plan:
    """Compare a walk with the catalog. A file that failed before is read again."""
    read: list[SourceFile] = []
    seen: set[str] = set()
    for file in found:
        seen.add(file.path)
        record = known.get(file.path)
        if record is None or record.stat != file.stat or record.strategy == FAILED:
            read.append(file)
    gone = tuple(record for path, record in known.items() if path not in seen)
    return Plan(tuple(read), gone, len(seen) - len(read))


def trusted(stat: FileStat, read_at_ns: int) -> FileStat:
    """The stat to store for content read at that time; an unknown one when it could still change unseen."""
    return UNKNOWN_STAT if stat.ctime_ns > read_at_ns - RACY_NS else stat
