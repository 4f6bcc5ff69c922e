"""A query against one generation: analyse, gather, rank, choose lines, fit the budget."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from clew.embedding import Embedder
from clew.index.catalog import Catalog, FileRecord
from clew.index.store import CHUNK_BITS, StoreReader, TextHits, VectorHits, Where
from clew.parsing.tokens import Tokenizer
from clew.records import Hit, Place
from clew.search.budget import count_tokens, cut_to_tokens
from clew.search.candidates import gather
from clew.search.features import SIGNALS, FileSignals, file_signals
from clew.search.places import Span, spans
from clew.search.query import analyse
from clew.search.ranker import rank
from clew.search.rerank import FILES as RERANKED_FILES
from clew.search.rerank import PLACES as RERANKED_PLACES
from clew.search.rerank import Reranked, Reranker
from clew.search.secrets import MASK, mask

# What an answer spends around the text, measured with cl100k on compact JSON: 64 for a hit with one
# place and a path of 10 tokens, 27 for each further place.
HIT_TOKENS = 27
PLACE_TOKENS = 27
_NONE: Mapping[int, float] = MappingProxyType({})
_LINE_END = re.compile(r"\r\n|\n|\r")  # as an editor counts them


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an answer is to hold."""

    limit: int = 10
    places: int = 2
    budget: int | None = None
    text: bool = True
    explain: bool = False
    mask_secrets: bool = True
    synonyms: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """Hits with notes on what was left out or masked, and the tokens of their text."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...]
    tokens: int


def answer(
    text: str, catalog: Catalog, reader: StoreReader, tokenizer: Tokenizer, where: Where, wanted: Wanted,
    embedder: Embedder | None = None, keep: Callable[[FileRecord], bool] = lambda file: True,
    rerank: Reranker | None = None,
) -> Found:  # fmt: skip
    """Answer a query from one generation. `keep` drops files that must not answer any more."""
    files = wanted.limit if rerank is None else max(wanted.limit, RERANKED_FILES)
    places = wanted.places if rerank is None else max(wanted.places, RERANKED_PLACES)
    query = analyse(text, tokenizer, wanted.synonyms)
    vector = embedder.embed_query(query.text) if embedder is not None else None
    candidates = gather(catalog, reader, query, vector, where)
    signals = file_signals(candidates, query)
    ids, scores = rank(signals)
    best: list[tuple[int, float]] = []
    for file_id, score in zip(ids.tolist(), scores.tolist(), strict=True):
        if len(best) == files:
            break
        if keep(candidates.files[file_id]):
            best.append((file_id, score))
    lines = spans([each for each, _ in best], candidates, query, catalog, reader, where, places, tokenizer)
    again = Reranked(best) if rerank is None else rerank(query.text, best, lines, catalog.text)
    lines = {file_id: places_[: wanted.places] for file_id, places_ in lines.items()}
    shown = [each for each in again.best[: wanted.limit] if lines[each[0]] or not _restricted(where)]
    found = _assemble(shown, lines, candidates.files, signals, catalog, wanted, again.similarities)
    return replace(found, notes=(*found.notes, *again.notes))


def _restricted(where: Where) -> bool:
    return where.kinds is not None or where.chunks is not None


def similar(
    path: str, line: int, catalog: Catalog, reader: StoreReader, tokenizer: Tokenizer, where: Where, wanted: Wanted,
    keep: Callable[[FileRecord], bool] = lambda file: True,
) -> Found | None:  # fmt: skip
    """Chunks most like the one at a place, by vector where there is one, else by its rarest words.

    None when no indexed chunk holds that line. The chunk itself is not among the answers.
    """
    file = catalog.file_named(path)
    chunk = next(
        (c for c in catalog.chunks(file.id) if c.start_line <= line <= c.end_line), None
    ) if file is not None and not file.skipped else None  # fmt: skip
    if file is None or chunk is None:
        return None
    own = file.id << CHUNK_BITS | chunk.ordinal
    depth = 20 * wanted.limit
    vectors = reader.vectors(np.array([own], np.int64))
    found: TextHits | VectorHits
    if vectors is not None:
        found = reader.search_vectors(vectors[0], depth, where)
    else:
        body = catalog.text(file.id)[chunk.start_byte : chunk.end_byte].decode("utf-8", "replace")
        found = reader.search_text("body", _rare_terms(tokenizer(body), reader), depth, where)
    own_lines = (file.id, chunk.start_line, chunk.end_line)
    return _assemble_chunks(found.ids.tolist(), found.scores.tolist(), own_lines, catalog, wanted, keep)


def _rare_terms(terms: Sequence[str], reader: StoreReader, most: int = 40) -> dict[str, float]:
    counts = {term: terms.count(term) for term in dict.fromkeys(terms)}
    rarest = sorted(counts, key=lambda term: (reader.document_frequency("body", term), term))[:most]
    return {term: 1.0 + 0.25 * (counts[term] - 1) for term in rarest}


def _assemble_chunks(
    ids: list[int], scores: list[float], own: tuple[int, int, int], catalog: Catalog, wanted: Wanted,
    keep: Callable[[FileRecord], bool],
) -> Found:  # fmt: skip
    lines: dict[int, list[Span]] = {}
    best: dict[int, float] = {}
    files: dict[int, FileRecord] = {}
    for chunk_id, score in zip(ids, scores, strict=True):
        file_id, ordinal = chunk_id >> CHUNK_BITS, chunk_id & ((1 << CHUNK_BITS) - 1)
        if file_id not in lines:
            if len(lines) == wanted.limit:
                continue
            files.update(catalog.files_by_id([file_id]))
            if not keep(files[file_id]):
                continue
        chunk = catalog.chunks(file_id)[ordinal]
        if file_id == own[0] and chunk.start_line <= own[2] and chunk.end_line >= own[1]:
            continue
        taken = lines.setdefault(file_id, [])
        overlapping = any(chunk.start_line <= s.end_line and chunk.end_line >= s.start_line for s in taken)
        if len(taken) < wanted.places and not overlapping:
            best.setdefault(file_id, score)
            taken.append(
                Span(
                    chunk.start_line, chunk.end_line, chunk.start_byte, chunk.end_byte, chunk.symbol, chunk.kind, score
                )
            )
    return _assemble(list(best.items()), lines, files, None, catalog, wanted)


def _assemble(
    best: list[tuple[int, float]], lines: dict[int, list[Span]], files: Mapping[int, FileRecord],
    signals: FileSignals | None, catalog: Catalog, wanted: Wanted, similarities: Mapping[int, float] = _NONE,
) -> Found:  # fmt: skip
    packed = _packed(best, lines, files, catalog, wanted)
    hits: list[Hit] = []
    for file_id, score in best:
        places = packed.places.get(file_id)
        if places is None:
            continue
        file = files[file_id]
        values = _explained(signals, file_id) if wanted.explain and signals is not None else None
        if values is not None and file_id in similarities:
            values["rerank"] = similarities[file_id]
        hits.append(Hit(len(hits) + 1, file.path, file.language, round(score, 4), tuple(places), signals=values))
    notes = []
    if packed.left_out:
        notes.append(f"{packed.left_out} more places did not fit the budget of {wanted.budget} tokens")
    if packed.masked:
        notes.append(f"{packed.masked} key-like literals are masked")
    return Found(tuple(hits), tuple(notes), packed.tokens)


def _explained(signals: FileSignals, file_id: int) -> dict[str, float]:
    row = int(np.searchsorted(signals.ids, file_id))
    return {name: round(float(signals.values[name][row]), 4) for name in SIGNALS}


@dataclass(slots=True)
class _Packed:
    """Places by file in the order of their worth, and what they cost."""

    places: dict[int, list[Place]] = field(default_factory=dict)
    tokens: int = 0
    masked: int = 0
    left_out: int = 0


def _packed(
    best: list[tuple[int, float]], lines: dict[int, list[Span]], files: Mapping[int, FileRecord], catalog: Catalog,
    wanted: Wanted,
) -> _Packed:  # fmt: skip
    """Fill the budget: the best place of each file first, file by file, then the second places."""
    packed = _Packed()
    text_of = functools.cache(catalog.text)
    deepest = max((len(spans_) for spans_ in lines.values()), default=0)
    order = [(file_id, depth) for depth in range(max(deepest, 1)) for file_id, _ in best]
    for file_id, depth in order:
        room = None if wanted.budget is None else wanted.budget - packed.tokens
        shown = packed.places.get(file_id)
        head = 0 if shown is not None else HIT_TOKENS + count_tokens(files[file_id].path)
        if depth >= len(lines[file_id]):
            if shown is None and depth == 0 and (room is None or head <= room):  # found, with no lines to show
                packed.places[file_id] = []
                packed.tokens += head
            continue
        span = lines[file_id][depth]
        place = None
        if (depth == 0 or shown is not None) and (room is None or head + PLACE_TOKENS <= room):
            inside = None if room is None else room - head - PLACE_TOKENS
            place = _place(files[file_id].path, span, functools.partial(text_of, file_id), wanted, inside)
        if place is None:
            packed.left_out += 1
            continue
        packed.places.setdefault(file_id, []).append(place)
        packed.tokens += head + PLACE_TOKENS + count_tokens(place.text or "")
        packed.masked += (place.text or "").count(MASK)
    return packed


def _place(path: str, span: Span, read: Callable[[], bytes], wanted: Wanted, room: int | None) -> Place | None:
    """The place with as much of its text as fits; None when not even one line does."""
    place = Place(path, span.start_line, span.end_line, span.symbol, span.kind)
    if not wanted.text:
        return place
    text = read()[span.start_byte : span.end_byte].decode("utf-8", "replace").rstrip("\r\n")
    if wanted.mask_secrets:
        text, _ = mask(text)
    if room is None or count_tokens(text) <= room:
        return replace(place, text=text)
    cut = cut_to_tokens(text, room)
    if not cut:
        return None
    end = span.start_line + len(_LINE_END.findall(cut))
    return replace(place, text=cut, end_line=min(end, span.end_line), truncated=True)
