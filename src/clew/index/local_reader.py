"""Searching one generation of the local store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.errors import ModelError
from clew.index.local_manifest import Manifest
from clew.index.segment import FIELDS, damaged
from clew.index.segment_view import View, best_rows
from clew.index.store import Float32s, Int64s, StoreCounts, TextHits, VectorHits, Where
from clew.index.vector_scan import nearest_rows

# Okapi BM25: the values of Robertson and Zaragoza, also those of the trial that set the fusion weights.
K1 = 1.2
B = 0.75


@dataclass(frozen=True, slots=True)
class _Term:
    """A query term: what a document gains by it at most, and its postings in each segment."""

    gain: float
    postings: list[tuple[Int64s, npt.NDArray[np.uint8]]]


class LocalReader:
    """One generation, read-only and safe for several threads. Opening costs O(segments + dead files)."""

    def __init__(self, directory: Path, manifest: Manifest) -> None:
        self._views: tuple[View, ...] | None = tuple(
            View.open(directory, entry, manifest.dimension) for entry in manifest.segments
        )
        self._dimension = manifest.dimension

    def search_text(self, field: str, terms: Mapping[str, float], limit: int, where: Where | None = None) -> TextHits:
        """BM25 of weighted query terms in one field. O(postings of the terms).

        Counts, frequencies and lengths are those of the living documents only, so an index that
        was updated answers like one that was just built. Terms of weight 0 take no part.
        Raises ValueError for an unknown field or a weight that is negative or not finite.
        """
        views = self._opened(field)
        weighted = self._weigh(field, terms)
        found: list[tuple[int, Int64s, Float32s]] = []
        for number, view in enumerate(views):
            if limit <= 0 or not any(term.postings[number][0].size for term in weighted):
                continue
            scores = self._scores(field, number, weighted)
            view.drop(scores, field, where)
            rows = best_rows(scores, limit, 0.0)
            found.append((number, rows, scores[rows]))
        return self._text_hits(field, weighted, found, limit)

    def search_vectors(self, vector: Float32s, limit: int, where: Where | None = None) -> VectorHits:
        """Exact nearest chunks by cosine. O(chunks x dimension), on a quarter of the vectors' bytes.

        Raises ModelError when the query vector does not fit the index.
        """
        views = self._opened("body")
        if self._dimension is None or limit <= 0:
            return VectorHits(np.zeros(0, np.int64), np.zeros(0, np.float32))
        query = _unit(vector, self._dimension)
        ids, scores = [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
        for view in views:
            if query is None or view.segment.dimension is None:
                continue
            admitted = view.admitted(True, where)
            rows, similarities = nearest_rows(view.segment, query, limit, admitted)
            ids.append(view.segment.document_ids("body", rows))
            scores.append(similarities)
        order = _best(np.concatenate(ids), np.concatenate(scores), limit)
        return VectorHits(np.concatenate(ids)[order], np.concatenate(scores)[order])

    def document_frequency(self, field: str, term: str) -> int:
        """In how many living documents of the field the term occurs. O(postings) where files are dead."""
        views = self._opened(field)
        return sum(view.frequency(field, view.postings(field, term)[0]) for view in views)

    def documents(self, field: str) -> int:
        return sum(view.living(field) for view in self._opened(field))

    def vectors(self, chunk_ids: Int64s) -> Float32s | None:
        views = self._opened("body")
        if self._dimension is None:
            return None
        wanted = np.asarray(chunk_ids, np.int64)
        out = np.empty((wanted.size, self._dimension), np.float32)
        missing = np.ones(wanted.size, np.bool_)
        for view in views:
            rows = view.chunk_rows(wanted)
            here = rows >= 0
            if here.any() and view.segment.dimension is not None:
                out[here] = view.segment.arrays["vectors"][rows[here]]
                missing &= ~here
        if missing.any():
            raise KeyError(int(wanted[missing][0]))
        return out

    def counts(self) -> StoreCounts:
        views = self._opened("body")
        files, chunks = self.documents("path"), self.documents("body")
        details = {
            "bytes": sum(view.segment.size for view in views),
            "dead_files": sum(view.segment.files for view in views) - files,
            "dead_chunks": sum(view.segment.chunks for view in views) - chunks,
        }
        return StoreCounts(files, chunks, len(views), 0 if self._dimension is None else chunks, details)

    def verify(self) -> None:
        """Check all checksums and that no file lives twice. Reads every byte; raises DamagedIndexError."""
        views = self._opened("body")
        for view in views:
            view.segment.verify()
        ids = np.concatenate([view.living_files() for view in views]) if views else np.zeros(0, np.int64)
        if np.unique(ids).size != ids.size:
            raise damaged(", ".join(view.segment.name for view in views), "a file lives in two segments")

    def close(self) -> None:
        """Let go of the files. Searching afterwards raises ValueError."""
        self._views = None

    def _opened(self, field: str) -> tuple[View, ...]:
        if self._views is None:
            raise ValueError("the reader is closed")
        if field not in FIELDS:
            raise ValueError(f"unknown field {field!r}")
        return self._views

    def _weigh(self, field: str, terms: Mapping[str, float]) -> list[_Term]:
        """Terms in a fixed order, so that equal queries add the same floats in the same order."""
        views = self._opened(field)
        documents = self.documents(field)
        weighted: list[_Term] = []
        for term, weight in sorted(terms.items()):
            if weight < 0 or not isfinite(weight):
                raise ValueError(f"the weight of {term!r} must be finite and not negative")
            if weight == 0:
                continue
            postings = [view.postings(field, term) for view in views]
            frequency = sum(view.frequency(field, own[0]) for view, own in zip(views, postings, strict=True))
            weighted.append(_Term(weight * log(1 + (documents - frequency + 0.5) / (frequency + 0.5)), postings))
        return weighted

    def _scores(self, field: str, number: int, weighted: Sequence[_Term]) -> Float32s:
        view = self._opened(field)[number]
        damping = view.damping(field, self._average_length(field), K1, B)
        scores = np.zeros(damping.size, np.float32)
        for term in weighted:
            rows, counts = term.postings[number]
            gained = counts.astype(np.float32)
            np.divide(gained, damping.take(rows) + gained, out=gained)
            gained *= np.float32(term.gain * (K1 + 1))
            np.add.at(scores, rows, gained)
        return scores

    def _average_length(self, field: str) -> float:
        views = self._opened(field)
        total, documents = sum(view.total_length(field) for view in views), self.documents(field)
        return total / documents if total else 1.0

    def _text_hits(
        self, field: str, weighted: Sequence[_Term], found: Sequence[tuple[int, Int64s, Float32s]], limit: int
    ) -> TextHits:
        views = self._opened(field)
        if not found:
            return TextHits(np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros(0, np.float32))
        ids = np.concatenate([views[number].segment.document_ids(field, rows) for number, rows, _ in found])
        scores = np.concatenate([part for _, _, part in found])
        sources = np.concatenate([np.full(rows.size, number) for number, rows, _ in found])
        rows = np.concatenate([rows for _, rows, _ in found])
        order = _best(ids, scores, limit)
        return TextHits(ids[order], scores[order], _coverage(weighted, sources[order], rows[order]))


def _coverage(weighted: Sequence[_Term], sources: Int64s, rows: Int64s) -> Float32s:
    """Only for the hits: a search in each sorted posting list is far cheaper than a second sum over all postings."""
    covered = np.zeros(rows.size, np.float64)
    total = 0.0
    for term in weighted:
        total += term.gain
        for number in sorted(set(sources.tolist())):  # np.unique would import numpy.ma, 7 ms
            postings = term.postings[number][0]
            here = np.flatnonzero(sources == number)
            if not postings.size:
                continue
            wanted = rows[here]
            at = np.minimum(np.searchsorted(postings, wanted), postings.size - 1)
            covered[here[postings[at] == wanted]] += term.gain
    return (covered / total).astype(np.float32)


def _best(ids: Int64s, scores: Float32s, limit: int) -> npt.NDArray[Any]:
    return np.lexsort((ids, -scores))[:limit]


def _unit(vector: Float32s, dimension: int) -> Float32s | None:
    """The query at length 1; None for the zero vector, which is near nothing."""
    query = np.asarray(vector, np.float32)
    if query.shape != (dimension,):
        raise ModelError(
            f"the query vector has shape {query.shape}, the index has dimension {dimension}",
            hint="rebuild the index for this embedder with: clew index --full",
        )
    if not np.isfinite(query).all():
        raise ModelError("the query vector holds numbers that are not finite")
    length = float(np.linalg.norm(query.astype(np.float64)))
    return (query / np.float32(length)).astype(np.float32) if length > 0 else None
