"""Which lines of a file to show: the chunks that answer best, no line twice."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.index.catalog import Catalog
from clew.index.store import CHUNK_BITS, StoreReader, Where
from clew.parsing.tokens import Tokenizer
from clew.records import Chunk, Definition
from clew.search.candidates import Candidates, Named, Pointed
from clew.search.query import Query

_NOWHERE = Pointed(0, 0.0)
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
    places: int, tokenizer: Tokenizer,
) -> dict[int, list[Span]]:  # fmt: skip
    """Up to `places` spans per file, best first; none where a filter admits no chunk. O(chunks of the files)."""
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
    out: dict[int, list[Span]] = {}
    for file_id in file_ids:
        chunks = [c for c in catalog.chunks(file_id) if allowed(file_id, c)]
        own, pointed = scores.get(file_id, {}), candidates.pointed.get(file_id, _NOWHERE)
        if where.definitions is None:
            pool = _pool(chunks, own, named.get(file_id, []), pointed.line)
            lines = [each.definition for each in named.get(file_id, []) if _lacks_chunk(each.definition, chunks)]
        else:
            pool = _pool([c for c in chunks if c.kind in where.definitions], own, named.get(file_id, []), 0)
            wanted = (d for d in catalog.definitions(file_id) if d.kind in where.definitions)
            lines = [d for d in wanted if _lacks_chunk(d, chunks)]
        if lines:
            called = {each.definition.symbol for each in named.get(file_id, [])}
            pool += _own_lines(lines, chunks, own, catalog.text(file_id), query, called, tokenizer)
        out[file_id] = _choose(pool, places)
    return out


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


def _pool(chunks: Sequence[Chunk], scores: Mapping[int, float], named: Sequence[Named], line: int) -> list[Span]:
    """The chunks that may be shown, scored; the first one when the query says nothing about any."""
    symbols = {each.definition.symbol for each in named}
    wanted = [c for c in chunks if c.ordinal in scores or c.symbol in symbols or c.start_line <= line <= c.end_line]
    return [_boosted(_span(chunk, scores.get(chunk.ordinal, 0.0)), named, line) for chunk in wanted or chunks[:1]]


def _choose(pool: list[Span], places: int) -> list[Span]:
    """The best spans that share no line."""
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
    if boost and span.start_line == line:  # of two windows that overlap there, the one that begins there
        boost += 1.0
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


def _lacks_chunk(definition: Definition, chunks: Sequence[Chunk]) -> bool:
    """Whether a definition (a constant, a field, a short nested function) is shown by its own lines."""
    if definition.end_line - definition.start_line > WHOLE_LINES:
        return False
    return all(chunk.symbol != definition.symbol for chunk in chunks)


def _own_lines(
    definitions: Iterable[Definition], chunks: Sequence[Chunk], scores: Mapping[int, float], text: bytes, query: Query,
    called: Container[str], tokenizer: Tokenizer,
) -> list[Span]:  # fmt: skip
    """Definitions without a chunk of their own, as the whole lines they stand on."""
    out = []
    for d in definitions:
        around = next((c for c in chunks if c.start_line <= d.start_line <= c.end_line), None)
        if around is None:
            continue
        words = tokenizer(d.name)
        share = sum(word in query.terms for word in words) / len(words) if words else 0.0
        score = scores.get(around.ordinal, 0.0) + share + (NAMED_WEIGHT if d.symbol in called else 0.0)
        start, end = _whole_lines(text, d.start_byte, d.end_byte)
        out.append(Span(d.start_line, d.end_line, start, end, d.symbol, d.kind, score))
    return out


def _whole_lines(text: bytes, start: int, end: int) -> tuple[int, int]:
    """Byte bounds of the lines that `[start, end)` touches."""
    first = max(text.rfind(b"\n", 0, start), text.rfind(b"\r", 0, start)) + 1
    ends = [at for at in (text.find(b"\n", end), text.find(b"\r", end)) if at >= 0]
    return first, min(ends, default=len(text))
