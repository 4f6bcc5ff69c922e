"""YAML: the keys of each document, and the keys of big mappings, by indentation.

A scan of lines instead of a parser, since templates (Helm, Jinja) and broken files have keys too. It can
be this simple because whatever is not a key of the two levels is indented deeper: block scalars, continued
quotes, flow collections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from clew.parsing.sections.outline import MAX_HEADING, MAX_SECTIONS, Section, plain, worth_splitting
from clew.parsing.source import Source

# What a document is called, in order of preference; `metadata.name` (Kubernetes) comes last.
NAME_KEYS = ("name", "id", "packageName", "appName", "displayName", "product")

_QUOTED_KEY = re.compile(rb"(?:\"((?:[^\"\\]|\\.)*+)\"|'((?:[^']|'')*+)')[ \t]*:(?=[ \t]|$)")
_PLAIN_KEY = re.compile(rb":(?=[ \t]|$)")
_NOT_PLAIN = b"#&*!|>%@`\"'[]{},"
_QUOTED_SCALAR = re.compile(rb"\"((?:[^\"\\]|\\.)*+)\"|'((?:[^']|'')*+)'")
_NO_SCALAR = (b"|", b">", b"&", b"*", b"!", b"{", b"[", b"%", b"@", b"`", b"#")


@dataclass(slots=True)
class _Entry:
    key: str
    value: bytes
    line: int
    indent: int
    last: int  # its last line that is not blank, nor a comment that belongs to the next key
    children: list[_Entry] = field(default_factory=list)
    child_indent: int | None = None  # None: not known yet; -1: its value is not a mapping


def parse_yaml(source: Source) -> list[Section]:
    lines = source.text.splitlines()
    sections: list[Section] = []
    for first, stop in _documents(lines):
        base = _first_content(lines, first, stop)
        if len(sections) > MAX_SECTIONS:
            break
        if base is None:
            continue
        if _is_item(lines[base].lstrip(b" \t")):
            sections += _items(source, lines, base, stop)
        else:
            sections += _document(source, lines, base, stop)
    return sections


def _documents(lines: list[bytes]) -> Iterator[tuple[int, int]]:
    first = 0
    for number, line in enumerate(lines):
        if line[:3] in (b"---", b"...") and not line[3:4].strip():
            yield first, number
            first = number + 1
    yield first, len(lines)


def _first_content(lines: list[bytes], first: int, stop: int) -> int | None:
    for number in range(first, stop):
        text = lines[number].strip()
        if text and text[:1] not in b"#%":
            return number
    return None


def _is_item(text: bytes) -> bool:
    return text[:1] == b"-" and not text[1:2].strip()


def _document(source: Source, lines: list[bytes], first: int, stop: int) -> list[Section]:
    entries = _entries(lines, first, stop)
    qualifier = _qualifier(entries)
    sections = []
    for entry in entries:
        path = [qualifier, entry.key] if qualifier else [entry.key]
        if not worth_splitting(entry.last - entry.line + 1, len(entry.children)):
            sections.append(_section(source, lines, entry, entry.last, path))
            continue
        sections.append(_section(source, lines, entry, entry.line, path))
        sections += [_section(source, lines, child, child.last, [*path, child.key]) for child in entry.children]
    return sections


def _section(source: Source, lines: list[bytes], entry: _Entry, last: int, path: list[str]) -> Section:
    start = source.line_starts[entry.line] + entry.indent
    end = source.line_starts[last] + len(lines[last])
    return Section(start, end, entry.key, ".".join(path))


def _entries(lines: list[bytes], first: int, stop: int) -> list[_Entry]:
    """The keys at the indentation of the first one, with their direct children. O(bytes)."""
    entries: list[_Entry] = []
    base = len(lines[first]) - len(lines[first].lstrip(b" \t"))
    for number in range(first, stop):
        line = lines[number]
        text = line.lstrip(b" \t")
        if not text.strip():
            continue
        indent = len(line) - len(text)
        comment = text[:1] == b"#"
        if not comment and indent <= base:
            pair = split_key(text)
            if len(entries) > MAX_SECTIONS:
                break
            if pair:
                entries.append(_Entry(*pair, number, indent, number, child_indent=None if _is_open(pair[1]) else -1))
            elif entries and entries[-1].child_indent is None:
                entries[-1].child_indent = -1  # a sequence may stand at its key's own indentation
        elif not comment and entries:
            _add_child(entries[-1], number, indent, text)
        if entries:
            _extend(entries[-1], number, indent, comment)
    return entries


def _add_child(entry: _Entry, number: int, indent: int, text: bytes) -> None:
    if entry.child_indent not in (None, indent):
        return
    pair = split_key(text)
    if entry.child_indent is None:
        entry.child_indent = indent if pair else -1
    if pair:
        entry.children.append(_Entry(*pair, number, indent, number))


def _extend(entry: _Entry, number: int, indent: int, comment: bool) -> None:
    for owner in (entry, *entry.children[-1:]):
        if not comment or indent > owner.indent:
            owner.last = number


def split_key(text: bytes) -> tuple[str, bytes] | None:
    """Key and value of a line without its indentation; None if it has no key."""
    head = text[:MAX_HEADING]
    quoted = _QUOTED_KEY.match(head)
    if quoted:
        return plain(quoted[1] or quoted[2] or b""), text[quoted.end() :].strip()
    if head[:1] in _NOT_PLAIN or (head[:1] in b"-?:" and not head[1:2].strip()):
        return None
    colon = _PLAIN_KEY.search(head)
    if colon is None or b" #" in head[: colon.start()]:
        return None
    return plain(head[: colon.start()]), text[colon.end() :].strip()


def _is_open(value: bytes) -> bool:
    """Whether the key's value is on the lines below: nothing beside it but an anchor, a tag or a comment."""
    if value[:1] == b"#":
        return True
    return all(word[:1] in b"&!" for word in value[:MAX_HEADING].split(b" #")[0].split())


def _scalar(value: bytes) -> str:
    quoted = _QUOTED_SCALAR.match(value[:MAX_HEADING])
    if quoted:
        return plain(quoted[1] or quoted[2] or b"")
    if value.startswith(_NO_SCALAR) or b"{{" in value[:MAX_HEADING]:
        return ""
    return plain(value.split(b" #")[0])


def _qualifier(entries: list[_Entry]) -> str:
    values = {entry.key: _scalar(entry.value) for entry in reversed(entries) if entry.key in NAME_KEYS}
    for key in NAME_KEYS:
        if values.get(key):
            return values[key]
    metadata = (child for entry in entries if entry.key == "metadata" for child in entry.children)
    return next((_scalar(child.value) for child in metadata if child.key == "name"), "")


def _items(source: Source, lines: list[bytes], first: int, stop: int) -> list[Section]:
    """The named items of a document that is a sequence of mappings, e.g. the plays of Ansible."""
    base = len(lines[first]) - len(lines[first].lstrip(b" \t"))
    starts = [number for number in range(first, stop) if _starts_item(lines[number], base)]
    sections = []
    for start, end in zip(starts, [*starts[1:], stop], strict=True):
        item = lines[start:end]
        dash = item[0].index(b"-")
        item[0] = item[0][:dash] + b" " + item[0][dash + 1 :]
        content = _first_content(item, 0, len(item))
        entries = [] if content is None else _entries(item, content, len(item))
        name = _qualifier(entries)
        if name:
            last = start + max(entry.last for entry in entries)
            stop_byte = source.line_starts[last] + len(lines[last])
            sections.append(Section(source.line_starts[start] + base, stop_byte, name, name))
    return sections


def _starts_item(line: bytes, base: int) -> bool:
    return _is_item(line[base:]) and not line[:base].strip()
