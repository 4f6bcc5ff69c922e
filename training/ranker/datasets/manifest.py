"""The list of repositories, and where their bare directories lie. Git itself is read as the benchmarks do."""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "quality"))

from history import changed_spans as changed_spans
from history import environment as environment
from history import git as git

HERE = Path(__file__).parent
HISTORY = HERE.parents[2] / "benchmarks" / "quality" / "history.py"
LIST = HERE / "repositories.toml"


@dataclass(frozen=True, slots=True)
class Source:
    """One entry. `revision` is indexed; commits after it up to `until` give queries. `folder` "" is the whole tree."""

    name: str
    repository: str
    language: str
    folder: str
    revision: str
    until: str
    licence: str

    def inside(self, path: str) -> str:
        """The path relative to the folder; "" when it lies elsewhere."""
        if not self.folder:
            return path
        return path[len(self.folder) + 1 :] if path.startswith(f"{self.folder}/") else ""

    def label(self, path: str) -> str:
        """A path of the folder as labels give it: such that cutting the folder's name off in front cannot cut more."""
        return f"{self.folder}/{path}" if self.folder and path.startswith(f"{self.folder}/") else path


def sources(path: Path = LIST) -> list[Source]:
    """Every repository, in the order of the list."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        Source(
            name, entry["repository"], entry["language"], entry.get("folder", ""), entry.get("revision", ""),
            entry.get("until", ""), entry.get("licence", ""),
        )
        for name, entry in entries.items()
    ]  # fmt: skip


def directory(repositories: Path, source: Source) -> Path:
    """The bare git directory: `owner+name` or `owner+name/repo`."""
    place = repositories / source.repository.replace("/", "+")
    return place / "repo" if (place / "repo").is_dir() else place
