"""The recalls: text over chunks and over files, symbols and paths by name, vectors. One pass per query.

The best chunks by text are compared with the order of the query's words as well (`phrases`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from clew.index.catalog import Catalog, FileRecord
from clew.index.store import CHUNK_BITS, Float32s, StoreReader, TextHits, VectorHits, Where
from clew.records import Definition
from clew.search.phrases import Phrases, phrases
from clew.search.query import Query, dotted, last_name

# Depth of each recall. Files beyond these never decided a query of the development sets.
CHUNK_DEPTH = 400
FILE_DEPTH = 200
SAME_NAME = 200  # definitions of one name that are looked at: `main` or `New` may have thousands
BARE_NAME_WEIGHT = 0.3  # /home/me/app.py of a trace is hardly src/flask/app.py
# Cosine from which a chunk counts when no other recall found anything: something is always nearest, and letters of no
# meaning mostly stay below 0.3. Beside other finds there is no floor: at 0.35 it would lose 8 of 1,474 golds.
VECTOR_FLOOR = 0.35
MAX_NAMES = 12
MAX_PARTS = 6  # of a qualified name
MAX_FRAMES = 30

TEXT_DEPTHS = {
    "body": CHUNK_DEPTH,
    "symbol": CHUNK_DEPTH // 2,
    "file_body": FILE_DEPTH,
    "file_symbol": FILE_DEPTH,
    "path": FILE_DEPTH,
}


@dataclass(frozen=True, slots=True)
class Named:
    """A definition that the query names. `exact`: as written, else only without regard to case or qualifier."""

    file_id: int
    definition: Definition
    exact: bool
    alternatives: int  # how many definitions share the name


@dataclass(frozen=True, slots=True)
class Pointed:
    """A file that a path or a stack frame of the query names. `line` 0: the file alone. `weight` 0..1: less for
    later frames, and for a match of the bare file name where more was written."""

    line: int
    weight: float


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the recalls found: `texts` by field, files by id, and places that the query points at."""

    texts: dict[str, TextHits]
    vectors: VectorHits
    named: tuple[Named, ...]
    pointed: dict[int, Pointed]  # by file id
    files: dict[int, FileRecord]
    phrases: Phrases  # of the best chunks by text


def gather(catalog: Catalog, reader: StoreReader, query: Query, vector: Float32s | None, where: Where) -> Candidates:
    """Run every recall under the filter. Cost: the postings of the query's terms, and the vectors scanned."""
    texts = {field: reader.search_text(field, query.terms, depth, where) for field, depth in TEXT_DEPTHS.items()}
    vectors = (
        reader.search_vectors(vector, CHUNK_DEPTH, where)
        if vector is not None and vector.any()
        else VectorHits(np.empty(0, np.int64), np.empty(0, np.float32))
    )
    allowed = _Allowed(where)
    named = tuple(each for each in _named(catalog, query) if allowed(each.file_id, each.definition.kind))
    pointed = {file_id: each for file_id, each in _pointed(catalog, query).items() if allowed(file_id)}
    ids = {each.file_id for each in named} | set(pointed)
    for field, hits in texts.items():
        ids.update((hits.ids if field.startswith("file") or field == "path" else hits.ids >> CHUNK_BITS).tolist())
    if not ids:
        vectors = _near_enough(vectors)
    ids.update((vectors.ids >> CHUNK_BITS).tolist())
    files = catalog.files_by_id(sorted(ids))
    return Candidates(texts, vectors, named, pointed, files, phrases(catalog, query, texts["body"]))


def _near_enough(hits: VectorHits) -> VectorHits:
    kept = hits.scores >= VECTOR_FLOOR
    return VectorHits(hits.ids[kept], hits.scores[kept])


class _Allowed:
    """The filter for what is looked up by name: the store has applied it to what it found."""

    def __init__(self, where: Where) -> None:
        self._files = None if where.files is None else set(where.files.tolist())
        if where.chunks is not None:
            with_chunks = set((where.chunks >> CHUNK_BITS).tolist())
            self._files = with_chunks if self._files is None else self._files & with_chunks
        self._kinds = where.definitions or where.kinds

    def __call__(self, file_id: int, kind: str | None = None) -> bool:
        if self._files is not None and file_id not in self._files:
            return False
        return kind is None or self._kinds is None or kind in self._kinds


def _named(catalog: Catalog, query: Query) -> Iterable[Named]:
    seen: set[tuple[int, int]] = set()
    for name in _wanted_names(query):
        parts = dotted(name).split(".")
        known = catalog.definitions_named(last_name(name))
        wanted, found = _longest_tail(parts, known)
        outside = parts[: len(parts) - wanted.count(".")]
        exact = {id(each) for each in found if f".{each[1].symbol}".endswith(wanted)}
        if outside:  # a package or module, which only the path tells; or a variable that holds the object
            paths = catalog.files_by_id({file_id for file_id, _ in found}) if len(found) <= SAME_NAME else {}
            exact = {id(each) for each in found if id(each) in exact and _lies_in(paths.get(each[0]), outside)}
        found.sort(key=lambda each: id(each) not in exact)  # as written first; stable otherwise
        for each in found[:SAME_NAME]:
            file_id, definition = each
            if (file_id, definition.start_byte) not in seen:
                seen.add((file_id, definition.start_byte))
                yield Named(file_id, definition, id(each) in exact, len(found))


def _longest_tail(
    parts: list[str], known: list[tuple[int, Definition]]
) -> tuple[str, list[tuple[int, Definition]]]:  # fmt: skip
    """The longest end of a qualified name that definitions have, with a dot before it, and those definitions."""
    symbols = [f".{definition.symbol}".casefold() for _, definition in known]
    for start in range(max(0, len(parts) - MAX_PARTS), len(parts)):
        wanted = "." + ".".join(parts[start:])
        folded = wanted.casefold()
        found = [each for each, symbol in zip(known, symbols, strict=True) if symbol.endswith(folded)]
        if found:
            return wanted, found
    return "." + parts[-1], []


def _lies_in(file: FileRecord | None, outside: Sequence[str]) -> bool:
    """Whether the innermost package of a name is a directory or the stem of the file's path."""
    if file is None:
        return False
    directory, _, name = file.path.casefold().rpartition("/")
    return outside[-1].casefold() in (*directory.split("/"), name.partition(".")[0])


def _wanted_names(query: Query) -> list[str]:
    frames = [frame.name for frame in query.frames if frame.name]
    return list(dict.fromkeys([*frames, *query.names]))[:MAX_NAMES]


def _pointed(catalog: Catalog, query: Query) -> dict[int, Pointed]:
    """Files that the query names by path. Of several frames in one file the best match counts, then the first."""
    wanted = [(frame.file, frame.line) for frame in query.frames[:MAX_FRAMES]]
    wanted += [(path, 0) for path in query.paths if all(path != file for file, _ in wanted)]
    out: dict[int, Pointed] = {}
    for order, (path, line) in enumerate(wanted):
        matched, written, file_ids = _files_at(catalog, path)
        weight = (1.0 if matched > 1 or written == 1 else BARE_NAME_WEIGHT) / (1.0 + 0.1 * order)
        for file_id in file_ids:
            if file_id not in out or out[file_id].weight < weight:
                out[file_id] = Pointed(line, weight)
    return out


def _files_at(catalog: Catalog, path: str) -> tuple[int, int, list[int]]:
    """Files whose path ends with the longest possible tail of a written one: components matched, written, their ids."""
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    for start in range(len(parts) - 1):  # a whole path is unique; namesakes can be thousands
        file = catalog.file_named("/".join(parts[start:]))
        if file is not None and not file.skipped:
            return len(parts) - start, len(parts), [file.id]
    best, found = 0, list[int]()
    for file_id, known in catalog.files_called(parts[-1], SAME_NAME) if parts else ():
        tail = _common_tail(parts, known.split("/"))
        if tail > best:
            best, found = tail, []
        if tail == best:
            found.append(file_id)
    return best, len(parts), found


def _common_tail(left: list[str], right: list[str]) -> int:
    pairs = zip(reversed(left), reversed(right), strict=False)
    return next((count for count, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))
