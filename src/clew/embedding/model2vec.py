"""Model2vec folders, behind the extra `model2vec` (the packages `tokenizers` and `safetensors`).

The vectors are those of the model2vec library, scaled to length 1: the mean of the token vectors after
truncation and without unknown tokens, in models with a reduced vocabulary through its mapping and weights.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from clew.embedding.protocol import Float32s, in_range, unit_rows
from clew.errors import MissingExtraError, ModelError

_CONFIG, _TOKENIZER, _TENSORS = "config.json", "tokenizer.json", "model.safetensors"
# The largest published model has 500,000 tokens x 256 float32 values: 512 MB, and a tokenizer of 19 MB.
_MAX_BYTES = {_CONFIG: 1 << 20, _TOKENIZER: 64 << 20, _TENSORS: 1 << 30}
# What the library takes where the configuration names no limit.
_DEFAULT_MAX_TOKENS = 512
# Tokens of a block of texts are objects on the tokenizers side; this bounds them.
_BLOCK_TEXTS = 1024
_HINT = "put the model's original folder back, or name another embedder"


class Model2VecEmbedder:
    """An `Embedder` over a model2vec folder. Cost is dominated by the tokenizer: some 100 microseconds a text.

    The identity names no model: the folder carries no reliable name, and a renamed folder is the same model.
    """

    def __init__(self, directory: Path, tokenizers: Any, safetensors: Any) -> None:
        _check_sizes(directory)
        self._max_tokens = _max_tokens(directory / _CONFIG)
        self._tokenizer = _load_tokenizer(directory / _TOKENIZER, tokenizers)
        self._unknown = _unknown_id(self._tokenizer)
        self._table, weights, mapping = _load_tensors(directory / _TENSORS, safetensors)
        vocabulary = self._tokenizer.get_vocab()
        ids = max(vocabulary.values(), default=-1) + 1
        self._rows = _rows(directory / _TENSORS, mapping, ids, len(self._table))
        self._weights = _weights(directory / _TENSORS, weights, ids)
        lengths = [len(token) for token in vocabulary]
        self._max_chars = None if self._max_tokens is None else self._max_tokens * int(np.median(lengths))
        self._limit_tokens()
        self.dimension = int(self._table.shape[1])
        self.identity = f"model2vec:{self.dimension}:{_digest(directory, self._max_tokens)}"

    def embed_documents(self, texts: Sequence[str]) -> Float32s:
        """See `Embedder`. O(total characters + total tokens x dimension)."""
        sums = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _BLOCK_TEXTS):
            block = [_encodable(text[: self._max_chars]) for text in texts[start : start + _BLOCK_TEXTS]]
            encodings = self._tokenizer.encode_batch_fast(block, add_special_tokens=False)
            for row, encoding in zip(sums[start:], encodings, strict=False):
                self._sum(np.array(encoding.ids, dtype=np.intp), row)
        return unit_rows(sums)

    def embed_query(self, text: str) -> Float32s:
        """See `Embedder`. Queries and documents are embedded alike."""
        row: Float32s = self.embed_documents([text])[0]
        return row

    def _sum(self, ids: npt.NDArray[np.intp], out: Float32s) -> None:
        # The mean differs from the sum in length only, which the scaling to length 1 takes away.
        ids = ids[ids != self._unknown]
        np.dot(self._weights[ids], self._table[self._rows[ids]].astype(np.float32), out=out)

    def _limit_tokens(self) -> None:
        self._tokenizer.no_padding()
        if self._max_tokens is None:
            self._tokenizer.no_truncation()
        else:
            self._tokenizer.enable_truncation(self._max_tokens)


def holds_model2vec(directory: Path) -> bool:
    """Whether the folder has the files of a model2vec model."""
    return all((directory / name).is_file() for name in _MAX_BYTES)


def open_model2vec(directory: Path) -> Model2VecEmbedder:
    """Load a model2vec folder. MissingExtraError without the extra, ModelError when files are damaged or do not fit."""
    try:
        tokenizers = importlib.import_module("tokenizers")
        safetensors = importlib.import_module("safetensors")
    except ImportError:
        raise MissingExtraError("a model2vec model", "model2vec") from None
    return Model2VecEmbedder(directory, tokenizers, safetensors)


def _fail(path: Path, reason: str) -> NoReturn:
    raise ModelError(f"{path}: {reason}", hint=_HINT)


def _check_sizes(directory: Path) -> None:
    for name, limit in _MAX_BYTES.items():
        path = directory / name
        if not path.is_file():
            _fail(path, "this file of the model is missing")
        if path.stat().st_size > limit:
            _fail(path, f"larger than {limit} bytes, which no such file may be")


def _max_tokens(path: Path) -> int | None:
    try:
        config = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        _fail(path, "not valid JSON")
    limit = config.get("max_length", _DEFAULT_MAX_TOKENS) if isinstance(config, dict) else 0
    if limit is not None and (type(limit) is not int or limit < 1):
        _fail(path, "its max_length is not a positive number")
    return limit


def _load_tokenizer(path: Path, tokenizers: Any) -> Any:
    try:
        return tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the package raises plain Exception
        _fail(path, f"not a tokenizer ({_one_line(error)})")


def _unknown_id(tokenizer: Any) -> int:
    """The id of the unknown token, or -1. Unigram models name it by id, all others by its text."""
    if hasattr(tokenizer.model, "unk_token"):
        token = tokenizer.model.unk_token
        found = None if token is None else tokenizer.token_to_id(token)
    else:
        found = json.loads(tokenizer.to_str())["model"].get("unk_id")
    return -1 if found is None else int(found)


def _load_tensors(path: Path, safetensors: Any) -> tuple[npt.NDArray[Any], Any, Any]:
    try:
        with safetensors.safe_open(str(path), framework="numpy") as stored:
            tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118 (not a mapping)
    except Exception as error:  # the package's error is not exported, and a type numpy lacks is a TypeError
        _fail(path, f"cannot be read as safetensors ({_one_line(error)})")
    # Written by model2vec, or by sentence-transformers for the same kind of model.
    table = tensors.get("embeddings", tensors.get("embedding.weight"))
    if table is None or table.ndim != 2 or not table.size or table.dtype.kind not in "fi":
        _fail(path, "holds no table of token vectors")
    if not in_range(table):
        _fail(path, "its table holds a value that is no number or too large")
    return table, tensors.get("weights"), tensors.get("mapping")


def _rows(path: Path, mapping: Any, ids: int, rows: int) -> npt.NDArray[np.intp]:
    """The table's row of each token id."""
    if mapping is None:
        mapping = np.arange(rows)
    if ids == 0 or mapping.shape != (ids,) or mapping.dtype.kind not in "iu":
        _fail(path, f"{mapping.size} token vectors for the {ids} tokens of {_TOKENIZER}")
    if mapping.min() < 0 or mapping.max() >= rows:
        _fail(path, "its mapping points outside of the table")
    return np.asarray(mapping, dtype=np.intp)


def _weights(path: Path, weights: Any, ids: int) -> Float32s:
    if weights is None:
        return np.ones(ids, dtype=np.float32)
    if weights.shape != (ids,) or weights.dtype.kind != "f" or not in_range(weights):
        _fail(path, f"its weights are not one number for each of {ids} tokens")
    return np.asarray(weights, dtype=np.float32)


def _digest(directory: Path, max_tokens: int | None) -> str:
    digest = hashlib.sha256(f"{max_tokens}\n".encode())
    for name in (_TOKENIZER, _TENSORS):
        with (directory / name).open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:12]


def _encodable(text: str) -> str:
    """Lone surrogates, which the tokenizer refuses, become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
