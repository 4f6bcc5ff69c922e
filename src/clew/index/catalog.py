"""The catalog: one SQLite file with files, texts, definitions, chunks and the store's manifest.

Everything of a generation is committed in one transaction, so a read transaction sees exactly one.
All SQL of the product stands here.
"""

from __future__ import annotations

import json
import os
import sqlite3
import struct
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.errors import BusyIndexError, DamagedIndexError, UnusableIndexError
from clew.records import Chunk, Definition, FileStat

SCHEMA_VERSION = 2
APPLICATION_ID = 0x636C6577  # "clew": tells a catalog from any other SQLite file
BUSY_MILLISECONDS = 10_000
FAILED = "failed"  # the strategy of a file that could not be read; it is tried again
MAX_TEXT = 16 << 20  # bytes of one file's text: the size setting's bound, grown by decoding
_PASSING = (
    sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
)  # fmt: skip

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
    hash BLOB NOT NULL, language TEXT NOT NULL, flags INTEGER NOT NULL, strategy TEXT NOT NULL,
    lines INTEGER NOT NULL, checksum INTEGER NOT NULL, skipped TEXT NOT NULL, error TEXT NOT NULL);
CREATE INDEX files_by_name ON files (name);
CREATE TABLE stats (paths TEXT NOT NULL, numbers BLOB NOT NULL);
CREATE TABLE texts (file_id INTEGER PRIMARY KEY, text BLOB NOT NULL);
CREATE TABLE definitions (
    file_id INTEGER NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL,
    symbol TEXT NOT NULL, kind TEXT NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    start_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL, signature TEXT NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (file_id, ordinal)) WITHOUT ROWID;
CREATE INDEX definitions_by_name ON definitions (folded);
CREATE TABLE chunks (
    file_id INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL, symbol TEXT NOT NULL,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, start_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL,
    PRIMARY KEY (file_id, ordinal)) WITHOUT ROWID;
"""

_FILE_COLUMNS = "id, path, size, mtime_ns, ctime_ns, inode, hash, language, flags, strategy, lines, skipped, error"
_INSERT_FILE = (
    "INSERT INTO files (path, name, size, mtime_ns, ctime_ns, inode, hash, language, flags, strategy, lines, checksum,"
    " skipped, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_DEFINITION = "INSERT INTO definitions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_CHUNK = "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_SET_STAT = "UPDATE files SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ? WHERE id = ?"
_SET_META = "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_DELETE_FILE = (
    "DELETE FROM definitions WHERE file_id = ?",
    "DELETE FROM chunks WHERE file_id = ?",
    "DELETE FROM texts WHERE file_id = ?",
    "DELETE FROM files WHERE id = ?",
)
_CHUNKS_OF = (
    "SELECT ordinal, kind, symbol, start_line, end_line, start_byte, end_byte FROM chunks WHERE file_id = ?"
    " ORDER BY ordinal"
)
_BOUNDS_OF = "SELECT start_byte, end_byte FROM chunks WHERE file_id = ? AND ordinal = ?"
_DEFINITION_COLUMNS = "name, symbol, kind, start_line, end_line, start_byte, end_byte, signature, doc"
_DEFINITIONS_OF = f"SELECT {_DEFINITION_COLUMNS} FROM definitions WHERE file_id = ? ORDER BY ordinal"
_DEFINITIONS_NAMED = (
    "SELECT file_id, name, symbol, kind, start_line, end_line, start_byte, end_byte FROM definitions"
    " WHERE folded = ? ORDER BY file_id LIMIT 20000"  # `run` in the largest trees; beyond that a name says nothing
)
_FILES_KEPT = 50_000  # about 25 MB
_STAT = struct.Struct("<4q")
# Of SQLite's file header: page size, change counter, pages, and the change counter for which they were counted.
_HEADER = struct.Struct(">16xH6xII60xI")
_SQL_VARIABLES = 500  # below every SQLite's limit of variables in one statement


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file as stored. `skipped` is empty for an indexed file, else the reason found in its content."""

    id: int
    path: str
    stat: FileStat
    hash: bytes
    language: str
    flags: int  # of records.FileFlag
    strategy: str
    lines: int
    skipped: str
    error: str


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into the states that users can act on: damaged, busy, or not usable now."""
    try:
        yield
    except sqlite3.OperationalError as error:
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise BusyIndexError(f"the index {path} is held by another process", hint="try again in a moment") from None
        if code in _PASSING:  # says nothing about the content: never a reason to rebuild
            raise UnusableIndexError(
                f"the index {path} cannot be used: {error}", hint="check the free space and the rights of its directory"
            ) from None
        raise _damaged(path, error) from None
    except (sqlite3.DatabaseError, zlib.error, struct.error, ValueError, TypeError, RecursionError) as error:
        # A flipped byte can make a column of another type, or JSON of any depth.
        raise _damaged(path, error) from None


def _lacks_pages(path: Path) -> bool:
    """Whether the file is shorter than its header says; SQLite notices only when it comes to the missing page."""
    try:
        with path.open("rb") as stream:
            header = stream.read(_HEADER.size)
            size = os.fstat(stream.fileno()).st_size
    except OSError:
        return False  # SQLite says why
    if len(header) < _HEADER.size:
        return False
    page_size, changes, pages, valid_for = _HEADER.unpack(header)
    return bool(changes == valid_for and size < pages * (65_536 if page_size == 1 else page_size))


def _damaged(path: Path, error: object) -> DamagedIndexError:
    return DamagedIndexError(f"the index {path} cannot be read: {error}", hint="rebuild it with: clew index --full")


class Catalog:
    """An open catalog. Not thread-safe: one per thread."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._files: dict[int, FileRecord] = {}

    @classmethod
    def create(cls, path: Path) -> Catalog:
        """A new, empty catalog that nobody reads yet, so without a journal: a crash leaves it unpublished."""
        with _explained(path):
            connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            try:
                connection.execute("PRAGMA journal_mode = OFF")
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                connection.executescript(_SCHEMA)
            except BaseException:
                connection.close()
                raise
        return cls(path, connection)

    @classmethod
    def open(cls, path: Path) -> Catalog:
        """Open an existing catalog; DamagedIndexError when it is none or of another schema.

        One that cannot be written is opened as it lies, if no writer left work in a log beside it.
        """
        if path.is_symlink() or not path.is_file():
            raise _damaged(path, "it has no catalog")
        if _lacks_pages(path):
            raise _damaged(path, "its end is missing")
        try:
            return cls._connected(path, "mode=rw")
        except UnusableIndexError:
            if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
                raise
            if path.with_name(f"{path.name}-wal").exists():
                raise
            return cls._connected(path, "mode=ro&immutable=1")

    @classmethod
    def _connected(cls, path: Path, mode: str) -> Catalog:
        with _explained(path):
            connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None, check_same_thread=False
            )
            try:
                connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
                connection.execute("PRAGMA cell_size_check = ON")  # a damaged page is none with fewer rows
                # Durable against kill -9; a power cut may lose the last commit, which the next index run repeats.
                connection.execute("PRAGMA synchronous = NORMAL")
                (application,) = connection.execute("PRAGMA application_id").fetchone()
                (version,) = connection.execute("PRAGMA user_version").fetchone()
                if (application, version) != (APPLICATION_ID, SCHEMA_VERSION):
                    raise DamagedIndexError(
                        f"{path} is not an index that this version can read",
                        hint="rebuild it with: clew index --full",
                    )
                connection.execute(
                    "SELECT count(*) FROM meta"
                ).fetchone()  # where nothing can be written, WAL fails here
            except BaseException:
                connection.close()
                raise
        return cls(path, connection)

    def publish(self) -> None:
        """Make a created catalog durable and readable by others while it is written."""
        with _explained(self.path):
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[None]:
        """One view of one generation; with `write` also the only writer. Rolled back on any error."""
        with _explained(self.path):
            self._connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        try:
            yield
        except BaseException:
            self._connection.rollback()
            raise
        with _explained(self.path):
            self._connection.commit()

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file, as far as readers allow: it waits for none."""
        with _explained(self.path):
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")

    def verify(self) -> None:
        """Read every page; DamagedIndexError when one is inconsistent. O(size of the catalog)."""
        with _explained(self.path):
            found = self._connection.execute("PRAGMA integrity_check(3)").fetchall()
        if found != [("ok",)]:
            raise _damaged(self.path, str(found[0][0]).splitlines()[0])

    # meta

    def meta(self) -> dict[str, Any]:
        with _explained(self.path):
            return {key: json.loads(value) for key, value in self._connection.execute("SELECT key, value FROM meta")}

    def version(self) -> int:
        """Counts every commit that changed anything, stats included; 0 before the first."""
        with _explained(self.path):
            row = self._connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
            return int(row[0]) if row else 0

    def set_meta(self, values: Mapping[str, Any]) -> None:
        with _explained(self.path):
            rows = [(key, json.dumps(value, ensure_ascii=True)) for key, value in values.items()]
            self._connection.executemany(_SET_META, rows)

    # writing

    def add_file(
        self,
        record: FileRecord,
        text: bytes,
        definitions: Sequence[Definition],
        chunks: Sequence[Chunk],
    ) -> int:
        """Store a file with all that was found in it; its id is new (`record.id` is ignored)."""
        stat = record.stat
        rows = [(c.ordinal, c.kind, c.symbol, c.start_line, c.end_line, c.start_byte, c.end_byte) for c in chunks]
        with _explained(self.path):
            cursor = self._connection.execute(
                _INSERT_FILE,
                (
                    record.path, record.path.rpartition("/")[2],
                    stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode, record.hash,
                    record.language, int(record.flags), record.strategy, record.lines, _checksum(rows),
                    record.skipped, record.error,
                ),
            )  # fmt: skip
            file_id = cursor.lastrowid
            assert file_id is not None
            if text:
                self._connection.execute("INSERT INTO texts VALUES (?, ?)", (file_id, text))
            self._connection.executemany(_INSERT_CHUNK, [(file_id, *row) for row in rows])
            self._connection.executemany(
                _INSERT_DEFINITION,
                [
                    (
                        file_id, ordinal, d.name, d.name.casefold(), d.symbol, d.kind, d.start_line, d.end_line,
                        d.start_byte, d.end_byte, d.signature, d.doc,
                    )
                    for ordinal, d in enumerate(definitions)
                ],
            )  # fmt: skip
        return file_id

    def remove_files(self, file_ids: Sequence[int]) -> None:
        with _explained(self.path):
            for sql in _DELETE_FILE:
                self._connection.executemany(sql, [(each,) for each in file_ids])

    def set_stats(self, stats: Iterable[tuple[int, FileStat]]) -> None:
        with _explained(self.path):
            rows = [(s.size, s.mtime_ns, s.ctime_ns, s.inode, file_id) for file_id, s in stats]
            self._connection.executemany(_SET_STAT, rows)

    # reading

    def files(self) -> list[FileRecord]:
        """Every known file by path, skipped ones included. O(files)."""
        with _explained(self.path):
            rows = self._connection.execute(f"SELECT {_FILE_COLUMNS} FROM files ORDER BY path").fetchall()
            return [_file(row) for row in rows]

    def keep_stats(self) -> None:
        """Inside a write transaction, at its end: put the stats of all files where `stats` finds them in one piece."""
        with _explained(self.path):
            rows = self._connection.execute(
                "SELECT path, size, mtime_ns, ctime_ns, inode FROM files ORDER BY id"
            ).fetchall()
            paths = "\0".join(row[0] for row in rows)
            numbers = b"".join(_STAT.pack(*row[1:]) for row in rows)
            self._connection.execute("DELETE FROM stats")
            self._connection.execute("INSERT INTO stats VALUES (?, ?)", (paths, numbers))

    def stats(self) -> tuple[list[str], list[tuple[int, int, int, int]]]:
        """Paths of every known file and (size, mtime, ctime, inode) of each: half of the freshness check.

        One row instead of one a file: 5 ms instead of 30 on 22,500 files, in every query.
        """
        with _explained(self.path):
            paths, numbers = self._connection.execute("SELECT paths, numbers FROM stats").fetchone() or ("", b"")
            stats = [(size, mtime, ctime, inode) for size, mtime, ctime, inode in _STAT.iter_unpack(numbers)]
            names = paths.split("\0") if stats else []
        if len(names) != len(stats):
            raise _damaged(self.path, "the stored stats do not match the stored paths")
        return names, stats

    def files_by_id(self, file_ids: Collection[int]) -> dict[int, FileRecord]:
        """Files by id. Kept, since an id never comes back for another content; only `stat` may be older."""
        known = self._files
        missing = [file_id for file_id in file_ids if file_id not in known]
        if len(known) + len(missing) > _FILES_KEPT:
            known.clear()
            missing = list(file_ids)
        for row in self._in(f"SELECT {_FILE_COLUMNS} FROM files WHERE id IN", missing):
            known[row[0]] = _file(row)
        return {file_id: known[file_id] for file_id in file_ids if file_id in known}

    def file_named(self, path: str) -> FileRecord | None:
        if not _is_text(path):  # the walker leaves such names out
            return None
        with _explained(self.path):
            row = self._connection.execute(f"SELECT {_FILE_COLUMNS} FROM files WHERE path = ?", (path,)).fetchone()
            return _file(row) if row else None

    def text(self, file_id: int) -> bytes:
        """The file's text as UTF-8; empty when it has none. Bounded: the index file is untrusted."""
        with _explained(self.path):
            row = self._connection.execute("SELECT text FROM texts WHERE file_id = ?", (file_id,)).fetchone()
            return inflated(row[0]) if row else b""

    def chunks(self, file_id: int) -> list[Chunk]:
        """The file's chunks by ordinal, checked against what was written. `context` is not kept."""
        with _explained(self.path):
            rows = self._connection.execute(_CHUNKS_OF, (file_id,)).fetchall()
            kept = self._connection.execute("SELECT checksum FROM files WHERE id = ?", (file_id,)).fetchone()
        if kept is None or _checksum(rows) != kept[0]:
            raise _damaged(self.path, f"the chunks of file {file_id} do not match their checksum")
        return [Chunk(*row) for row in rows]

    def chunk_texts(self, places: Sequence[tuple[int, int]], most: int) -> list[bytes]:
        """The texts of chunks given by (file id, ordinal), in order; empty for an unknown one.

        Each file is inflated only as far as its last wanted chunk. Chunks that would take more than `most` bytes
        of that in all are left empty: the first ones that are wanted have it. O(bytes inflated).
        """
        ends: dict[int, int] = {}
        bounds: list[tuple[int, int, int]] = []
        texts: dict[int, bytes] = {}
        with _explained(self.path):
            for file_id, ordinal in places:
                start, end = self._connection.execute(_BOUNDS_OF, (file_id, ordinal)).fetchone() or (0, 0)
                more = max(0, end - ends.get(file_id, 0))
                if more <= most:
                    most -= more
                    ends[file_id] = ends.get(file_id, 0) + more
                    bounds.append((file_id, start, end))
                else:
                    bounds.append((file_id, 0, 0))
            for file_id, end in ends.items():
                row = self._connection.execute("SELECT text FROM texts WHERE file_id = ?", (file_id,)).fetchone()
                texts[file_id] = zlib.decompressobj().decompress(row[0], min(end, MAX_TEXT)) if row and end else b""
        return [texts.get(file_id, b"")[start:end] for file_id, start, end in bounds]

    def definitions(self, file_id: int) -> list[Definition]:
        with _explained(self.path):
            return [Definition(*row) for row in self._connection.execute(_DEFINITIONS_OF, (file_id,))]

    def definitions_named(self, name: str) -> list[tuple[int, Definition]]:
        """Definitions whose unqualified name equals `name`, whatever its case, with their file ids.

        O(such definitions). Signature and doc are left out.
        """
        if not _is_text(name):
            return []
        with _explained(self.path):
            rows = self._connection.execute(_DEFINITIONS_NAMED, (name.casefold(),)).fetchall()
            return [(row[0], Definition(*row[1:])) for row in rows]

    def files_called(self, name: str, limit: int) -> list[tuple[int, str]]:
        """Ids and paths of indexed files with this file name, shortest path first."""
        if not _is_text(name):
            return []
        with _explained(self.path):
            sql = "SELECT id, path FROM files WHERE name = ? AND skipped = '' ORDER BY length(path), path LIMIT ?"
            return [(row[0], row[1]) for row in self._connection.execute(sql, (name, limit))]

    def select_files(self, condition: str, values: Sequence[Any]) -> list[int]:
        """Ids of indexed files under a condition made by `search.filters` (placeholders only), ascending."""
        with _explained(self.path):
            sql = f"SELECT id FROM files WHERE skipped = '' AND ({condition}) ORDER BY id"
            return [row[0] for row in self._connection.execute(sql, values)]

    def select_chunks(self, condition: str, values: Sequence[Any]) -> list[tuple[int, int]]:
        """(file id, ordinal) of chunks under such a condition over chunks and their files, ascending."""
        with _explained(self.path):
            sql = (
                "SELECT chunks.file_id, chunks.ordinal FROM chunks JOIN files ON files.id = chunks.file_id"
                f" WHERE {condition} ORDER BY 1, 2"
            )
            return list(self._connection.execute(sql, values))

    def chunks_around(self, kinds: Sequence[str]) -> list[tuple[int, int]]:
        """(file id, ordinal) of chunks in which a definition of these kinds begins, ascending. O(such definitions)."""
        sql = (
            "SELECT DISTINCT chunks.file_id, chunks.ordinal FROM definitions JOIN chunks"
            " ON chunks.file_id = definitions.file_id"
            " AND definitions.start_line BETWEEN chunks.start_line AND chunks.end_line"
            f" WHERE definitions.kind IN ({', '.join('?' * len(kinds))}) ORDER BY 1, 2"
        )
        with _explained(self.path):
            return list(self._connection.execute(sql, kinds))

    def skipped_reasons(self, walked: Mapping[str, int]) -> dict[str, int]:
        """What is left out and why: by the walk, and by content. Files that failed are not among them."""
        reasons = dict(walked)
        for reason, count in self.group_counts("skipped", f"skipped != '' AND strategy != '{FAILED}'").items():
            reasons[reason] = reasons.get(reason, 0) + count
        return reasons

    def totals(self) -> dict[str, int]:
        with _explained(self.path):
            sql = (
                "SELECT (SELECT count(*) FROM files WHERE skipped = ''), (SELECT count(*) FROM chunks),"
                " (SELECT count(*) FROM definitions)"
            )
            files, chunks, definitions = self._connection.execute(sql).fetchone()
        return {"files": files, "chunks": chunks, "definitions": definitions}

    def group_counts(self, column: str, condition: str = "skipped = ''") -> dict[str, int]:
        """How many files per value of a column; both arguments are constants of the caller's code."""
        with _explained(self.path):
            sql = f"SELECT {column}, count(*) FROM files WHERE {condition} GROUP BY {column} ORDER BY 2 DESC, 1"
            return {str(key): int(count) for key, count in self._connection.execute(sql)}

    def _in(self, sql: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(values), _SQL_VARIABLES):
            part = values[start : start + _SQL_VARIABLES]
            with _explained(self.path):
                rows = self._connection.execute(f"{sql} ({', '.join('?' * len(part))})", part).fetchall()
            yield from rows


def _file(row: tuple[Any, ...]) -> FileRecord:
    file_id, path, size, mtime, ctime, inode, digest, language, flags, strategy, lines, skipped, error = row
    return FileRecord(
        file_id, path, FileStat(size, mtime, ctime, inode), digest, language, flags, strategy, lines,
        skipped, error,
    )  # fmt: skip


def _is_text(name: str) -> bool:
    """Whether SQLite takes it: half a surrogate pair, from an argument that is not UTF-8, is no text."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def inflated(blob: bytes) -> bytes:
    """A compressed text; zlib.error when it is damaged or larger than any text that is indexed."""
    stream = zlib.decompressobj()
    text = stream.decompress(blob, MAX_TEXT)
    if not stream.eof:
        raise zlib.error("a stored text is cut off or too large")
    return text


def _checksum(rows: Iterable[tuple[Any, ...]]) -> int:
    return zlib.crc32(repr(list(rows)).encode("utf-8", "surrogateescape"))
