"""Build the query sets from the list, the bare repositories and the checkouts.

    python training/ranker/datasets/build.py REPOSITORIES CHECKOUTS OUTPUT [--only NAME ...]

OUTPUT gets `repos.json` and `commits.json`, `symbols.json`, `guides.json`, `tests.json`; the same input gives the
same bytes. What one repository gave is kept in OUTPUT/parts and used again while its entry in the list is the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from commits import commit_queries
from folder import read_folder
from guides import guide_queries
from manifest import HERE, HISTORY, Source, directory, sources
from symbols import symbol_queries
from trials import trial_queries

# What a part depends on.
_MODULES = (
    HISTORY,
    *(HERE / f"{name}.py" for name in ("commits", "folder", "guides", "manifest", "symbols", "trials")),
)
SETS = ("commits", "symbols", "guides", "tests")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--only", nargs="*", help="names of the list")
    arguments = parser.parse_args()
    (arguments.output / "parts").mkdir(parents=True, exist_ok=True)
    found: dict[str, dict[str, list[Any]]] = {}
    chosen = [each for each in sources() if not arguments.only or each.name in arguments.only]
    for source in chosen:
        found[source.name] = _part(source, arguments)
        counts = {name: len(found[source.name][name]) for name in SETS}
        print(
            f"{source.name:28}{source.language:12}",
            *(f"{name} {count:3}" for name, count in counts.items()),
            flush=True,
        )
    for name in SETS:
        _write(arguments.output / f"{name}.json", [row for source in chosen for row in found[source.name][name]])
    _write(arguments.output / "repos.json", [_specification(source) for source in chosen])
    _print_languages(chosen, found)
    return 0


def _part(source: Source, arguments: argparse.Namespace) -> dict[str, list[Any]]:
    code = b"".join(module.read_bytes() for module in _MODULES)
    key = sha256(json.dumps(asdict(source)).encode() + code).hexdigest()
    kept = arguments.output / "parts" / f"{source.name}.json"
    if kept.is_file():
        part: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        if part["key"] == key:
            return part
    checkout = arguments.checkouts / source.name
    folder = read_folder(checkout / source.folder)
    place = directory(arguments.repositories, source)
    part = {
        "commits": commit_queries(place, source, folder.indexed),
        "symbols": symbol_queries(source, folder),
        "guides": guide_queries(source, checkout, folder),
        "tests": trial_queries(source, checkout, folder),
    }
    _write(kept, {"key": key, "indexed": len(folder.indexed), "sources": len(folder.sources), **part})
    return part


def _specification(source: Source) -> dict[str, str]:
    return {
        "name": source.name, "language": source.language, "repository": source.repository,
        "revision": source.revision, "root": source.folder, "licence": source.licence,
    }  # fmt: skip


def _print_languages(chosen: list[Source], found: dict[str, dict[str, list[Any]]]) -> None:
    counts: dict[str, Counter[str]] = {}
    for source in chosen:
        count = counts.setdefault(source.language, Counter())
        count["repositories"] += 1
        for name in SETS:
            count[name] += len(found[source.name][name])
    columns = ("repositories", *SETS)
    print(f"\n{'':12}", *(f"{column:>13}" for column in columns))
    for language, count in sorted(counts.items()):
        print(f"{language:12}", *(f"{count[column]:13}" for column in columns))
    print(f"{'all':12}", *(f"{sum(count[column] for count in counts.values()):13}" for column in columns))


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
