"""From raw runs to a summary, the bounds it is held against, and a table."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from series import percentile

PERCENTILES = (50, 90, 99, 100)
MOST_UNEQUAL = 0.02  # part of the files by which a comparison may differ: size limits, binaries, secrets
_TIMED = (
    "cold_index", "refresh_unchanged", "refresh_touched", "refresh_edited", "cold_query", "query_after_one_edit",
    "query_after_edits",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bound:
    """The most that a figure may be on Kubernetes; `path` leads to it in the summary."""

    title: str
    path: tuple[str, ...]
    most: float


BOUNDS = (
    Bound("refresh without changes, median, s", ("clew", "refresh_unchanged", "median"), 1.5),
    Bound("query process, median, s", ("clew", "cold_query", "median"), 0.5),
    Bound("warm query, p50, ms", ("clew", "warm", "p50"), 15.0),
    Bound("peak memory, bytes", ("clew", "peak"), 1.5e9),
    Bound("cold index, part of semble's time", ("ratios", "cold_index"), 0.75),
)


def summarise(results: dict[str, Any], runs: dict[str, list[Any]]) -> dict[str, Any]:
    """Add the figures of `runs` to the results, and the runs themselves."""
    ours: dict[str, Any] = {name: _spread([each["seconds"] for each in runs[name]]) for name in _TIMED if name in runs}
    for name in ("warm", "warm_polled"):
        if name in runs:
            ours[name] = _warm(runs[name])
            ours[name]["states"] = dict(sum((Counter(each["states"]) for each in runs[name]), Counter()))
    last = runs["cold_index"][-1]
    ours |= {
        "embedder": runs["embedder"][-1],
        "files": last["files"]["indexed"],
        "chunks": last["chunks"],
        "definitions": last["definitions"],
        "index_bytes": runs["index_size"][-1]["total"],
        "index_peak": max(each["peak"] for each in runs["cold_index"]),
        "query_peak": max(each["peak"] for each in runs["cold_query"]),
        "warm_peak": max(each["peak"] for each in runs["warm"]),
        "engine_seconds": statistics.median(each["engine_seconds"] for each in runs["cold_index"]),
        "cpu_seconds": statistics.median(each["cpu_seconds"] for each in runs["cold_index"]),
    }
    ours["peak"] = max(ours["index_peak"], ours["query_peak"], ours["warm_peak"])
    theirs = _semble(runs["semble"]) if "semble" in runs else {}
    return {**results, "clew": ours, "semble": theirs, "ratios": _ratios(ours, theirs), "runs": runs}


def _semble(runs: list[Any]) -> dict[str, Any]:
    return {
        "version": runs[-1]["version"],
        "cold_index": _spread([each["index_seconds"] for each in runs]),
        "warm": _warm(runs),
        "files": runs[-1]["files"],
        "chunks": runs[-1]["chunks"],
        "peak": max(each["peak"] for each in runs),
        "workers": runs[-1]["workers"],
    }


def _ratios(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, float]:
    """clew as a part of semble. Its time is the library's; ours is the whole process, start and end with it."""
    if not theirs:
        return {}
    pairs = {
        "cold_index": (ours["cold_index"]["median"], theirs["cold_index"]["median"]),
        "peak_memory": (ours["peak"], theirs["peak"]),
        "warm_p50": (ours["warm"]["p50"], theirs["warm"]["p50"]),
        "warm_max": (ours["warm"]["p100"], theirs["warm"]["p100"]),
    }
    return {name: round(one / other, 3) for name, (one, other) in pairs.items()}


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"runs": len(values), "min": min(values), "median": statistics.median(values), "max": max(values)}


def _warm(runs: list[Any]) -> dict[str, Any]:
    """Percentiles over the queries of all runs."""
    times = [each for run in runs for each in run["ms"]]
    return {
        "queries": len(times),
        **{f"p{percent}": percentile(times, percent) for percent in PERCENTILES},
        **{name: statistics.median(run[name] for run in runs) for name in ("first_ms", "second_ms") if name in runs[0]},
    }


def broken_bounds(results: dict[str, Any]) -> list[str]:
    out = []
    for bound in BOUNDS:
        value: Any = results
        for key in bound.path:
            value = value.get(key) if value else None
        if value is not None and value > bound.most:
            out.append(f"{bound.title}: {value:,.3f}, at most {bound.most:,.3f}")
    return out


def table(results: dict[str, Any]) -> str:
    ours, theirs, tree, machine = results["clew"], results["semble"], results["tree"], results["machine"]
    only = f" (only {' '.join(tree['suffixes'])})" if tree["suffixes"] else ""
    lines = [
        f"{tree['name']}{only}: {tree['files']:,} files, {_mb(tree['bytes'])}{', git' if tree['git'] else ''}",
        f"{machine['cores']} cores {machine['processor']}, {machine['system']}, Python {machine['python']}, "
        f"load {machine['load_at_start']} to {results['load_at_end']}",
        f"clew {machine['clew']}, embedder {ours['embedder']}: {ours['files']:,} files, {ours['chunks']:,} chunks, "
        f"{ours['definitions']:,} definitions",
        "",
        f"{'whole processes, s':34}{'runs':>5}{'min':>9}{'median':>9}{'max':>9}",
        *(_seconds_line(name.replace("_", " "), ours[name]) for name in _TIMED if name in ours),
    ]
    if theirs:
        lines.append(_seconds_line(f"semble {theirs['version']} index", theirs["cold_index"]))
    lines += ["", f"{'queries in one process, ms':34}{'n':>5}{'p50':>9}{'p90':>9}{'p99':>9}{'max':>9}{'first':>9}"]
    for title, figures in (("clew", ours.get("warm")), ("clew, polled", ours.get("warm_polled")),
                           ("semble", theirs.get("warm"))):  # fmt: skip
        if figures:
            values = "".join(f"{figures[f'p{percent}']:9.1f}" for percent in PERCENTILES)
            lines.append(f"{title:34}{figures['queries']:5}{values}{figures['first_ms']:9.1f}")
    lines += [
        "",
        f"cold index: {ours['engine_seconds']:.1f} s in the engine, {ours['cpu_seconds']:.1f} s of CPU time",
        f"index on disk: {_mb(ours['index_bytes'])}",
        f"peak memory: {_mb(ours['index_peak'])} indexing with its workers, {_mb(ours['query_peak'])} a query process, "
        f"{_mb(ours['warm_peak'])} many queries",
    ]
    if theirs:
        ratios = ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for name, value in results["ratios"].items())
        lines.append(
            f"semble: {theirs['files']:,} files, {theirs['chunks']:,} chunks, peak memory {_mb(theirs['peak'])}"
        )
        lines.append(f"clew / semble: {ratios}")
        if abs(ours["files"] - theirs["files"]) > MOST_UNEQUAL * theirs["files"]:
            lines.append("not a fair comparison: they indexed different files (see --suffix and --generated)")
    return "\n".join(lines)


def _seconds_line(title: str, spread: dict[str, float]) -> str:
    values = "".join(f"{spread[name]:9.3f}" for name in ("min", "median", "max"))
    return f"{title:34}{spread['runs']:5}{values}"


def _mb(size: float) -> str:
    return f"{size / 1e6:,.1f} MB"
