"""The SQLite file behind the vector cache: opened, recognised, and made anew when it is damaged."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

# Part of the file: another version of this text is another schema and goes to a file of its own.
_SCHEMA = {
    "embedders": "CREATE TABLE embedders (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE)",
    # `used` is a day number and stands before the blob, so that reading it does not read the blob.
    "vectors": (
        "CREATE TABLE vectors (id INTEGER PRIMARY KEY, used INTEGER NOT NULL, embedder INTEGER NOT NULL, "
        "hash BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (embedder, hash))"
    ),
    "vectors_used": "CREATE INDEX vectors_used ON vectors (used)",
}
_VERSION = 1
# Writers hold the file for one block of vectors, some milliseconds; ten seconds mean that something hangs.
_BUSY_SECONDS = 10.0
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class CacheUnusableError(Exception):
    """The file cannot serve as a cache, and it is not ours to replace."""


@dataclass(slots=True)
class CacheFile:
    """An open cache. `inode` tells whether the path still leads to the file that is open."""

    path: Path
    db: sqlite3.Connection
    inode: int


def open_cache_file(path: Path, damaged: CacheFile | None = None) -> tuple[CacheFile, str]:
    """Open or create the cache; the second value is a note, empty when there is nothing to tell.

    A damaged file is replaced. A database of another schema is left alone and a file beside it is used.
    `damaged` is an open cache that failed in use: it is closed, and replaced unless another process did
    so before. Openings are serialised by a lock file, because a file that is replaced while SQLite opens
    it could meet the other's journal. CacheUnusableError when nothing helps.
    """
    from filelock import FileLock, Timeout  # 27 ms to import, and a search never opens the cache

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock", timeout=_BUSY_SECONDS):
            note = _retire(damaged) if damaged else ""
            for candidate in (path, path.with_name(f"{path.stem}-v{_VERSION}{path.suffix}")):
                opened, replaced = _open_or_replace(candidate)
                note = note or replaced
                if opened:
                    return opened, note
                note = note or f"{candidate} is not a vector cache of this version; a file beside it is used"
    except (OSError, sqlite3.Error, Timeout) as error:
        raise CacheUnusableError(str(error)) from error
    raise CacheUnusableError(f"{path} and the file beside it have another schema")


def is_damage(error: sqlite3.Error) -> bool:
    # The low byte is the primary code; the rest says more precisely where.
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in _DAMAGED


def _retire(damaged: CacheFile) -> str:
    """Close, and remove the file unless the path leads to another one by now."""
    same = _inode(damaged.path) == damaged.inode  # asked while it is open: an open file's inode is not given away
    damaged.db.close()
    if same:
        _remove(damaged.path)
    return _replaced(damaged.path)


def _open_or_replace(path: Path) -> tuple[CacheFile | None, str]:
    for file in _files(path):
        if file.is_symlink():
            file.unlink()  # it could lead out of the index folder
    try:
        return _open(path), ""
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
    _remove(path)
    return _open(path), _replaced(path)


def _open(path: Path) -> CacheFile | None:
    """None for a database of another schema, which stays untouched."""
    db = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        db.execute("PRAGMA trusted_schema = OFF")
        found = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
        if not found:
            _create(db)
        elif found != _SCHEMA or db.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
            db.close()
            return None
        # Safe against a killed process; a power cut may cost the last vectors, which are computed again.
        db.execute("PRAGMA synchronous = NORMAL")
        return CacheFile(path, db, _inode(path))
    except BaseException:
        db.close()
        raise


def _create(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")  # before the first table, so that `trim` can shrink the file
    db.execute("PRAGMA journal_mode = WAL").fetchone()
    statements = [*_SCHEMA.values(), f"PRAGMA user_version = {_VERSION}"]
    db.executescript("BEGIN IMMEDIATE;" + ";".join(statements) + ";COMMIT;")


def _files(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm", "-journal")]


def _remove(path: Path) -> None:
    for file in _files(path):
        file.unlink(missing_ok=True)


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return -1


def _replaced(path: Path) -> str:
    return f"the vector cache {path} was damaged and has been made anew; vectors are computed again"
