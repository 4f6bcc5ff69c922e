"""Run labelled queries, and say how good the answers are: as records, and as the document of `clew eval`."""

from __future__ import annotations

import statistics as averages
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clew.errors import UsageError
from clew.evaluation.datasets import LabelledQuery
from clew.evaluation.metrics import Gold, QueryScore, gold_ranks, score_query
from clew.records import Answer, Hit, Place, to_json

# Name in the document, and field of QueryScore.
MEASURES: Mapping[str, str] = {
    "ndcg@10": "ndcg",
    "mrr@10": "mrr",
    "hit@1": "hit1",
    "recall@5": "recall5",
    "recall@10": "recall10",
}
DIGITS = 4  # of a measure in the document


@dataclass(frozen=True, slots=True)
class Result:
    """One query. `ranks`: those of the golds that could be found, 0 where the answer lacks one. `score` is None,
    and nothing counts, when no gold of the query is in the index: `missing` says why."""

    query: LabelledQuery
    score: QueryScore | None
    ranks: tuple[int, ...]
    missing: tuple[tuple[Gold, str], ...]
    hits: tuple[Hit, ...]
    tokens: int
    seconds: float

    @property
    def rank(self) -> int:
        """Of the first right hit; 0: none."""
        return min((rank for rank in self.ranks if rank), default=0)


@dataclass(frozen=True, slots=True)
class Report:
    """All queries of one run. `generation` and `freshness` are those of the last answer."""

    root: str
    generation: int
    embedder: str
    freshness: str
    limit: int
    results: tuple[Result, ...]
    notes: tuple[str, ...]

    @property
    def scored(self) -> list[Result]:
        return [result for result in self.results if result.score is not None]


def evaluate(
    queries: Sequence[LabelledQuery], search: Callable[[str], Answer], why_missing: Callable[[Gold], str],
    embedder: str, limit: int,
) -> Report:  # fmt: skip
    """Ask every query and score the answers. `why_missing` says why a gold cannot be found, "" when it can.

    A gold that is not in the index is no miss of the ranking: it is left out of the measures and reported.
    UsageError when nothing is left to measure.
    """
    results, answer = [], None
    notes: dict[str, int] = {}
    for query in queries:
        missing = tuple((gold, reason) for gold in query.gold if (reason := why_missing(gold)))
        started = time.perf_counter()
        answer = search(query.text)
        seconds = time.perf_counter() - started
        results.append(_result(query, missing, answer, seconds))
        for note in (*answer.notes, *_stale(answer)):
            notes[note] = notes.get(note, 0) + 1
    if answer is None or all(result.score is None for result in results):
        gold, reason = results[0].missing[0] if results else (Gold("?"), "there is no query")
        raise UsageError(
            f"none of the labelled files is in the index, e.g. {gold.path}: {reason}",
            hint="labels are paths relative to the root; see: clew status",
        )
    shared = tuple(note for note, count in notes.items() if count == len(queries))
    state = answer.freshness.state
    return Report(answer.root, answer.generation, embedder, state, limit, tuple(results), shared)


def _stale(answer: Answer) -> Iterable[str]:
    return (answer.freshness.message,) if answer.freshness.state in ("stale", "indexing") else ()


def _result(query: LabelledQuery, missing: tuple[tuple[Gold, str], ...], answer: Answer, seconds: float) -> Result:
    gone = {gold for gold, _ in missing}
    gold = [each for each in query.gold if each not in gone]
    lines = [hit_lines(hit) for hit in answer.hits]
    score = score_query(lines, gold) if gold else None
    return Result(query, score, gold_ranks(lines, gold), missing, answer.hits, answer.tokens, seconds)


def hit_lines(hit: Hit) -> list[tuple[str, int, int]]:
    """What a hit shows; a file without lines to show still counts as found."""
    return [(hit.path, place.start_line, place.end_line) for place in hit.places] or [(hit.path, 1, 1)]


def measures(results: Sequence[Result]) -> dict[str, float]:
    """The mean of each measure over queries that were scored."""
    return {name: averages.fmean(values(results, name)) for name in MEASURES}


def values(results: Sequence[Result], name: str) -> list[float]:
    return [float(getattr(result.score, MEASURES[name])) for result in results if result.score is not None]


def document(report: Report, *, hits: bool = False) -> dict[str, Any]:
    """The JSON document of `clew eval`: the names are part of the contract. O(queries x RESAMPLES)."""
    import numpy as np

    from clew.evaluation.statistics import interval

    scored = report.scored
    return {
        "root": report.root,
        "generation": report.generation,
        "embedder": report.embedder,
        "freshness": report.freshness,
        "limit": report.limit,
        "queries": len(report.results),
        "scored": len(scored),
        **{name: round(value, DIGITS) for name, value in measures(scored).items()},
        "intervals": {
            name: [round(end, DIGITS) for end in interval(np.array(values(scored, name)))] for name in MEASURES
        },
        "by_category": _by_category(scored),
        "tokens": round(averages.fmean(result.tokens for result in report.results)),
        "milliseconds": round(1000 * averages.median(result.seconds for result in report.results), 1),
        "not_indexed": _not_indexed(report.results),
        "notes": list(report.notes),
        "per_query": [_row(result, hits) for result in report.results],
    }


def _by_category(results: Sequence[Result]) -> dict[str, Any]:
    groups: dict[str, list[Result]] = {}
    for result in results:
        if result.query.category:
            groups.setdefault(result.query.category, []).append(result)
    return {
        name: {"queries": len(group), **{key: round(value, DIGITS) for key, value in measures(group).items()}}
        for name, group in sorted(groups.items())
    }


def _not_indexed(results: Iterable[Result]) -> list[dict[str, Any]]:
    """Labels that cannot be found, each once, with the number of queries that name it."""
    found: dict[tuple[str, str], int] = {}
    for result in results:
        for key in {(gold.path, reason) for gold, reason in result.missing}:
            found[key] = found.get(key, 0) + 1
    return [{"path": path, "reason": reason, "queries": count} for (path, reason), count in sorted(found.items())]


def _row(result: Result, hits: bool) -> dict[str, Any]:
    score = result.score
    return {
        "query": result.query.text,
        "category": result.query.category,
        "rank": result.rank or None,
        "ranks": [rank or None for rank in result.ranks],
        **{name: round(getattr(score, field), DIGITS) if score else None for name, field in MEASURES.items()},
        "relevant": [_label(gold) for gold in result.query.gold],
        "not_indexed": [gold.path for gold, _ in result.missing],
        "hits": [_hit(hit, result.query) for hit in result.hits] if hits else [],
    }


def _label(gold: Gold) -> Any:
    if not gold.start_line:
        return gold.path
    return {"path": gold.path, "start_line": gold.start_line, "end_line": gold.end_line}


def _hit(hit: Hit, query: LabelledQuery) -> dict[str, Any]:
    lines = hit_lines(hit)
    named = (("relevant", query.gold), ("secondary", query.secondary))
    label = next((name for name, golds in named if any(g.matches(*line) for g in golds for line in lines)), "")
    places = [
        to_json(Place(hit.path, place.start_line, place.end_line, place.symbol, place.kind)) for place in hit.places
    ]
    return {"rank": hit.rank, "path": hit.path, "score": hit.score, "label": label, "places": places}
