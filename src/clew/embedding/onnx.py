"""Transformers as ONNX, behind the extra `onnx` (the packages `onnxruntime` and `tokenizers`).

Much slower than a static model: all-MiniLM-L6-v2 takes 27 ms of a quiet core for a chunk on average.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.embedding.onnx_files import OnnxModel, fail, read_folder, read_named
from clew.embedding.protocol import Float32s, unit_rows
from clew.errors import MissingExtraError, ModelError
from clew.settings import ONNX_PREFIX, is_model_path

# Nothing is gained above it: the runs share the memory bandwidth.
MAX_THREADS = 16
# A token of source code has 3 to 4 characters, one after deep indentation some 20; this bounds a tokenizer's work.
_CHARS_PER_TOKEN = 32
# Severity of onnxruntime's own log on stderr: only what ends the process. Errors reach us as exceptions.
_FATAL = 4
_PADS = {"attention_mask": 1, "token_type_ids": 0}
_INTEGERS: dict[str, np.dtype[Any]] = {"tensor(int64)": np.dtype(np.int64), "tensor(int32)": np.dtype(np.int32)}
_MAX_DIMENSION = 4096


class OnnxEmbedder:
    """An `Embedder` over a transformer. One object may serve several threads.

    Each text is a run of its own on one thread, and `threads` runs go on at once. So a vector does not
    depend on its batch or on the number of threads, nothing is padded, and it is not slower: batches of 16
    texts of like length took 1.7 times as long.
    """

    def __init__(self, model: OnnxModel, runtime: Any, tokenizers: Any, threads: int = 0) -> None:
        self._path, self._options = model.path, model.options
        self._threads = min(threads or _cores(), MAX_THREADS)
        self._tokenizer = _tokenizer(model, tokenizers)
        self._session = _session(model, runtime)
        self._inputs = self._known_inputs()
        self._output = self._chosen_output()
        self.dimension = self._probe()
        self.identity = f"onnx:{model.name}:{self.dimension}:{model.checksum}"

    def embed_documents(self, texts: Sequence[str]) -> Float32s:
        """See `Embedder`. O(tokens x parameters), plus attention's O(tokens^2) of each text."""
        return self._embed([self._options.document_prefix + text for text in texts])

    def embed_query(self, text: str) -> Float32s:
        """See `Embedder`. 3 to 5 ms for a question."""
        row: Float32s = self._embed([self._options.query_prefix + text])[0]
        return row

    def _embed(self, texts: list[str]) -> Float32s:
        most = self._options.max_tokens * _CHARS_PER_TOKEN
        encodings = self._tokenizer.encode_batch([_encodable(text[:most]) for text in texts])
        ids = [encoding.ids for encoding in encodings]
        out = np.zeros((len(texts), self.dimension), np.float32)
        # The longest first, so that no thread is left with a long one at the end.
        order = sorted((i for i, row in enumerate(ids) if row), key=lambda i: -len(ids[i]))
        for i, vector in zip(order, self._runs([ids[i] for i in order]), strict=True):
            if vector.shape != (self.dimension,):
                fail(self._path, f"gave a vector of shape {vector.shape} after one of {self.dimension}")
            out[i] = vector
        return unit_rows(out)

    def _runs(self, rows: list[list[int]]) -> Iterable[Float32s]:
        if self._threads == 1 or len(rows) < 2:
            return map(self._run, rows)
        from concurrent.futures import ThreadPoolExecutor  # not at the start of every command

        with ThreadPoolExecutor(min(self._threads, len(rows)), "clew-onnx") as pool:
            return list(pool.map(self._run, rows))

    def _run(self, ids: list[int]) -> Float32s:
        """The vector of one text, not scaled."""
        feed = {
            name: np.array([ids], kind) if name == "input_ids" else np.full((1, len(ids)), _PADS[name], kind)
            for name, kind in self._inputs.items()
        }
        try:
            (found,) = self._session.run([self._output], feed)
        except Exception as error:  # the package's errors have no common base but Exception
            fail(self._path, f"cannot be run ({_one_line(error)})")
        return self._pooled(np.asarray(found), len(ids))

    def _pooled(self, found: npt.NDArray[Any], tokens: int) -> Float32s:
        if found.ndim not in (2, 3) or len(found) != 1 or found.dtype.kind != "f":
            fail(self._path, f"its output {self._output} is no vector of a text or of its tokens")
        if found.ndim == 2:
            return np.asarray(found[0], np.float32)
        if self._options.layers:
            fail(self._path, "the model has layers after pooling that this file lacks; export it with them")
        if found.shape[1] != tokens:
            fail(self._path, f"gave {found.shape[1]} vectors for {tokens} tokens")
        states = np.asarray(found[0], np.float32)
        rows = {"mean": states, "cls": states[:1], "lasttoken": states[-1:]}[self._options.pooling]
        return np.asarray(rows.mean(axis=0), np.float32)

    def _known_inputs(self) -> dict[str, np.dtype[Any]]:
        found = {each.name: each.type for each in self._session.get_inputs()}
        unknown = [name for name, kind in found.items() if name not in ("input_ids", *_PADS) or kind not in _INTEGERS]
        if unknown or "input_ids" not in found:
            fail(self._path, f"no text embedding model: it takes {', '.join(sorted(found))[:200] or 'nothing'}")
        return {name: _INTEGERS[kind] for name, kind in found.items()}

    def _chosen_output(self) -> str:
        """The text's vector where the network gives it, else the vectors of its tokens."""
        ranks = {str(each.name): len(each.shape or ()) for each in self._session.get_outputs()}
        for name in ("sentence_embedding", "last_hidden_state", "token_embeddings"):
            if name in ranks:
                return name
        chosen = next((name for rank in (3, 2) for name, found in ranks.items() if found == rank), None)
        if chosen is None:
            fail(self._path, f"none of its outputs is a vector of a text: {', '.join(ranks)[:200]}")
        return chosen

    def _probe(self) -> int:
        """The dimension, from a run on one word."""
        ids = self._tokenizer.encode("a").ids
        if not ids:
            fail(self._path, "its tokenizer has no token for the letter a")
        vector = self._run(ids)
        if not 1 <= len(vector) <= _MAX_DIMENSION or not np.isfinite(vector).all():
            fail(self._path, f"its output {self._output} is no vector of at most {_MAX_DIMENSION} numbers")
        return len(vector)


def open_onnx(spec: str, *, root: Path | None = None, threads: int = 0) -> OnnxEmbedder:
    """Load the model that `onnx:NAME` or `onnx:PATH` means; 0.2 to 0.4 s for all-MiniLM-L6-v2.

    A path begins with `/`, `.` or `~`, or is a drive; it is a folder or one .onnx file. UsageError,
    MissingExtraError without the extra, ModelError when the model is not there, damaged or of another kind.
    """
    wanted = spec.removeprefix(ONNX_PREFIX).strip()
    try:
        runtime = importlib.import_module("onnxruntime")
        tokenizers = importlib.import_module("tokenizers")
    except ImportError:
        raise MissingExtraError("an ONNX model", "onnx") from None
    try:
        model = read_folder(_folder(wanted, root)) if is_model_path(wanted) else read_named(wanted)
    except (OSError, ValueError) as error:  # a name that no file can have
        raise ModelError(f"{spec[:200]!r} cannot be read ({_one_line(error)})", hint="name another embedder") from None
    return OnnxEmbedder(model, runtime, tokenizers, threads)


def _folder(text: str, root: Path | None) -> Path:
    return (root or Path()) / os.path.expanduser(text)  # noqa: PTH111 - never raises


def _session(model: OnnxModel, runtime: Any) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _FATAL
    options.enable_mem_pattern = False  # a plan for each length of text
    try:
        return runtime.InferenceSession(model.network, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the package's errors have no common base but Exception
        fail(model.path, f"not an ONNX model that can be loaded ({_one_line(error)})")


def _tokenizer(model: OnnxModel, tokenizers: Any) -> Any:
    try:
        tokenizer = tokenizers.Tokenizer.from_buffer(model.tokenizer)
    except Exception as error:  # the package raises plain Exception
        fail(model.path, f"its tokenizer.json is not one ({_one_line(error)})")
    tokenizer.no_padding()
    try:
        tokenizer.enable_truncation(model.options.max_tokens)
    except Exception as error:  # fewer than the special tokens
        fail(model.path, f"texts cannot be cut to {model.options.max_tokens} tokens ({_one_line(error)})")
    return tokenizer


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _encodable(text: str) -> str:
    """Lone surrogates, which the tokenizer refuses, become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
