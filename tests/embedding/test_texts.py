"""What of a chunk is embedded."""

from __future__ import annotations

import numpy as np
import pytest

from clew.embedding import chunk_texts, path_text, with_paths
from clew.records import Chunk


def test_a_chunk_gives_its_symbol_its_text_and_its_context() -> None:
    text = b"def total(): ...\ndef tax(): ...\n"
    chunks = [
        Chunk(0, "function", "total", 1, 1, 0, 17, context="Cart"),
        Chunk(1, "gap", "", 2, 2, 17, len(text)),
    ]
    assert list(chunk_texts(text, chunks)) == ["total\ndef total(): ...\n\nCart", "def tax(): ...\n"]


@pytest.mark.parametrize(
    ("path", "words"),
    [("src/app/cart.test.ts", "src/app/cart"), ("Makefile", "Makefile"), ("a.b/.gitignore", "a.b/.gitignore")],
)
def test_a_path_gives_its_folders_and_its_name_without_endings(path: str, words: str) -> None:
    assert path_text(path) == words


def test_a_chunk_moves_towards_its_path_and_stays_a_unit_vector() -> None:
    vectors = np.array([[1, 0, 0], [0, 1, 0]], np.float32)
    paths = np.array([[0, 0, 1]], np.float32)
    mixed = with_paths(vectors, paths, np.array([0, 0]))
    assert np.allclose(np.linalg.norm(mixed, axis=1), 1)
    assert (mixed[:, 2] > 0.4).all()
    assert mixed[0, 0] > mixed[0, 2]


def test_a_path_without_known_words_changes_nothing() -> None:
    vectors = np.array([[0.6, 0.8]], np.float32)
    assert np.allclose(with_paths(vectors, np.zeros((1, 2), np.float32), np.array([0])), vectors)
