"""Measure a model: python training/embedding/evaluate.py MODEL PAIRS WORK [--run RUN.npz] [--data D --checkouts C]

Held-out packages: the doc comment finds its function among those of its language, with the name kept
and with it masked, against all-MiniLM-L6-v2 (int8 ONNX), plain distillation (the table before
training, with --run) and BM25, all on the same texts. Ties count against the model. Then the labelled
queries (see dense.py, with --data), throughput of one thread, and load time.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dense
import numpy as np
import numpy.typing as npt
from export import export
from minilm import cached, minilm
from texts import Pair, read_pairs

from clew.embedding import StaticEmbedder, open_static
from clew.parsing.tokens import Tokenizer

Float32s = npt.NDArray[np.float32]
POOL = 300
MIN_POOL = 100
_K1, _B = 1.2, 0.75
_THROUGHPUT_TEXTS = 2000
_MINILM_TEXTS = 96


@dataclass(frozen=True, slots=True)
class Pool:
    """Questions and documents of one language; question i asks for document i."""

    language: str
    questions: list[str]
    named: list[str]
    masked: list[str]


@dataclass(frozen=True, slots=True)
class Quality:
    mrr: float
    recall10: float


Scorer = Callable[[Pool, str], Float32s]  # pool and 'named' or 'masked' -> scores [questions, documents]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--checkouts", type=Path)
    parser.add_argument("--skip-minilm", action="store_true")
    arguments = parser.parse_args()
    model = open_static(arguments.model)
    pools = make_pools(list(read_pairs(arguments.pairs / "heldout")))
    systems: dict[str, Scorer] = {"clew": static_scorer(model)}
    if not arguments.skip_minilm:
        systems["MiniLM int8"] = minilm_scorer(arguments.work)
    if arguments.run:
        systems["distilled"] = distilled_scorer(arguments.run, arguments.work)
    systems["BM25"] = bm25_scores
    results = {name: {pool.language: _measure(scorer, pool) for pool in pools} for name, scorer in systems.items()}
    print_retrieval(pools, results)
    if arguments.data and arguments.checkouts:
        dense.print_table(dense.evaluate(model, arguments.data, arguments.checkouts, arguments.work))
    print_speed(arguments.model, pools, with_minilm=not arguments.skip_minilm)
    return 0


def make_pools(pairs: Sequence[Pair]) -> list[Pool]:
    """Up to POOL doc comments a language, drawn with a fixed seed; languages with fewer than MIN_POOL are left out."""
    by_language: dict[str, list[Pair]] = {}
    for pair in pairs:
        if pair.source == "doc":
            by_language.setdefault(pair.language, []).append(pair)
    pools = []
    for language, members in sorted(by_language.items()):
        if len(members) < MIN_POOL:
            print(f"{language}: only {len(members)} held-out pairs, left out")
            continue
        rows = np.random.default_rng(0).permutation(len(members))[:POOL]
        drawn = [members[i] for i in rows]
        named, masked = [pair.document for pair in drawn], [pair.masked for pair in drawn]
        pools.append(Pool(language, [pair.question for pair in drawn], named, masked))
    return pools


def static_scorer(model: StaticEmbedder) -> Scorer:
    def scores(pool: Pool, kind: str) -> Float32s:
        queries = np.stack([model.embed_query(text) for text in pool.questions])
        return np.asarray(queries @ model.embed_documents(getattr(pool, kind)).T)

    return scores


def distilled_scorer(run: Path, work: Path) -> Scorer:
    with tempfile.TemporaryDirectory() as folder:
        export(run, work, Path(folder), "distilled", start=True)
        return static_scorer(open_static(Path(folder)))


def minilm_scorer(work: Path) -> Scorer:
    def scores(pool: Pool, kind: str) -> Float32s:
        queries = cached(work / "minilm" / f"{pool.language}.npz", pool.questions)
        documents = cached(work / "minilm" / f"{pool.language}.npz", getattr(pool, kind))
        return np.asarray(queries @ documents.T)

    return scores


def bm25_scores(pool: Pool, kind: str) -> Float32s:
    """BM25 over clew's search terms."""
    tokenizer = Tokenizer()
    documents = [tokenizer(text) for text in getattr(pool, kind)]
    terms = {term: i for i, term in enumerate(sorted({term for document in documents for term in document}))}
    counts = np.zeros((len(documents), len(terms)), np.float32)
    for row, document in enumerate(documents):
        for term in document:
            counts[row, terms[term]] += 1
    lengths = counts.sum(axis=1, keepdims=True)
    found = (counts > 0).sum(axis=0)
    idf = np.log1p((len(documents) - found + 0.5) / (found + 0.5))
    gains = idf * counts * (_K1 + 1) / (counts + _K1 * (1 - _B + _B * lengths / lengths.mean()))
    scores = np.zeros((len(pool.questions), len(documents)), np.float32)
    for row, question in enumerate(pool.questions):
        wanted = [terms[term] for term in set(tokenizer(question)) if term in terms]
        scores[row] = gains[:, wanted].sum(axis=1)
    return scores


def _measure(scorer: Scorer, pool: Pool) -> dict[str, Quality]:
    return {kind: quality(scorer(pool, kind)) for kind in ("named", "masked")}


def quality(scores: Float32s) -> Quality:
    """MRR and recall@10 when document i answers question i; a tie counts as ranked before it."""
    ranks = (scores >= np.diagonal(scores)[:, None]).sum(axis=1)
    return Quality(float((1 / ranks).mean()), float((ranks <= 10).mean()))


def print_retrieval(pools: Sequence[Pool], results: Mapping[str, Mapping[str, Mapping[str, Quality]]]) -> None:
    names = list(results)
    for measure in ("mrr", "recall10"):
        print(f"\n| {measure}, named / masked | pairs | " + " | ".join(names) + " |")
        print("|---|---|" + "---|" * len(names))
        for pool in pools:
            cells = [_cell(results[name][pool.language], measure) for name in names]
            print(f"| {pool.language} | {len(pool.questions)} | " + " | ".join(cells) + " |")
        means = {name: _mean(results[name], measure) for name in names}
        print("| mean | | " + " | ".join(f"{named:.3f} / {masked:.3f}" for named, masked in means.values()) + " |")
        if "MiniLM int8" in means:
            ratios = [ours / theirs for ours, theirs in zip(means["clew"], means["MiniLM int8"], strict=True)]
            print(f"clew to MiniLM, {measure}: named {ratios[0]:.3f}, masked {ratios[1]:.3f}")


def _cell(row: Mapping[str, Quality], measure: str) -> str:
    return " / ".join(f"{getattr(row[kind], measure):.3f}" for kind in ("named", "masked"))


def _mean(rows: Mapping[str, Mapping[str, Quality]], measure: str) -> tuple[float, float]:
    def mean(kind: str) -> float:
        return statistics.fmean(getattr(row[kind], measure) for row in rows.values())

    return mean("named"), mean("masked")


def print_speed(folder: Path, pools: Sequence[Pool], *, with_minilm: bool) -> None:
    """Documents of about 100 words, CPU seconds of one thread; the words are cut anew, as in a first indexing."""
    loads = []
    for _ in range(5):
        begun = time.perf_counter()
        model = open_static(folder)
        loads.append(time.perf_counter() - begun)
    words = " ".join(text for pool in pools for text in pool.named).split()
    step = 50  # white-space words of code, about 100 of MiniLM's tokens
    texts = [" ".join(words[i : i + step]) for i in range(0, len(words) - step, step)][:_THROUGHPUT_TEXTS]
    begun = time.process_time()
    model.embed_documents(texts)
    cold = len(texts) / (time.process_time() - begun)
    begun = time.process_time()
    model.embed_documents(texts)
    warm = len(texts) / (time.process_time() - begun)
    print(
        f"\nload {min(loads) * 1000:.1f} ms; {len(texts)} texts: {cold:.0f} a CPU second with an empty word cache, "
        f"{warm:.0f} with a full one"
    )
    if with_minilm:
        teacher = minilm()
        begun = time.process_time()
        teacher.embed_documents(texts[:_MINILM_TEXTS])
        speed = _MINILM_TEXTS / (time.process_time() - begun)
        print(f"MiniLM int8, one thread: {speed:.1f} a CPU second; ratio {cold / speed:.0f}")


if __name__ == "__main__":
    raise SystemExit(main())
