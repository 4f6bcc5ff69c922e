"""The façade: everything the front doors can do, once. The only module that knows all rooms."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from clew.embedding import Embedder, load_embedder
from clew.errors import (
    BusyIndexError,
    ClewError,
    DamagedIndexError,
    NoIndexError,
    UsageError,
)
from clew.freshness import Tracker
from clew.index import layout
from clew.index.catalog import Catalog, FileRecord
from clew.index.fingerprint import differences, fingerprint
from clew.index.plan import UNKNOWN_STAT, Plan, plan
from clew.index.session import Session
from clew.index.store import Where
from clew.parsing.limits import CHUNK_BYTES, Limits
from clew.parsing.tokens import Tokenizer
from clew.records import (
    MOST_ASKED,
    Answer,
    Check,
    Failure,
    Freshness,
    Hit,
    IndexEstimate,
    IndexReport,
    Status,
    out_of_range,
)
from clew.search.answer import Found, Wanted, answer, similar
from clew.search.filters import Filters, resolve
from clew.search.rerank import Reranker
from clew.settings import Settings, load_settings, user_file
from clew.workspace import Walk, find_root, resolve_inside, stat_file, walk

if TYPE_CHECKING:
    from clew.evaluation import Gold, LabelledQuery, Report
    from clew.index.build import Progress

USER_IGNORE_FILE = "ignore"  # beside the user's settings file; gitignore syntax, for every repository
# PATH:LINE, and what clew itself and code hosts print: PATH:12-34, PATH#L12-L34.
_LOCATION = re.compile(r"(?P<path>.+?)(?::|#L)(?P<line>\d{1,9})(?:[-:]L?\d{1,9})?")
LOCK_SECONDS = 30.0  # how long `index` waits for another writer
BYTES_PER_TOKEN = 4  # of source code, on average; turns the chunk size setting into bytes
LARGE_FILES = 5_000  # from here on an index run takes noticeably long, so front doors say so first


class Engine:
    """One repository. Cheap to open; reads the index on first use. Safe to share between threads."""

    def __init__(self, root: Path, root_reason: str, settings: Settings) -> None:
        self.root = root
        self.root_reason = root_reason
        self.settings = settings
        self.index_path = layout.index_directory(root, settings.index_dir)
        self._tokenizer = Tokenizer()
        self._session: Session | None = None
        self._tracker = Tracker(root)
        self._mutex = threading.RLock()

    @classmethod
    def open(cls, root: Path | str | None = None, settings: Settings | None = None, *, force: bool = False) -> Engine:
        """Find the root (see `workspace.find_root`) and its settings. RootError, SettingsError."""
        found, reason = find_root(explicit=Path(root) if root is not None else None, force=force)
        return cls(found, reason, settings if settings is not None else load_settings(found))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        with self._mutex:
            if self._session is not None:
                self._session.close()
                self._session = None
            self._tracker.close()

    @cached_property
    def embedder(self) -> Embedder | None:
        """The configured embedder; None when search is by text and symbols only. ModelError."""
        return load_embedder(self.settings.embedder, root=self.root, threads=self.settings.embedder_threads)

    @cached_property
    def _reranker(self) -> tuple[Reranker | None, tuple[str, ...]]:
        """The second stage of a search, if there is to be one, or a note on why it cannot run."""
        settings = self.settings
        try:
            model = load_embedder(settings.rerank, root=self.root, threads=settings.embedder_threads)
        except ClewError as error:
            return None, (f"not reranked: {error.message}" + (f" ({error.hint})" if error.hint else ""),)
        if model is None:
            return None, ()
        return Reranker(model, self.index_path / layout.VECTORS, settings.rerank_seconds), ()

    def exists(self) -> bool:
        """Whether there is an index, readable or not."""
        try:
            return layout.current(self.index_path) is not None
        except ClewError:
            return True

    # indexing

    def index(self, *, full: bool = False, progress: Progress | None = None) -> IndexReport:
        """Bring the index up to date with the working tree, or make it anew.

        BusyIndexError when another writer holds it for longer than half a minute. Readers are not
        disturbed. A second run on an unchanged tree stores nothing.
        """
        return self._index(full=full, progress=progress, wait=LOCK_SECONDS)

    def _index(
        self,
        *,
        full: bool = False,
        progress: Progress | None = None,
        wait: float,
        walked: tuple[int, Walk] | None = None,
    ) -> IndexReport:
        # Only writing needs the parsers, their processes and the lock: a query starts without them.
        from clew.index import lock
        from clew.index.build import BuildRequest, build, refresh

        request = BuildRequest(
            root=self.root,
            directory=self.index_path,
            fingerprint=self._fingerprint(),
            selection=self._selection(),
            limits=self._limits(),
            walk=self._walk,
            walked=walked,
            embedder=self.embedder,
            workers=self.settings.workers,
            full=full,
            progress=progress,
        )
        layout.prepare(self.index_path)
        with lock.writer_lock(self.index_path, wait):
            return build(request) if walked is None else refresh(request)

    def estimate(self, *, full: bool = False) -> IndexEstimate:
        """What an index run would do: a full one, or one that continues what is there. Writes nothing."""
        found = self._walk()
        known: dict[str, FileRecord] = {}
        if not full and self.exists():
            with self._mutex, contextlib.suppress(DamagedIndexError):  # a damaged index is made anew
                opened = self._opened()
                with opened.reading():
                    if not differences(opened.meta["fingerprint"], self._fingerprint()):
                        known = {file.path: file for file in opened.catalog.files()}
        todo = plan(found.files, known)
        size = sum(file.stat.size for file in found.files)
        return IndexEstimate(
            root=str(self.root),
            files=len(found.files),
            bytes=size,
            estimated_chunks=sum(1 + file.stat.size // (self._limits().chunk_bytes // 2) for file in found.files),
            changed_files=todo.changes,
            large=todo.changes > LARGE_FILES,
            skipped_reasons=found.skipped,
        )

    def _walk(self) -> Walk:
        return walk(
            self.root,
            exclude=self.settings.exclude,
            max_bytes=self.settings.max_file_bytes,
            user_ignore=user_file(os.environ).with_name(USER_IGNORE_FILE),
        )

    def _selection(self) -> dict[str, object]:
        """The settings that decide which files belong. Another selection is a change of the tree, not of the index."""
        return {"exclude": list(self.settings.exclude), "max_file_bytes": self.settings.max_file_bytes}

    def _limits(self) -> Limits:
        tokens = self.settings.chunk_tokens
        return Limits(
            max_bytes=self.settings.max_file_bytes,
            parse_seconds=self.settings.parse_seconds,
            chunk_bytes=tokens * BYTES_PER_TOKEN if tokens else CHUNK_BYTES,
            include_generated=self.settings.include_generated,
        )

    def _fingerprint(self) -> dict[str, str]:
        limits = self._limits()
        return fingerprint(
            embedder=self.embedder.identity if self.embedder else "none",
            store=self.settings.store,
            chunk_bytes=limits.chunk_bytes,
            include_generated=limits.include_generated,
        )

    # searching

    def search(
        self, query: str, *, limit: int = 10, kinds: Sequence[str] = (), languages: Sequence[str] = (),
        paths: Sequence[str] = (), tests: str = "with", filter: str = "", places: int = 2, budget: int | None = None,
        text: bool = True, explain: bool = False,
    ) -> Answer:  # fmt: skip
        """Answer a question, a name, a path or an error text with files and lines, best first.

        First catches up with the working tree when that is quick (`refresh_seconds`), else answers
        from the last complete generation and says so. NoIndexError, UsageError, DamagedIndexError.
        """
        query = query.encode("utf-8", "replace").decode()  # half a surrogate pair is no text and no JSON
        if not query.strip():
            raise UsageError("the query is empty", hint='ask in words, e.g. clew "where are ignore rules applied"')
        filters = Filters(self._inside(paths), tuple(languages), tuple(kinds), tests, filter)
        wanted = self._wanted(limit, places, budget, text, explain)

        def find(opened: Session, where: Where, keep: Callable[[FileRecord], bool]) -> Found:
            embedder = self._embedder_of(opened)
            rerank, why_not = self._reranker
            found = answer(query, opened.catalog, opened.reader, self._tokenizer, where, wanted, embedder, keep, rerank)
            return replace(found, notes=(*found.notes, *why_not))

        return self._answer(query, filters, find)

    def similar(
        self, location: str, *, limit: int = 10, kinds: Sequence[str] = (), languages: Sequence[str] = (),
        paths: Sequence[str] = (), tests: str = "with", filter: str = "", places: int = 2, budget: int | None = None,
        text: bool = True,
    ) -> Answer:  # fmt: skip
        """Code most like that at `PATH:LINE`. UsageError when there is no indexed code."""
        written = _LOCATION.fullmatch(location)
        if written is None or int(written["line"]) < 1:
            raise UsageError(f"'{location}' is not PATH:LINE", hint="e.g. clew similar src/app.py:42")
        name, number = written["path"], written["line"]
        path = resolve_inside(self.root, name)
        filters = Filters(self._inside(paths), tuple(languages), tuple(kinds), tests, filter)
        wanted = self._wanted(limit, places, budget, text, False)

        def find(opened: Session, where: Where, keep: Callable[[FileRecord], bool]) -> Found:
            found = similar(path, int(number), opened.catalog, opened.reader, self._tokenizer, where, wanted, keep)
            if found is None:
                raise UsageError(f"no indexed code at {path}:{number}", hint="see: clew status")
            return found

        return self._answer(location, filters, find)

    def evaluate(self, queries: Sequence[LabelledQuery], *, limit: int = 10) -> Report:
        """Ask labelled queries and score the answers, each as `search` gives it. Costs one search a query.

        Makes no index. Labels that are not indexed are reported and not counted. NoIndexError, UsageError.
        """
        from clew.evaluation import evaluate

        with self._mutex:
            self._freshen()
            opened = self._opened()
            embedder = self._embedder_of(opened)
            places = self.settings.places
            return evaluate(
                queries, lambda text: self.search(text, limit=limit, places=places), self._why_missing,
                embedder.identity if embedder else "none", limit,
            )  # fmt: skip

    def _why_missing(self, gold: Gold) -> str:
        """Why no answer can show a labelled place; "" when one can."""
        opened = self._opened()
        with opened.reading():
            record = opened.catalog.file_named(gold.path)
        if record is not None and not record.skipped:
            return f"has only {record.lines} lines" if gold.start_line > record.lines else ""
        if record is not None:
            return record.skipped
        path = self.root / gold.path
        if path.is_dir():
            return "a folder"
        return "not in the index" if path.exists() else "no such file"

    def other_settings(self) -> list[str]:
        """How the index was made otherwise than the settings say, as `field: index -> settings`. NoIndexError."""
        with self._mutex:
            return differences(self._opened().meta.get("fingerprint", {}), self._fingerprint())

    def _inside(self, paths: Sequence[str]) -> tuple[str, ...]:
        return tuple(resolve_inside(self.root, path) for path in paths)

    def _wanted(self, limit: int, places: int, budget: int | None, text: bool, explain: bool) -> Wanted:
        for name, value in (("limit", limit), ("places", places), ("budget", budget)):
            if value is not None and not 1 <= value <= MOST_ASKED[name]:
                raise UsageError(out_of_range(name, value))
        return Wanted(
            limit, places, budget, text, explain,
            mask_secrets=self.settings.mask_secrets, synonyms=self.settings.synonyms,
        )  # fmt: skip

    def _answer(
        self, query: str, filters: Filters, find: Callable[[Session, Where, Callable[[FileRecord], bool]], Found]
    ) -> Answer:
        with self._mutex:
            freshness = self._freshen()
            opened = self._opened()
            current = freshness.state in ("fresh", "refreshed")
            with opened.reading():
                where, notes = resolve(filters, opened.catalog)
                # An answer from an older generation must not show files that are gone since.
                found = find(opened, where, (lambda file: True) if current else self._still_there)
                stale = set() if current else self._stale(opened.catalog, found.hits)
                generation = opened.generation
                without_model = self._notes(opened)
        hits = tuple(_marked(hit) if hit.path in stale else hit for hit in found.hits)
        return Answer(
            query, str(self.root), generation, freshness, hits, (*notes, *without_model, *found.notes), found.tokens
        )

    def _embedder_of(self, session: Session) -> Embedder | None:
        """The embedder, if the index holds its vectors: those of two models never meet."""
        stored = session.meta["fingerprint"].get("embedder")
        return self.embedder if self.embedder is not None and self.embedder.identity == stored else None

    def _notes(self, session: Session) -> tuple[str, ...]:
        if self.embedder is None:
            return ("no embedding model: searched by text and symbols",)
        if self._embedder_of(session) is None:
            return ("the index has no vectors of this model: searched by text and symbols",)
        return ()

    def _still_there(self, file: FileRecord) -> bool:
        return stat_file(self.root, file.path) is not None

    def _stale(self, catalog: Catalog, hits: Sequence[Hit]) -> set[str]:
        records = [record for hit in hits if (record := catalog.file_named(hit.path))]
        return {record.path for record in records if stat_file(self.root, record.path) != record.stat}

    # freshness

    def _freshen(self) -> Freshness:
        """Compare with the working tree, and catch up when that is quick."""
        try:
            opened = self._opened()
            changed = differences(opened.meta.get("fingerprint", {}), self._fingerprint())
            walked, todo = self._changes(opened)
        except BusyIndexError:
            return Freshness("indexing", 0, "another process is writing the index")
        if changed:
            return Freshness(
                "stale", todo.changes if todo else 0,
                f"the index was made with other settings ({'; '.join(changed)}); rebuild it with: clew index",
            )  # fmt: skip
        if todo is None:
            return Freshness("fresh")
        if todo.seconds > self.settings.refresh_seconds:
            return Freshness("stale", todo.changes, f"{_files(todo.changes)} changed since; catch up with: clew index")
        try:
            report = self._index(wait=0, walked=walked)
        except BusyIndexError as error:
            return Freshness("indexing", todo.changes, error.message)
        except ClewError as error:  # what cannot be written now can still be read
            return Freshness("stale", todo.changes, f"{_files(todo.changes)} changed since; {error.message}")
        unread = self._unread(report.failures)
        if unread:
            return Freshness("stale", unread, f"{_files(unread)} changed and cannot be read")
        done = report.files.indexed + report.files.removed
        return Freshness("refreshed", done, f"{_files(done)} changed and indexed first") if done else Freshness("fresh")

    def _unread(self, failures: Sequence[Failure]) -> int:
        """How many of these files are indexed with an earlier content, because the present one cannot be read."""
        catalog = self._opened().catalog
        records = [record for failure in failures if (record := catalog.file_named(failure.path)) and record.hash]
        return sum(record.stat not in (UNKNOWN_STAT, stat_file(self.root, record.path)) for record in records)

    def _changes(self, session: Session) -> tuple[tuple[int, Walk] | None, Plan | None]:
        """What differs from the working tree; None when nothing does."""
        with session.reading():
            if session.meta.get("selection") == self._selection() and self._tracker.unchanged(session):
                return None, None
            known = {file.path: file for file in session.catalog.files()}
            version = int(session.meta["version"])
        walked = self._walk()
        return (version, walked), plan(walked.files, known)

    def _opened(self) -> Session:
        """The current build, opened once and again when another took its place."""
        path = layout.current(self.index_path)
        if self._session is None or self._session.path != path:
            self.close()
            try:
                self._session = Session.open(self.index_path)
            except NoIndexError:
                raise self._missing() from None
            except DamagedIndexError:
                # A rebuild may have taken its place between reading the pointer and opening it.
                if layout.current(self.index_path) == path:
                    raise
                self._session = Session.open(self.index_path)
        return self._session

    def _missing(self) -> ClewError:
        from clew.index import lock

        if lock.is_locked(self.index_path):
            writer = f"another process (pid {lock.holder(self.index_path)})"
            return BusyIndexError(f"{self.root} is being indexed by {writer}", hint="ask again when it is done")
        return NoIndexError(f"{self.root} has no index yet", hint="make one with: clew index")

    # state

    def status(self) -> Status:
        """The state of the index; never raises for a missing, damaged or busy one, and changes nothing."""
        empty = Status(exists=self.exists(), root=str(self.root), index_path=str(self.index_path))
        if not empty.exists:
            return empty
        try:
            with self._mutex:
                opened = self._opened()
                _, todo = self._changes(opened)
                drift = differences(opened.meta.get("fingerprint", {}), self._fingerprint())
                with opened.reading():
                    return self._status(opened, todo, bool(drift))
        except ClewError as error:
            return replace(empty, error=f"{error.code}: {error.message}")

    def _status(self, opened: Session, todo: Plan | None, drifted: bool) -> Status:
        catalog, meta = opened.catalog, opened.meta
        totals = catalog.totals()
        languages = catalog.group_counts("language")
        unnamed = languages.pop("", 0)
        text_only = catalog.group_counts("language", "skipped = '' AND strategy = 'lines'")
        text_only.pop("", None)
        if unnamed:
            text_only["unknown"] = unnamed
        return Status(
            exists=True,
            root=str(self.root),
            index_path=str(self.index_path),
            generation=opened.generation,
            files=totals["files"],
            chunks=totals["chunks"],
            definitions=totals["definitions"],
            languages=languages,
            embedder=str(meta["fingerprint"].get("embedder")),
            store=str(meta["fingerprint"].get("store")),
            stale=drifted or bool(todo and todo.changes),
            changed_files=todo.changes if todo else 0,
            last_indexed_at=meta.get("indexed_at"),
            text_only=text_only,
            skipped_reasons=catalog.skipped_reasons(meta.get("skipped", {})),
            notes=tuple(meta["notes"]),
        )

    def index_health(self) -> list[Check]:
        """What the doctor says of the index: nobody writes it, readable, whole, made with these settings.

        Reads all of it and changes nothing.
        """
        lock = self._lock_health()
        if not self.exists():
            return [lock, Check("index", "advisory", f"{self.root} has no index yet", "clew index")]
        try:
            with self._mutex:
                opened = self._opened()
                opened.catalog.verify()
                opened.reader.verify()
                drift = differences(opened.meta.get("fingerprint", {}), self._fingerprint())
        except BusyIndexError as error:
            return [lock, Check("index", "advisory", error.message, error.hint)]
        except ClewError as error:
            return [lock, Check("index", "broken", error.message, error.hint)]
        checks = [lock, Check("index", "ok", f"generation {opened.generation} at {opened.path}")]
        if drift:
            checks.append(Check("fingerprint", "advisory", "; ".join(drift), "clew index"))
        else:
            checks.append(Check("fingerprint", "ok", "made with the current settings"))
        return checks

    def _lock_health(self) -> Check:
        from clew.index import lock

        try:
            locked = lock.is_locked(self.index_path)
        except OSError as error:
            return Check("lock", "advisory", f"cannot be tried: {error.strerror}", f"check {self.index_path}")
        if not locked:
            return Check("lock", "ok", "nobody is writing the index")
        pid = lock.holder(self.index_path)
        detail = f"process {pid} is writing the index" if pid else "another process is writing the index"
        return Check("lock", "advisory", detail, "wait until it is done; searches work meanwhile")


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"


def _marked(hit: Hit) -> Hit:
    return replace(hit, stale=True)
