"""Markdown: front matter, ATX and setext headings with their ancestry.

Follows CommonMark where a line looks like a heading and is none: fences, indented code, raw HTML,
list items and quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from clew.parsing.sections.outline import MAX_HEADING, MAX_SECTIONS, Heading, Section, nest, plain
from clew.parsing.source import Source

_FENCE = re.compile(rb"(`{3,})[^`]*$|(~{3,})")
_ATX = re.compile(rb"(#{1,6})(?:[ ]+|$)")
_UNDERLINE = re.compile(rb"(?:=+|-+)[ ]*$")
_RULE = re.compile(rb"([-*_])(?:[ ]*\1){2,}+[ ]*$")
_ITEM = re.compile(rb"([-*+]|\d{1,9}[.)])([ ]+|$)")
_RAW_HTML = re.compile(rb"<(?:(!--)|(pre|script|style|textarea)(?=[ >]|$))", re.IGNORECASE)
# Levels of list nesting that are told apart; deeper ones count as the last. Keeps a line of markers linear.
_MAX_LISTS = 16

_FRONT_MATTER_MARKS = (b"---", b"+++")
_FRONT_MATTER_NAME = re.compile(rb"[\"']?(title|name)[\"']?[ \t]*[:=][ \t]*(.+)")
_FRONT_MATTER_KEY = re.compile(rb"[\w\"'][^:=]{0,100}[:=]")

_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}$")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_]|[*_](?!\w)")


@dataclass(slots=True)
class _Fence:
    mark: bytes
    container: int  # columns of indentation below which the list item around it has ended


@dataclass(slots=True)
class _State:
    fence: _Fence | None = None
    html_end: bytes | None = None
    lists: list[int] = field(default_factory=list)  # content columns of the open list items
    paragraph: int | None = None  # line on which the open paragraph began
    lazy: bool = False  # a paragraph inside a list or quote is open: plain text continues it


def parse_markdown(source: Source) -> list[Section]:
    lines = source.text.splitlines()
    body = _front_matter_end(lines)
    headings = _headings(lines, body, source)
    sections = nest(headings, len(source.text))
    return [_front_matter(lines, body, source), *sections] if body else sections


def _front_matter_end(lines: list[bytes]) -> int:
    """The line after the front matter, 0 without one. Text between two rules is none: it must hold a key."""
    if len(lines) < 3 or lines[0].rstrip() not in _FRONT_MATTER_MARKS or not lines[1].strip():
        return 0
    ends = (lines[0].rstrip(), b"...")
    end = next((number for number in range(1, len(lines)) if lines[number].rstrip() in ends), 0)
    return end + 1 if any(_FRONT_MATTER_KEY.match(line) for line in lines[1:end]) else 0


def _front_matter(lines: list[bytes], end: int, source: Source) -> Section:
    stop = source.line_starts[end] if end < len(lines) else len(source.text)
    found: dict[bytes, tuple[str, int]] = {}
    for number in range(1, end - 1):
        named = _FRONT_MATTER_NAME.match(lines[number])
        if named:
            found.setdefault(named[1], (plain(named[2]).strip("\"'"), source.line_starts[number]))
    name, heading = found.get(b"title") or found.get(b"name") or ("", 0)
    name = name or "front matter"
    return Section(0, stop, name, name, heading)


def _headings(lines: list[bytes], first: int, source: Source) -> list[Heading]:
    state = _State()
    headings = []
    for number in range(first, len(lines)):
        line = lines[number]
        if b"\t" in line:
            line = line.expandtabs(4)
        heading = _read_line(state, number, line)
        if heading is None:
            continue
        at, level, raw = heading
        title = _title(b" ".join(lines[at:number]) if raw is None else raw)
        if title:
            indent = len(lines[at]) - len(lines[at].lstrip())
            headings.append(Heading(source.line_starts[at] + indent, level, title))
        if len(headings) > MAX_SECTIONS:
            break
    return headings


def _read_line(state: _State, number: int, line: bytes) -> tuple[int, int, bytes | None] | None:
    """Advance by one line; gives (line, level, text) of a heading that it completes, text None for setext."""
    if state.html_end is not None:
        if state.html_end in line.lower():
            state.html_end = None
        return None
    text = line.lstrip(b" ")
    if not text.strip():
        state.paragraph, state.lazy = None, False
        return None
    indent = len(line) - len(text)
    if state.fence is not None and _inside_fence(state, indent, text):
        return None
    while state.lists and indent < state.lists[-1]:
        state.lists.pop()
    return _read_block(state, number, indent, text)


def _inside_fence(state: _State, indent: int, text: bytes) -> bool:
    fence = state.fence
    assert fence is not None
    if indent < fence.container:
        state.fence = None
        return False
    closing = text.rstrip()
    if indent - fence.container < 4 and closing.startswith(fence.mark) and not closing.strip(fence.mark[:1]):
        state.fence = None
    return True


def _read_block(state: _State, number: int, indent: int, text: bytes) -> tuple[int, int, bytes | None] | None:
    for _ in range(_MAX_LISTS):
        if indent - (state.lists[-1] if state.lists else 0) >= 4:
            return None  # indented code, or the continuation of a paragraph
        if _opens_verbatim(state, text):
            return None
        if state.paragraph is not None and _UNDERLINE.match(text):
            start, state.paragraph = state.paragraph, None
            return start, 1 if text[:1] == b"=" else 2, None
        if _RULE.match(text):
            state.paragraph, state.lazy = None, False
            return None
        atx = _ATX.match(text)
        if atx:
            state.paragraph, state.lazy = None, False
            return None if state.lists else (number, len(atx[1]), _without_closing(text[atx.end() :]))
        item = _ITEM.match(text)
        if item is None or not _may_interrupt(state, item, text):
            break
        indent, text = _enter_item(state, indent, item, text)
        if not text.strip():
            return None
    _read_text(state, number, text)
    return None


def _opens_verbatim(state: _State, text: bytes) -> bool:
    """Whether the line begins a fence or raw HTML; in these nothing is a heading."""
    fence = _FENCE.match(text)
    if fence:
        state.fence = _Fence(fence[1] or fence[2], state.lists[-1] if state.lists else 0)
    raw = None if fence else _RAW_HTML.match(text)
    if raw:
        end = b"-->" if raw[1] else b"</" + raw[2].lower() + b">"
        state.html_end = None if end in text[raw.end() :].lower() else end
    if fence is None and raw is None:
        return False
    state.paragraph, state.lazy = None, False
    return True


def _may_interrupt(state: _State, item: re.Match[bytes], text: bytes) -> bool:
    if state.paragraph is None:
        return True
    numbered_later = item[1][:1].isdigit() and item[1][:-1] != b"1"
    return not numbered_later and bool(text[item.end() :].strip())


def _enter_item(state: _State, indent: int, item: re.Match[bytes], text: bytes) -> tuple[int, bytes]:
    """The column and text of the item's content; more than four spaces belong to the content itself."""
    spaces = len(item[2])
    width = len(item[1]) + (spaces if 1 <= spaces <= 4 else 1)
    state.paragraph, state.lazy = None, False
    if len(state.lists) < _MAX_LISTS:
        state.lists.append(indent + width)
    rest = text[width:]
    content = rest.lstrip(b" ")
    return indent + width + len(rest) - len(content), content


def _read_text(state: _State, number: int, text: bytes) -> None:
    if text[:1] == b">":
        quoted = text.lstrip(b"> ")
        state.paragraph = None
        state.lazy = bool(quoted) and not _FENCE.match(quoted) and not _ATX.match(quoted)
    elif state.lists or state.lazy:
        state.lazy = True
    elif state.paragraph is None:
        state.paragraph = number


def _without_closing(text: bytes) -> bytes:
    text = text.rstrip()
    bare = text.rstrip(b"#")
    return bare.rstrip() if bare != text and (not bare or bare.endswith(b" ")) else text


def _title(raw: bytes) -> str:
    """The heading as a reader sees it: without markup, anchors and link targets."""
    title = plain(raw[:MAX_HEADING])
    bare = _ATTRIBUTES.sub("", title)
    bare = _IMAGE_OR_LINK.sub(r"\1", _IMAGE_OR_LINK.sub(r"\1", bare))
    parts = bare.split("`")  # every second one is code, where `<T>` and `__init__` are no markup
    parts[::2] = [_EMPHASIS.sub("", _TAG.sub("", part)) for part in parts[::2]]
    return " ".join("".join(parts).split()) or title
