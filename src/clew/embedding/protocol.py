"""What every embedder promises, whatever model stands behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Float32s = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Text to vectors. The same text gives the same vector whatever else is in the batch."""

    @property
    def identity(self) -> str:
        """Kind, name, dimension and a short hash of all that decides the vectors.

        Part of the index fingerprint and of every vector cache key, so vectors of two models never meet.
        """

    @property
    def dimension(self) -> int: ...

    def embed_documents(self, texts: Sequence[str]) -> Float32s:
        """Shape (len(texts), dimension). Rows are L2-normalised; a text without known tokens is a row of zeros."""

    def embed_query(self, text: str) -> Float32s:
        """Shape (dimension,), L2-normalised, or zeros when the text has no known token."""


# Real models stay below 100. Sums of 10,000 products of three such values can still be squared as float32.
_MAX_FACTOR = 1e4


def in_range(values: npt.NDArray[np.generic]) -> bool:
    """Whether a model's numbers are numbers, and small enough that no sum of them can overflow. O(values)."""
    numbers = np.asarray(values, dtype=np.float32)
    return bool(numbers.size) and bool(max(numbers.max(), -numbers.min()) <= _MAX_FACTOR)  # False for NaN


def unit_rows(vectors: npt.NDArray[np.floating]) -> Float32s:
    """The rows scaled to length 1 as float32; rows of zeros stay zeros. O(rows x dimension)."""
    rows = np.asarray(vectors, dtype=np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    norms[norms == 0] = 1
    return np.asarray(rows / norms[:, None], dtype=np.float32)
