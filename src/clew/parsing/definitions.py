"""From a syntax tree to definitions, by the language pack's query.

Captures that a pack's `definitions.scm` may use:

- `@definition.KIND` with `@name`: a definition; of several patterns that name the same node,
  the first in the file wins. `@body` ends the signature; without it the node's `body` field does.
  Captured on several siblings, the definition runs from the first to the last (in Dart a
  function's body is the sibling of its signature).
- `@qualifier`: text that qualifies the name and is not an enclosing definition (a Go receiver,
  `ns::Class` of a C++ member defined outside its class).
- `@scope` with `@name`: qualifies what lies inside but is no definition (a Rust `impl`). What lies
  inside a `@scope.type` are methods.
- `@comment`, `@attach`: belongs to the definition on the next line; a comment is also its doc.
- `@doc`: documentation inside a definition (a docstring).
- `@inject`: a node in brackets whose inside is parsed again (the items in a Rust macro call).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.languages import Pack, parser_for, query_for
from clew.records import Definition

if TYPE_CHECKING:
    from tree_sitter import Node, Query, Tree

SIGNATURE_BYTES = 300
DOC_BYTES = 600
NAME_BYTES = 200
MAX_INJECTION_DEPTH = 4  # `cfg_a! { cfg_b! { … } }`
MAX_INJECTIONS = 2_000  # per file; each costs a parse of its own bytes
MAX_DEFINITIONS = 20_000  # per file; a data file of a million constants must not swell the catalog

_CLAUSE_KINDS = frozenset({"function", "method", "macro"})
_CLAUSE_GAP = 2  # lines: clauses of a function stand together or with one empty line between
_TYPE_KINDS = frozenset({"class", "struct", "interface", "trait", "enum", "object"})
_SPACE = re.compile(rb"\s+")
_COMMENT_MARKS = re.compile(
    r"^[ \t]*(?:/\*+!?|\*+/|\*(?!\w)|//[/!]?|#+!?|(?:--+|\{-)(?:[ \t]?\|)?|;+|%+|\(\*+|<!--)?[ \t]?"
    r"|(?:(?<!\*)\*+[/)]|-\}|-->)[ \t]*$"  # a run of stars is tried once, not from each of its stars
)
_QUOTES = "\"'`"
_STRING_START = re.compile(r"\s*(?:[rRuUbBfF]{0,2}[\"'`]+\s*)?")
# Before a definition on its line: keywords of its declaration (`let rec total … and average …`), no other code.
_KEYWORDS = re.compile(rb"[a-z \t\xef\xbb\xbf]*")
_INDENT = re.compile(rb"[ \t\xef\xbb\xbf]*")
_GENERIC = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_LETTER = re.compile(r"\w")
# C++: `operator<=>`, also of a class (`Cart::operator<`); a conversion ends before its parentheses.
_OPERATOR = re.compile(r"(?:^|::)\s*(operator(?:\s+[^\W\d][^(]*|\b.*))", re.DOTALL)
_NESTED_GENERICS = 8  # levels of type arguments: `formatter<tuple<T, enable_if_t<is<T>>>>`
_QUALIFIER_SPLIT = re.compile(r"::|->|[.:/\\]+")


@dataclass(frozen=True, slots=True)
class Outline:
    """The definitions of a file in order, with the byte where each one's comments and wrappers begin."""

    definitions: tuple[Definition, ...]
    starts: tuple[int, ...]  # attached start, bytes, parallel to definitions
    start_lines: tuple[int, ...]


@dataclass(slots=True)
class _Found:
    kind: str
    node: Node
    name: str
    qualifier: str
    body: Node | None
    last: Node  # the definition ends where this does; `node` unless several siblings make it up


@dataclass(frozen=True, slots=True)
class _Attachment:
    start_byte: int
    start_row: int
    end_row: int
    comment: bool


def outline(tree: Tree, text: bytes, pack: Pack) -> Outline | None:
    """The file's definitions; None when the language has no usable query.

    O(matches) beside the query itself; nesting is resolved by one sweep with a stack.
    """
    query = query_for(pack.name)
    if query is None:
        return None
    found: dict[tuple[int, int], tuple[int, _Found]] = {}
    attachments: dict[int, _Attachment] = {}
    docs: list[Node] = []
    for pattern, captures in _matches(query, tree, text, pack):
        if "comment" in captures or "attach" in captures:
            _attach(captures, text, attachments)
        elif "doc" in captures:
            docs.extend(captures["doc"])
        else:
            _collect(pattern, captures, found)
    return _nest([entry for _, entry in found.values()], attachments, docs, text, pack)


def _matches(query: Query, tree: Tree, text: bytes, pack: Pack) -> Iterator[tuple[int, dict[str, list[Node]]]]:
    """The matches in the tree and in what `@inject` parses again, with the offsets of the file."""
    from tree_sitter import Parser, QueryCursor, Range

    trees = [(tree, 0)]
    for each, depth in trees:
        for pattern, captures in QueryCursor(query).matches(each.root_node):
            if "inject" not in captures:
                yield pattern, captures
                continue
            parser = parser_for(pack.name)
            if parser is None or depth >= MAX_INJECTION_DEPTH or len(trees) > MAX_INJECTIONS:
                continue
            node = captures["inject"][0]
            (row, column), (end_row, end_column) = node.start_point, node.end_point
            inside = Range((row, column + 1), (end_row, end_column - 1), node.start_byte + 1, node.end_byte - 1)
            trees.append((Parser(parser.language, included_ranges=[inside]).parse(text), depth + 1))


def _attach(captures: dict[str, list[Node]], text: bytes, attachments: dict[int, _Attachment]) -> None:
    for capture in ("comment", "attach"):
        for node in captures.get(capture, ()):
            start = node.start_byte
            line_start = start - node.start_point[1]
            if not _INDENT.fullmatch(text, line_start, start):
                continue  # it trails code of its own line
            # Some grammars count the line end as part of a line comment.
            end_row = node.end_point[0] - (node.end_point[1] == 0 and node.end_byte > start)
            attachments[end_row] = _Attachment(line_start, node.start_point[0], end_row, capture == "comment")


def _collect(pattern: int, captures: dict[str, list[Node]], found: dict[tuple[int, int], tuple[int, _Found]]) -> None:
    names = captures.get("name")
    kind = next((key for key in captures if key.startswith(("definition.", "scope"))), "")
    if not names or not kind or len(found) >= MAX_DEFINITIONS:
        return
    node = min(captures[kind], key=lambda each: each.start_byte)
    last = max(captures[kind], key=lambda each: each.end_byte)
    qualifier = captures["qualifier"][0].text if "qualifier" in captures else b""
    body = captures["body"][0] if "body" in captures else None
    for name in names:
        key = (name.start_byte, name.end_byte)
        if key in found and found[key][0] <= pattern:
            continue
        text = (name.text or b"")[:NAME_BYTES].decode("utf-8", "replace")
        written = (qualifier or b"")[:NAME_BYTES].decode("utf-8", "replace")
        found[key] = (pattern, _Found(kind.removeprefix("definition."), node, text, written, body, last))


def _nest(
    found: list[_Found], attachments: dict[int, _Attachment], docs: list[Node], text: bytes, pack: Pack
) -> Outline:
    """Give each definition its enclosing names. Sorted by start, outermost first, so a stack of open ones suffices."""
    found.sort(key=lambda each: (each.node.start_byte, -each.last.end_byte))
    docstrings = _docstrings(docs, found)
    definitions: list[Definition] = []
    starts: list[int] = []
    start_lines: list[int] = []
    stack: list[tuple[int, int, str, str]] = []  # start and end byte, symbol, kind
    latest: dict[str, int] = {}  # the last definition of a symbol, for its further clauses
    for each in found:
        node, end_byte = each.node, each.last.end_byte
        # Names of one declaration (`a, b int`) share its node and do not enclose each other.
        while stack and (stack[-1][1] < end_byte or stack[-1][:2] == (node.start_byte, end_byte)):
            stack.pop()
        parent, parent_kind = (stack[-1][2], stack[-1][3]) if stack else ("", "")
        named = _name(each.name, pack)
        symbol = _join(parent, _qualifier(each, pack), named, verbatim=pack.verbatim)
        if not named:  # a computed name such as `[key]`
            continue
        if each.kind.startswith("scope"):
            stack.append((node.start_byte, end_byte, symbol, "class" if each.kind == "scope.type" else "module"))
            continue
        kind = _kind(each, parent_kind, pack)
        stack.append((node.start_byte, end_byte, symbol, kind))
        outer = _wrapped(node, pack)
        last = outer if outer.end_byte >= end_byte else each.last
        start, row, comments = _attached(outer, attachments, text)
        if pack.clauses and kind in _CLAUSE_KINDS:
            before = latest.get(symbol)
            if before is not None and row - definitions[before].end_line < _CLAUSE_GAP:
                definitions[before] = replace(
                    definitions[before], end_line=_end_row(last, text) + 1, end_byte=last.end_byte
                )
                continue
            latest[symbol] = len(definitions)
        name = _name(each.name, pack) if pack.verbatim else _unqualified(_plain(each.name))
        definition = Definition(
            name=name,
            symbol=symbol,
            kind=kind,
            start_line=outer.start_point[0] + 1,
            end_line=_end_row(last, text) + 1,
            start_byte=outer.start_byte,
            end_byte=last.end_byte,
            signature=_signature(outer, each, text),
            doc=docstrings.get(node.start_byte, "") or comments,
        )
        definitions.append(definition)
        starts.append(start)
        start_lines.append(row + 1)
    return Outline(tuple(definitions), tuple(starts), tuple(start_lines))


def _kind(each: _Found, parent_kind: str, pack: Pack) -> str:
    in_type = parent_kind in _TYPE_KINDS
    if each.kind in ("function", "method"):
        if each.name in pack.constructors and (in_type or each.qualifier):
            return "constructor"
        if each.kind == "function" and in_type:
            return "method"
    return each.kind


def _join(*parts: str, verbatim: bool = False) -> str:
    """A dot between names; a space before what carries its own mark (`@media .sidebar`)."""
    joined = ""
    for part in parts:
        if part:
            joined += (" " if verbatim and part[0] in ".#:&[" else ".") + part if joined else part
    return joined[:NAME_BYTES]


def _qualifier(each: _Found, pack: Pack) -> str:
    parts = _plain(each.qualifier).split(".")
    return ".".join(part for part in parts if part not in pack.transparent)


def _name(written: str, pack: Pack) -> str:
    if not pack.verbatim:
        return _plain(written)
    # Make's `X?=1` and a heading's `Usage:` leave a mark at the end that names nothing.
    return " ".join(written.split()).strip("\"'`").rstrip("?+: ")


def _plain(written: str) -> str:
    """A name as stored: quotes, type arguments and separators of the language removed."""
    text = written.strip()
    if text.startswith(tuple(_QUOTES)):  # at the end alone it belongs to the name: Haskell's `foldl'`
        text = text.strip(text[0])
    if not _LETTER.search(text):  # the sign of an operator
        return text
    operator = _OPERATOR.search(text)
    if operator is not None:
        return ".".join(part for part in (_plain(text[: operator.start()]), operator[1].strip()) if part)
    if any(mark in text for mark in "<["):
        for _ in range(_NESTED_GENERICS):
            text = _GENERIC.sub("", text)
    if not any(mark in text for mark in ":-./\\"):
        return text.replace("\n", " ")
    parts = [part.strip(" &*") for part in _QUALIFIER_SPLIT.split(text)]
    return ".".join(part for part in parts if part).replace("\n", " ") or text


def _unqualified(name: str) -> str:
    return name.rpartition(".")[2] if _LETTER.search(name) else name


def _wrapped(node: Node, pack: Pack) -> Node:
    while pack.wrap and node.parent is not None and node.parent.type in pack.wrap:
        node = node.parent
    return node


def _end_row(node: Node, text: bytes) -> int:
    """The last row with text: some grammars count the blank lines that follow as part of a node."""
    end = node.end_byte
    while end > node.start_byte and text[end - 1] in b" \t\r\n":
        end -= 1
    return node.end_point[0] - text.count(b"\n", end, node.end_byte)


def _attached(node: Node, attachments: dict[int, _Attachment], text: bytes) -> tuple[int, int, str]:
    """Walk up over comments and attributes that end on the line just above. Gives byte, row and the doc."""
    row = node.start_point[0]
    start = node.start_byte - node.start_point[1]
    if not _KEYWORDS.fullmatch(text, start, node.start_byte):
        return node.start_byte, row, ""
    above: list[str] = []
    while (attachment := attachments.get(row - 1)) is not None and attachment.start_row < row:
        if attachment.comment:
            above.append(text[attachment.start_byte : start].decode("utf-8", "replace"))
        row, start = attachment.start_row, attachment.start_byte
    return start, row, _clean(reversed(above))


def _clean(comments: Iterable[str]) -> str:
    lines = (_COMMENT_MARKS.sub("", line).strip() for block in comments for line in block.splitlines())
    return "\n".join(line for line in lines if line)[:DOC_BYTES]


def _docstrings(docs: list[Node], found: list[_Found]) -> dict[int, str]:
    """Docstrings by the start byte of the innermost definition around each."""
    out: dict[int, str] = {}
    stack: list[_Found] = []
    position = 0
    for doc in sorted(docs, key=lambda node: node.start_byte):
        while position < len(found) and found[position].node.start_byte <= doc.start_byte:
            stack.append(found[position])
            position += 1
        while stack and stack[-1].last.end_byte < doc.end_byte:
            stack.pop()
        if stack and stack[-1].node.start_byte not in out:
            text = (doc.text or b"").decode("utf-8", "replace")
            out[stack[-1].node.start_byte] = _unquoted(text)[:DOC_BYTES]
    return out


def _unquoted(literal: str) -> str:
    opened = _STRING_START.match(literal)
    return literal[opened.end() if opened else 0 :].rstrip().rstrip(_QUOTES).rstrip()


def _signature(outer: Node, each: _Found, text: bytes) -> str:
    body = each.body or each.node.child_by_field_name("body")
    start = each.node.start_byte if body is not None else outer.start_byte
    end = body.start_byte if body is not None and body.start_byte > start else max(outer.end_byte, each.last.end_byte)
    written = _SPACE.sub(b" ", text[start : min(end, start + 2 * SIGNATURE_BYTES)]).strip(b" {:=")
    return written[:SIGNATURE_BYTES].decode("utf-8", "ignore")
