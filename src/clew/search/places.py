"""Which lines of a file to show: the chunks that answer best, no line twice."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.index.catalog import Catalog
from clew.index.store import CHUNK_BITS, Float32s, Int64s, StoreReader, Where
from clew.parsing.tokens import Tokenizer
from clew.records import Chunk, Definition
from clew.search.candidates import Candidates, Named, Pointed
from clew.search.features import relative
from clew.search.query import Query

_NOWHERE = Pointed(0, 0.0)
_MASK = (1 << CHUNK_BITS) - 1
# Weights of a chunk's signals, in units of the best text match within its file. Chosen on changed lines of commits
# in half of the development repositories, confirmed on the other half; see benchmarks/quality/lines.py.
SYMBOL_WEIGHT = 0.3
VECTOR_WEIGHT = 0.6
NEAR_WEIGHT = 0.2  # text matches of the chunks before and after it
SIZE_WEIGHT = 0.1  # a longer place shows more: of two that match alike the larger one helps more
SIZE_BYTES = 200  # a chunk of this size gains 0.07, one of ten times the size 0.24
HEAD_WEIGHT = -0.3  # a class's own chunk is its signature, fields and comment; its methods are chunks of their own
HEAD_KINDS = frozenset({"class", "object", "module", "trait", "interface"})
VERBATIM_WEIGHT = 2.0  # a pasted message or quoted phrase is meant to the letter
NAMED_WEIGHT = 2.0
LESS_NAMED = 0.5  # of it, for a constructor, whose class is meant, and for a name that is written otherwise
POINTED_WEIGHT = 6.0  # so far above that a second place must be named too
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
    all_chunks = {file_id: catalog.chunks(file_id) for file_id in file_ids}
    scores = _chunk_scores(all_chunks, candidates, query, reader, where)
    named: dict[int, list[Named]] = {}
    for each in candidates.named:
        named.setdefault(each.file_id, []).append(each)
    allowed = _allowed_chunks(where)
    out: dict[int, list[Span]] = {}
    for file_id in file_ids:
        chunks = [c for c in all_chunks[file_id] if allowed(file_id, c)]
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


def _chunk_scores(
    files: Mapping[int, Sequence[Chunk]], candidates: Candidates, query: Query, reader: StoreReader, where: Where
) -> dict[int, dict[int, float]]:
    """Per file and ordinal: the weighted sum of the signals of each chunk that has one.

    The recalls end before the last chunk of these files, so their text is searched again, these files only.
    """
    inside = Where(np.array(sorted(files), np.int64), where.chunks, where.kinds)
    depth = sum(map(len, files.values()))
    body, symbol = (reader.search_text(name, query.terms, depth, inside) for name in ("body", "symbol"))
    similarities = candidates.vectors.scores
    # What lies beyond the recall is at most as similar as the last one found: that is nothing.
    similarities = similarities - similarities.min() if len(similarities) else similarities
    phrases = candidates.phrases
    signals = {
        "body": _by_file(files, body.ids, body.scores),
        "symbol": _by_file(files, symbol.ids, symbol.scores),
        "vector": _by_file(files, candidates.vectors.ids, relative(similarities)),
        "verbatim": _by_file(files, phrases.ids, relative(phrases.run + phrases.quoted)),
    }
    return {
        file_id: _file_scores(chunks, {name: of_file[file_id] for name, of_file in signals.items()})
        for file_id, chunks in files.items()
    }


def _by_file(files: Mapping[int, Sequence[Chunk]], ids: Int64s, scores: Float32s) -> dict[int, Float32s]:
    """A signal as one value per chunk of each file, 0 where the chunk was not found."""
    out = {}
    for file_id, chunks in files.items():
        own = ids >> CHUNK_BITS == file_id
        out[file_id] = np.zeros(len(chunks), np.float32)
        out[file_id][ids[own] & _MASK] = scores[own]
    return out


def _file_scores(chunks: Sequence[Chunk], signals: Mapping[str, Float32s]) -> dict[int, float]:
    found = np.any([values > 0 for values in signals.values()], axis=0)
    body = relative(signals["body"])
    near = np.zeros_like(body)
    near[1:] += body[:-1]
    near[:-1] += body[1:]
    sizes = np.array([chunk.end_byte - chunk.start_byte for chunk in chunks], np.float32)
    heads = np.array([chunk.kind in HEAD_KINDS for chunk in chunks], np.float32)
    total = (
        body
        + SYMBOL_WEIGHT * relative(signals["symbol"])
        + VECTOR_WEIGHT * signals["vector"]
        + VERBATIM_WEIGHT * signals["verbatim"]
        + NEAR_WEIGHT * near
        + SIZE_WEIGHT * np.log1p(sizes / SIZE_BYTES)
        + HEAD_WEIGHT * heads
    )
    return dict(zip(np.flatnonzero(found).tolist(), np.maximum(total, 0.0)[found].tolist(), strict=True))


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
    best = 0.0
    for each in named:
        definition = each.definition
        # The first chunk of a definition that was split holds its signature.
        begins = span.start_line <= definition.start_line <= span.end_line
        if definition.symbol == span.symbol and (begins or definition.end_line - definition.start_line > WHOLE_LINES):
            less = LESS_NAMED if definition.kind == "constructor" or not each.exact else 1.0
            meant = NAMED_WEIGHT * less * (1.0 if begins else 0.5)
            # A class that is named is meant as a whole: its head is what to show.
            best = max(best, meant - (HEAD_WEIGHT if span.kind in HEAD_KINDS else 0.0))
    return replace(span, score=span.score + boost + best) if boost + best else span


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
