"""Two runs over the same labelled queries: what changed, and whether it is more than chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from clew.errors import UsageError
from clew.evaluation.datasets import parse_json, read_bounded
from clew.evaluation.report import DIGITS, MEASURES

_HINT = "make a report with: clew eval FILE --json > REPORT"


def load_report(path: Path) -> dict[str, Any]:
    """A document that `clew eval` wrote earlier. UsageError when it is something else."""
    found = parse_json(read_bounded(path, "an earlier report"), path)
    rows = found.get("per_query") if isinstance(found, dict) else None
    if not isinstance(rows, list) or not all(_is_row(row) for row in rows):
        raise UsageError(f"{path} is not a report of clew eval", hint=_HINT)
    return {"per_query": rows}


def _is_row(row: object) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("query"), str):
        return False
    rank = row.get("rank")
    if rank is not None and (not isinstance(rank, int) or isinstance(rank, bool)):
        return False
    found = [row.get(name) for name in MEASURES]
    numbers = all(isinstance(value, (int, float)) and 0 <= value <= 1 for value in found)
    return numbers or all(value is None for value in found)


def comparison(
    before: Mapping[str, Any], after: Mapping[str, Any], before_name: str, after_name: str
) -> dict[str, Any]:
    """Compare two documents query by query; those that not both scored are counted as `left_out`.

    Queries with the same text are matched in their order. UsageError when no query is in both.
    """
    import numpy as np

    from clew.evaluation.statistics import paired

    old, new = _keyed(before["per_query"]), _keyed(after["per_query"])
    shared = [key for key in new if key in old and _scored(old[key]) and _scored(new[key])]
    if not shared:
        raise UsageError(f"{before_name} and {after_name} have no labelled query in common", hint=_HINT)
    found = {
        name: paired(*(np.array([float(rows[key][name]) for key in shared]) for rows in (old, new)))
        for name in MEASURES
    }
    return {
        "before": before_name,
        "after": after_name,
        "queries": len(shared),
        "left_out": len(old.keys() | new.keys()) - len(shared),
        "measures": {
            name: {
                "before": round(each.before, DIGITS),
                "after": round(each.after, DIGITS),
                "difference": round(each.difference, DIGITS),
                "interval": [round(each.low, DIGITS), round(each.high, DIGITS)],
                "p": round(each.p, DIGITS + 1),
                "effect": round(each.effect, DIGITS),
                "better": each.better,
                "worse": each.worse,
                "equal": each.equal,
            }
            for name, each in found.items()
        },
        "changed": _changed(shared, old, new),
    }


def _keyed(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], Mapping[str, Any]]:
    """Rows by text, and by how often the same text came before."""
    seen: dict[str, int] = {}
    out = {}
    for row in rows:
        text = row["query"]
        out[text, seen.get(text, 0)] = row
        seen[text] = seen.get(text, 0) + 1
    return out


def _scored(row: Mapping[str, Any]) -> bool:
    return row["ndcg@10"] is not None


def _changed(
    keys: Sequence[tuple[str, int]], old: Mapping[Any, Mapping[str, Any]], new: Mapping[Any, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Queries whose NDCG differs, greatest loss first."""
    pairs = [(key, float(new[key]["ndcg@10"]) - float(old[key]["ndcg@10"])) for key in keys]
    return [
        {
            "query": key[0],
            "before": old[key]["rank"],
            "after": new[key]["rank"],
            "difference": round(difference, DIGITS),
        }
        for key, difference in sorted(pairs, key=lambda pair: (pair[1], pair[0]))
        if difference
    ]
