"""Small corpora, and the exact answers to compare a store with: BM25 and cosine in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from clew.index.store import CHUNK_BITS, CHUNK_FIELDS, ChunkBatch, FileRow, Postings, StoreReader, Where
from clew.records import CHUNK_KINDS

K1, B = 1.2, 0.75
WORDS = ("alpha", "beta", "gamma", "δέλτα", "测试", "e", "")
KINDS = ("function", "class", "gap")
ALL_FIELDS = ("body", "symbol", "file_body", "file_symbol", "path")


@dataclass(frozen=True)
class ChunkDoc:
    body: Mapping[str, int]
    symbol: Mapping[str, int] = field(default_factory=dict)
    kind: str = "function"
    vector: tuple[float, ...] | None = None


@dataclass(frozen=True)
class FileDoc:
    path: str
    chunks: tuple[ChunkDoc, ...]
    words: Mapping[str, int] = field(default_factory=dict)


Corpus = dict[int, FileDoc]


def batch_of(files: Mapping[int, FileDoc]) -> ChunkBatch:
    chunks = [chunk for file in files.values() for chunk in file.chunks]
    documents = {
        "body": [chunk.body for chunk in chunks],
        "symbol": [chunk.symbol for chunk in chunks],
        "path": [file.words for file in files.values()],
    }
    vocabulary: dict[str, int] = {}
    postings = {name: _postings(counted, vocabulary) for name, counted in documents.items()}
    embedded = [chunk.vector for chunk in chunks if chunk.vector is not None]
    return ChunkBatch(
        files=[FileRow(file_id, file.path, "python", 0, len(file.chunks)) for file_id, file in files.items()],
        kinds=np.array([CHUNK_KINDS.index(chunk.kind) for chunk in chunks], np.uint8),
        vocabulary=list(vocabulary),
        postings=postings,
        vectors=np.array(embedded, np.float32) if embedded else None,
    )


def _postings(documents: Sequence[Mapping[str, int]], vocabulary: dict[str, int]) -> Postings:
    rows = [
        (row, vocabulary.setdefault(word, len(vocabulary)), count)
        for row, counts in enumerate(documents)
        for word, count in counts.items()
    ]
    table = np.array(rows, np.uint32).reshape(-1, 3)
    return Postings(table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy())


def documents_of(corpus: Corpus, name: str) -> dict[int, Counter[str]]:
    """The documents of a field by id."""
    found: dict[int, Counter[str]] = {}
    for file_id, file in corpus.items():
        if name == "path":
            found[file_id] = Counter(dict(file.words))
            continue
        part = name.removeprefix("file_")
        terms = [Counter(dict(getattr(chunk, part))) for chunk in file.chunks]
        if name in CHUNK_FIELDS:
            found |= {file_id << CHUNK_BITS | ordinal: counts for ordinal, counts in enumerate(terms)}
        else:
            found[file_id] = sum(terms, Counter())
    return found


def exact_scores(corpus: Corpus, name: str, terms: Mapping[str, float]) -> dict[int, tuple[float, float]]:
    """BM25 score and coverage of every document that holds a term."""
    documents = documents_of(corpus, name)
    total_length = sum(sum(counts.values()) for counts in documents.values())
    average = total_length / len(documents) if total_length else 1.0
    gains = {}
    for term, weight in terms.items():
        frequency = sum(1 for counts in documents.values() if counts[term])
        gains[term] = weight * math.log(1 + (len(documents) - frequency + 0.5) / (frequency + 0.5))
    scores = {}
    for document, counts in documents.items():
        damping = K1 * (1 - B + B * sum(counts.values()) / average)
        held = [term for term in terms if counts[term]]
        frequencies = {term: min(counts[term], 255) for term in held}
        score = sum(gains[term] * frequencies[term] * (K1 + 1) / (frequencies[term] + damping) for term in held)
        if held:
            scores[document] = (score, sum(gains[term] for term in held) / sum(gains.values()))
    return scores


def exact_cosines(corpus: Corpus, query: Sequence[float]) -> dict[int, float]:
    length = math.sqrt(sum(x * x for x in query))
    return {
        file_id << CHUNK_BITS | ordinal: sum(a * b for a, b in zip(chunk.vector, query, strict=True)) / length
        for file_id, file in corpus.items()
        for ordinal, chunk in enumerate(file.chunks)
        if chunk.vector is not None
    }


def admitted(corpus: Corpus, name: str, document: int, where: Where | None) -> bool:
    if where is None:
        return True
    chunked = name in CHUNK_FIELDS
    file_id = document >> CHUNK_BITS if chunked else document
    if where.files is not None and file_id not in where.files.tolist():
        return False
    if not chunked:
        return True
    if where.chunks is not None and document not in where.chunks.tolist():
        return False
    kind = corpus[file_id].chunks[document & ((1 << CHUNK_BITS) - 1)].kind
    return where.kinds is None or kind in where.kinds


def check_ranking(ids: Sequence[int], scores: Sequence[float], exact: Mapping[int, float], limit: int) -> None:
    """The hits are the best `limit` documents; only scores closer than rounding may change places."""
    tolerance = 1e-4 * max(1.0, *map(abs, exact.values())) if exact else 0.0
    assert len(ids) == len(set(ids)) == min(limit, len(exact))
    assert list(zip([-score for score in scores], ids, strict=True)) == sorted(
        zip([-score for score in scores], ids, strict=True)
    )
    for document, score in zip(ids, scores, strict=True):
        assert abs(exact[document] - score) <= tolerance
    missed = [exact[document] for document in exact if document not in set(ids)]
    if missed and len(ids):
        assert max(missed) <= exact[ids[-1]] + 2 * tolerance


def check_text(
    reader: StoreReader, corpus: Corpus, name: str, terms: Mapping[str, float], limit: int, where: Where | None = None
) -> None:
    found = reader.search_text(name, terms, limit, where)
    exact = {d: both for d, both in exact_scores(corpus, name, terms).items() if admitted(corpus, name, d, where)}
    ids = found.ids.tolist()
    check_ranking(ids, found.scores.tolist(), {document: both[0] for document, both in exact.items()}, limit)
    for document, coverage in zip(ids, found.coverage.tolist(), strict=True):
        assert abs(exact[document][1] - coverage) < 1e-5


def check_vectors(
    reader: StoreReader, corpus: Corpus, query: Sequence[float], limit: int, where: Where | None = None
) -> None:
    found = reader.search_vectors(np.array(query, np.float32), limit, where)
    exact = {d: score for d, score in exact_cosines(corpus, query).items() if admitted(corpus, "body", d, where)}
    check_ranking(found.ids.tolist(), found.scores.tolist(), exact, limit)


def check_counts(reader: StoreReader, corpus: Corpus) -> None:
    counts = reader.counts()
    assert (counts.files, counts.chunks) == (len(corpus), sum(len(file.chunks) for file in corpus.values()))
    for name in ALL_FIELDS:
        documents = documents_of(corpus, name)
        assert reader.documents(name) == len(documents)
        for word in WORDS:
            expected = sum(1 for held in documents.values() if held[word])
            assert reader.document_frequency(name, word) == expected


def unit(values: Sequence[float]) -> tuple[float, ...]:
    """Rounded to float16 as a store keeps it, so that the exact answer sees the same numbers."""
    array = np.array(values, np.float32)
    return tuple((array / np.linalg.norm(array)).astype(np.float16).tolist())


def _unit_vectors(dimension: int) -> st.SearchStrategy[tuple[float, ...]]:
    numbers = st.lists(st.integers(-3, 3), min_size=dimension, max_size=dimension)
    return numbers.filter(any).map(unit)


def counts_of_words(most: int = 3) -> st.SearchStrategy[dict[str, int]]:
    return st.dictionaries(st.sampled_from(WORDS), st.integers(1, most), max_size=4)


@st.composite
def files(draw: st.DrawFn, dimension: int | None = None) -> FileDoc:
    vectors = st.none() if dimension is None else _unit_vectors(dimension)
    chunk = st.builds(
        ChunkDoc, body=counts_of_words(400), symbol=counts_of_words(), kind=st.sampled_from(KINDS), vector=vectors
    )
    path = draw(st.sampled_from(("a.py", "b/a.py", "b/c.py", "z.py", "ä.py", "b.py")))
    return FileDoc(path, tuple(draw(st.lists(chunk, max_size=4))), draw(counts_of_words()))


def corpora(dimension: int | None = None, most: int = 8) -> st.SearchStrategy[Corpus]:
    return st.dictionaries(st.integers(0, 9), files(dimension), max_size=most)


def queries() -> st.SearchStrategy[dict[str, float]]:
    weights = st.sampled_from((0.3, 1.0, 2.5))
    return st.dictionaries(st.sampled_from((*WORDS, "unknown")), weights, min_size=1, max_size=4)


@st.composite
def filters(draw: st.DrawFn) -> Where | None:
    if draw(st.booleans()):
        return None
    ids = st.lists(st.integers(0, 10), unique=True).map(sorted)
    ordinals = st.lists(st.integers(0, 4), unique=True)
    chosen = draw(st.none() | ids)
    chunks = draw(st.none() | st.tuples(ids, ordinals).map(_chunk_ids))
    return Where(
        files=None if chosen is None else np.array(chosen, np.int64),
        chunks=chunks,
        kinds=draw(st.none() | st.frozensets(st.sampled_from(KINDS))),
    )


def _chunk_ids(parts: tuple[Iterable[int], Sequence[int]]) -> np.ndarray:
    return np.array(sorted(file << CHUNK_BITS | ordinal for file in parts[0] for ordinal in parts[1]), np.int64)
