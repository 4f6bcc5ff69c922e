"""What is embedded of a chunk: its own text, and apart from it the words of its file's path.

The two are embedded apart and added, so that a chunk's own vector comes out of the cache when its file moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from clew.embedding.protocol import Float32s, unit_rows
from clew.records import Chunk

# How much the path counts beside the text. Chosen on labelled queries: see training/embedding/RESULTS.md.
PATH_WEIGHT = 0.5


def chunk_texts(text: bytes, chunks: Sequence[Chunk]) -> Iterator[str]:
    """Symbol, text and context of each chunk of a file's text."""
    for chunk in chunks:
        body = text[chunk.start_byte : chunk.end_byte].decode("utf-8", "replace")
        yield "\n".join(part for part in (chunk.symbol, body, chunk.context) if part)


def path_text(path: str) -> str:
    """The path without the file's ending, which would say the same of every file of a language."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.partition('.')[0] or name}"


def with_paths(vectors: Float32s, paths: Float32s, file_of: npt.NDArray[np.intp]) -> Float32s:
    """Chunk vectors [N, D] and path vectors [F, D] as one unit vector a chunk; `file_of` [N] are rows of `paths`."""
    return unit_rows(vectors + np.float32(PATH_WEIGHT) * paths[file_of])
