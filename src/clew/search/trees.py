"""Gradient-boosted regression trees as flat arrays, evaluated by numpy; read from a JSON file that checks itself.

A tree is walked without walking (QuickScorer, Lucchese et al. 2015): every split has a mask of the leaves that
remain when its test fails, all tests of all trees are done at once, and the lowest bit left names the leaf.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.errors import ModelError
from clew.index.store import Float32s

FORMAT = 1
MAX_LEAVES = 16  # bits of a mask
MAX_BYTES = 8 << 20  # of the file; the shipped ones have a tenth of a megabyte
MAX_SPLITS = 100_000
_LOWEST = np.zeros(1 << MAX_LEAVES, np.uint8)
_LOWEST[1 << np.arange(MAX_LEAVES)] = np.arange(MAX_LEAVES)
_ARRAYS = {"features": "<u2", "thresholds": "<f4", "masks": "<u2", "starts": "<u4", "values": "<f4"}


@dataclass(frozen=True, slots=True)
class Trees:
    """A split sends a row left when `row[features] <= thresholds`. `starts` is the first split of each tree,
    `values` has MAX_LEAVES columns a tree. `columns` name what a row holds, `about` says how they were made."""

    columns: tuple[str, ...]
    features: npt.NDArray[np.uint16]
    thresholds: Float32s
    masks: npt.NDArray[np.uint16]
    starts: npt.NDArray[np.uint32]
    values: Float32s
    about: Mapping[str, Any]
    examples: Mapping[str, Any]

    def __call__(self, rows: Float32s) -> npt.NDArray[np.float64]:
        """The sum of all trees for each row of `(rows, columns)`. O(rows x splits), without a loop in Python."""
        if not len(self.starts) or not len(rows):
            return np.zeros(len(rows), np.float64)
        # Transposed, so that numpy's inner loops run over rows, not over the few splits of a tree.
        failed = np.ascontiguousarray(rows.T).take(self.features, axis=0) > self.thresholds[:, None]
        # All bits where the test holds (0 - 1 wraps), else the mask.
        left = failed.astype(np.uint16) - np.uint16(1)
        left |= self.masks[:, None]
        remaining = np.bitwise_and.reduceat(left, self.starts, axis=0)
        leaves = _LOWEST.take(remaining & (~remaining + np.uint16(1)))
        at = leaves + MAX_LEAVES * np.arange(len(self.starts))[:, None]
        total: npt.NDArray[np.float64] = self.values.ravel().take(at).sum(axis=0, dtype=np.float64)
        return total


def load(path: Path) -> Trees:
    """Read and check a file of trees. ModelError when it is missing, damaged or of another format."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"larger than {MAX_BYTES} bytes")
        document = json.loads(path.read_text(encoding="utf-8"))
        return parse(document)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, binascii.Error) as error:
        raise ModelError(f"the ranking trees {path} cannot be used: {error}", hint="reinstall clew") from None


def parse(document: Mapping[str, Any]) -> Trees:
    """Trees of a document made by `encode`; ValueError, KeyError or TypeError when it is none."""
    if document["format"] != FORMAT:
        raise ValueError(f"format {document['format']}, this version reads {FORMAT}")
    if document["hash"] != digest(document):
        raise ValueError("its content does not match its hash")
    arrays = {name: _array(document["trees"][name], kind) for name, kind in _ARRAYS.items()}
    trees = Trees(
        columns=tuple(str(each) for each in document["columns"]),
        features=arrays["features"],
        thresholds=arrays["thresholds"],
        masks=arrays["masks"],
        starts=arrays["starts"],
        values=arrays["values"].reshape(-1, MAX_LEAVES),
        about=document["about"],
        examples=document["examples"],
    )
    _check(trees)
    return trees


def encode(trees: Trees) -> dict[str, Any]:
    """The document of trees: everything readable, but for the arrays, and a hash over all of it."""
    arrays = {
        name: base64.b64encode(np.ascontiguousarray(getattr(trees, name), kind).tobytes()).decode("ascii")
        for name, kind in _ARRAYS.items()
    }
    document = {
        "format": FORMAT,
        "about": dict(trees.about),
        "columns": list(trees.columns),
        "examples": dict(trees.examples),
        "trees": arrays,
    }
    return {**document, "hash": digest(document)}


def digest(document: Mapping[str, Any]) -> str:
    """A hash over everything but the hash itself, whatever the order of keys or the spacing."""
    content = {key: value for key, value in document.items() if key != "hash"}
    return hashlib.blake2b(json.dumps(content, sort_keys=True).encode("ascii"), digest_size=16).hexdigest()


def _array(text: str, kind: str) -> npt.NDArray[Any]:
    return np.frombuffer(base64.b64decode(text, validate=True), np.dtype(kind))


def _check(trees: Trees) -> None:
    """What indexing relies on. The hash tells accidents; this also bounds what is well hashed and wrong."""
    splits, starts = len(trees.features), trees.starts.astype(np.int64)
    if splits > MAX_SPLITS or not len(trees.thresholds) == len(trees.masks) == splits:
        raise ValueError("its splits have parts of different length")
    if len(trees.values) != len(starts):
        raise ValueError("it has leaves of other trees")
    if splits and int(trees.features.max()) >= len(trees.columns):
        raise ValueError("a split asks for a column that is not there")
    if len(starts) and (starts[0] != 0 or (np.diff(starts) <= 0).any() or starts[-1] >= splits):
        raise ValueError("its trees do not follow each other")
    if not np.isfinite(trees.values).all() or np.isnan(trees.thresholds).any():
        raise ValueError("it holds numbers that are not finite")
