"""An open index: the catalog and the reader of one generation, followed as it moves on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from clew.errors import ClewError, DamagedIndexError, NoIndexError
from clew.index import layout
from clew.index.catalog import Catalog
from clew.index.store import StoreReader
from clew.index.stores import open_store
from clew.workspace import Watch, watch_from_json

StatTuple = tuple[int, int, int, int]
# Of segments that are checked at every opening, at 0.5 to 1 ms a MB. Larger ones are checked by the doctor.
CHECKED_BYTES = 16 << 20


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_mapping(value: object, of: Callable[[object], bool] = lambda value: True) -> bool:
    return isinstance(value, dict) and all(map(of, value.values()))


# What a build writes about a generation, and how each is checked: an index may come from anywhere.
_META: dict[str, Callable[[object], bool]] = {
    "generation": _is_count,
    "version": _is_count,
    "fingerprint": _is_mapping,
    "selection": _is_mapping,
    "skipped": lambda value: _is_mapping(value, _is_count),
    "watch": _is_mapping,
    "manifest": lambda value: value is not None,
    "notes": lambda value: isinstance(value, list) and all(isinstance(note, str) for note in value),
    "indexed_at": lambda value: isinstance(value, str),
}


def checked_meta(catalog: Catalog) -> dict[str, Any]:
    """What the catalog says of its generation; DamagedIndexError when something is missing or of another type."""
    try:
        meta = catalog.meta()
    except (RecursionError, TypeError):  # JSON nested a thousand deep, or no text at all
        meta = {}
    wrong = next((key for key, fits in _META.items() if not fits(meta.get(key))), None)
    if wrong is not None:
        raise DamagedIndexError(
            f"the index {catalog.path} is incomplete: no usable '{wrong}'", hint="rebuild it with: clew index --full"
        )
    return meta


class Session:
    """One build, open for reading. What is derived from a generation is kept until the next."""

    def __init__(self, path: Path, catalog: Catalog) -> None:
        self.path = path
        self.catalog = catalog
        self.generation = -1
        self.meta: dict[str, Any] = {}
        self._reader: StoreReader | None = None
        self._stats: tuple[list[str], list[StatTuple]] | None = None
        self._watch: Watch | None = None

    @classmethod
    def open(cls, directory: Path) -> Session:
        """Open the current build of an index directory. NoIndexError, DamagedIndexError, BusyIndexError."""
        path = layout.current(directory)
        if path is None:
            raise NoIndexError(f"{directory.parent} has no index yet", hint="make one with: clew index")
        session = cls(path, Catalog.open(path / "catalog.db"))
        try:
            with session.reading():
                pass
        except ClewError:
            session.close()
            raise
        return session

    @property
    def reader(self) -> StoreReader:
        assert self._reader is not None, "inside reading() only"
        return self._reader

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A read transaction at the newest generation, with the reader that belongs to it."""
        with ExitStack() as stack:
            while True:
                stack.enter_context(self.catalog.transaction())
                version = self.catalog.version()
                try:
                    self._follow(version)
                    break
                except DamagedIndexError:
                    stack.close()
                    # The next generation may have removed the segments of this one before they were open.
                    if self.catalog.version() == version:
                        raise
            yield

    def _follow(self, version: int) -> None:
        """Inside a read transaction: go to the generation and the state that it sees."""
        if self.meta and version == self.meta["version"]:
            return
        meta = checked_meta(self.catalog)
        if meta["generation"] != self.generation or self._reader is None:
            reader = _opened_reader(self.path, meta["manifest"])
            if self._reader is not None:
                self._reader.close()
            self._reader = reader
        self.generation, self.meta = meta["generation"], meta
        self._stats = self._watch = None

    def stats(self) -> tuple[list[str], list[StatTuple]]:
        """Paths of all known files and their stats, in one order. Inside a transaction."""
        if self._stats is None:
            self._stats = self.catalog.stats()
        return self._stats

    def watch(self) -> Watch:
        if self._watch is None:
            self._watch = watch_from_json(self.meta.get("watch"))
        return self._watch

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self.catalog.close()


def _opened_reader(path: Path, manifest: Any) -> StoreReader:
    """The reader of a generation. A small one is checked whole: no flipped byte of it becomes a wrong answer."""
    reader = open_store(path).reader(manifest)
    if reader.counts().details.get("bytes", 0) <= CHECKED_BYTES:
        reader.verify()
    return reader
