"""The curated list of packages, and the manifest of what was really fetched."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
REGISTRIES = ("pypi", "npm", "debian", "git")


@dataclass(frozen=True, slots=True)
class Source:
    """One package of `sources.toml`. For `git` the name is owner/name and the version a commit."""

    registry: str
    name: str
    version: str
    licence: str = ""
    languages: tuple[str, ...] = ()
    split: str = "train"

    @property
    def key(self) -> str:
        """A file name: `debian+zlib`, `git+apple+swift-log`, `npm+@types+node`."""
        return f"{self.registry}+{self.name.replace('/', '+')}"


@dataclass(slots=True)
class Fetched:
    """One entry of `manifest.json`. `sha256` is by file name; of a git repository it is the commit's tree id."""

    registry: str
    name: str
    version: str
    licence: str
    sha256: dict[str, str] = field(default_factory=dict)
    bytes: int = 0
    files: dict[str, int] = field(default_factory=dict)  # code files by language

    @property
    def key(self) -> str:
        return Source(self.registry, self.name, self.version).key


def sources(path: Path = HERE / "sources.toml") -> list[Source]:
    """Every package of the list, in its order."""
    tables: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(path.read_text(encoding="utf-8"))
    found = []
    for registry in REGISTRIES:
        for name, entry in tables.get(registry, {}).items():
            languages = tuple(entry.get("languages", ()))
            found.append(
                Source(
                    registry, name, entry["version"], entry.get("licence", ""), languages, entry.get("split", "train")
                )
            )
    return found


def read_manifest(path: Path = HERE / "manifest.json") -> dict[str, Fetched]:
    """The manifest by key; empty when there is none."""
    if not path.is_file():
        return {}
    entries = json.loads(path.read_text(encoding="utf-8"))
    return {entry.key: entry for entry in (Fetched(**each) for each in entries)}


def write_manifest(entries: dict[str, Fetched], path: Path = HERE / "manifest.json") -> None:
    """One package a line, sorted, so that a change of one package is a change of one line."""
    lines = [json.dumps(asdict(entries[key]), sort_keys=True) for key in sorted(entries)]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
