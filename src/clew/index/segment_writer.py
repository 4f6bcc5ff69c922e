"""Writes one segment file: arrays one after another, then the table, then the name."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from clew.index.postings import COUNT_MASK, Keys, term_numbers
from clew.index.segment import (
    ALIGNMENT,
    CHECKSUM,
    MAGIC,
    PREAMBLE,
    PREAMBLE_BYTES,
    REQUIRED,
    VECTOR_ARRAYS,
    VERSION,
    Array,
)
from clew.index.store import Float32s, Int64s

VECTOR_BLOCK = 4096  # rows quantised and written at once
MAX_U4 = (1 << 32) - 1


class SegmentWriter:
    """A segment under construction, in a temporary file of the same directory.

    A context manager: leaving it without `commit` removes the temporary file. Raises OSError.
    """

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        unique = uuid.uuid4().hex
        self.name = f"seg-{unique}.bin"
        self._directory = directory
        self._temporary = directory / f"tmp-{unique}.bin"
        self._file = self._temporary.open("xb")
        self._file.write(bytes(PREAMBLE_BYTES))
        self._table: dict[str, dict[str, Any]] = {}

    def write(self, key: str, blocks: Iterable[Array], columns: int | None = None) -> None:
        """Append one array, given in blocks of rows. Memory: one block."""
        dtype = np.dtype((REQUIRED | VECTOR_ARRAYS)[key])
        offset = self._align()
        rows, checksum = 0, 0
        for block in blocks:
            data = np.ascontiguousarray(block, dtype)
            rows += data.shape[0]
            checksum = zlib.crc32(data.data, checksum)
            self._file.write(data.data)
        shape = [rows] if columns is None else [rows, columns]
        self._table[key] = {"dtype": dtype.str, "shape": shape, "offset": offset, "crc32": checksum}

    def write_starts(self, key: str, sizes: Array) -> None:
        """Append the running sums of part sizes, with 0 in front."""
        starts = np.zeros(sizes.size + 1, np.int64)
        np.cumsum(sizes, out=starts[1:])
        if int(starts[-1]) > MAX_U4:
            raise ValueError(f"{key}: a segment holds at most {MAX_U4} entries of a kind")
        self.write(key, [starts])

    def write_texts(self, key: str, texts: Sequence[bytes]) -> None:
        """Append `paths` or `terms`, with the starts."""
        self.write(key, [np.frombuffer(b"".join(texts), np.uint8)])
        self.write_starts(f"{key[:-1]}_starts", np.fromiter(map(len, texts), np.int64, len(texts)))

    def write_postings(self, field: str, blocks: Iterable[Keys], terms: int) -> Int64s:
        """Append rows and counts of sorted packed postings; returns how many each term has.

        Blocks hold disjoint ascending ranges of terms. The starts are the caller's to write,
        when it knows which terms are used at all.
        """
        counts: list[Array] = []
        per_term = np.zeros(terms, np.int64)

        def rows() -> Iterator[Array]:
            for keys in blocks:
                if not keys.size:
                    continue
                numbers = term_numbers(keys)
                first, last = int(numbers[0]), int(numbers[-1])
                per_term[first : last + 1] += np.bincount(numbers - numbers[0], minlength=last + 1 - first)
                counts.append((keys & COUNT_MASK).astype(np.uint8))
                yield ((keys & np.uint64(MAX_U4)) >> np.uint64(8)).astype(np.uint32)

        self.write(f"{field}.rows", rows())
        self.write(f"{field}.counts", counts)
        return per_term

    def commit(self) -> str:
        """Write the table, make the file durable and give it its name, which is returned."""
        if set(self._table) not in (set(REQUIRED), set(REQUIRED | VECTOR_ARRAYS)):
            raise ValueError("a segment needs all arrays")
        offset = self._align()
        text = json.dumps(self._table, sort_keys=True, separators=(",", ":")).encode("utf-8")
        self._file.write(text)
        preamble = PREAMBLE.pack(MAGIC, VERSION, zlib.crc32(text), offset, len(text))
        self._file.seek(0)
        self._file.write(preamble + CHECKSUM.pack(zlib.crc32(preamble)))
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._temporary.rename(self._directory / self.name)
        sync_directory(self._directory)
        return self.name

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file.closed and error is None:
            return
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError):
            self._temporary.unlink(missing_ok=True)

    def _align(self) -> int:
        position = self._file.tell()
        padding = -position % ALIGNMENT
        self._file.write(bytes(padding))
        return position + padding


def quantise(block: Float32s) -> tuple[Array, Float32s, Float32s]:
    """Rows as int8, the scale of each row, and the length of what the rounding lost."""
    scales = np.abs(block).max(axis=1) / np.float32(127)
    coarse = np.rint(block / np.where(scales > 0, scales, np.float32(1))[:, None]).astype(np.int8)
    lost = block - coarse * scales[:, None]
    return coarse, scales, np.sqrt(np.einsum("ij,ij->i", lost, lost))


def gather(parts: Sequence[Array], sources: Int64s, rows: Int64s) -> Iterator[Array]:
    """Rows of several arrays, `parts[sources[i]][rows[i]]`, in blocks. Memory: one block."""
    for start in range(0, rows.size, VECTOR_BLOCK):
        source, row = sources[start : start + VECTOR_BLOCK], rows[start : start + VECTOR_BLOCK]
        block = np.empty((row.size, *parts[0].shape[1:]), parts[0].dtype)
        for number in np.unique(source).tolist():
            here = source == number
            block[here] = parts[number][row[here]]
        yield block


def sync_directory(directory: Path) -> None:
    """Make a rename in the directory survive a power loss."""
    if os.name == "nt":  # directories cannot be opened there
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
