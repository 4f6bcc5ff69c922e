"""The chunk store: top k by text and top k by vector, under a filter.

A store keeps no state of its own about which generation is current. `StoreWriter.finish`
makes everything durable and returns a manifest, an opaque JSON value; the catalog saves it in
the same transaction as files, definitions and chunks. A reader opens the manifest it read
there and so sees exactly one generation, whatever writers do meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]
Float32s = npt.NDArray[np.float32]

# Text fields. The first two have one document per chunk, the others one per file.
CHUNK_FIELDS = ("body", "symbol")
FILE_FIELDS = ("file_body", "file_symbol", "path")
# chunk id = file id << 20 | ordinal. A file has at most parsing.chunks.MAX_CHUNKS of them, far fewer than fit.
CHUNK_BITS = 20


@dataclass(frozen=True, slots=True)
class Postings:
    """Term counts of a batch as parallel arrays: document row, index into the batch's vocabulary, count."""

    rows: npt.NDArray[np.uint32]
    terms: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file of a batch; its chunks are the next `chunks` rows of the batch, by ordinal."""

    file_id: int
    path: str
    language: str
    flags: int
    chunks: int


@dataclass(frozen=True, slots=True)
class ChunkBatch:
    """Files to add, with their chunks' terms.

    `postings` has the fields `body` and `symbol` (rows are chunk rows of the batch) and `path`
    (rows are file rows of the batch). The file fields `file_body` and `file_symbol` are the sums
    of the chunk fields and are derived by the store. `kinds` holds an index into
    `records.CHUNK_KINDS` per chunk. `vectors` has one row per chunk, L2-normalised, or is None
    when no embedder is configured; a store may round it to float16.
    """

    files: Sequence[FileRow]
    kinds: npt.NDArray[np.uint8]
    vocabulary: Sequence[str]
    postings: Mapping[str, Postings]
    vectors: Float32s | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """A resolved filter: None means no restriction; an empty array admits nothing.

    `files` and `chunks` are sorted ids, `kinds` are names from `records.CHUNK_KINDS`.
    Applied before top-k, in every field; `kinds` and `chunks` restrict chunk documents only.
    `definitions` are kinds that have no chunks of their own: `chunks` then are those around such
    definitions, and the answer shows the definitions. A store ignores it.
    """

    files: Int64s | None = None
    chunks: Int64s | None = None
    kinds: frozenset[str] | None = None
    definitions: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class TextHits:
    """Best documents first, ties by id. `ids` are chunk ids or file ids according to the field.

    `scores` are BM25; `coverage` is the share, by inverse document frequency, of the query's
    terms that the document holds (0..1).
    """

    ids: Int64s
    scores: Float32s
    coverage: Float32s


@dataclass(frozen=True, slots=True)
class VectorHits:
    """Best chunks first, ties by id; `scores` are cosine similarities."""

    ids: Int64s
    scores: Float32s


@dataclass(frozen=True, slots=True)
class StoreCounts:
    files: int
    chunks: int
    segments: int = 0
    vectors: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)


class StoreReader(Protocol):
    """One generation, read-only; safe to use while a writer works."""

    def search_text(self, field: str, terms: Mapping[str, float], limit: int, where: Where | None = None) -> TextHits:
        """BM25 of weighted query terms in one field. O(postings of the terms)."""

    def search_vectors(self, vector: Float32s, limit: int, where: Where | None = None) -> VectorHits:
        """Exact nearest chunks by cosine. O(chunks x dimension). Empty when nothing is embedded."""

    def document_frequency(self, field: str, term: str) -> int:
        """In how many documents of the field the term occurs."""

    def documents(self, field: str) -> int:
        """How many documents the field has."""

    def vectors(self, chunk_ids: Int64s) -> Float32s | None:
        """The stored vectors of these chunks, in order; None when nothing is embedded. KeyError for an unknown id."""

    def counts(self) -> StoreCounts: ...

    def verify(self) -> None:
        """Read all that is stored; DamagedIndexError when a part does not match its checksum."""

    def close(self) -> None: ...


class StoreWriter(Protocol):
    """The next generation in the making. Nothing is visible before the catalog commits the manifest."""

    def add(self, batch: ChunkBatch) -> None: ...

    def remove(self, file_ids: Sequence[int]) -> None: ...

    def finish(self) -> Any:
        """Make all durable and return the manifest of the new generation."""

    def abort(self) -> None:
        """Drop what was written; the old generation is untouched."""


class Store(Protocol):
    name: str

    def reader(self, manifest: Any) -> StoreReader: ...

    def writer(self, manifest: Any | None) -> StoreWriter:
        """Continue from a manifest, or from nothing."""

    def collect_garbage(self, manifest: Any) -> int:
        """Remove what no manifest needs; only under the writer lock. Returns how many files went."""
