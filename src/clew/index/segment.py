"""One immutable file of the local store: its format and its reader.

Layout: a preamble of 64 bytes (magic, version, place and checksum of the table, checksum of
itself), the raw little-endian arrays, each aligned to 64 bytes, and at the end the table, a JSON
object naming every array with dtype, shape, offset and CRC-32. The table comes last so that a
writer can stream arrays whose length it learns on the way. A file that lost its tail does not
have the size the preamble states, so opening finds that; flipped bytes inside arrays are found
by `Segment.verify`, because reading all bytes at every start would cost more than the search.

Rows: files are sorted by path, chunks follow in that order, by ordinal. So a folder is one range
of rows, and the chunk id of a row follows from the id of its file. Per field there are postings
in CSR form: for term t the rows `rows[starts[t]:starts[t+1]]`, ascending, with their counts.
"""

from __future__ import annotations

import itertools
import json
import mmap
import os
import stat
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.errors import DamagedIndexError
from clew.index.store import CHUNK_BITS, CHUNK_FIELDS, FILE_FIELDS, Int64s
from clew.records import CHUNK_KINDS

Array = npt.NDArray[Any]

MAGIC = b"CLEWSEG\n"
VERSION = 2
PREAMBLE = struct.Struct("<8sIIQQ")  # magic, version, table checksum, table offset, table bytes
CHECKSUM = struct.Struct("<I")
PREAMBLE_BYTES = 64
ALIGNMENT = 64  # bytes; a cache line, and enough for any vector instruction
MAX_TABLE_BYTES = 1 << 20  # a table has about 30 rows of 100 bytes
MAX_FILE_ID = 1 << (63 - CHUNK_BITS)
MAX_DIMENSION = 1 << 16
REMEMBERED_TERMS = 4096  # looked-up terms kept per segment; one query asks the same ones in five fields

FIELDS = (*CHUNK_FIELDS, *FILE_FIELDS)
_FIELD_ARRAYS = {"starts": "<u4", "rows": "<u4", "counts": "|u1", "lengths": "<u4"}
REQUIRED: dict[str, str] = {
    "file_ids": "<i8", "chunk_starts": "<u4", "paths": "|u1", "path_starts": "<u4", "kinds": "|u1",
    "terms": "|u1", "term_starts": "<u4",
    **{f"{field}.{part}": dtype for field in FIELDS for part, dtype in _FIELD_ARRAYS.items()},
}  # fmt: skip
# vectors: as given, rounded to float16; coarse: the same as int8, `vectors[i] ~ coarse[i] * scales[i]`;
# errors[i]: length of the difference, so a coarse score is at most errors[i] off for a unit query.
VECTOR_ARRAYS: dict[str, str] = {"vectors": "<f2", "coarse": "|i1", "scales": "<f4", "errors": "<f4"}


def damaged(name: str, reason: str) -> DamagedIndexError:
    return DamagedIndexError(f"index file {name} is damaged: {reason}", hint="rebuild it with: clew index --full")


class Segment:
    """A memory-mapped segment. Opening reads the table and the file rows only; pages load on use.

    Every method raises DamagedIndexError, naming the file, instead of failing on bad content.
    """

    __slots__ = ("_by_id", "_known", "_map", "_starts", "_table", "_term_starts", "_terms_at", "arrays", "chunks",
                 "dimension", "files", "name", "size", "terms")  # fmt: skip

    def __init__(self, directory: Path, name: str) -> None:
        self.name = name
        self._map = _map_file(directory / name, name)
        self.size = len(self._map)  # bytes
        self._table = _read_table(self._map, name)
        self.arrays: dict[str, Array] = {key: self._view(key, row) for key, row in self._table.items()}
        self._check_shapes()
        self._terms_at = int(self._table["terms"]["offset"])
        self._term_starts = self.arrays["term_starts"].data
        self._starts = {field: self.arrays[f"{field}.starts"].data for field in FIELDS}
        self._known: dict[str, int | None] = {}
        self._by_id: tuple[Int64s, Int64s] | None = None

    def documents(self, field: str) -> int:
        """How many documents of the field the segment holds, dead ones included."""
        return self.chunks if field in CHUNK_FIELDS else self.files

    def term_id(self, term: str) -> int | None:
        """The term's number in this segment. Binary search in the mapped file: O(log terms)."""
        found = self._known.get(term, -1)  # one step: another thread may clear the dict
        if found != -1:
            return found
        found = self._find_term(term.encode("utf-8", "surrogatepass"))
        if len(self._known) >= REMEMBERED_TERMS:
            self._known.clear()
        self._known[term] = found
        return found

    def postings(self, field: str, term: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
        """Rows (ascending) and counts (saturated at 255) of a term. O(postings)."""
        first, end = self._starts[field][term], self._starts[field][term + 1]
        all_rows = self.arrays[f"{field}.rows"]
        if first > end or end > all_rows.size:
            raise damaged(self.name, f"postings of {field} out of range")
        rows = all_rows[first:end]
        if end > first and int(rows.max()) >= self.documents(field):
            raise damaged(self.name, f"postings of {field} name unknown rows")
        return rows, self.arrays[f"{field}.counts"][first:end]

    def file_rows(self, file_ids: Int64s) -> Int64s:
        """The row of each file, -1 where it is not here. O(wanted x log files)."""
        if self._by_id is None:
            order = np.argsort(self.arrays["file_ids"], kind="stable")
            self._by_id = (self.arrays["file_ids"][order], order)
        ids, order = self._by_id
        if not ids.size:
            return np.full(file_ids.size, -1, np.int64)
        at = np.minimum(np.searchsorted(ids, file_ids), ids.size - 1)
        return np.where(ids[at] == file_ids, order[at], -1)

    def chunk_rows(self, chunk_ids: Int64s) -> Int64s:
        """The row of each chunk, -1 where it is not here."""
        files = self.file_rows(chunk_ids >> CHUNK_BITS)
        if not self.files:
            return files
        ordinals = chunk_ids & ((1 << CHUNK_BITS) - 1)
        starts = self.arrays["chunk_starts"].astype(np.int64)
        found = (files >= 0) & (ordinals < starts[files + 1] - starts[files])
        return np.where(found, starts[files] + ordinals, -1)

    def document_ids(self, field: str, rows: Int64s) -> Int64s:
        """Chunk ids or file ids of rows, according to the field."""
        ids: Int64s = self.arrays["file_ids"]
        if field in FILE_FIELDS:
            return ids[rows]
        starts = self.arrays["chunk_starts"]
        files = np.searchsorted(starts, rows.astype(np.uint32), side="right") - 1
        return (ids[files] << CHUNK_BITS) | (rows - starts[files])

    def texts(self, key: str) -> list[bytes]:
        """All `paths` or `terms` as bytes. O(their size): for merging, never for a search."""
        ends: list[int] = self.arrays[f"{key[:-1]}_starts"].tolist()
        blob = self.arrays[key].tobytes()
        return [blob[first:end] for first, end in itertools.pairwise(ends)]

    def verify(self) -> None:
        """Check every checksum and every internal reference. Reads the whole file."""
        for key in self._table:
            self._check_sum(key)
        for key, size in self._start_arrays().items():
            if not _is_partition(self.arrays[key], size):
                raise damaged(self.name, f"{key} is not ascending")
        for field in FIELDS:
            rows = self.arrays[f"{field}.rows"]
            if rows.size and int(rows.max()) >= self.documents(field):
                raise damaged(self.name, f"postings of {field} name unknown rows")
        ids = self.arrays["file_ids"]
        if ids.size and (int(ids.min()) < 0 or int(ids.max()) >= MAX_FILE_ID or np.unique(ids).size != ids.size):
            raise damaged(self.name, "file ids are not unique or out of range")
        if self.chunks and int(self.arrays["kinds"].max()) >= len(CHUNK_KINDS):
            raise damaged(self.name, "unknown chunk kind")

    def _find_term(self, wanted: bytes) -> int | None:
        starts, blob, base = self._term_starts, self._map, self._terms_at
        limit = self.arrays["terms"].size
        low, high = 0, self.terms
        while low < high:
            middle = (low + high) // 2
            first, end = starts[middle], starts[middle + 1]
            if first > end or end > limit:
                raise damaged(self.name, "vocabulary out of range")
            found = blob[base + first : base + end]
            if found == wanted:
                return middle
            if found < wanted:
                low = middle + 1
            else:
                high = middle
        return None

    def _view(self, key: str, row: dict[str, Any]) -> Array:
        return np.ndarray(tuple(row["shape"]), np.dtype(row["dtype"]), buffer=self._map, offset=row["offset"])

    def _check_sum(self, key: str) -> None:
        if zlib.crc32(self.arrays[key].data) != self._table[key]["crc32"]:
            raise damaged(self.name, f"checksum of {key} differs")

    def _start_arrays(self) -> dict[str, int]:
        """Arrays that cut another one into parts, with the size of that one."""
        sizes = {"chunk_starts": self.chunks, "path_starts": self.arrays["paths"].size,
                 "term_starts": self.arrays["terms"].size}  # fmt: skip
        return sizes | {f"{field}.starts": self.arrays[f"{field}.rows"].size for field in FIELDS}

    def _check_shapes(self) -> None:
        sizes: dict[str, int] = {key: array.shape[0] for key, array in self.arrays.items()}
        self.files, self.chunks, self.terms = sizes["file_ids"], sizes["kinds"], sizes["term_starts"] - 1
        expected = {"chunk_starts": self.files + 1, "path_starts": self.files + 1}
        for field in FIELDS:
            expected[f"{field}.starts"] = self.terms + 1
            expected[f"{field}.lengths"] = self.documents(field)
            expected[f"{field}.counts"] = sizes[f"{field}.rows"]
        has_vectors = "vectors" in self.arrays
        expected |= dict.fromkeys(VECTOR_ARRAYS, self.chunks) if has_vectors else {}
        wrong = next((key for key, size in expected.items() if sizes[key] != size), None)
        if wrong is not None or self.terms < 0:
            raise damaged(self.name, f"{wrong or 'term_starts'} has the wrong length")
        if has_vectors and self.arrays["vectors"].shape != self.arrays["coarse"].shape:
            raise damaged(self.name, "vectors differ in dimension")
        self.dimension: int | None = self.arrays["vectors"].shape[1] if has_vectors else None
        # What turns rows into ids is small, and an error there would name the wrong file: checked at once.
        for key in ("file_ids", "chunk_starts"):
            self._check_sum(key)
        if not _is_partition(self.arrays["chunk_starts"], self.chunks):
            raise damaged(self.name, "chunk_starts is not ascending")


def _is_partition(starts: Array, size: int) -> bool:
    return int(starts[0]) == 0 and int(starts[-1]) == size and bool(np.all(starts[1:] >= starts[:-1]))


def _map_file(path: Path, name: str) -> mmap.mmap:
    # An index may come with a hostile clone: never follow a link out of it, never wait for a pipe.
    flags = os.O_RDONLY
    for extra in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, extra, 0)
    try:
        handle = os.open(path, flags)
    except FileNotFoundError:
        raise damaged(name, "it is missing") from None
    except OSError as error:
        raise damaged(name, f"it cannot be opened ({error.strerror})") from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise damaged(name, "it is not a regular file")
        if status.st_size < PREAMBLE_BYTES:
            raise damaged(name, "it is too short")
        return mmap.mmap(handle, 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise damaged(name, f"it cannot be read ({error.strerror})") from None
    finally:
        os.close(handle)


def _read_table(content: mmap.mmap, name: str) -> dict[str, dict[str, Any]]:
    magic, version, checksum, offset, size = PREAMBLE.unpack_from(content)
    if magic != MAGIC:
        raise damaged(name, "it is not an index segment")
    if zlib.crc32(content[: PREAMBLE.size]) != CHECKSUM.unpack_from(content, PREAMBLE.size)[0]:
        raise damaged(name, "checksum of the preamble differs")
    if version != VERSION:
        raise damaged(name, f"unknown format version {version}")
    if size > MAX_TABLE_BYTES or offset + size != len(content):
        raise damaged(name, "its size differs from what was written")
    text = content[offset : offset + size]
    if zlib.crc32(text) != checksum:
        raise damaged(name, "checksum of the table differs")
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
        raise damaged(name, "the table is not JSON") from None
    _check_table(table, offset, name)
    return dict(table)


def _check_table(table: Any, end: int, name: str) -> None:
    if not isinstance(table, dict) or set(table) not in (set(REQUIRED), set(REQUIRED | VECTOR_ARRAYS)):
        raise damaged(name, "the table lists other arrays than expected")
    for key, row in table.items():
        if not isinstance(row, dict) or row.get("dtype") != (REQUIRED | VECTOR_ARRAYS)[key]:
            raise damaged(name, f"{key} has the wrong type")
        shape = row.get("shape")
        ranks = 2 if key in ("vectors", "coarse") else 1
        if not isinstance(shape, list) or len(shape) != ranks or not all(type(n) is int and n >= 0 for n in shape):
            raise damaged(name, f"{key} has no valid shape")
        if ranks == 2 and not 0 < shape[1] <= MAX_DIMENSION:
            raise damaged(name, f"{key} has an impossible dimension")
        offset = row.get("offset")
        if type(offset) is not int or offset < PREAMBLE_BYTES or offset % ALIGNMENT:
            raise damaged(name, f"{key} has no valid place")
        if type(row.get("crc32")) is not int:
            raise damaged(name, f"{key} has no checksum")
        if offset + np.dtype(row["dtype"]).itemsize * shape[0] * (shape[1] if ranks == 2 else 1) > end:
            raise damaged(name, f"{key} lies outside the file")
