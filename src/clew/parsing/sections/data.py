"""TOML tables and JSON keys, by scanning tokens: tolerant of comments, missing commas and open brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from clew.parsing.sections.outline import Section, plain, worth_splitting
from clew.parsing.source import Source, for_parser, line_of

_TOML_TOKEN = re.compile(
    rb"\"\"\"(?:[^\"\\]++|\\(?s:.)|\"(?!\"\"))*+(?:\"\"\")?"
    rb"|'''(?:[^']++|'(?!''))*+(?:''')?"
    rb"|\"(?:[^\"\\\n]++|\\[^\n])*+\"?"
    rb"|'[^'\n]*+'?"
    rb"|\#[^\n]*+"
    rb"|[\[\]{}\n]"
)
_TOML_HEADER = re.compile(
    rb"(\[\[?)((?:[^\[\]\n\"'#]|\"[^\"\n]*+\"|'[^'\n]*+')++)\]\]?[ \t\r]*+(?:#[^\n]*+)?$", re.MULTILINE
)
# At the left margin, in an array that was never closed: a bare word in brackets is no value.
_TOML_CERTAIN_HEADER = re.compile(
    rb"\[\[?(?!(?:true|false|inf|nan)\])[A-Za-z_][\w.-]*+\]\]?[ \t\r]*+(?:#[^\n]*+)?$", re.MULTILINE
)
_TOML_KEY = re.compile(r"\s*(?:\"([^\"]*)\"|'([^']*)'|([^.\"']+))\s*\.?")
_TOML_NAME = re.compile(rb"^[ \t]*(?:name|id)[ \t]*=[ \t]*(?:\"([^\"\n]*)\"|'([^'\n]*)')", re.MULTILINE)

_JSON_TOKEN = re.compile(rb"\"(?:[^\"\\\n]++|\\[^\n])*+\"?|//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z)|[{}\[\]:,]")


@dataclass(frozen=True, slots=True)
class _Header:
    start: int
    end: int
    keys: str
    is_array: bool


def parse_toml(source: Source) -> list[Section]:
    """One section per table; an element of an array of tables is called by its `name` or `id`."""
    text = for_parser(source)
    headers = _toml_headers(text)
    sections = []
    for index, header in enumerate(headers):
        is_last = index + 1 == len(headers)
        stop = len(text) if is_last else _before_comments(text, header.end, headers[index + 1].start)
        keys = ["".join(parts).strip() for parts in _TOML_KEY.findall(header.keys)]
        named = _TOML_NAME.search(text, header.end, stop) if header.is_array else None
        if named:
            keys.append(plain(named[1] or named[2] or b""))
        keys = [key for key in keys if key]
        if keys:
            sections.append(Section(header.start, stop, keys[-1], ".".join(keys)))
    return sections


def _toml_headers(text: bytes) -> list[_Header]:
    headers: list[_Header] = []
    depth = skip = 0
    line: int | None = 0  # where the line began, until its first token: only that one can open a header
    for token in _TOML_TOKEN.finditer(text):
        start = token.start()
        first = text[start]
        if first == 10:  # newline
            line = start + 1
            continue
        begun, line = line, None
        if start < skip:
            continue
        if first in b"]}":
            depth = max(0, depth - 1)
        elif first in b"[{":
            header = None if begun is None or first == 123 else _toml_header(text, begun, start, depth)
            if header is None:
                depth += 1
            else:
                headers.append(header)
                depth, skip = 0, header.end
    return headers


def _toml_header(text: bytes, line: int, start: int, depth: int) -> _Header | None:
    if text[line:start].strip() or (depth and (line < start or not _TOML_CERTAIN_HEADER.match(text, start))):
        return None
    found = _TOML_HEADER.match(text, start)
    if found is None:
        return None
    return _Header(start, found.end(), plain(found[2]), found[1] == b"[[")


def _before_comments(text: bytes, start: int, end: int) -> int:
    """Where the comment directly above the line of `end` begins: it belongs to what follows."""
    end = text.rfind(b"\n", start, end) + 1 or end
    while end > start:
        line = text.rfind(b"\n", start, end - 1) + 1
        if line <= start or not text[line:end].lstrip().startswith(b"#"):
            return end
        end = line
    return end


@dataclass(slots=True)
class _Member:
    name: str
    start: int
    end: int = -1
    children: list[_Member] = field(default_factory=list)


class _Members:
    """The members of the outermost objects and of the objects in them, as brackets and colons pass by."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.found: list[_Member] = []
        self.open: list[_Member | None] = [None, None, None]  # by depth; depth 0 has none
        self.is_object = [False, False, False]
        self.key: tuple[int, int] | None = None

    def enter(self, depth: int, is_object: bool) -> None:
        self.key = None
        if depth < len(self.open):
            self.is_object[depth] = is_object and (depth == 1 or self.open[1] is not None)

    def colon(self, depth: int) -> None:
        if self.key is None or not self.is_object[depth]:
            return
        start, end = self.key
        self.close(depth, start)  # a comma was forgotten
        member = _Member(plain(self.text[start + 1 : end].removesuffix(b'"')), start)
        owner = self.open[1] if depth == 2 else None
        (owner.children if owner else self.found).append(member)
        self.open[depth] = member
        self.key = None

    def close(self, depth: int, end: int) -> None:
        member = self.open[depth]
        if member is not None:
            member.end = member.start + len(self.text[member.start : end].rstrip())
            self.open[depth] = None


def parse_json(source: Source) -> list[Section]:
    """One section per key of the outermost object, and per key of a big object in it. Comments are allowed."""
    text = for_parser(source)
    sections = []
    for member in _json_members(text):
        lines = line_of(source, member.end) - line_of(source, member.start) + 1
        children = member.children if worth_splitting(lines, len(member.children)) else []
        end = children[0].start if children else member.end
        sections.append(Section(member.start, end, member.name, member.name))
        sections += [Section(child.start, child.end, child.name, f"{member.name}.{child.name}") for child in children]
    return sections


def _json_members(text: bytes) -> list[_Member]:
    members = _Members(text)
    depth = 0
    for token in _JSON_TOKEN.finditer(text):
        start = token.start()
        first = text[start]
        if first in b"{[":
            depth += 1
            if depth <= 2:
                members.enter(depth, first == 123)  # {
        elif first in b"}]":
            if 0 < depth <= 2:
                members.close(depth, start)
            depth = max(0, depth - 1)
        elif depth in (1, 2):
            _read_member_token(members, depth, start, token.end(), first)
    for depth in (2, 1):
        members.close(depth, len(text))
    return members.found


def _read_member_token(members: _Members, depth: int, start: int, end: int, first: int) -> None:
    if first == 34:  # "
        members.key = (start, end)
    elif first == 58:  # :
        members.colon(depth)
    elif first == 44:  # ,
        members.close(depth, start)
        members.key = None
