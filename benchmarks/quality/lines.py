"""Right lines: python benchmarks/quality/lines.py DATA CHECKOUTS SPANS.json [--cache DIR] [--semble PYTHON MODEL]

For queries whose right lines are known (labels of nl-dev with lines, and what the commits of commits-dev changed,
see spans.py): does an answer show a line of them? Counted over gold files, with the best place of the file and
with its two best, for files among the first ten. With `--semble` the same for semble's chunks, grouped by file in
the order of its ranking; "both" are the gold files that both have among their first ten, where only the choice of
lines differs. Tokens are clew's estimate for both.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from datasets import Repository, repositories
from run import make_engine

from clew import Engine
from clew.search.budget import count_tokens

FILES = 10  # ranks that count
PLACES = 2


@dataclass(frozen=True, slots=True)
class Case:
    """A query with its right lines by file."""

    kind: str
    repository: str
    query: str
    gold: dict[str, list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Shown:
    """A place: its lines and the tokens of its text."""

    start: int
    end: int
    tokens: int


Files = dict[str, list[Shown]]  # the first FILES files of an answer, best first


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("spans", type=Path)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "clew-bench")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--semble", nargs=2, metavar=("PYTHON", "MODEL"), help="semble's Python, a model2vec folder")
    parser.add_argument("--alpha", help="semble's weight of vectors; 0: none, for a model that knows nothing")
    arguments = parser.parse_args()
    known = repositories(arguments.data, arguments.checkouts)
    cases = [*_labelled(arguments.data, known), *_committed(arguments.spans)]
    ours = _clew(cases, known, arguments.cache, arguments.setting)
    theirs = None
    if arguments.semble:
        theirs = _semble(cases, known, arguments.semble[0], arguments.semble[1], arguments.alpha)
    for kind in ("lines of nl-dev", "lines of commits"):
        chosen = [number for number, case in enumerate(cases) if case.kind == kind]
        _print(kind, [cases[n] for n in chosen], [ours[n] for n in chosen], theirs and [theirs[n] for n in chosen])
    return 0


def _labelled(data: Path, known: dict[str, Repository]) -> Iterable[Case]:
    for repository in known.values():
        path = data / "nl-dev" / "annotations" / f"{repository.name}.json"
        for row in json.loads(path.read_text(encoding="utf-8")):
            spans = [each for each in row["relevant"] if isinstance(each, dict)]
            if spans:
                yield _case("lines of nl-dev", repository.name, row["query"], spans, repository.prefix)


def _committed(spans: Path) -> Iterable[Case]:
    for row in json.loads(spans.read_text(encoding="utf-8")):
        yield _case("lines of commits", row["repo"], row["query"], row["spans"], "")


def _case(kind: str, repository: str, query: str, spans: Sequence[dict[str, str]], prefix: str) -> Case:
    gold: dict[str, list[tuple[int, int]]] = {}
    for span in spans:
        path = span["path"].removeprefix(f"{prefix}/") if prefix else span["path"]
        gold.setdefault(path, []).append((int(span["start_line"]), int(span["end_line"])))
    return Case(kind, repository, query, gold)


def _clew(cases: Sequence[Case], known: dict[str, Repository], cache: Path, settings: Sequence[str]) -> list[Files]:
    engines: dict[str, Engine] = {}
    out = []
    for case in cases:
        if case.repository not in engines:
            engines[case.repository] = make_engine(known[case.repository], cache, settings)
        answer = engines[case.repository].search(case.query, limit=FILES, places=PLACES)
        out.append({
            hit.path: [Shown(p.start_line, p.end_line, count_tokens(p.text or "")) for p in hit.places]
            for hit in answer.hits
        })  # fmt: skip
    return out


def _semble(
    cases: Sequence[Case], known: dict[str, Repository], python: str, model: str, alpha: str | None
) -> list[Files]:
    names = list(dict.fromkeys(case.repository for case in cases))
    asked = {name: [number for number, case in enumerate(cases) if case.repository == name] for name in names}
    jobs = [{"root": str(known[name].root), "queries": [cases[n].query for n in asked[name]]} for name in names]
    with tempfile.TemporaryDirectory() as folder:
        wanted, found = Path(folder, "jobs.json"), Path(folder, "out.json")
        wanted.write_text(json.dumps(jobs), encoding="utf-8")
        script = Path(__file__).with_name("semble_chunks.py")
        subprocess.run([python, script, wanted, found, model, *([alpha] if alpha else [])], check=True)
        answers = json.loads(found.read_text(encoding="utf-8"))
    order = [number for name in names for number in asked[name]]
    by_number = dict(zip(order, answers, strict=True))
    return [_grouped(by_number[number]) for number in range(len(cases))]


def _grouped(chunks: Sequence[tuple[str, int, int, str]]) -> Files:
    out: Files = {}
    for path, start, end, text in chunks:
        if path not in out and len(out) == FILES:
            continue
        places = out.setdefault(path, [])
        if len(places) < PLACES:
            places.append(Shown(start, end, count_tokens(text)))
    return out


def _print(kind: str, cases: Sequence[Case], ours: Sequence[Files], theirs: Sequence[Files] | None) -> None:
    golds = [(n, path) for n, case in enumerate(cases) for path in case.gold]
    repositories_used = len({case.repository for case in cases})
    print(f"\n## {kind}: {len(cases)} queries, {len(golds)} gold files, {repositories_used} repositories")
    print(f"{'':34}{'files':>6}{'found':>8}{'1 place':>9}{'2 places':>10}{'tokens, 1':>11}{'tokens, 2':>11}")
    tools = [("clew", ours), *([("semble", theirs)] if theirs is not None else [])]
    for name, answers in tools:
        _line(f"{name}, all gold files", cases, answers, golds)
    for name, answers in tools:
        _line(f"{name}, of those it found", cases, answers, [g for g in golds if g[1] in answers[g[0]]])
    if theirs is not None:
        both = [g for g in golds if g[1] in ours[g[0]] and g[1] in theirs[g[0]]]
        for name, answers in tools:
            _line(f"{name}, of those both found", cases, answers, both)
        for places in (1, PLACES):
            low, high = _interval(cases, ours, theirs, both, places)
            print(f"  clew less semble, {places} place{'s'[: places - 1]}: 95 % interval {low:+.3f} to {high:+.3f}")
    for name, answers in tools:
        tokens = statistics.fmean(sum(s.tokens for shown in files.values() for s in shown) for files in answers)
        print(f"{name}: {tokens:.0f} tokens an answer of ten files with two places each")


def _line(name: str, cases: Sequence[Case], answers: Sequence[Files], golds: Sequence[tuple[int, str]]) -> None:
    if not golds:
        print(f"{name:34}{0:6}")
        return
    shown = [answers[number].get(path, []) for number, path in golds]
    shares = [
        statistics.fmean(
            _overlaps(each[:places], cases[n].gold[path]) for each, (n, path) in zip(shown, golds, strict=True)
        )
        for places in (1, PLACES)
    ]
    tokens = [
        statistics.fmean([sum(s.tokens for s in each[:places]) for each in shown if each] or [0])
        for places in (1, PLACES)
    ]
    found = statistics.fmean(bool(each) for each in shown)
    figures = f"{len(golds):6}{found:8.3f}{shares[0]:9.3f}{shares[1]:10.3f}{tokens[0]:11.0f}{tokens[1]:11.0f}"
    print(f"{name:34}{figures}")


def _overlaps(shown: Sequence[Shown], ranges: Sequence[tuple[int, int]]) -> bool:
    return any(each.start <= high and each.end >= low for each in shown for low, high in ranges)


def _interval(
    cases: Sequence[Case], ours: Sequence[Files], theirs: Sequence[Files], golds: Sequence[tuple[int, str]], places: int
) -> tuple[float, float]:
    """Bootstrap of the difference over repositories, seeded."""
    by_repository: dict[str, list[int]] = {}
    for number, path in golds:
        ranges = cases[number].gold[path]
        mine, other = (_overlaps(answers[number][path][:places], ranges) for answers in (ours, theirs))
        by_repository.setdefault(cases[number].repository, []).append(int(mine) - int(other))
    generator = random.Random(0)
    groups = list(by_repository.values())
    means = []
    for _ in range(2000):
        drawn = [value for group in generator.choices(groups, k=len(groups)) for value in group]
        means.append(statistics.fmean(drawn))
    means.sort()
    return means[50], means[1949]


if __name__ == "__main__":
    sys.exit(main())
