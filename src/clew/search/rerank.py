"""An optional second stage: a transformer reads the best places of the first files and orders these files again.

Off by default. A vector is kept by its text, so a place is read once by the transformer and never again
before it changes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from clew.embedding import Embedder, VectorCache, embed_with_cache
from clew.errors import ClewError
from clew.index.store import Float32s
from clew.search.places import Span

# Files that are ordered again, and places that are read in each. 10 files, or one place, were no different by more than
# chance on 468 queries.
FILES = 15
PLACES = 2
# What a cosine similarity of 1 counts beside the ranker's score. `benchmarks/quality/rerank.py` measures it: 0.4 was
# best for 504 queries, 0.4 and 0.8 for their halves by repository. Run it again when the ranker is another.
WEIGHT = 0.4
# Texts between two looks at the clock: 0.1 to 0.3 s of all-MiniLM-L6-v2 on one core.
_BLOCK_TEXTS = 4


@dataclass(frozen=True, slots=True)
class Reranked:
    """Files best first with their scores. `similarities` by file id is empty where the order is that of before."""

    best: list[tuple[int, float]]
    similarities: Mapping[int, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Reranker:
    """The second stage of one embedder. `cache` is a file of vectors; the index's own will do."""

    def __init__(
        self, embedder: Embedder, cache: Path, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._embedder = embedder
        self._cache = cache
        self._seconds = seconds
        self._clock = clock

    def __call__(
        self, query: str, best: list[tuple[int, float]], lines: Mapping[int, Sequence[Span]],
        text_of: Callable[[int], bytes],
    ) -> Reranked:  # fmt: skip
        """Order the first FILES of `best` again; the others follow as they were.

        Takes at most `seconds`, and the time of _BLOCK_TEXTS texts. All or nothing: a query's order is the one
        with the similarities of all places, or that of before with a note. What was read is kept either way,
        so asking again goes on from there. Nothing is raised: a model that fails becomes a note.
        """
        head = best[:FILES]
        places = [(file_id, span) for file_id, _ in head for span in lines.get(file_id, ())[:PLACES]]
        if len(head) < 2 or not places:
            return Reranked(best)
        texts = [place_text(span, text_of(file_id)) for file_id, span in places]
        try:
            cosines, notes = self._cosines(query, texts)
        except ClewError as error:
            return Reranked(best, notes=(f"not reranked: {error.message}",))
        if len(cosines) < len(texts):
            missing = f"{len(cosines)} of {len(texts)} places were read within {self._seconds:g} s"
            return Reranked(best, notes=(*notes, f"not reranked: {missing}; ask again to go on"))
        similarities: dict[int, float] = {}
        for (file_id, _), cosine in zip(places, cosines, strict=True):
            similarities[file_id] = max(similarities.get(file_id, -1.0), cosine)
        first = mixed(head, similarities)
        rest = [(file_id, min(score, first[-1][1])) for file_id, score in best[FILES:]]
        return Reranked(first + rest, similarities, notes)

    def _cosines(self, query: str, texts: Sequence[str]) -> tuple[list[float], tuple[str, ...]]:
        """The texts' similarities to the query, as many as time allows, and what the cache has to say."""
        end = self._clock() + self._seconds
        vector = self._embedder.embed_query(query)
        found: list[float] = []
        longest = 0.0
        with VectorCache(self._cache) as cache:
            for start in range(0, len(texts), _BLOCK_TEXTS):
                before = self._clock()
                if start and before + longest > end:
                    break
                vectors, _ = embed_with_cache(self._embedder, cache, texts[start : start + _BLOCK_TEXTS])
                found += _dots(vectors, vector)
                longest = max(longest, self._clock() - before)
            cache.trim()
            return found, tuple(cache.notes)


def mixed(
    head: Sequence[tuple[int, float]], similarities: Mapping[int, float], weight: float = WEIGHT
) -> list[tuple[int, float]]:
    """The files by score + weight x similarity, ties as they were. One without a place counts as the least similar.

    A sum decides little where the ranker is sure; scaling either part by its spread was worse.
    """
    least = min(similarities.values())
    total = [(file_id, round(score + weight * similarities.get(file_id, least), 5)) for file_id, score in head]
    return sorted(total, key=lambda each: -each[1])


def _dots(vectors: Float32s, vector: Float32s) -> list[float]:
    """Cosines by einsum: sums of BLAS depend on where in a block a row lies."""
    return [float(each) for each in np.round(np.einsum("ij,j->i", vectors, vector), 5)]


def place_text(span: Span, text: bytes) -> str:
    """What is read of a place: its symbol and its lines. With the path in front it was no better."""
    body = text[span.start_byte : span.end_byte].decode("utf-8", "replace")
    return f"{span.symbol}\n{body}" if span.symbol else body
