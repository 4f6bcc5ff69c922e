"""Which lines of a file to show: the chunks that answer best, no line twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.index.catalog import Catalog
from clew.index.store import CHUNK_BITS, StoreReader, Where
from clew.records import Chunk, Definition
from clew.search.candidates import Candidates, Named
from clew.search.query import Query

_MASK = (1 << CHUNK_BITS) - 1
# Weights of a chunk's signals inside its file, in units of the file's best text match.
SYMBOL_WEIGHT = 0.3
COVER_WEIGHT = 0.3
VECTOR_WEIGHT = 0.6
NAMED_WEIGHT = 2.0
POINTED_WEIGHT = 4.0
# A second place must be worth its tokens: at least this share of the first one's score.
SECOND_SHARE = 0.35
WHOLE_LINES = 60  # a named definition up to this length is shown whole, longer ones by their best chunk


@dataclass(frozen=True, slots=True)
class Span:
    """Lines to show, before their text is read. Bytes are those of the lines."""

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    symbol: str
    kind: str
    score: float


def spans(
    file_ids: Sequence[int], candidates: Candidates, query: Query, catalog: Catalog, reader: StoreReader, where: Where,
    places: int,
) -> dict[int, list[Span]]:  # fmt: skip
    """Up to `places` spans per file, best first. Every file gets at least one. O(chunks of the files)."""
    scores = _chunk_scores(file_ids, candidates)
    missing = [each for each in file_ids if each not in scores]
    if missing:  # found as a whole, not by one chunk: look inside these files only
        inside = Where(np.array(sorted(missing), np.int64), where.chunks, where.kinds)
        found = reader.search_text("body", query.terms, 20 * len(missing), inside)
        for chunk_id, score in zip(found.ids.tolist(), found.scores.tolist(), strict=True):
            scores.setdefault(chunk_id >> CHUNK_BITS, {})[chunk_id & _MASK] = score
    named: dict[int, list[Named]] = {}
    for each in candidates.named:
        named.setdefault(each.file_id, []).append(each)
    allowed = _allowed_chunks(where)
    return {
        file_id: _choose(
            [c for c in catalog.chunks(file_id) if allowed(file_id, c)], scores.get(file_id, {}),
            named.get(file_id, []), candidates.pointed.get(file_id, 0), places,
        )
        for file_id in file_ids
    }  # fmt: skip


def _allowed_chunks(where: Where) -> Callable[[int, Chunk], bool]:
    wanted = None if where.chunks is None else set(where.chunks.tolist())

    def allowed(file_id: int, chunk: Chunk) -> bool:
        if where.kinds is not None and chunk.kind not in where.kinds:
            return False
        return wanted is None or (file_id << CHUNK_BITS | chunk.ordinal) in wanted

    return allowed


def _chunk_scores(file_ids: Iterable[int], candidates: Candidates) -> dict[int, dict[int, float]]:
    """Per file and chunk ordinal: the weighted sum of the chunk's relative scores."""
    wanted = set(file_ids)
    out: dict[int, dict[int, float]] = {}
    recalls = [
        (candidates.texts["body"].ids, candidates.texts["body"].scores, 1.0),
        (candidates.texts["body"].ids, candidates.texts["body"].coverage, COVER_WEIGHT),
        (candidates.texts["symbol"].ids, candidates.texts["symbol"].scores, SYMBOL_WEIGHT),
        (candidates.vectors.ids, candidates.vectors.scores, VECTOR_WEIGHT),
    ]
    for ids, scores, weight in recalls:
        top = float(scores.max()) if len(scores) else 0.0
        if top <= 0:
            continue
        for chunk_id, score in zip(ids.tolist(), scores.tolist(), strict=True):
            file_id = chunk_id >> CHUNK_BITS
            if file_id in wanted:
                chunks = out.setdefault(file_id, {})
                ordinal = chunk_id & _MASK
                chunks[ordinal] = chunks.get(ordinal, 0.0) + weight * score / top
    return out


def _choose(
    chunks: Sequence[Chunk], scores: Mapping[int, float], named: Sequence[Named], line: int, places: int
) -> list[Span]:
    symbols = {each.definition.symbol for each in named}
    wanted = [c for c in chunks if c.ordinal in scores or c.symbol in symbols or c.start_line <= line <= c.end_line]
    pool = [_boosted(_span(chunk, scores.get(chunk.ordinal, 0.0)), named, line) for chunk in wanted or chunks[:1]]
    pool += _own_lines(chunks, scores, named)
    pool.sort(key=lambda span: (-span.score, span.start_line, span.end_line))
    out: list[Span] = []
    for span in pool:
        if len(out) == places or (out and span.score < SECOND_SHARE * out[0].score):
            break
        if all(span.end_line < other.start_line or span.start_line > other.end_line for other in out):
            out.append(span)
    return out


def _span(chunk: Chunk, score: float) -> Span:
    return Span(
        chunk.start_line, chunk.end_line, chunk.start_byte, chunk.end_byte, chunk.symbol, chunk.kind, score
    )  # fmt: skip


def _boosted(span: Span, named: Sequence[Named], line: int) -> Span:
    boost = POINTED_WEIGHT if line and span.start_line <= line <= span.end_line else 0.0
    for each in named:
        definition = each.definition
        # The first chunk of a definition that was split holds its signature.
        begins = span.start_line <= definition.start_line <= span.end_line
        if definition.symbol == span.symbol and (begins or definition.end_line - definition.start_line > WHOLE_LINES):
            boost += NAMED_WEIGHT * (1.0 if begins else 0.5)
            break
    if not boost:
        return span
    return replace(span, score=span.score + boost)


def _own_lines(chunks: Sequence[Chunk], scores: Mapping[int, float], named: Sequence[Named]) -> list[Span]:
    """Named definitions that have no chunk of their own (constants, fields, short nested functions)."""
    symbols = {chunk.symbol for chunk in chunks}
    out = []
    for each in named:
        d: Definition = each.definition
        if d.symbol in symbols or d.end_line - d.start_line > WHOLE_LINES:
            continue
        around = next((c for c in chunks if c.start_line <= d.start_line <= c.end_line), None)
        if around is not None:
            score = scores.get(around.ordinal, 0.0) + NAMED_WEIGHT
            out.append(Span(d.start_line, d.end_line, d.start_byte, d.end_byte, d.symbol, d.kind, score))
    return out
