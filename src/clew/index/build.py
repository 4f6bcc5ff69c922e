"""Bring an index up to date: plan, parse, embed, store, commit as one generation."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from clew.embedding import Embedder, VectorCache, chunk_texts, embed_with_cache, path_text, with_paths
from clew.errors import DamagedIndexError
from clew.index import layout
from clew.index.catalog import FAILED, Catalog, FileRecord
from clew.index.fingerprint import differences
from clew.index.plan import Plan, plan, trusted
from clew.index.session import checked_meta
from clew.index.store import CHUNK_FIELDS, ChunkBatch, FileRow, Float32s, Postings, Store, StoreWriter
from clew.index.stores import open_store
from clew.parsing.file import ParsedFile
from clew.parsing.limits import Limits
from clew.parsing.pool import ParsedBatch, parse_all
from clew.records import CHUNK_KINDS, Failure, FileCounts, FileStat, IndexReport
from clew.workspace import Walk, watch_to_json

Progress = Callable[[str, int, int], None]

_FIELDS = (*CHUNK_FIELDS, "path")  # whose terms the parsers count
_KIND_NUMBERS = {kind: number for number, kind in enumerate(CHUNK_KINDS)}


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """All that a build depends on."""

    root: Path
    directory: Path
    fingerprint: Mapping[str, str]
    selection: Mapping[str, object]
    limits: Limits
    walk: Callable[[], Walk]
    walked: tuple[int, Walk] | None = None  # a walk of just now, and the index's version that it was compared with
    embedder: Embedder | None = None
    workers: int = 0
    full: bool = False
    progress: Progress | None = None


@dataclass(slots=True)
class _Tally:
    indexed: int = 0
    removed: int = 0
    embedded: int = 0
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def build(request: BuildRequest) -> IndexReport:
    """Write the next generation. The caller holds the writer lock.

    An index that is damaged, was made differently or is to be made anew is rebuilt in a directory
    beside it, and readers keep the old one until the new one is complete. Generations go on counting.
    """
    started = time.monotonic()
    found = request.walk()
    current = _current(request, whole=True)
    why = current.unusable
    if current.path is not None and not why and not request.full:
        try:
            return _continue(request, current.path, found, started)
        except DamagedIndexError as error:  # in a part that opening does not look at
            why = f"it is damaged ({error})"
    notes = [f"rebuilding the index: {why}"] if why else []
    return _rebuild(request, current.generation, found, started, notes)


def refresh(request: BuildRequest) -> IndexReport:
    """Bring the index in use up to date without ever rebuilding it: for a search, which must stay quick.

    The caller holds the writer lock. DamagedIndexError when it cannot be continued.
    """
    started = time.monotonic()
    current = _current(request, whole=False)
    # Another writer may have come between the walk and the lock: what it found since must not be taken out.
    known = request.walked is not None and request.walked[0] == current.version
    found = request.walked[1] if request.walked is not None and known else request.walk()
    if current.path is None or current.unusable:
        raise DamagedIndexError(
            f"the index {request.directory} cannot be brought up to date: {current.unusable or 'it is gone'}",
            hint="rebuild it with: clew index",
        )
    return _continue(request, current.path, found, started)


@dataclass(frozen=True, slots=True)
class _Current:
    """The build in use: generation and version, as far as known, and why it cannot be continued if it cannot."""

    path: Path | None = None
    generation: int = 0
    version: int = 0
    unusable: str = ""


def _current(request: BuildRequest, *, whole: bool) -> _Current:
    """Look at the build in use; with `whole` at every byte of its store (0.1 s for 200,000 chunks)."""
    generation = 0
    try:
        path = layout.current(request.directory)
        if path is None:
            return _Current()
        catalog = Catalog.open(path / "catalog.db")
        try:
            meta = checked_meta(catalog)
        finally:
            catalog.close()
        generation = meta["generation"]
        changed = differences(meta["fingerprint"], request.fingerprint)
        if changed:
            return _Current(path, generation, meta["version"], f"made with other settings ({'; '.join(changed)})")
        reader = open_store(path).reader(meta["manifest"])
        try:
            if whole:
                reader.verify()
        finally:
            reader.close()
    except DamagedIndexError as error:
        return _Current(None, generation, unusable=f"it is damaged ({error})")
    return _Current(path, generation, meta["version"])


def _continue(request: BuildRequest, path: Path, found: Walk, started: float) -> IndexReport:
    catalog = Catalog.open(path / "catalog.db")
    try:
        report = _update(request, catalog, open_store(path), found, started, 0, [])
    finally:
        catalog.close()
    layout.remove_others(request.directory, keep=path)
    return report


def _rebuild(request: BuildRequest, generation: int, found: Walk, started: float, notes: list[str]) -> IndexReport:
    target = layout.new_build(request.directory)
    catalog = Catalog.create(target / "catalog.db")
    try:
        report = _update(request, catalog, open_store(target), found, started, generation, notes)
        catalog.publish()
        layout.publish(request.directory, target)
    except BaseException:
        catalog.close()
        layout.discard(target)
        raise
    catalog.close()
    layout.remove_others(request.directory, keep=target)
    return report


def _update(
    request: BuildRequest, catalog: Catalog, store: Store, found: Walk, started: float, last: int, notes: list[str]
) -> IndexReport:
    """Bring a catalog and its store up to date; an empty catalog's generations count from `last`."""
    known = {record.path: record for record in catalog.files()}
    todo = plan(found.files, known)
    meta = catalog.meta()
    tally = _Tally()
    watch = watch_to_json(found.watch)
    new = not meta
    generation = int(meta.get("generation", last))
    state = {"watch": watch, "skipped": dict(found.skipped), "selection": dict(request.selection)}
    if new or todo.changes or any(meta.get(key) != value for key, value in state.items()):
        with catalog.transaction(write=True):
            changed, manifest = _write(request, catalog, store, todo, known, meta.get("manifest"), tally)
            generation += 1 if changed or new else 0
            catalog.keep_stats()
            catalog.set_meta(
                {
                    "generation": generation,
                    "version": int(meta.get("version", 0)) + 1,
                    "root": str(request.root),
                    "fingerprint": dict(request.fingerprint),
                    "manifest": manifest,
                    **state,
                    "notes": list(found.notes),
                    "indexed_at": datetime.now(UTC).isoformat(timespec="seconds"),
                }
            )
        catalog.checkpoint()
        store.collect_garbage(manifest)
    totals = catalog.totals()
    reasons = catalog.skipped_reasons(found.skipped)
    return IndexReport(
        root=str(request.root),
        generation=generation,
        files=FileCounts(
            indexed=tally.indexed,
            unchanged=totals["files"] - tally.indexed,
            removed=tally.removed,
            skipped=sum(reasons.values()),
            failed=len(tally.failures),
        ),
        chunks=totals["chunks"],
        definitions=totals["definitions"],
        embedded=tally.embedded,
        skipped_reasons=reasons,
        failures=tuple(tally.failures),
        seconds=round(time.monotonic() - started, 3),
        notes=(*found.notes, *notes, *tally.notes),
    )  # fmt: skip


def _write(
    request: BuildRequest,
    catalog: Catalog,
    store: Store,
    todo: Plan,
    known: Mapping[str, FileRecord],
    manifest: Any,
    tally: _Tally,
) -> tuple[bool, Any]:
    """Carry out a plan inside the caller's transaction. Returns whether anything changed, and the manifest."""
    writer = store.writer(manifest)
    cache = VectorCache(request.directory / layout.VECTORS) if request.embedder else None
    try:
        removed = list(todo.gone)
        files = [(file.path, file.stat.size) for file in todo.read]
        stats = {file.path: file.stat for file in todo.read}
        done = 0
        for parsed, read_at in _parsed(request, files):
            fresh = _settled(parsed, stats, known, catalog, removed, tally, read_at)
            _store(request, catalog, writer, parsed, fresh, stats, read_at, cache, tally)
            done += len(parsed.files)
            if request.progress:
                request.progress("parsing", done, len(files))
        catalog.remove_files([record.id for record in todo.gone])
        writer.remove([record.id for record in removed if not record.skipped])
        tally.removed += len(todo.gone)
        if request.progress:
            request.progress("writing", len(files), len(files))
        return bool(tally.indexed or removed), writer.finish()
    except BaseException:
        writer.abort()
        raise
    finally:
        if cache is not None:
            cache.trim()
            tally.notes.extend(cache.notes)
            cache.close()


def _parsed(request: BuildRequest, files: list[tuple[str, int]]) -> Iterator[tuple[ParsedBatch, int]]:
    if not files:
        return
    started = time.time_ns()
    for batch in parse_all(str(request.root), files, request.limits, request.workers):
        yield batch, started


def _settled(
    parsed: ParsedBatch, todo: Mapping[str, FileStat], known: Mapping[str, FileRecord], catalog: Catalog,
    removed: list[FileRecord], tally: _Tally, read_at: int,
) -> list[bool]:  # fmt: skip
    """Per file whether it must be stored. Same content keeps its rows; what cannot be read keeps its old ones."""
    fresh: list[bool] = []
    stats: list[tuple[int, FileStat]] = []
    for file in parsed.files:
        old = known.get(file.path)
        if file.failed:
            tally.failures.append(Failure(file.path, file.failed))
            if old is not None and old.strategy == FAILED:
                stats.append((old.id, todo[file.path]))
            fresh.append(old is None)
        elif old is not None and file.stat and old.hash == file.content_hash and old.strategy != FAILED:
            stats.append((old.id, trusted(file.stat, read_at)))
            fresh.append(False)
        else:
            if file.error:
                tally.failures.append(Failure(file.path, file.error))
            if old is not None:
                catalog.remove_files([old.id])  # now: a path is stored once
                removed.append(old)
            fresh.append(True)
    catalog.set_stats(stats)
    return fresh


def _store(
    request: BuildRequest, catalog: Catalog, writer: StoreWriter, parsed: ParsedBatch, fresh: list[bool],
    todo: Mapping[str, FileStat], read_at: int, cache: VectorCache | None, tally: _Tally,
) -> None:  # fmt: skip
    """Store the fresh files of a batch in the catalog and the chunk store."""
    rows: list[FileRow] = []
    kept: list[ParsedFile | None] = []
    for file, new in zip(parsed.files, fresh, strict=True):
        indexed = new and not file.skipped and not file.failed
        kept.append(file if indexed else None)
        if not new:
            continue
        file_id = catalog.add_file(_record(file, todo, read_at), file.text, file.definitions, file.chunks)
        if indexed:
            rows.append(FileRow(file_id, file.path, file.language, int(file.flags), len(file.chunks)))
            tally.indexed += 1
    if not rows:
        return
    indexed_files = [file for file in kept if file]
    vectors = None
    if request.embedder is not None and cache is not None:
        vectors, computed = _vectors(indexed_files, request.embedder, cache)
        tally.embedded += computed
    kinds = [_KIND_NUMBERS[chunk.kind] for file in indexed_files for chunk in file.chunks]
    writer.add(ChunkBatch(rows, np.array(kinds, np.uint8), parsed.vocabulary, _kept_postings(parsed, kept), vectors))


def _record(file: ParsedFile, todo: Mapping[str, FileStat], read_at: int) -> FileRecord:
    stat = trusted(file.stat, read_at) if file.stat else todo[file.path]
    return FileRecord(
        id=0, path=file.path, stat=stat, hash=file.content_hash, language=file.language, flags=int(file.flags),
        strategy=FAILED if file.failed else file.strategy, lines=file.lines,
        skipped="unreadable" if file.failed else file.skipped, error=file.failed or file.error,
    )  # fmt: skip


def _vectors(files: Sequence[ParsedFile], embedder: Embedder, cache: VectorCache) -> tuple[Float32s, int]:
    """A vector for each chunk, and how many chunks were embedded: those that the cache did not have."""
    texts = [text for file in files for text in chunk_texts(zlib.decompress(file.text), file.chunks)]
    vectors, computed = embed_with_cache(embedder, cache, texts)
    paths, _ = embed_with_cache(embedder, cache, [path_text(file.path) for file in files])
    file_of = np.repeat(np.arange(len(files)), [len(file.chunks) for file in files])
    return with_paths(vectors, paths, file_of), computed


def _kept_postings(parsed: ParsedBatch, kept: list[ParsedFile | None]) -> dict[str, Postings]:
    """The batch's postings with rows of files that are not stored dropped and the others renumbered."""
    file_mask = np.array([file is not None for file in kept], bool)
    chunk_mask = np.repeat(file_mask, [len(file.chunks) for file in parsed.files])
    out = {}
    for name in _FIELDS:
        rows, terms, counts = parsed.postings.get(name, (b"", b"", b""))  # no file of the batch has a word there
        mask = file_mask if name == "path" else chunk_mask
        row = np.frombuffer(rows, np.uint32)
        keep = mask[row]
        renumbered = (np.cumsum(mask) - 1).astype(np.uint32)
        out[name] = Postings(
            renumbered[row[keep]], np.frombuffer(terms, np.uint32)[keep], np.frombuffer(counts, np.uint32)[keep]
        )
    return out
