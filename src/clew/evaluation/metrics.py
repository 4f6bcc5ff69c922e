"""Retrieval metrics with binary gains: NDCG@10, MRR@10, hit@1, recall@k."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

DEPTH = 10  # ranks that count, as in the published figures of this field


@dataclass(frozen=True, slots=True)
class Gold:
    """A right answer: a file, or lines of it, which a hit must overlap."""

    path: str
    start_line: int = 0
    end_line: int = 0

    def matches(self, path: str, start_line: int, end_line: int) -> bool:
        if path != self.path:
            return False
        return not self.start_line or (start_line <= self.end_line and end_line >= self.start_line)


@dataclass(frozen=True, slots=True)
class QueryScore:
    """`ranks` are those of the golds found among the first DEPTH hits, in the order of the golds (0: not found)."""

    ndcg: float
    mrr: float
    hit1: float
    recall5: float
    recall10: float
    ranks: tuple[int, ...]


def score_query(hits: Sequence[Sequence[tuple[str, int, int]]], gold: Sequence[Gold]) -> QueryScore:
    """Score one answer. Each hit is the lines it shows, as (path, start, end); ranks are those of hits.

    The ideal places all golds first; discount 1 / log2(rank + 1).
    """
    ranks = gold_ranks(hits[:DEPTH], gold)
    found: list[int] = []
    for rank in sorted(rank for rank in ranks if rank):
        # Two golds in one hit count as if they came one after the other, so that no answer beats the ideal.
        found.append(max(rank, found[-1] + 1) if found else rank)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(DEPTH, len(gold)) + 1))
    return QueryScore(
        ndcg=sum(1 / math.log2(rank + 1) for rank in found) / ideal if ideal else 0.0,
        mrr=1 / found[0] if found else 0.0,
        hit1=float(bool(found) and found[0] == 1),
        recall5=sum(rank <= 5 for rank in found) / len(gold) if gold else 0.0,
        recall10=len(found) / len(gold) if gold else 0.0,
        ranks=ranks,
    )


def gold_ranks(hits: Sequence[Sequence[tuple[str, int, int]]], gold: Sequence[Gold]) -> tuple[int, ...]:
    """The rank of the first hit that shows each gold, at any depth; 0 where none does."""
    return tuple(
        next((rank for rank, lines in enumerate(hits, 1) if any(each.matches(*place) for place in lines)), 0)
        for each in gold
    )
