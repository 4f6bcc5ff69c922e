"""Vectors of texts embedded before, so that a rename, a branch switch or a full rebuild embeds nothing.

The key is the embedder's identity and a hash of the embedded text. It is only a cache: what goes
wrong with it costs time, never an answer, and becomes a note.
"""

from __future__ import annotations

import hashlib
import math
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import numpy as np

from clew.embedding.cache_file import CacheFile, CacheUnusableError, is_damage, open_cache_file
from clew.embedding.protocol import Embedder, Float32s, unit_rows
from clew.errors import ModelError

T = TypeVar("T")
_Row = tuple[int, int, bytes, bytes]  # id, used, hash, blob

HASH_BYTES = 16
# 800,000 vectors of 256 dimensions.
MAX_BYTES = 512 << 20
# A trim goes below the bound by this factor, so that the next block does not call for the next trim.
_TRIM_TO = 0.8
# SQLite before 3.32 takes at most 999 parameters a statement.
_QUERY_HASHES = 900
# Noting a use rewrites the row, so it is noted once in so many days.
_TOUCH_DAYS = 3
_SECONDS_PER_DAY = 86_400
# What a killed run loses: 10 ms of the static model, some 7 s of a transformer at 37 texts/s.
BLOCK_TEXTS = 256
# float16 takes half the space; against float32 it kept 99.95 % of the exact neighbours.
_STORED = np.dtype("<f2")
_CRC_BYTES = 4
# The largest embedding models have 4,096 dimensions; a column of a foreign file may hold anything.
_MAX_BLOB_BYTES = 16_384


class VectorCache:
    """A file of vectors, shared by processes; one object serves one thread.

    `notes` holds what users should hear: a damaged file was made anew, or the cache is out of use. A
    method that fails leaves the cache out of use (nothing found, nothing kept) instead of raising.
    """

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES, clock: Callable[[], float] = time.time) -> None:
        self.notes: list[str] = []
        self._path = path
        self._max_bytes = max_bytes
        self._clock = clock
        self._file: CacheFile | None = None
        self._open(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def get_many(self, identity: str, hashes: Iterable[bytes]) -> dict[bytes, Float32s]:
        """The vectors that are there, each (dimension,) and L2-normalised. About 10 microseconds a vector."""
        wanted = list(dict.fromkeys(hashes))
        nothing: list[_Row] = []
        rows = self._run(lambda db: _select(db, identity, wanted), nothing)
        today = self._today()
        old = [(today, row_id) for row_id, used, _, _ in rows if used < today - _TOUCH_DAYS]
        if old:
            self._run(lambda db: _touch(db, old), None)
        return _decode(rows)

    def put_many(self, identity: str, hashes: Sequence[bytes], vectors: Float32s) -> None:
        """Keep `vectors` (len(hashes), dimension) in one transaction; after it a kill loses nothing of them."""
        blobs = [_encode(key, row) for key, row in zip(hashes, vectors.astype(_STORED), strict=True)]
        today = self._today()
        rows = [(today, key, blob) for key, blob in zip(hashes, blobs, strict=True)]
        self._run(lambda db: _insert(db, identity, rows), None)

    def trim(self, max_bytes: int | None = None) -> int:
        """Remove the vectors unused for longest until the file is within bounds; how many went.

        Constant time while it is; else O(vectors). Call it once after a run.
        """
        limit = self._max_bytes if max_bytes is None else max_bytes
        return self._run(lambda db: _trim(db, limit), 0)

    def close(self) -> None:
        if self._file:
            self._file.db.close()
            self._file = None

    def _today(self) -> int:
        return int(self._clock() // _SECONDS_PER_DAY)

    def _open(self, damaged: CacheFile | None) -> None:
        self._file = None
        try:
            self._file, note = open_cache_file(self._path, damaged)
        except CacheUnusableError as error:
            note = f"the vector cache {self._path} is not used: {error}"
        if note:
            self.notes.append(note)

    def _run(self, action: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """The action's result; damage is repaired and the action tried again, once."""
        for _ in range(2):
            if self._file is None:
                return otherwise
            try:
                return action(self._file.db)
            except sqlite3.Error as error:
                if is_damage(error):
                    self._open(self._file)
                    continue
                self.notes.append(f"the vector cache {self._path} is not used: {error}")
                self.close()
        return otherwise


def text_hash(text: str) -> bytes:
    """The cache key of a text: 16 bytes of BLAKE2b over its UTF-8."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()


def embed_with_cache(
    embedder: Embedder, cache: VectorCache | None, texts: Sequence[str], *, block: int = BLOCK_TEXTS
) -> tuple[Float32s, int]:
    """Vectors of the texts (len(texts), dimension), and how many texts the embedder was given.

    Each distinct text is embedded at most once, and only when the cache lacks it; every `block` texts
    are kept before the next are begun. The vectors are those the cache gives back (rounded to float16),
    so a text has the same vector whether it was cached or not.
    """
    out = np.zeros((len(texts), embedder.dimension), dtype=np.float32)
    hashes = [text_hash(text) for text in texts]
    first: dict[bytes, int] = {}
    for i, key in enumerate(hashes):
        first.setdefault(key, i)
    missing: list[int] = []
    for keys in _slices(list(first), _QUERY_HASHES):
        found = cache.get_many(embedder.identity, keys) if cache else {}
        for key in keys:
            vector = found.get(key)
            if vector is None or len(vector) != embedder.dimension:
                missing.append(first[key])
            else:
                out[first[key]] = vector
    for indices in _slices(missing, block):
        vectors = _embed(embedder, [texts[i] for i in indices])
        if cache:
            cache.put_many(embedder.identity, [hashes[i] for i in indices], vectors)
        out[indices] = unit_rows(vectors.astype(_STORED))
    _copy_repeated(out, hashes, first)
    return out, len(missing)


def _embed(embedder: Embedder, texts: list[str]) -> Float32s:
    vectors = embedder.embed_documents(texts)
    if vectors.shape != (len(texts), embedder.dimension) or not np.isfinite(vectors).all():
        raise ModelError(
            f"embedder {embedder.identity} gave vectors of shape {vectors.shape} or with values that are no numbers",
            hint="use another embedder, or 'none' to search by text and symbols only",
        )
    return vectors


def _copy_repeated(out: Float32s, hashes: list[bytes], first: dict[bytes, int]) -> None:
    if len(first) == len(hashes):
        return
    repeated = [(i, first[key]) for i, key in enumerate(hashes) if first[key] != i]
    targets, sources = zip(*repeated, strict=True)
    out[list(targets)] = out[list(sources)]


def _slices(items: list[T], size: int) -> Iterator[list[T]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _encode(key: bytes, row: np.ndarray[tuple[int], np.dtype[np.float16]]) -> bytes:
    data = row.tobytes()
    return data + _crc(key, data)


def _crc(key: bytes, data: bytes) -> bytes:
    # SQLite has no checksums of its own: without this a flipped byte would be a wrong vector.
    return zlib.crc32(data, zlib.crc32(key)).to_bytes(_CRC_BYTES, "little")


def _decode(rows: list[_Row]) -> dict[bytes, Float32s]:
    """The undamaged rows; those of another length than the first cannot be of the same embedder."""
    good: dict[bytes, bytes] = {}
    for _, _, key, blob in rows:
        data = blob[:-_CRC_BYTES]
        if data and len(data) % _STORED.itemsize == 0 and blob[-_CRC_BYTES:] == _crc(key, data):
            good[key] = data
    if not good:
        return {}
    length = len(next(iter(good.values())))
    good = {key: data for key, data in good.items() if len(data) == length}
    vectors = unit_rows(np.frombuffer(b"".join(good.values()), _STORED).reshape(len(good), -1))
    return {key: vector for key, vector in zip(good, vectors, strict=True) if np.isfinite(vector).all()}


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")  # takes the write lock now: a read lock that grows could not wait for another writer
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _select(db: sqlite3.Connection, identity: str, hashes: list[bytes]) -> list[_Row]:
    rows: list[_Row] = []
    for part in _slices(hashes, _QUERY_HASHES):
        marks = ",".join("?" * len(part))
        rows += db.execute(
            "SELECT id, CAST(used AS INTEGER), hash, CAST(vector AS BLOB) FROM vectors "
            "WHERE embedder = (SELECT id FROM embedders WHERE identity = ?) "
            f"AND length(vector) <= ? AND hash IN ({marks})",
            (identity, _MAX_BLOB_BYTES, *part),
        )
    return rows


def _touch(db: sqlite3.Connection, rows: list[tuple[int, int]]) -> None:
    with _transaction(db):
        db.executemany("UPDATE vectors SET used = ? WHERE id = ?", rows)


def _insert(db: sqlite3.Connection, identity: str, rows: list[tuple[int, bytes, bytes]]) -> None:
    with _transaction(db):
        db.execute("INSERT OR IGNORE INTO embedders (identity) VALUES (?)", (identity,))
        embedder = db.execute("SELECT id FROM embedders WHERE identity = ?", (identity,)).fetchone()[0]
        db.executemany(
            "INSERT INTO vectors (used, embedder, hash, vector) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (embedder, hash) DO UPDATE SET used = excluded.used, vector = excluded.vector",
            [(used, embedder, key, blob) for used, key, blob in rows],
        )


def _trim(db: sqlite3.Connection, limit: int) -> int:
    page, pages, free = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count", "freelist_count")
    )
    size = page * (pages - free)
    if size <= limit:
        return 0
    with _transaction(db):
        count = db.execute("SELECT COUNT(*) FROM vectors").fetchone()[0]
        surplus = math.ceil(count * (1 - _TRIM_TO * limit / size))
        db.execute("DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY used, id LIMIT ?)", (surplus,))
        db.execute("DELETE FROM embedders WHERE id NOT IN (SELECT embedder FROM vectors)")
    db.executescript("PRAGMA incremental_vacuum")  # `execute` takes one step of it, which frees one page
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return int(surplus)
