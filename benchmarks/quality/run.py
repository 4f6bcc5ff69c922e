"""Search quality on labelled queries: python benchmarks/quality/run.py DATA CHECKOUTS [--cache DIR] [--set NAME]

Indexes every checkout (the index lives in the cache folder), runs every query and prints a table
per repository, language and category, in two protocols: hits grouped by file, as clew answers, and
raw chunks, where every shown place takes a rank. `--json FILE` keeps the figures per query.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from datasets import ERRORS, SETS, LabelledQuery, Repository, queries, repositories

from clew import Engine, load_settings
from clew.evaluation import QueryScore, hit_lines, score_query
from clew.evaluation.statistics import interval


@dataclass(frozen=True, slots=True)
class Result:
    query: LabelledQuery
    language: str
    grouped: QueryScore
    chunks: QueryScore
    tokens: int
    top: tuple[str, ...]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "clew-bench")
    parser.add_argument("--set", dest="sets", action="append", choices=(*SETS, *ERRORS))
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="e.g. chunk_tokens=300")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--verbose", action="store_true", help="print every query that is not answered at rank 1")
    arguments = parser.parse_args()
    known = repositories(arguments.data, arguments.checkouts)
    engines = {name: make_engine(repository, arguments.cache, arguments.setting) for name, repository in known.items()}
    report = {}
    for name in arguments.sets or SETS:
        results = [_run(engines[q.repository], known[q.repository], q) for q in queries(arguments.data, name, known)]
        _print(name, results)
        if arguments.verbose:
            _print_misses(results)
        report[name] = [_row(result) for result in results]
    if arguments.json:
        arguments.json.write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")
    return 0


def make_engine(repository: Repository, cache: Path, settings: Sequence[str]) -> Engine:
    if not repository.root.is_dir():
        sys.exit(f"missing checkout: {repository.root}")
    overrides = dict(setting.split("=", 1) for setting in settings)
    engine = Engine.open(repository.root, load_settings(repository.root, {"index_dir": str(cache), **overrides}))
    engine.index()
    return engine


def _run(engine: Engine, repository: Repository, query: LabelledQuery) -> Result:
    answer = engine.search(query.text, limit=10)
    grouped = [hit_lines(hit) for hit in answer.hits]
    chunks = [[(place.path, place.start_line, place.end_line)] for hit in answer.hits for place in hit.places]
    return Result(
        query, repository.language, score_query(grouped, query.gold), score_query(chunks, query.gold),
        answer.tokens, tuple(hit.path for hit in answer.hits),
    )  # fmt: skip


def _row(result: Result) -> dict[str, object]:
    return {
        "repository": result.query.repository,
        "query": result.query.text,
        "category": result.query.category,
        "ndcg": round(result.grouped.ndcg, 4),
        "ranks": result.grouped.ranks,
        "gold": [gold.path for gold in result.query.gold],
        "top": result.top,
    }


def _print(name: str, results: list[Result]) -> None:
    print(f"\n## {name}: {len(results)} queries")
    print(
        f"{'':24}{'queries':>8}{'NDCG@10':>9}{'MRR@10':>8}{'hit@1':>7}{'R@5':>7}{'R@10':>7}{'chunks':>8}{'tokens':>8}"
    )
    by_repository = _groups(results, lambda r: r.query.repository)
    for title, key in (
        ("repository", None),
        ("language", lambda r: r.language),
        ("category", lambda r: r.query.category),
    ):
        print(f"-- by {title}")
        for group, members in sorted((by_repository if key is None else _groups(results, key)).items()):
            _line(group, members)
    means = [statistics.fmean(r.grouped.ndcg for r in members) for members in by_repository.values()]
    low, high = interval(np.array(means))
    print("-- all")
    _line("mean over queries", results)
    chunk_means = [statistics.fmean(r.chunks.ndcg for r in members) for members in by_repository.values()]
    print(
        f"mean over repositories: NDCG@10 {statistics.fmean(means):.4f} (95 % interval {low:.3f} to {high:.3f}),"
        f" raw chunks {statistics.fmean(chunk_means):.4f}"
    )


def _line(name: str, results: list[Result]) -> None:
    mean: Callable[[Callable[[Result], float]], float] = lambda value: statistics.fmean(map(value, results))  # noqa: E731
    print(
        f"{name:24}{len(results):8}{mean(lambda r: r.grouped.ndcg):9.3f}{mean(lambda r: r.grouped.mrr):8.3f}"
        f"{mean(lambda r: r.grouped.hit1):7.3f}{mean(lambda r: r.grouped.recall5):7.3f}"
        f"{mean(lambda r: r.grouped.recall10):7.3f}{mean(lambda r: r.chunks.ndcg):8.3f}{mean(lambda r: r.tokens):8.0f}"
    )


def _groups(results: Iterable[Result], key: Callable[[Result], str]) -> dict[str, list[Result]]:
    out: dict[str, list[Result]] = {}
    for result in results:
        out.setdefault(key(result), []).append(result)
    return out


def _print_misses(results: list[Result]) -> None:
    for result in results:
        if result.grouped.ndcg < 1:
            gold = [f"{gold.path}@{rank}" for gold, rank in zip(result.query.gold, result.grouped.ranks, strict=True)]
            print(f"{result.query.repository}: {result.query.text!r} gold {gold} top {list(result.top[:4])}")


if __name__ == "__main__":
    sys.exit(main())
