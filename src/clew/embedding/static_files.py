"""The folder that holds a static model: written once, verified at every load.

    model.json         format, version, name, dimension, licence, options; size and SHA-256 of each other
                       file; and a checksum of itself
    vocabulary.txt     one piece a line, UTF-8; the line number is the id
    table.npy          int8 [V, D], one row per piece
    scales.npy         float32 [V]: row x scale is the vector
    weights.npy        float32 [V], what a piece counts in a document
    query_weights.npy  the same for queries; optional

Nothing in it can run code. A file is read once into memory and hashed there, rather than mapped:
so what was verified is what is used, also when the file is replaced or cut while we run.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from clew.embedding.protocol import Float32s, in_range
from clew.errors import ModelError

MANIFEST = "model.json"
FORMAT = "clew-static-embedding"
VERSION = 1
_REQUIRED = ("vocabulary.txt", "table.npy", "scales.npy", "weights.npy")
_OPTIONAL = ("query_weights.npy",)
# A model of 32,000 pieces x 256 takes 8.5 MB and 6 ms to hash; this bounds what a foreign folder can cost.
MAX_FILE_BYTES = 64 << 20
MAX_MANIFEST_BYTES = 64 << 10
MAX_DIMENSION = 4096
MAX_VOCABULARY = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_HINT = "install clew again if the model came with it; otherwise put the model's original folder back"


@dataclass(frozen=True, slots=True)
class StaticOptions:
    """How text becomes a vector. `distinct`: a piece counts once per text, however often it occurs."""

    continuation: str = "##"
    distinct: bool = True


@dataclass(frozen=True, slots=True)
class StaticModel:
    """A verified model. `checksum` covers every file and option. V pieces, D dimensions."""

    name: str
    licence: str
    checksum: str
    options: StaticOptions
    vocabulary: list[str]
    table: npt.NDArray[np.int8]  # [V, D]
    scales: Float32s  # [V]
    weights: Float32s  # [V]
    query_weights: Float32s  # [V]

    @property
    def dimension(self) -> int:
        return int(self.table.shape[1])


def read_static_model(directory: Path) -> StaticModel:
    """Load and verify. ModelError names the file that is missing, changed or of the wrong shape. O(bytes)."""
    path = directory / MANIFEST
    manifest = _manifest(path, _read(path, MAX_MANIFEST_BYTES))
    files = {name: _verified(directory / name, entry) for name, entry in manifest["files"].items()}
    vocabulary = _vocabulary(directory / "vocabulary.txt", files["vocabulary.txt"], manifest["pieces"])
    size = len(vocabulary)

    def floats(name: str) -> Float32s:
        values: Float32s = _array(directory / name, files[name], np.dtype("<f4"), (size,))
        if not in_range(values):
            _fail(directory / name, "holds a value that is no number or too large")
        return values

    weights = floats("weights.npy")
    return StaticModel(
        name=manifest["name"],
        licence=manifest["licence"],
        checksum=manifest["checksum"],
        options=StaticOptions(**manifest["options"]),
        vocabulary=vocabulary,
        table=_array(directory / "table.npy", files["table.npy"], np.dtype("|i1"), (size, manifest["dimension"])),
        scales=floats("scales.npy"),
        weights=weights,
        query_weights=floats("query_weights.npy") if "query_weights.npy" in files else weights,
    )


def write_static_model(
    directory: Path,
    *,
    name: str,
    vocabulary: Sequence[str],
    vectors: Float32s,
    weights: Float32s | None = None,
    query_weights: Float32s | None = None,
    licence: str = "",
    about: str = "",
    options: StaticOptions | None = None,
) -> None:
    """Write a model folder; `vectors` [V, D] are rounded to int8 with one scale per row. Weights default to 1.

    `model.json` goes last, so a folder that is half written does not load. ValueError for a model that
    the loader would refuse.
    """
    vectors = np.asarray(vectors, dtype="<f4")
    _check(name, vocabulary, vectors)
    weights = np.ones(len(vocabulary), dtype="<f4") if weights is None else weights
    table, scales = quantise_rows(vectors)
    arrays: dict[str, npt.NDArray[Any]] = {"table.npy": table, "scales.npy": scales, "weights.npy": weights}
    if query_weights is not None:
        arrays["query_weights.npy"] = query_weights
    contents = {file: _npy(file, array, len(vocabulary)) for file, array in arrays.items()}
    contents["vocabulary.txt"] = "".join(f"{piece}\n" for piece in vocabulary).encode("utf-8")
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "name": name,
        "dimension": int(vectors.shape[1]),
        "pieces": len(vocabulary),
        "licence": licence,
        "about": about,
        "options": asdict(options or StaticOptions()),
        "files": {file: {"bytes": len(c), "sha256": hashlib.sha256(c).hexdigest()} for file, c in contents.items()},
    }
    manifest["checksum"] = _checksum(manifest)
    directory.mkdir(parents=True, exist_ok=True)
    for stale in (MANIFEST, *_OPTIONAL):
        (directory / stale).unlink(missing_ok=True)
    for file, content in contents.items():
        (directory / file).write_bytes(content)
    (directory / MANIFEST).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def quantise_rows(vectors: Float32s) -> tuple[npt.NDArray[np.int8], Float32s]:
    """int8 rows and one float32 scale per row: row x scale is within scale / 2 of the vector."""
    peaks = np.abs(vectors).max(axis=1)
    scales = np.where(peaks > 0, peaks / 127, 1).astype("<f4")
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


def _check(name: str, vocabulary: Sequence[str], vectors: Float32s) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"model name {name!r}: letters, digits, '.', '_' and '-' only, at most 64")
    if vectors.ndim != 2 or len(vectors) != len(vocabulary) or not vocabulary:
        raise ValueError(f"{len(vocabulary)} pieces need a table of as many rows, got shape {vectors.shape}")
    if not in_range(vectors):
        raise ValueError("the vectors hold a value that is no number or too large")
    if len(set(vocabulary)) != len(vocabulary) or any(not piece or piece.split() != [piece] for piece in vocabulary):
        raise ValueError("pieces must be distinct, not empty and without white space")


def _npy(file: str, array: npt.NDArray[Any], rows: int) -> bytes:
    if len(array) != rows:
        raise ValueError(f"{file}: {len(array)} rows for {rows} pieces")
    out = io.BytesIO()
    np.lib.format.write_array(
        out, np.ascontiguousarray(array, "|i1" if array.dtype == np.int8 else "<f4"), (1, 0), allow_pickle=False
    )
    return out.getvalue()


def _checksum(manifest: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in manifest.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, ensure_ascii=True).encode("ascii")).hexdigest()


def _fail(path: Path, reason: str) -> NoReturn:
    raise ModelError(f"{path}: {reason}", hint=_HINT)


def _read(path: Path, limit: int) -> bytes:
    try:
        if not path.is_file():  # a pipe or a device would block or never end
            _fail(path, "this file of the model is missing")
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        _fail(path, f"cannot be read ({error.strerror})")
    if len(data) > limit:
        _fail(path, f"larger than {limit} bytes, which no such file may be")
    return data


def _verified(path: Path, entry: Mapping[str, Any]) -> bytes:
    data = _read(path, MAX_FILE_BYTES)
    if len(data) != entry["bytes"]:
        _fail(path, f"damaged: {len(data)} bytes instead of {entry['bytes']}")
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        _fail(path, "damaged: its content does not match the hash in model.json")
    return data


def _manifest(path: Path, data: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError):
        _fail(path, "damaged: not valid JSON")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        _fail(path, f"not a static model (its format is not '{FORMAT}')")
    if manifest.get("version") != VERSION:
        _fail(path, f"format version {manifest.get('version')!r}; this clew reads version {VERSION}")
    try:
        expected = _checksum(manifest)
    except RecursionError:
        _fail(path, "damaged: nested too deeply")
    if manifest.get("checksum") != expected:
        _fail(path, "damaged: its content does not match its checksum")
    if not _well_formed(manifest):
        _fail(path, "a field is missing or has a value that is not allowed")
    return manifest


def _well_formed(manifest: Mapping[str, Any]) -> bool:
    """A right checksum says the file is whole, not that its writer meant well."""
    options, files = manifest.get("options"), manifest.get("files")
    return (
        isinstance(manifest.get("name"), str)
        and _NAME.fullmatch(manifest["name"]) is not None
        and isinstance(manifest.get("licence"), str)
        and _within(manifest.get("dimension"), MAX_DIMENSION)
        and _within(manifest.get("pieces"), MAX_VOCABULARY)
        and isinstance(options, dict)
        and set(options) == {"continuation", "distinct"}
        and isinstance(options["continuation"], str)
        and isinstance(options["distinct"], bool)
        and isinstance(files, dict)
        and set(_REQUIRED) <= set(files) <= {*_REQUIRED, *_OPTIONAL}
        and all(isinstance(entry, dict) and {"bytes", "sha256"} <= set(entry) for entry in files.values())
    )


def _within(value: object, limit: int) -> bool:
    return type(value) is int and 1 <= value <= limit


def _vocabulary(path: Path, data: bytes, pieces: int) -> list[str]:
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        _fail(path, "not valid UTF-8")
    if lines.pop() != "" or len(lines) != pieces or len(set(lines)) != pieces:
        _fail(path, f"not {pieces} distinct pieces, one a line")
    return lines


def _array(path: Path, data: bytes, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """A read-only view of the file's bytes. `np.load` would allocate what a header claims before it reads."""
    stream = io.BytesIO(data)
    try:
        if np.lib.format.read_magic(stream) != (1, 0):
            _fail(path, "not a version 1.0 .npy file")
        found, fortran, kind = np.lib.format.read_array_header_1_0(stream)
    except ValueError:
        _fail(path, "not a .npy file")
    start = stream.tell()
    if (found, fortran, kind) != (shape, False, dtype) or len(data) - start != dtype.itemsize * int(np.prod(shape)):
        _fail(path, f"holds {kind} {found} instead of {dtype} {shape}")
    return np.frombuffer(data, dtype, offset=start).reshape(shape)
