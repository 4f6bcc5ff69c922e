"""Measuring retrieval against labelled queries."""

from clew.evaluation.compare import comparison, load_report
from clew.evaluation.datasets import LabelledQuery, load_queries
from clew.evaluation.metrics import Gold, QueryScore, gold_ranks, score_query
from clew.evaluation.report import Report, Result, document, evaluate, hit_lines

__all__ = [
    "Gold",
    "LabelledQuery",
    "QueryScore",
    "Report",
    "Result",
    "comparison",
    "document",
    "evaluate",
    "gold_ranks",
    "hit_lines",
    "load_queries",
    "load_report",
    "score_query",
]
