"""What `dump.py` saved, query by query, and the figure that is trained for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from clew.evaluation import statistics
from clew.search.features import FileSignals

DEV_SETS = ("nl-dev", "commits-dev")  # all others are only trained on
FOLDS = 7
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """One query: its candidates' signals, which of them are gold, how many golds exist."""

    set_name: str
    repository: str
    language: str
    category: str
    text: str
    signals: FileSignals
    gold: npt.NDArray[np.bool_]
    golds: int

    @property
    def tuning(self) -> bool:
        return self.set_name in DEV_SETS


def load(path: Path) -> list[Example]:
    with np.load(path, allow_pickle=False) as stored:
        names = [str(name) for name in stored["names"]]
        matrix, gold, golds = stored["signals"], stored["gold"], stored["golds"]
        paths = bytes(stored["paths"]).decode("utf-8").split("\n")
        about = json.loads(bytes(stored["about"]))
        ends = np.cumsum(stored["sizes"])
    out = []
    for end, size, count, each in zip(
        ends.tolist(), np.diff(ends, prepend=0).tolist(), golds.tolist(), about, strict=True
    ):
        part = slice(end - size, end)
        values = {name: np.ascontiguousarray(matrix[part, column]) for column, name in enumerate(names)}
        vectors = bool(size) and bool(values["vector"].any())
        signals = FileSignals(
            np.arange(size, dtype=np.int64), tuple(paths[part]), values, vectors, each["kind"] == "question"
        )
        out.append(
            Example(
                each["set"], each["repository"], each["language"], each["category"], each["query"], signals,
                gold[part], count,
            )
        )  # fmt: skip
    return out


def folds(examples: Iterable[Example]) -> dict[str, int]:
    """Fold by repository, of the development sets only."""
    found = sorted({each.repository for each in examples if each.tuning})
    return {name: place % FOLDS for place, name in enumerate(found)}


def ndcg(gold_by_rank: npt.NDArray[np.bool_], golds: int) -> float:
    """NDCG@10 of files in their order."""
    best = gold_by_rank[:10]
    gains = best / np.log2(np.arange(2, len(best) + 2))
    ideal = (1 / np.log2(np.arange(2, min(10, golds) + 2))).sum()
    return float(gains.sum() / ideal)


def by_repository(examples: Sequence[Example], figures: Sequence[float]) -> dict[str, float]:
    groups: dict[str, list[float]] = {}
    for each, figure in zip(examples, figures, strict=True):
        groups.setdefault(each.repository, []).append(figure)
    return {name: float(np.mean(values)) for name, values in groups.items()}


def interval(examples: Sequence[Example], figures: Sequence[float]) -> tuple[float, float]:
    """95 % of the mean over repositories, by bootstrap over repositories."""
    return statistics.interval(np.array(list(by_repository(examples, figures).values())))


def grouped(examples: Sequence[Example], key: Callable[[Example], str]) -> dict[str, list[int]]:
    out: dict[str, list[int]] = {}
    for place, each in enumerate(examples):
        out.setdefault(key(each), []).append(place)
    return dict(sorted(out.items()))
