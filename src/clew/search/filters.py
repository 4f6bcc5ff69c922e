"""Filters of a search, resolved to ids before anything is ranked.

The filter expression (`--filter`):

    EXPR   = EXPR or EXPR | EXPR and EXPR | not EXPR | (EXPR) | TEST
    TEST   = FIELD OP VALUE | FIELD in (VALUE, ...) | FIELD like 'GLOB' | FLAG
    FIELD  = path, language, kind, symbol, lines, size, start_line, end_line
    OP     = = != < <= > >=
    FLAG   = test, generated, vendored, documentation, example, stub
    VALUE  = 'text' (a quote is doubled), a bare word, or a number

e.g. `language = go and not test and symbol like 'Pod*'`. It is parsed here and becomes
placeholders of a statement, never part of its text.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

import numpy as np

from clew.errors import UsageError
from clew.index.catalog import Catalog
from clew.index.store import CHUNK_BITS, Int64s, Where
from clew.records import CHUNK_KINDS, CHUNKED_KINDS, FileFlag

MAX_EXPRESSION = 4_000  # characters
MAX_DEPTH = 12  # nested parentheses and `not`: SQLite before 3.46 parses with a stack of 100, and a level takes 5
MOST_NAMED = 30  # allowed values that an error lists; of more it names the nearest

_TEXT_FIELDS = ("path", "language", "kind", "symbol")
_NUMBER_FIELDS = ("lines", "size", "start_line", "end_line")
_CHUNK_FIELDS = frozenset({"kind", "symbol", "start_line", "end_line"})
_FLAGS = {flag.name.lower(): int(flag) for flag in FileFlag if flag.name and flag is not FileFlag.SYNTAX_ERRORS}
_TESTS = {"with": "", "without": "(flags & 1) = 0", "only": "(flags & 1) != 0"}
_TOKEN = re.compile(r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<op><=|>=|!=|[=<>(),])|(?P<word>[\w./*?+#-]+))")
_HINT = 'see the grammar of --filter in docs/reference.md, e.g. "language = go and not test"'


@dataclass(frozen=True, slots=True)
class Filters:
    """What the caller restricts: path prefixes relative to the root, names, and an expression."""

    paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tests: str = "with"
    expression: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition with placeholders; `chunks` when it needs more than the file's own columns."""

    sql: str
    values: tuple[str | int, ...]
    chunks: bool = False


def resolve(filters: Filters, catalog: Catalog) -> tuple[Where, tuple[str, ...]]:
    """The filter as ids, with a note for each path that nothing lies under. UsageError for unknown values."""
    conditions, notes = _file_conditions(filters, catalog)
    expression = parse_expression(filters.expression) if filters.expression.strip() else None
    inner = not set(filters.kinds) <= {*CHUNKED_KINDS, "gap", "lines"}
    chunks: list[tuple[int, int]] | None = None
    if inner:
        around = set(catalog.chunks_around(filters.kinds))
        chunks = sorted(around.union(catalog.select_chunks(_kind_of(filters), filters.kinds)))
    if expression is not None and not expression.chunks:
        conditions.append(expression)
    elif expression is not None:
        if filters.kinds and not inner:  # of the same chunk, not of another one of its file
            expression = Condition(f"{_kind_of(filters)} AND ({expression.sql})", (*filters.kinds, *expression.values))
        found = catalog.select_chunks(expression.sql, expression.values)
        chunks = found if chunks is None else sorted(set(chunks).intersection(found))
    elif filters.kinds and not inner:  # else files that are found as a whole take the places of those with such a chunk
        exists = f"SELECT 1 FROM chunks WHERE chunks.file_id = files.id AND {_kind_of(filters)}"
        conditions.append(Condition(f"EXISTS ({exists})", filters.kinds))
    files = _selected(conditions, catalog)
    if chunks is not None:
        around_files = np.array(sorted({file_id for file_id, _ in chunks}), np.int64)
        files = around_files if files is None else np.intersect1d(files, around_files)
    kinds = frozenset(filters.kinds) or None
    ids = None if chunks is None else np.array([file << CHUNK_BITS | ordinal for file, ordinal in chunks], np.int64)
    return Where(files, ids, None if inner else kinds, kinds if inner else None), tuple(notes)


def _selected(conditions: list[Condition], catalog: Catalog) -> Int64s | None:
    if not conditions:
        return None
    sql = " AND ".join(f"({each.sql})" for each in conditions)
    return np.array(catalog.select_files(sql, [value for each in conditions for value in each.values]), np.int64)


def _file_conditions(filters: Filters, catalog: Catalog) -> tuple[list[Condition], list[str]]:
    _check("kind", filters.kinds, CHUNK_KINDS)
    conditions: list[Condition] = []
    notes: list[str] = []
    if filters.tests not in _TESTS:
        raise UsageError(f"tests must be one of {', '.join(_TESTS)}, not '{filters.tests}'")
    if _TESTS[filters.tests]:
        conditions.append(Condition(_TESTS[filters.tests], ()))
    if filters.languages:
        from clew.languages import packs  # 60 files to read, for this option alone

        known = {each.name for each in packs()} | set(catalog.group_counts("language"))
        _check("language", filters.languages, sorted(name for name in known if name))
        marks = ", ".join("?" * len(filters.languages))
        conditions.append(Condition(f"language IN ({marks})", filters.languages))
    prefixes = [path for path in filters.paths if path not in ("", ".")]
    if prefixes and len(prefixes) == len(filters.paths):
        notes.extend(
            f"nothing is indexed under '{path}'" for path in prefixes if not catalog.select_files(*_under(path))
        )
        parts = [_under(path) for path in prefixes]
        values = tuple(value for _, given in parts for value in given)
        conditions.append(Condition(" OR ".join(f"({sql})" for sql, _ in parts), values))
    return conditions, notes


def _kind_of(filters: Filters) -> str:
    return f"kind IN ({', '.join('?' * len(filters.kinds))})"


def _under(path: str) -> tuple[str, tuple[str, ...]]:
    """Directory-exact: `src/app` is not `src/app2`; `_` and `%` mean themselves. A range, which the index serves."""
    if any("\ud800" <= character <= "\udfff" for character in path):
        raise UsageError(f"{path!r} is no path of the index: it is not UTF-8")
    exact = path.rstrip("/")
    return "path = ? OR (path >= ? AND path < ?)", (exact, f"{exact}/", f"{exact}0")  # "0" follows "/"


def _check(what: str, given: tuple[str, ...], allowed: tuple[str, ...] | list[str]) -> None:
    for value in given:
        if value not in allowed:
            near = difflib.get_close_matches(value, allowed, n=3) if len(allowed) > MOST_NAMED else allowed
            hint = f"one of: {', '.join(near)}" if near else f"all {what}s are listed in docs/reference.md"
            raise UsageError(f"unknown {what} '{value}'", hint=hint)


def parse_expression(text: str) -> Condition:
    """Parse a filter expression; UsageError names the place of the fault."""
    if len(text) > MAX_EXPRESSION:
        raise UsageError(f"the filter is longer than {MAX_EXPRESSION} characters")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError(f"the filter holds what is no character: {text!r}", hint="restrict such a path with --path")
    parser = _Parser(text)
    condition = parser.either(0)
    if parser.peek():
        raise parser.error("'and', 'or' or the end")
    return condition


class _Parser:
    """Recursive descent, bounded by MAX_DEPTH."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, str, int]] = []
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None or match.lastgroup is None:
                fault = len(text) - len(text[position:].lstrip()) + 1
                raise UsageError(f"the filter has a fault at character {fault}: {text}", hint=_HINT)
            self._tokens.append((match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
            position = match.end()
        self._next = 0

    def peek(self) -> str:
        return self._tokens[self._next][1].lower() if self._next < len(self._tokens) else ""

    def error(self, wanted: str) -> UsageError:
        if self._next >= len(self._tokens):
            return UsageError(f"the filter ends where {wanted} should stand: {self._text}", hint=_HINT)
        _, token, position = self._tokens[self._next]
        place = f"at character {position + 1} where {wanted} should stand"
        return UsageError(f"the filter has '{token}' {place}: {self._text}", hint=_HINT)

    def _take(self, wanted: str = "") -> tuple[str, str]:
        if self._next >= len(self._tokens) or (wanted and self.peek() != wanted):
            raise self.error(f"'{wanted}'" if wanted else "a value")
        kind, token, _ = self._tokens[self._next]
        self._next += 1
        return kind, token

    def either(self, depth: int) -> Condition:
        condition = self._both(depth)
        while self.peek() == "or":
            self._take()
            condition = _joined(condition, "OR", self._both(depth))
        return condition

    def _both(self, depth: int) -> Condition:
        condition = self._one(depth)
        while self.peek() == "and":
            self._take()
            condition = _joined(condition, "AND", self._one(depth))
        return condition

    def _one(self, depth: int) -> Condition:
        if depth > MAX_DEPTH:
            raise UsageError(f"the filter nests deeper than {MAX_DEPTH}", hint=_HINT)
        if self.peek() == "not":
            self._take()
            inner = self._one(depth + 1)
            return Condition(f"NOT {inner.sql}", inner.values, inner.chunks)
        if self.peek() == "(":
            self._take()
            inner = self.either(depth + 1)
            self._take(")")
            return Condition(f"({inner.sql})", inner.values, inner.chunks)
        return self._test()

    def _test(self) -> Condition:
        field = self.peek()
        if field in _FLAGS:
            self._take()
            return Condition("(flags & ?) != 0", (_FLAGS[field],))
        if field not in _TEXT_FIELDS and field not in _NUMBER_FIELDS:
            raise self.error(f"a field ({', '.join((*_TEXT_FIELDS, *_NUMBER_FIELDS, *_FLAGS))})")
        self._take()
        chunks = field in _CHUNK_FIELDS
        if self.peek() == "in":
            self._take()
            values = self._list(field)
            return Condition(f"{field} IN ({', '.join('?' * len(values))})", values, chunks)
        if self.peek() == "like" and field in _TEXT_FIELDS:
            self._take()
            return Condition(f"{field} GLOB ?", (str(self._value(field)).replace("[", "[[]"),), chunks)
        operator = self.peek()
        if operator not in ("=", "!=", "<", "<=", ">", ">="):
            raise self.error("an operator (= != < <= > >= in like)")
        self._take()
        return Condition(f"{field} {operator} ?", (self._named(field),), chunks)

    def _list(self, field: str) -> tuple[str | int, ...]:
        self._take("(")
        values = [self._named(field)]
        while self.peek() == ",":
            self._take()
            values.append(self._named(field))
        self._take(")")
        return tuple(values)

    def _named(self, field: str) -> str | int:
        """A value that is compared as a whole: a kind that does not exist would silently match nothing."""
        value = self._value(field)
        if field == "kind":
            _check("kind", (str(value),), CHUNK_KINDS)
        return value

    def _value(self, field: str) -> str | int:
        if self._next < len(self._tokens) and self._tokens[self._next][0] == "op":
            raise self.error("a value")
        kind, token = self._take()
        text = token[1:-1].replace("''", "'") if kind == "text" else token
        if field in _TEXT_FIELDS:
            return text
        if not text.isdecimal() or len(text) > 15:
            self._next -= 1
            raise self.error("a number")
        return int(text)


def _joined(left: Condition, word: str, right: Condition) -> Condition:
    """Without parentheses: `and` binds tighter in SQL too, and a long chain must not nest."""
    return Condition(f"{left.sql} {word} {right.sql}", (*left.values, *right.values), left.chunks or right.chunks)
