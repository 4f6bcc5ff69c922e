"""What the second stage gains: python benchmarks/quality/rerank.py DATA CHECKOUTS [--cache DIR] [--sample N]

Asks up to N queries of each repository and set, lets the model read the places that the second stage would, and
orders the files by each weight. The weight that is best on one half of the repositories is reported on the other
half, with the difference to the order without it and its 95 % interval (bootstrap over queries), and the other way
round. Vectors are kept in `rerank.db` in the cache folder: reading is what takes long.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from datasets import SETS, LabelledQuery, queries, repositories
from run import make_engine

from clew import Engine
from clew.embedding import Embedder, VectorCache, embed_with_cache, load_embedder
from clew.evaluation import score_query
from clew.evaluation.statistics import interval
from clew.index.store import Where
from clew.parsing.tokens import Tokenizer
from clew.search.answer import Wanted, answer
from clew.search.places import Span
from clew.search.rerank import FILES, PLACES, Reranked, Reranker, mixed, place_text

WEIGHTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)


@dataclass(frozen=True, slots=True)
class Case:
    """A query, the first files in the ranker's order, and what the model thinks of them."""

    query: LabelledQuery
    head: list[tuple[int, float]]
    paths: Mapping[int, str]
    similarities: Mapping[int, float]

    def ndcg(self, weight: float) -> float:
        order = mixed(self.head, self.similarities, weight) if self.similarities else self.head
        return score_query([[(self.paths[each], 1, 1 << 30)] for each, _ in order], self.query.gold).ndcg


class Recorder(Reranker):
    """Stands where the second stage does, and keeps what it is given."""

    def __call__(
        self, query: str, best: list[tuple[int, float]], lines: Mapping[int, Sequence[Span]],
        text_of: Callable[[int], bytes],
    ) -> Reranked:  # fmt: skip
        self.head = best[:FILES]
        self.texts = [
            (file_id, place_text(span, text_of(file_id)))
            for file_id, _ in self.head
            for span in lines[file_id][:PLACES]
        ]
        return Reranked(best)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "clew-bench")
    parser.add_argument("--model", default="onnx:all-MiniLM-L6-v2")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--sample", type=int, default=8, metavar="N")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="e.g. embedder=none")
    arguments = parser.parse_args()
    model = load_embedder(arguments.model, threads=arguments.threads)
    if model is None:
        parser.error("--model names none")
    known = repositories(arguments.data, arguments.checkouts)
    cases: dict[str, list[Case]] = {}
    with VectorCache(arguments.cache / "rerank.db", max_bytes=4 << 30) as vectors:
        for name in SETS:
            engines: dict[str, Engine] = {}
            for query in _sample(queries(arguments.data, name, known), arguments.sample):
                if query.repository not in engines:
                    engines[query.repository] = make_engine(known[query.repository], arguments.cache, arguments.setting)
                cases.setdefault(name, []).append(_case(query, engines[query.repository], model, vectors))
                print(f"\r{name} {len(cases[name])}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    _report(cases)
    return 0


def _sample(rows: Sequence[LabelledQuery], most: int) -> list[LabelledQuery]:
    """Up to `most` queries of each repository, evenly spread over its list."""
    groups: dict[str, list[LabelledQuery]] = {}
    for row in rows:
        groups.setdefault(row.repository, []).append(row)
    picked = []
    for group in groups.values():
        count = min(most, len(group))
        picked += [group[i * len(group) // count] for i in range(count)]
    return picked


def _case(query: LabelledQuery, engine: Engine, model: Embedder, vectors: VectorCache) -> Case:
    opened = engine._opened()
    recorder = Recorder(model, Path(), 0)
    with opened.reading():
        answer(
            query.text, opened.catalog, opened.reader, Tokenizer(), Where(), Wanted(text=False),
            engine._embedder_of(opened), rerank=recorder,
        )  # fmt: skip
        paths = {
            file.id: file.path for file in opened.catalog.files_by_id([each for each, _ in recorder.head]).values()
        }
    asked = model.embed_query(query.text)
    read, _ = embed_with_cache(model, vectors, [text for _, text in recorder.texts])
    similarities: dict[int, float] = {}
    for (file_id, _), cosine in zip(recorder.texts, np.dot(read, asked).tolist(), strict=True):
        similarities[file_id] = max(similarities.get(file_id, -1.0), cosine)
    return Case(query, recorder.head, paths, similarities)


def _report(cases: Mapping[str, Sequence[Case]]) -> None:
    names = sorted({case.query.repository for group in cases.values() for case in group})
    half_of = {name: number % 2 for number, name in enumerate(names)}
    everything = [case for group in cases.values() for case in group]
    print("NDCG@10 by weight, all sampled queries:")
    for name, group in cases.items():
        print(f"  {name:12}", *(f"{weight}: {_mean(group, weight):.4f} " for weight in WEIGHTS))
    held: dict[str, list[float]] = {}
    for half in (0, 1):
        fitted = [case for case in everything if half_of[case.query.repository] == half]
        best = max(WEIGHTS, key=lambda weight: _mean(fitted, weight))
        print(f"best weight on half {half} ({len(fitted)} queries): {best}; on the other half:")
        for name, group in cases.items():
            others = [case for case in group if half_of[case.query.repository] != half]
            _line(name, others, best)
            for case in others:
                difference = case.ndcg(best) - case.ndcg(0.0)
                held.setdefault(name, []).append(difference)
                held.setdefault(f"  {case.query.category}", []).append(difference)
    print("gain with the weight of the other half, both halves together:")
    for name, differences in held.items():
        print(f"  {name:16} {len(differences):5} queries  {_with_interval(differences)}")


def _line(name: str, group: Sequence[Case], weight: float) -> None:
    differences = [case.ndcg(weight) - case.ndcg(0.0) for case in group]
    print(f"  {name:12} {_mean(group, 0.0):.4f} -> {_mean(group, weight):.4f}  {_with_interval(differences)}")


def _mean(group: Sequence[Case], weight: float) -> float:
    return statistics.fmean(case.ndcg(weight) for case in group)


def _with_interval(values: Sequence[float]) -> str:
    low, high = interval(np.array(values))
    return f"{statistics.fmean(values):+.4f} ({low:+.4f} to {high:+.4f})"


if __name__ == "__main__":
    sys.exit(main())
