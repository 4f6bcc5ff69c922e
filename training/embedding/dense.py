"""The dense signal alone on labelled queries: python training/embedding/dense.py MODEL DATA CHECKOUTS WORK

Every chunk of a repository is embedded as the index does it; a file scores as its best chunk. No
ranking, no file left out. NDCG@10 over the queries, by set and language. Never train on these.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks" / "quality"))

from datasets import SETS, LabelledQuery, Repository, queries, repositories

from clew.embedding import StaticEmbedder, chunk_texts, open_static, path_text, unit_rows
from clew.embedding.texts import PATH_WEIGHT
from clew.evaluation import score_query
from clew.parsing.file import parse_file
from clew.parsing.limits import Limits
from clew.workspace import walk

Float32s = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Chunks:
    """The chunks of a repository: texts, and for each chunk the number of its file and its lines."""

    paths: list[str]
    texts: list[str]
    files: npt.NDArray[np.intp]
    lines: list[tuple[int, int]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--path-weight", type=float, nargs="*", default=[PATH_WEIGHT], help="to compare several")
    arguments = parser.parse_args()
    model = open_static(arguments.model)
    for weight in arguments.path_weight:
        print(f"path weight {weight:g}")
        print_table(evaluate(model, arguments.data, arguments.checkouts, arguments.work, weight))
    return 0


def evaluate(
    embedder: StaticEmbedder, data: Path, checkouts: Path, work: Path, path_weight: float = PATH_WEIGHT
) -> dict[str, list[tuple[LabelledQuery, str, float]]]:
    """Per set: every query with its repository's language and its NDCG@10."""
    known = repositories(data, checkouts)
    asked = {name: queries(data, name, known) for name in SETS}
    out: dict[str, list[tuple[LabelledQuery, str, float]]] = {name: [] for name in SETS}
    for repository in known.values():
        chunks = load_chunks(repository, work)
        vectors = embedder.embed_documents(chunks.texts)
        paths = embedder.embed_documents([path_text(path) for path in chunks.paths])
        vectors = unit_rows(vectors + np.float32(path_weight) * paths[chunks.files])
        for name in SETS:
            for query in asked[name]:
                if query.repository == repository.name:
                    scores = vectors @ embedder.embed_query(query.text)
                    out[name].append((query, repository.language, score(chunks, scores, query)))
    return out


def score(chunks: Chunks, scores: Float32s, query: LabelledQuery) -> float:
    """NDCG@10 of the files in the order of their best chunks; a file shows that chunk's lines."""
    hits: list[list[tuple[str, int, int]]] = []
    seen: set[int] = set()
    for row in np.argsort(-scores, kind="stable"):
        file = int(chunks.files[row])
        if file in seen:
            continue
        seen.add(file)
        hits.append([(chunks.paths[file], *chunks.lines[row])])
        if len(hits) == 10:
            break
    return score_query(hits, query.gold).ndcg


def print_table(results: dict[str, list[tuple[LabelledQuery, str, float]]]) -> None:
    for name, rows in results.items():
        by_repository = _means(rows, lambda row: row[0].repository)
        print(
            f"{name}: {len(rows)} queries, NDCG@10 {statistics.fmean(row[2] for row in rows):.4f} over queries, "
            f"{statistics.fmean(by_repository.values()):.4f} over repositories"
        )
        for title, key in (
            ("language", lambda row: row[1]),
            ("category", lambda row: row[0].category),
        ):
            means = _means(rows, key)
            print(f"  by {title}: " + ", ".join(f"{group} {value:.3f}" for group, value in sorted(means.items())))


def _means(
    rows: Sequence[tuple[LabelledQuery, str, float]], key: Callable[[tuple[LabelledQuery, str, float]], str]
) -> dict[str, float]:
    groups: dict[str, list[float]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row[2])
    return {group: statistics.fmean(values) for group, values in groups.items()}


def load_chunks(repository: Repository, work: Path) -> Chunks:
    """The chunks of a checkout, kept in the work folder after the first time."""
    path = work / "chunks" / f"{repository.name}.json"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(_chunks(repository)), encoding="utf-8")
    paths, texts, files, lines = json.loads(path.read_text(encoding="utf-8"))
    return Chunks(paths, texts, np.array(files, np.intp), [(start, end) for start, end in lines])


def _chunks(repository: Repository) -> tuple[list[str], list[str], list[int], list[tuple[int, int]]]:
    if not repository.root.is_dir():
        raise SystemExit(f"missing checkout: {repository.root}")
    paths: list[str] = []
    texts: list[str] = []
    files: list[int] = []
    lines: list[tuple[int, int]] = []
    for each in walk(repository.root).files:
        parsed = parse_file(str(repository.root), each.path, Limits())
        if parsed.skipped or parsed.failed:
            continue
        texts.extend(chunk_texts(zlib.decompress(parsed.text), parsed.chunks))
        files.extend([len(paths)] * len(parsed.chunks))
        lines.extend((chunk.start_line, chunk.end_line) for chunk in parsed.chunks)
        paths.append(each.path)
    return paths, texts, files, lines


if __name__ == "__main__":
    raise SystemExit(main())
