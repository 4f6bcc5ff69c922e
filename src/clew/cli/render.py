"""Records as text for a person. Each function returns lines; nothing here prints."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from clew.cli.style import Painter, cut, safe, width
from clew.records import Answer, Check, Hit, IndexEstimate, IndexReport, Place, Status

# Lines of text shown for the first place of a file and for each further one: ten files fit on a screen or two.
FIRST_LINES = 5
MORE_LINES = 2
MIN_SNIPPET = 24  # columns; below that the text is left out
UNNAMED_KINDS = ("gap", "lines")  # what the index calls lines outside of definitions; no word for a reader
MIN_SYMBOL = 8  # columns; a shorter stump tells nothing
MAX_FAILURES = 10  # lines; `clew index --json` has them all
# Words of a question that say nothing about which line answers it.
_COMMON = frozenset(
    [
        "about", "all", "and", "any", "are", "can", "does", "for", "from", "has", "how", "into", "its", "not", "that",
        "the", "there", "this", "was", "what", "when", "where", "which", "who", "why", "with",
    ]
)  # fmt: skip
_MARKS = {"ok": ("good", "ok"), "advisory": ("warn", "advice"), "broken": ("bad", "broken")}


def answer_lines(answer: Answer, paint: Painter, columns: int) -> list[str]:
    if not answer.hits:
        return [paint("dim", "no results"), *_answer_footer(answer, paint)]
    words = query_words(answer.query)
    indent = len(str(answer.hits[-1].rank)) + 2
    lines: list[str] = []
    for hit in answer.hits:
        lines += _hit_lines(hit, words, indent, paint, columns)
        if any(place.text for place in hit.places):
            lines.append("")
    if lines[-1] == "" and not _answer_footer(answer, paint):
        lines.pop()
    return lines + _answer_footer(answer, paint)


def _answer_footer(answer: Answer, paint: Painter) -> list[str]:
    fresh = answer.freshness
    lines = []
    if fresh.state != "fresh":
        text = fresh.message or f"{fresh.state}: {_count(fresh.changed_files, 'changed file')}"
        lines.append(paint("dim" if fresh.state == "refreshed" else "warn", safe(text)))
    return lines + [paint("dim", f"note: {safe(note)}") for note in answer.notes]


def _hit_lines(hit: Hit, words: Sequence[str], indent: int, paint: Painter, columns: int) -> list[str]:
    lines = []
    for number, place in enumerate(hit.places):
        first = number == 0
        margin = f"{hit.rank:<{indent}}" if first else " " * indent
        path = hit.path if first else ""
        lines.append(
            (paint("rank", margin) if first else margin)
            + _place_line(place, path, hit.stale and first, paint, columns - indent)
        )
        lines += _snippet(place, words, FIRST_LINES if first else MORE_LINES, indent, paint, columns)
    if hit.signals:
        pairs = "  ".join(f"{name} {value:.3g}" for name, value in hit.signals.items())
        lines.append(" " * indent + paint("dim", f"score {hit.score:.4g}  {pairs}"))
    for decision in hit.decisions:
        lines.append(" " * indent + paint("dim", cut(f"decision {safe(decision)}", columns - indent)))
    return lines


def _place_line(place: Place, path: str, stale: bool, paint: Painter, columns: int) -> str:
    """`path:start-end  symbol  kind`. Where room is short the symbol gives way; the path never, it is to be copied."""
    end = f"-{place.end_line}" if place.end_line != place.start_line else ""
    lines = f":{place.start_line}{end}"
    kind = "" if place.kind in UNNAMED_KINDS else safe(place.kind)
    kind += (", " if kind and stale else "") + ("changed since" if stale else "")
    room = columns - len(lines) - (width(kind) + 2 if kind else 0)
    path = safe(path)
    symbol_room = room - width(path) - 2
    symbol = cut(safe(place.symbol), symbol_room) if symbol_room >= MIN_SYMBOL else ""
    out = paint("path", path) + paint("dim", lines)
    out += "  " + paint("symbol", symbol) if symbol else ""
    return out + ("  " + paint("warn" if stale else "dim", kind) if kind else "")


def _snippet(place: Place, words: Sequence[str], count: int, indent: int, paint: Painter, columns: int) -> list[str]:
    if not place.text:
        return []
    chosen = telling_lines(place.text, words, count)
    numbers = len(str(place.start_line + chosen[-1][0])) if chosen else 0
    room = columns - indent - numbers - 2
    if not chosen or room < MIN_SNIPPET:
        return []
    texts = _dedented([safe(text) for _, text in chosen])
    return [
        " " * indent
        + paint("dim", f"{place.start_line + offset:>{numbers}}")
        + "  "
        + _marked(cut(text, room), words, paint)
        for (offset, _), text in zip(chosen, texts, strict=True)
    ]


def telling_lines(text: str, words: Sequence[str], count: int) -> list[tuple[int, str]]:
    """Up to `count` (offset, line) in order: the first that is not blank, then those with most of the query's words.

    O(lines x words).
    """
    lines = [(at, line) for at, line in enumerate(re.split("\r\n|\r|\n", text)) if re.search(r"\w", line)]
    if len(lines) <= count:
        return lines
    found = {at: sum(word in line.casefold() for word in words) for at, line in lines[1:]}
    best = sorted(found, key=lambda at: (-found[at], at))[: count - 1]
    keep = {lines[0][0], *best}
    return [(at, line) for at, line in lines if at in keep]


def query_words(query: str) -> list[str]:
    """The query's words worth looking for in a line: three letters up unless common, or in another script."""
    words = dict.fromkeys(word.casefold() for word in re.findall(r"\w+", query))
    return [word for word in words if word not in _COMMON and (len(word) >= 3 or not word.isascii())]


def _marked(text: str, words: Sequence[str], paint: Painter) -> str:
    if not paint.colour or not words:
        return text
    pattern = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.sub(pattern, lambda match: paint("match", match.group()), text, flags=re.IGNORECASE)


def _dedented(lines: Sequence[str]) -> list[str]:
    """Without the indentation that all lines share."""
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return [line[margin:] for line in lines]


def report_lines(report: IndexReport, paint: Painter, columns: int) -> list[str]:
    files = report.files
    total = files.indexed + files.unchanged
    sizes = f"{_count(report.chunks, 'chunk')}, {_count(report.definitions, 'definition')}, {report.seconds:.1f} s"
    counts = ("indexed", "unchanged", "removed", "skipped", "failed")
    lines = [
        f"{paint('head', _count(total, 'file'))} in the index: {sizes}",
        paint("dim", "  " + " · ".join(f"{getattr(files, name):,} {name}" for name in counts)),
    ]
    if report.skipped_reasons:
        lines.append(paint("dim", "  skipped: " + _tally(report.skipped_reasons)))
    for failure in report.failures[:MAX_FAILURES]:
        lines.append("  " + paint("warn", cut(f"failed {safe(failure.path)}: {safe(failure.reason)}", columns - 2)))
    if len(report.failures) > MAX_FAILURES:
        lines.append(paint("dim", f"  and {len(report.failures) - MAX_FAILURES:,} more; --json lists all"))
    return lines + [paint("dim", f"note: {safe(note)}") for note in report.notes]


def estimate_lines(estimate: IndexEstimate, paint: Painter, columns: int) -> list[str]:
    sizes = f"{_bytes(estimate.bytes)}, about {_count(estimate.estimated_chunks, 'chunk')}"
    work = f"{estimate.changed_files:,} to index. Nothing was written."
    lines = [f"{paint('head', _count(estimate.files, 'file'))}, {sizes}; {work}"]
    if estimate.large:
        lines.append(paint("warn", "  this is large: the first run takes minutes"))
    if estimate.skipped_reasons:
        lines.append(paint("dim", "  skipped: " + _tally(estimate.skipped_reasons)))
    return lines


def status_lines(status: Status, paint: Painter, columns: int) -> list[str]:
    if not status.exists and not status.error:
        return [f"{safe(status.root)} has no index yet", paint("dim", "  make one with: clew index")]
    stale = {None: "unknown", False: "up to date", True: f"behind: {_unknown(status.changed_files)} changed files"}
    rows = [
        ("root", safe(status.root)),
        ("index", safe(status.index_path)),
        ("state", paint("warn" if status.stale else "good", stale[status.stale])),
        ("files", _unknown(status.files)),
        ("chunks", _unknown(status.chunks)),
        ("definitions", _unknown(status.definitions)),
        ("languages", _tally(status.languages) or "none"),
        ("text only", _tally(status.text_only)),
        ("skipped", _tally(status.skipped_reasons)),
        ("embedder", _unknown(status.embedder)),
        ("store", _unknown(status.store)),
        ("generation", _unknown(status.generation)),
        ("last indexed", _unknown(status.last_indexed_at)),
        ("error", paint("bad", safe(status.error or ""))),
    ]
    lines = [paint("dim", f"{name:<13}") + value for name, value in rows if value]
    return lines + [paint("dim", f"note: {safe(note)}") for note in status.notes]


def settings_lines(settings: Mapping[str, Mapping[str, Any]], helps: Mapping[str, str], paint: Painter) -> list[str]:
    values = {name: _setting_text(entry["value"]) for name, entry in settings.items()}
    names = max(map(len, values))
    room = min(40, max(map(len, values.values())))
    lines = []
    for name, entry in settings.items():
        origin = str(entry["origin"])
        style = "dim" if origin == "default" else "symbol"
        lines.append(f"{paint('path', f'{name:<{names}}')}  {values[name]:<{room}}  {paint(style, safe(origin))}")
        lines.append(paint("dim", f"  {helps[name]}"))
    return lines


def check_lines(checks: Sequence[Check], paint: Painter) -> list[str]:
    names = max((len(check.name) for check in checks), default=0)
    lines = []
    for check in checks:
        style, mark = _MARKS.get(check.state, ("dim", check.state))
        lines.append(f"{paint(style, f'{mark:<6}')}  {check.name:<{names}}  {safe(check.detail)}")
        if check.fix:
            lines.append(" " * (names + 10) + paint("dim", f"→ {safe(check.fix)}"))
    return lines


def _setting_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return safe(", ".join(map(str, value))) or "(none)"
    return safe(str(value)) or "(empty)"


def _unknown(value: object) -> str:
    if value is None:
        return "unknown"
    return f"{value:,}" if isinstance(value, int) else safe(str(value))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _tally(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{safe(name)} {count:,}" for name, count in ordered)


def _bytes(size: int) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return _count(size, "byte")
