"""What an index was made with. A difference in any field means a rebuild, and the field is named."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path

from clew.index.catalog import SCHEMA_VERSION

PIPELINE_VERSION = 2  # raise it when parsing, chunking or terms change what is stored


def fingerprint(*, embedder: str, store: str, chunk_bytes: int, include_generated: bool) -> dict[str, str]:
    """Field by field, so that a mismatch can be named."""
    return {
        "schema": str(SCHEMA_VERSION),
        "pipeline": str(PIPELINE_VERSION),
        "languages": _languages_digest(),
        "embedder": embedder,
        "store": store,
        "chunk_bytes": str(chunk_bytes),
        "include_generated": str(include_generated).lower(),
    }


def differences(stored: Mapping[str, object], wanted: Mapping[str, str]) -> list[str]:
    """Each differing field as `field: stored -> wanted`."""
    return [
        f"{key}: {stored.get(key, 'unknown')} -> {value}" for key, value in wanted.items() if stored.get(key) != value
    ]


@functools.cache
def _languages_digest() -> str:
    digest = hashlib.blake2b(digest_size=8)
    languages = Path(__file__).parents[1] / "languages"
    folders = sorted((entry for entry in languages.iterdir() if entry.is_dir()), key=lambda entry: entry.name)
    sources = [folder / name for folder in folders for name in ("pack.toml", "definitions.scm")]
    for source in (languages / "extra.toml", *sources):
        if source.is_file():
            digest.update(hashlib.blake2b(source.read_bytes()).digest())
    return digest.hexdigest()
