"""The labelled query sets, from a data folder that is not part of this repository.

The folder holds `nl-dev/annotations/NAME.json`, `nl-dev/repos.json` and `commits-dev.json`; the
checkouts folder holds each repository at its pinned revision under its name. The set of error
messages is our own and lies here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.evaluation import Gold

SETS = ("nl-dev", "commits-dev")
# Verbatim error messages with the files that raise them, or with the lines, kept beside this module. Two
# halves by repository, told apart by their category: choose on `error-tune`, confirm on `error-check`.
ERRORS = ("errors", "error-lines")


@dataclass(frozen=True, slots=True)
class Repository:
    name: str
    language: str
    root: Path  # the folder to index
    prefix: str  # of the folder inside the repository, for labels that are relative to the repository


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    repository: str
    text: str
    category: str
    gold: tuple[Gold, ...]


def repositories(data: Path, checkouts: Path) -> dict[str, Repository]:
    """Those of the data folder, by name."""
    specs = json.loads((data / "nl-dev" / "repos.json").read_text(encoding="utf-8"))
    return {spec["name"]: repository(spec, checkouts) for spec in specs}


def repository(spec: dict[str, Any], checkouts: Path) -> Repository:
    """One entry of a `repos.json`."""
    inner = spec.get("root") or ""
    return Repository(spec["name"], spec.get("language", ""), checkouts / spec["name"] / inner, inner)


def queries(data: Path, name: str, known: dict[str, Repository]) -> list[LabelledQuery]:
    """The queries of one set, in a fixed order."""
    if name in ERRORS:
        rows = json.loads(Path(__file__).with_name("errors.json").read_text(encoding="utf-8"))
        return [_error(known[row["repo"]], row, name == "error-lines") for row in rows]
    if name == "commits-dev":
        rows = json.loads((data / "commits-dev.json").read_text(encoding="utf-8"))
        return [labelled(known[row["repo"]], row) for row in rows]
    out = []
    for each in known.values():
        rows = json.loads((data / "nl-dev" / "annotations" / f"{each.name}.json").read_text(encoding="utf-8"))
        out += [labelled(each, row) for row in rows]
    return out


def labelled(repository: Repository, row: dict[str, Any]) -> LabelledQuery:
    """One row of a set."""
    gold = tuple(_gold(entry, repository) for entry in row["relevant"])
    return LabelledQuery(repository.name, row["query"], row.get("category", "commit"), gold)


def _error(repository: Repository, row: dict[str, Any], lines: bool) -> LabelledQuery:
    gold = [entry if lines else entry["path"] for entry in row["relevant"]]
    return labelled(repository, {"query": row["query"], "category": f"error-{row['half']}", "relevant": gold})


def _gold(entry: str | dict[str, Any], repository: Repository) -> Gold:
    """Labels are relative to the repository or, in a few files, to the folder to index."""
    path = entry if isinstance(entry, str) else entry["path"]
    if repository.prefix and path.startswith(f"{repository.prefix}/"):
        path = path[len(repository.prefix) + 1 :]
    if isinstance(entry, str):
        return Gold(path)
    return Gold(path, entry["start_line"], entry["end_line"])
