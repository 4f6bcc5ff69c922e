"""Writes the next generation of the local store: new segments, then a manifest that lists them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from clew.errors import ClewError, ModelError
from clew.index.local_manifest import Manifest, SegmentEntry
from clew.index.merge import Size, Source, merge, plan_merge
from clew.index.pending import ADDED_FIELDS, MAX_CHUNKS, Pending
from clew.index.segment import MAX_DIMENSION, MAX_FILE_ID, Segment
from clew.index.segment_writer import SegmentWriter
from clew.index.store import CHUNK_BITS, CHUNK_FIELDS, ChunkBatch, Int64s, Postings
from clew.records import CHUNK_KINDS


class LocalWriter:
    """The next generation. Adding a file that exists replaces it."""

    def __init__(self, directory: Path, base: Manifest) -> None:
        self._directory = directory
        self._base = base
        self._entries = list(base.segments)
        self._dimension = base.dimension
        self._has_chunks = any(entry.chunks for entry in base.segments)
        self._pending = Pending()
        self._gone: set[int] = set()  # removed or replaced, not yet marked in the segments
        self._written: list[str] = []
        self._open: dict[str, Segment] = {}
        self._closed = self._failed = False

    def add(self, batch: ChunkBatch) -> None:
        """Add or replace files. O(postings of the batch), and now and then a segment is written.

        Raises ValueError for a batch that contradicts itself, ModelError for vectors that do not
        fit the index.
        """
        self._check_open()
        _check_batch(batch)
        self._check_vectors(batch)
        ids = [file.file_id for file in batch.files]
        self._gone.update(ids)
        self._pending.add(batch)
        if self._pending.full:
            with self._writing():
                self._flush()

    def remove(self, file_ids: Sequence[int]) -> None:
        """Remove files; unknown ids are ignored."""
        self._check_open()
        ids = [int(file_id) for file_id in file_ids]
        self._gone.update(ids)
        self._pending.discard(ids)

    def finish(self) -> Any:
        self._check_open()
        with self._writing():
            self._flush()
            if self._entries != list(self._base.segments):
                self._merge()
        self._closed = True
        self._open.clear()
        kept = {entry.file for entry in self._entries}
        self._unlink([name for name in self._written if name not in kept])
        return Manifest(tuple(self._entries), self._dimension if self._entries else None).to_json()

    def abort(self) -> None:
        """Drop what was written. Safe to call twice, and after `finish`, where it does nothing."""
        if self._closed:
            return
        self._closed = True
        self._open.clear()
        self._pending = Pending()
        self._unlink(self._written)

    def _flush(self) -> None:
        """Mark what is gone in the existing segments, then write what waits as a new one."""
        if self._gone:
            gone = np.array(sorted(self._gone), np.int64)
            buried = [self._bury(entry, gone) for entry in self._entries]
            self._entries = [entry for entry in buried if len(entry.dead) < entry.files]
            self._gone = set()
        pending, self._pending = self._pending, Pending()
        if not len(pending):
            return
        with SegmentWriter(self._directory) as out:
            files, chunks = pending.write(out)
            self._written.append(out.commit())
        self._entries.append(SegmentEntry(self._written[-1], files, chunks))

    def _bury(self, entry: SegmentEntry, gone: Int64s) -> SegmentEntry:
        found = gone[self._segment(entry.file).file_rows(gone) >= 0].tolist()
        dead = tuple(sorted({*entry.dead, *found}))
        return entry if dead == entry.dead else replace(entry, dead=dead)

    def _merge(self) -> None:
        chosen = plan_merge([self._size(entry) for entry in self._entries])
        if not chosen:
            return
        merged = [self._entries[number] for number in chosen]
        sources = [Source(self._segment(entry.file), np.array(entry.dead, np.int64)) for entry in merged]
        name, files, chunks = merge(self._directory, sources)
        self._written.append(name)
        self._entries = [entry for entry in self._entries if entry not in merged]
        self._entries.append(SegmentEntry(name, files, chunks))

    def _size(self, entry: SegmentEntry) -> Size:
        segment = self._segment(entry.file)
        rows = segment.file_rows(np.array(entry.dead, np.int64))
        dead = rows.size + int(np.diff(segment.arrays["chunk_starts"])[rows[rows >= 0]].sum())
        return Size(entry.files + entry.chunks - dead, dead, segment.size)

    def _segment(self, name: str) -> Segment:
        if name not in self._open:
            self._open[name] = Segment(self._directory, name)
        return self._open[name]

    def _check_open(self) -> None:
        if self._closed or self._failed:
            raise ValueError("the writer is closed" if self._closed else "the writer failed: only abort is left")

    def _check_vectors(self, batch: ChunkBatch) -> None:
        """A generation is embedded as a whole, with one dimension, or not at all: no chunk may be invisible."""
        if not batch.kinds.size:
            return
        vectors = batch.vectors
        dimension = None if vectors is None else vectors.shape[1]
        if self._has_chunks and dimension != self._dimension:
            raise ModelError(
                f"the index holds {_vectors_of(self._dimension)}, the new chunks have {_vectors_of(dimension)}",
                hint="rebuild it with: clew index --full",
            )
        if vectors is not None and not np.isfinite(vectors).all():
            raise ModelError("the embedder returned numbers that are not finite")
        self._has_chunks, self._dimension = True, dimension

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        finished = False
        try:
            yield
            finished = True
        except OSError as error:
            raise ClewError(
                f"cannot write the index in {self._directory}: {error.strerror or error}",
                hint="check the free space and the permissions, then index again",
            ) from error
        finally:
            # What waited may be half written: finishing now would lose it without a word.
            self._failed = not finished

    def _unlink(self, names: Sequence[str]) -> None:
        for name in names:
            with contextlib.suppress(OSError):
                (self._directory / name).unlink(missing_ok=True)


def _vectors_of(dimension: int | None) -> str:
    return "no vectors" if dimension is None else f"vectors of dimension {dimension}"


def _check_batch(batch: ChunkBatch) -> None:
    """A batch comes from our own code, so a contradiction is a bug, not bad input: ValueError."""
    ids = [file.file_id for file in batch.files]
    if len(set(ids)) != len(ids) or not all(0 <= file_id < MAX_FILE_ID for file_id in ids):
        raise ValueError("file ids must be unique and in range")
    if not all(0 <= file.chunks < 1 << CHUNK_BITS for file in batch.files):
        raise ValueError("a file has too many chunks")
    chunks = sum(file.chunks for file in batch.files)
    if chunks != batch.kinds.size:
        raise ValueError("`kinds` must have one entry per chunk")
    if max(chunks, len(ids)) > MAX_CHUNKS:
        raise ValueError(f"a batch holds at most {MAX_CHUNKS} files or chunks")
    if batch.kinds.size and int(batch.kinds.max()) >= len(CHUNK_KINDS):
        raise ValueError("unknown chunk kind")
    if batch.vectors is not None and (batch.vectors.ndim != 2 or batch.vectors.shape[0] != chunks):
        raise ValueError("`vectors` must have one row per chunk")
    if batch.vectors is not None and chunks and not 0 < batch.vectors.shape[1] <= MAX_DIMENSION:
        raise ValueError("vectors have an impossible dimension")
    for field in ADDED_FIELDS:
        documents = chunks if field in CHUNK_FIELDS else len(ids)
        _check_postings(field, batch.postings[field], documents, len(batch.vocabulary))


def _check_postings(field: str, postings: Postings, documents: int, terms: int) -> None:
    sizes = {postings.rows.size, postings.terms.size, postings.counts.size}
    if len(sizes) != 1:
        raise ValueError(f"postings of {field} differ in length")
    if sizes == {0}:
        return
    if int(postings.rows.max()) >= documents or int(postings.terms.max()) >= terms:
        raise ValueError(f"postings of {field} name an unknown row or term")
