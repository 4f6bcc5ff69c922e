"""From the setting `embedder` to an embedder."""

from __future__ import annotations

from pathlib import Path

from clew.embedding.model2vec import holds_model2vec, open_model2vec
from clew.embedding.protocol import Embedder
from clew.embedding.static import open_static
from clew.embedding.static_files import MANIFEST
from clew.errors import ModelError, UsageError
from clew.settings import ONNX_PREFIX

# Where the model that comes with clew lies. An installation without it searches by text and symbols only.
SHIPPED = Path(__file__).parent / "weights"
_ACCEPTED = "use 'default', 'none', the path of a folder with a static or a model2vec model, or onnx:NAME or onnx:PATH"


def load_embedder(spec: str | None, *, root: Path | None = None, threads: int = 0) -> Embedder | None:
    """The embedder a setting names, or None for no embedding.

    `spec` is 'none' or empty (None), 'default' (the shipped model, None where it is not installed), a
    model's folder, relative to `root` when it is not absolute, or a transformer (see `open_onnx`), which
    runs on `threads` (0: one per core). UsageError when there is no such folder,
    ModelError when it holds no model or a damaged one, MissingExtraError when the model needs an extra.
    """
    spec = (spec or "none").strip()
    if spec in ("", "none"):
        return None
    if spec == "default":
        return open_static(SHIPPED) if SHIPPED.is_dir() else None
    if spec.startswith(ONNX_PREFIX):
        from clew.embedding.onnx import open_onnx  # only where one is asked for: start-up

        return open_onnx(spec, root=root, threads=threads)
    return _open_folder(_folder(spec, root))


def _folder(spec: str, root: Path | None) -> Path:
    try:
        directory = (root or Path()) / Path(spec).expanduser()
        if directory.is_dir():
            return directory
    except (OSError, RuntimeError, ValueError):  # too long, no home directory, a null character
        pass
    raise UsageError(f"embedder {_short(spec)} is not known and not a folder", hint=_ACCEPTED)


def _open_folder(directory: Path) -> Embedder:
    if (directory / MANIFEST).is_file():
        return open_static(directory)
    if holds_model2vec(directory):
        return open_model2vec(directory)
    raise ModelError(f"{directory} holds no embedding model", hint=_ACCEPTED)


def _short(spec: str) -> str:
    return repr(spec if len(spec) <= 100 else spec[:97] + "...")
