"""The list of repositories, and git commands over their bare directories."""

from __future__ import annotations

import os
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
LIST = HERE / "repositories.toml"
_GIT_SECONDS = 300


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


def environment(**more: str) -> dict[str, str]:
    """Git without the user's settings, and without anything that it would run or download."""
    plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_LFS_SKIP_SMUDGE": "1"}
    return {**os.environ, **plain, "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C", **more}


def git(place: Path, *arguments: str) -> str:
    """Output of a reading git command; CalledProcessError when it fails."""
    command = ["git", f"--git-dir={place}", "-c", "core.quotePath=false", *arguments]
    done = subprocess.run(command, capture_output=True, check=True, env=environment(), timeout=_GIT_SECONDS)
    return done.stdout.decode("utf-8", "replace")


def git_lines(place: Path, *arguments: str) -> Iterator[str]:
    yield from git(place, *arguments).split("\n")
