"""Measuring retrieval against labelled queries."""

from clew.evaluation.metrics import Gold, QueryScore, score_query

__all__ = ["Gold", "QueryScore", "score_query"]
