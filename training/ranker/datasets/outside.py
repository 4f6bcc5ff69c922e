"""Check that no listed repository is measured on, or is one that the embedding is trained on, or a fork of one.

    python training/ranker/datasets/outside.py SOURCES.toml [REPOSITORIES]

SOURCES.toml is the embedding's list. By name always; with a folder of bare directories also by the first commits of
the histories: forks share them.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from manifest import git, sources

# The same name, another project.
_DIFFERENT = frozenset((("arrow-kt/arrow", "pypi arrow"),))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embedding", type=Path)
    parser.add_argument("repositories", type=Path, nargs="?")
    arguments = parser.parse_args()
    listed: dict[str, Any] = tomllib.loads(arguments.embedding.read_text(encoding="utf-8"))
    others = [*listed["excluded"]["repositories"], *_trained(listed["git"])]
    problems = _by_name([each.repository for each in sources()], others)
    problems += _by_package([each.repository for each in sources()], listed)
    if arguments.repositories:
        problems += _by_history(arguments.repositories, [each.repository for each in sources()], others)
    print("\n".join(problems) or "none of them")
    return 1 if problems else 0


def _trained(packages: dict[str, dict[str, Any]]) -> list[str]:
    return [name for name, entry in packages.items() if entry.get("split", "train") == "train"]


def _by_name(ours: list[str], others: list[str]) -> list[str]:
    """The same name under any owner: a fork usually keeps it."""
    names = {_short(name): name for name in others}
    return [f"{each} has the name of {names[_short(each)]}" for each in ours if _short(each) in names]


def _by_package(ours: list[str], listed: dict[str, Any]) -> list[str]:
    """Packages of registries, also under the prefixes that distributions give them."""
    names = {
        _short(re.sub(r"^(?:haskell|ruby|rust|php|lua|golang-github-[^-]+|lib)-", "", package)): f"{registry} {package}"
        for registry in ("pypi", "npm", "debian")
        for package in _trained(listed[registry])
    }
    found = [(each, names[_short(each)]) for each in ours if _short(each) in names]
    return [f"{each} has the name of {other}" for each, other in found if (each, other) not in _DIFFERENT]


def _short(name: str) -> str:
    plain = re.sub(r"\.(?:js|ts|py|rb|go|rs|net|nvim|lua|swift)$|^@", "", name.lower())
    return re.sub(r"[^a-z0-9]", "", plain.rpartition("/")[2])


def _by_history(repositories: Path, ours: list[str], others: list[str]) -> list[str]:
    """Reads every history: a minute or two for some hundred repositories."""
    first: dict[str, str] = {}
    for name in others:
        for commit in _roots(repositories, name):
            first[commit] = name
    return [f"{name} shares history with {first[c]}" for name in ours for c in _roots(repositories, name) if c in first]


def _roots(repositories: Path, name: str) -> list[str]:
    place = repositories / name.replace("/", "+")
    place = place / "repo" if (place / "repo").is_dir() else place
    return git(place, "rev-list", "--max-parents=0", "HEAD").split() if place.is_dir() else []


if __name__ == "__main__":
    sys.exit(main())
