"""The document of `clew eval` as text for a person: figures, what could not be measured, the worst queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clew.cli.style import Painter, cut, safe

MAX_ROWS = 20  # queries shown unless all are asked for
MAX_HITS = 5  # files shown below a query
SIGNIFICANT = 0.05
TITLE, CELL = 20, 11  # columns: a row of five figures fits 80


def eval_lines(found: Mapping[str, Any], paint: Painter, columns: int, *, every: bool = False) -> list[str]:
    lines = [*_figures(found, paint), ""]
    lines += _not_indexed(found["not_indexed"], paint, columns)
    if "comparison" in found:
        return lines + _comparison(found["comparison"], paint, columns) + _notes(found, paint)
    return lines + _queries(found["per_query"], paint, columns, every) + _notes(found, paint)


def _figures(found: Mapping[str, Any], paint: Painter) -> list[str]:
    count, scored, names = found["queries"], found["scored"], list(found["intervals"])
    counted = "" if scored == count else f", {scored:,} of them scored"
    head = f"{count:,} {'query' if count == 1 else 'queries'}{counted}"
    lines = [f"{paint('head', head)}: {found['tokens']:,} tokens, {found['milliseconds']:g} ms an answer"]
    lines.append(paint("dim", _row("", names)))
    lines.append(_row("all", [f"{found[name]:.3f}" for name in names]))
    ends = [f"{low:.2f}-{high:.2f}" for low, high in (found["intervals"][name] for name in names)]
    lines.append(paint("dim", _row("95 % interval", ends)))
    for name, group in found["by_category"].items():
        title = cut(safe(f"{name} ({group['queries']})"), TITLE - 1)
        lines.append(_row(title, [f"{group[measure]:.3f}" for measure in names]))
    return lines


def _row(title: str, cells: Sequence[str]) -> str:
    return f"{title:<{TITLE}}" + "".join(f"{cell:>{CELL}}" for cell in cells)


def _not_indexed(missing: Sequence[Mapping[str, Any]], paint: Painter, columns: int) -> list[str]:
    if not missing:
        return []
    lines = [paint("warn", "could not look: labelled, but not in the index, and so not counted")]
    for each in missing[:MAX_ROWS]:
        uses = f" ({each['queries']} queries)" if each["queries"] > 1 else ""
        lines.append("  " + cut(f"{safe(each['path'])}: {safe(each['reason'])}{uses}", columns - 2))
    if len(missing) > MAX_ROWS:
        lines.append(paint("dim", f"  and {len(missing) - MAX_ROWS:,} more; --json lists all"))
    return [*lines, ""]


def _queries(rows: Sequence[Mapping[str, Any]], paint: Painter, columns: int, every: bool) -> list[str]:
    """Worst first: those without a right file, then by falling rank."""
    scored = [row for row in rows if row["ndcg@10"] is not None]
    wanted = [row for row in scored if every or row["rank"] != 1]
    if not wanted:
        return [paint("good", "every query has a right file first")]
    wanted.sort(key=lambda row: (row["rank"] is not None, -(row["rank"] or 0), row["ndcg@10"]))
    shown = wanted if every else wanted[:MAX_ROWS]
    lines = [paint("dim", "rank  query, worst first")]
    for row in shown:
        rank = f"{row['rank'] or 'none':>4}"
        lines.append(
            paint("bad" if row["rank"] is None else "rank", rank) + "  " + cut(safe(row["query"]), columns - 6)
        )
        gold = ", ".join(_label(each) for each in row["relevant"])
        lines.append("      " + paint("dim", cut(f"right: {safe(gold)}", columns - 6)))
        lines += [_hit(hit, paint, columns) for hit in row["hits"][:MAX_HITS]]
    if len(wanted) > len(shown):
        lines.append(paint("dim", f"and {len(wanted) - len(shown):,} more; --all shows all"))
    return lines


def _label(gold: Any) -> str:
    return gold if isinstance(gold, str) else f"{gold['path']}:{gold['start_line']}-{gold['end_line']}"


def _hit(hit: Mapping[str, Any], paint: Painter, columns: int) -> str:
    text = cut(f"{hit['rank']:>2}  {safe(hit['path'])}", columns - 8)
    return " " * 6 + (paint("good", f"{text} *") if hit["label"] == "relevant" else text)


def _comparison(found: Mapping[str, Any], paint: Painter, columns: int) -> list[str]:
    titles = f"{safe(found['before'])} → {safe(found['after'])}"
    head = f"compared on {found['queries']:,} queries: {titles}"
    lines = [paint("head", cut(head, columns))]
    lines.append(
        paint("dim", f"{'':<10}{'before':>9}{'after':>9}{'change':>9}{'95 % interval':>20}{'p':>9}  better/worse/equal")
    )
    for name, each in found["measures"].items():
        low, high = each["interval"]
        ends = f"{low:+.3f} to {high:+.3f}"
        style = "dim" if each["p"] >= SIGNIFICANT else "good" if each["difference"] > 0 else "bad"
        counts = f"{each['better']}/{each['worse']}/{each['equal']}"
        change = paint(style, f"{each['difference']:>+9.3f}")
        figures = f"{name:<10}{each['before']:>9.3f}{each['after']:>9.3f}{change}{ends:>20}{each['p']:>9.4f}"
        lines.append(f"{figures}  {counts}")
    if found["left_out"]:
        text = f"{found['left_out']:,} left out: in one of the two only, or not scored"
        lines.append(paint("warn", cut(text, columns)))
    return lines + _changes(found["changed"], paint, columns)


def _changes(changed: Sequence[Mapping[str, Any]], paint: Painter, columns: int) -> list[str]:
    if not changed:
        return [paint("dim", "no query changed")]
    half = MAX_ROWS // 2
    losses = [row for row in changed if row["difference"] < 0][:half]
    gains = [row for row in reversed(changed) if row["difference"] > 0][:half]
    lines = ["", paint("dim", "rank before → after, greatest changes first")]
    for row in sorted((*losses, *gains), key=lambda row: -abs(row["difference"])):
        ranks = f"{row['before'] or 'none':>4} → {row['after'] or 'none':<4}"
        text = cut(safe(row["query"]), columns - len(ranks) - 2)
        lines.append(paint("good" if row["difference"] > 0 else "bad", ranks) + "  " + text)
    return lines


def _notes(found: Mapping[str, Any], paint: Painter) -> list[str]:
    return [paint("dim", f"note: {safe(note)}") for note in found["notes"]]
