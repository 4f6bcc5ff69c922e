"""Save the signals of every candidate of every labelled query, so that training never runs the engine.

    python training/ranker/dump.py DATA CHECKOUTS OUTPUT.npz [--cache DIR] [--setting embedder=none] [--extra DIR ...]

DATA and CHECKOUTS are those of `benchmarks/quality`. Each extra folder holds `repos.json` and one or more query
files in the form of `commits-dev.json`, with its checkouts in `checkouts/`; its queries are only ever trained on.
The output needs no pickle: numbers, and texts as UTF-8 arrays.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "quality"))

from datasets import SETS, LabelledQuery, Repository, labelled, queries, repositories, repository
from run import make_engine

from clew import Engine
from clew.index.store import Where
from clew.parsing.tokens import Tokenizer
from clew.search.candidates import gather
from clew.search.features import SIGNALS, file_signals
from clew.search.query import analyse


@dataclass(slots=True)
class Dump:
    """Rows of candidates, and one entry a query in the lists."""

    signals: list[np.ndarray] = field(default_factory=list)
    gold: list[np.ndarray] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    golds: list[int] = field(default_factory=list)
    about: list[dict[str, str]] = field(default_factory=list)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "clew-bench")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="e.g. embedder=none")
    parser.add_argument("--extra", type=Path, action="append", default=[], help="a folder of more training queries")
    arguments = parser.parse_args()
    dump = Dump()
    for place, set_name, query in _labelled(arguments.data, arguments.checkouts, arguments.extra):
        _add(dump, query, set_name, place.language, _engine(place, arguments.cache, arguments.setting))
    _save(dump, arguments.output)
    recall = np.mean([gold.sum() / golds for gold, golds in zip(dump.gold, dump.golds, strict=True)])
    print(f"{len(dump.sizes)} queries, {sum(dump.sizes)} candidates, recall of the candidates {recall:.4f}")
    return 0


def _labelled(data: Path, checkouts: Path, extra: list[Path]) -> Iterator[tuple[Repository, str, LabelledQuery]]:
    """Queries repository by repository, so that one engine is open at a time."""
    known = repositories(data, checkouts)
    found = [(known[each.repository], name, each) for name in SETS for each in queries(data, name, known)]
    for folder in extra:
        specs = json.loads((folder / "repos.json").read_text(encoding="utf-8"))
        more = {spec["name"]: repository(spec, folder / "checkouts") for spec in specs}
        for file in sorted(folder.glob("*.json")):
            if file.name != "repos.json":
                rows = json.loads(file.read_text(encoding="utf-8"))
                found += [(more[row["repo"]], file.stem, labelled(more[row["repo"]], row)) for row in rows]
    yield from sorted(found, key=lambda each: each[0].name)


_OPEN: dict[str, Engine] = {}


def _engine(place: Repository, cache: Path, settings: list[str]) -> Engine:
    if place.name not in _OPEN:
        for each in _OPEN.values():
            each.close()
        _OPEN.clear()
        _OPEN[place.name] = make_engine(place, cache, settings)
    return _OPEN[place.name]


_TOKENIZER = Tokenizer()


def _add(dump: Dump, query: LabelledQuery, set_name: str, language: str, engine: Engine) -> None:
    opened = engine._opened()
    analysed = analyse(query.text, _TOKENIZER)
    vector = engine.embedder.embed_query(query.text) if engine.embedder else None
    with opened.reading():
        candidates = gather(opened.catalog, opened.reader, analysed, vector, Where())
        signals = file_signals(candidates, analysed)
    wanted = {gold.path for gold in query.gold}
    dump.signals.append(np.stack([signals.values[name] for name in SIGNALS], axis=1))
    dump.gold.append(np.array([path in wanted for path in signals.paths], bool))
    dump.paths += signals.paths
    dump.sizes.append(len(signals.paths))
    dump.golds.append(len(wanted))
    dump.about.append(
        {
            "set": set_name, "repository": query.repository, "language": language, "category": query.category,
            "query": query.text, "kind": analysed.kind,
        }
    )  # fmt: skip


def _save(dump: Dump, output: Path) -> None:
    np.savez(
        output,
        names=np.array(list(SIGNALS)),
        signals=np.concatenate(dump.signals),
        gold=np.concatenate(dump.gold),
        sizes=np.array(dump.sizes),
        golds=np.array(dump.golds),
        paths=np.frombuffer("\n".join(dump.paths).encode("utf-8"), np.uint8),
        about=np.frombuffer(json.dumps(dump.about).encode("utf-8"), np.uint8),
    )


if __name__ == "__main__":
    sys.exit(main())
