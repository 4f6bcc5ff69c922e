"""Small real models, written by the same function that writes the shipped one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from clew.embedding import StaticEmbedder, open_static, write_static_model

WORDS = [
    "get", "set", "user", "by", "id", "name", "http", "server", "parse", "config", "file", "read", "write",
    "url", "urls", "retry", "request", "timeout", "token", "2", "256", "sha", "café", "用户",
]  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOCABULARY = [*WORDS, *LETTERS, *(f"##{char}" for char in LETTERS + "0123456789"), "##ing", "##er"]


def random_vectors(rows: int, dimension: int = 32) -> np.ndarray:
    return np.random.default_rng(7).standard_normal((rows, dimension)).astype(np.float32)


@pytest.fixture
def vocabulary() -> list[str]:
    return VOCABULARY


@pytest.fixture
def vectors() -> np.ndarray:
    return random_vectors(len(VOCABULARY))


@pytest.fixture
def model(tmp_path: Path, vectors: np.ndarray) -> Path:
    """The folder of a valid static model."""
    directory = tmp_path / "model"
    write_static_model(directory, name="small", vocabulary=VOCABULARY, vectors=vectors, licence="Apache-2.0")
    return directory


@pytest.fixture
def embedder(model: Path) -> StaticEmbedder:
    return open_static(model)


class CountingEmbedder:
    """A real embedder that remembers how many texts it was given."""

    def __init__(self, inner: StaticEmbedder) -> None:
        self.inner = inner
        self.identity = inner.identity
        self.dimension = inner.dimension
        self.blocks: list[int] = []

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        self.blocks.append(len(texts))
        return self.inner.embed_documents(texts)

    def embed_query(self, text: str) -> np.ndarray:
        return self.inner.embed_query(text)


@pytest.fixture
def counting(embedder: StaticEmbedder) -> CountingEmbedder:
    return CountingEmbedder(embedder)


@pytest.fixture
def flip() -> Callable[[Path, int], None]:
    """Invert one byte of a file."""

    def flip_byte(path: Path, offset: int) -> None:
        data = bytearray(path.read_bytes())
        data[offset] ^= 0xFF
        path.write_bytes(data)

    return flip_byte
