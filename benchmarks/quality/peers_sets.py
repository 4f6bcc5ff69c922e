"""The labelled sets of two other tools: python peers_sets.py LABELS.json ROOT [--without GLOB ...]

LABELS is descry's list of `{"query", "relevant"}` or dsh's `{"queries": [{"query", "relevantFiles"}]}`; ROOT is the
source that it is about, at its revision. Files that match `--without` (descry: `*_test.go`) are left out. Prints
R@5, R@10, MRR@10 and hit@1 of clew, and beside them two baselines over the same files, the best ten each:

grep       lower-case, without stop words and one-letter words; a file's score is how often the words occur in it
naive RAG  windows of 256 characters that overlap by 64, the cosine of clew's own embedder; a file's best window counts
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from clew import Engine, load_settings
from clew.embedding import Embedder
from clew.evaluation import Gold, QueryScore, score_query

WINDOW, OVERLAP = 256, 64  # characters
DEPTH = 10
# The words that dsh's baseline leaves out.
STOP_WORDS = frozenset(
    "a an and are as at but by do does for from how in is it of on or that the this to what with".split()
)
Query = tuple[str, list[Gold]]
Ranker = Callable[[str], list[str]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("root", type=Path)
    parser.add_argument("--without", action="append", default=[], metavar="GLOB")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "clew-bench")
    arguments = parser.parse_args()
    queries = _queries(arguments.labels)
    overrides = dict(setting.split("=", 1) for setting in arguments.setting)
    settings = load_settings(
        arguments.root, {"index_dir": str(arguments.cache), "exclude": tuple(arguments.without), **overrides}
    )
    with Engine.open(arguments.root, settings, force=True) as engine:
        engine.index()
        paths = _indexed(engine)
        missing = {gold.path for _, golds in queries for gold in golds} - set(paths)
        print(f"{len(queries)} queries, {len(paths)} files, labelled but not indexed: {sorted(missing) or 'none'}")
        print(f"{'':24}{'R@5':>8}{'R@10':>8}{'MRR@10':>8}{'hit@1':>8}{'NDCG@10':>9}")
        texts = {path: (arguments.root / path).read_text(encoding="utf-8", errors="replace") for path in paths}
        embedder = engine.embedder
        _print(f"clew, embedder {embedder.identity[:12] if embedder else 'none'}", queries, lambda q: _clew(engine, q))
        _print("grep", queries, lambda query: _grep(query, texts))
        if embedder is None:
            print("naive RAG: not run, there is no embedder")
        else:
            _print("naive RAG, same embedder", queries, _naive_rag(embedder, texts))
    return 0


def _queries(path: Path) -> list[Query]:
    found = json.loads(path.read_text(encoding="utf-8"))
    rows = found["queries"] if isinstance(found, dict) else found
    return [(row["query"], [Gold(each) for each in row.get("relevant") or row["relevantFiles"]]) for row in rows]


def _indexed(engine: Engine) -> list[str]:
    opened = engine._opened()
    with opened.reading():
        return sorted(file.path for file in opened.catalog.files() if not file.skipped)


def _clew(engine: Engine, query: str) -> list[str]:
    return [hit.path for hit in engine.search(query, limit=DEPTH).hits]


def _grep(query: str, texts: dict[str, str]) -> list[str]:
    words = [w for w in re.findall(r"[a-z0-9_]+", query.lower()) if len(w) > 1 and w not in STOP_WORDS]
    counts = {path: sum(text.lower().count(word) for word in words) for path, text in texts.items()}
    return sorted((path for path in counts if counts[path]), key=lambda path: (-counts[path], path))[:DEPTH]


def _naive_rag(embedder: Embedder, texts: dict[str, str]) -> Ranker:
    windows = [
        (path, text[start : start + WINDOW])
        for path, text in texts.items()
        for start in range(0, max(1, len(text) - OVERLAP), WINDOW - OVERLAP)
    ]
    vectors = np.asarray(embedder.embed_documents([text for _, text in windows]), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9

    def ranked(query: str) -> list[str]:
        similarities = vectors @ np.asarray(embedder.embed_query(query), np.float32)
        order = np.argsort(-similarities, kind="stable")
        return list(dict.fromkeys(windows[number][0] for number in order))[:DEPTH]

    return ranked


def _print(name: str, queries: Sequence[Query], ranker: Ranker) -> None:
    scores = [score_query([[(path, 1, 1)] for path in ranker(query)], golds) for query, golds in queries]
    mean: Callable[[Callable[[QueryScore], float]], float] = lambda value: float(np.mean([value(s) for s in scores]))  # noqa: E731
    figures = [mean(lambda s: s.recall5), mean(lambda s: s.recall10), mean(lambda s: s.mrr), mean(lambda s: s.hit1)]
    print(f"{name:24}" + "".join(f"{each:8.4f}" for each in figures) + f"{mean(lambda s: s.ndcg):9.4f}")


if __name__ == "__main__":
    sys.exit(main())
