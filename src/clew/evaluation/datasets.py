"""Labelled queries from a file: which files, or which of their lines, answer each question."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.errors import UsageError
from clew.evaluation.metrics import Gold

MAX_BYTES = 50_000_000  # of a file of labels: some 300,000 queries
MAX_LINE = 2**31 - 1  # no file is longer
SHOWN = 60  # characters of a query in an error message
EXAMPLE = '[{"query": "where are rules applied", "relevant": ["src/rules.py"]}]'


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A question and its right answers. `secondary` ones are marked in the report but earn nothing."""

    text: str
    gold: tuple[Gold, ...]
    secondary: tuple[Gold, ...] = ()
    category: str = ""


def load_queries(path: Path, inside: Callable[[str], str]) -> list[LabelledQuery]:
    """Read a list of `{"query", "relevant": [PATH or {"path", "start_line", "end_line"}], "secondary": []}`.

    `inside` turns a path as written into one relative to the root, or raises. Other keys are allowed; of
    these, `category` groups the figures. UsageError names the query and what is wrong with it.
    """
    rows = _document(path)
    if not isinstance(rows, list):
        raise _wrong(path, "is not a list of labelled queries")
    if not rows:
        raise _wrong(path, "holds no query")
    return [_query(row, f"{path}: query {number}", inside) for number, row in enumerate(rows, 1)]


def read_bounded(path: Path, what: str) -> bytes:
    """The bytes of a file of labels or of a report. UsageError for what is no file, not readable or too large."""
    try:
        if path.is_dir():
            raise UsageError(f"{path} is a folder", hint=f"name the file of {what}")
        if not path.exists():
            raise UsageError(f"there is no file {path}", hint=f"name the file of {what}")
        if not path.is_file():
            raise UsageError(f"{path} is not a regular file", hint=f"name the file of {what}")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the name
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{str(path)!r} cannot be read: {reason}", hint=f"name the file of {what}") from None
    if len(data) > MAX_BYTES:
        raise UsageError(f"{path} is larger than {MAX_BYTES:,} bytes", hint=f"name the file of {what}")
    return data


def parse_json(data: bytes, path: Path) -> Any:
    """JSON in UTF-8, with or without a byte order mark. UsageError says where it stops being JSON."""
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: byte {error.start}") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise UsageError(f"{path} is not JSON: {error.msg} at {where}", hint=f"it looks like {EXAMPLE}") from None
    except (RecursionError, ValueError):  # nested too deep, or a number of too many digits
        raise UsageError(f"{path} is not JSON that can be read") from None


def _document(path: Path) -> Any:
    return parse_json(read_bounded(path, "labelled queries"), path)


def _query(row: object, where: str, inside: Callable[[str], str]) -> LabelledQuery:
    if not isinstance(row, dict):
        raise _wrong(where, "is not an object")
    text = row.get("query")
    if not isinstance(text, str) or not text.strip():
        raise _wrong(where, 'has no text in "query"')
    named = f"{where} ({_short(text)!r})"
    gold = _golds(row.get("relevant"), "relevant", named, inside)
    if not gold:
        raise _wrong(named, 'has no file in "relevant"')
    category = row.get("category", "")
    return LabelledQuery(
        text=text.encode("utf-8", "replace").decode(),  # half a surrogate pair is no text
        gold=gold,
        secondary=_golds(row.get("secondary", []), "secondary", named, inside),
        category=category if isinstance(category, str) else "",
    )


def _golds(entries: object, key: str, where: str, inside: Callable[[str], str]) -> tuple[Gold, ...]:
    if not isinstance(entries, list):
        raise _wrong(where, f'has no list in "{key}"')
    return tuple(dict.fromkeys(_gold(entry, key, where, inside) for entry in entries))


def _gold(entry: object, key: str, where: str, inside: Callable[[str], str]) -> Gold:
    path = entry.get("path") if isinstance(entry, dict) else entry
    if not isinstance(path, str) or not path.strip():
        raise _wrong(where, f'has an entry in "{key}" that is neither a path nor an object with "path"')
    try:
        relative = inside(path)
    except UsageError as error:
        raise _wrong(where, error.message, hint=error.hint) from None
    if not relative:
        raise _wrong(where, f"names the root itself in {key!r}")
    if not isinstance(entry, dict) or ("start_line" not in entry and "end_line" not in entry):
        return Gold(relative)
    start: Any = entry.get("start_line")
    end: Any = entry.get("end_line")
    if not _is_line(start) or not _is_line(end) or start > end:
        raise _wrong(where, f"needs 1 <= start_line <= end_line for {path!r}, not {start!r} and {end!r}")
    return Gold(relative, start, end)


def _is_line(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_LINE


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def _wrong(where: Path | str, what: str, *, hint: str = f"FILE looks like {EXAMPLE}") -> UsageError:
    return UsageError(f"{where} {what}", hint=hint)
