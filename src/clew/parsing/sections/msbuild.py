"""MSBuild projects: groups and targets, named by what is in them.

A scan over tags instead of an XML parser: it has byte offsets, goes on after an error and resolves
no entities, so a hostile document type definition has nothing to expand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import PurePosixPath

from clew.parsing.sections.outline import MAX_HEADING, Section, plain
from clew.parsing.source import Source

_GROUPS = frozenset({"PropertyGroup", "ItemGroup", "ItemDefinitionGroup"})
_EXTENSIONS = frozenset({".props", ".targets", ".proj", ".projitems", ".pubxml", ".tasks"})
# How many children a group's name lists: what tells it apart without repeating its text.
_NAMED_CHILDREN = 3

# An attribute value never holds `<`, so a forgotten quote ends at the next tag.
_TAG = re.compile(rb"<(/?)([A-Za-z_][\w:.-]*+)((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)")
# The look-behind keeps one long word without `=` from being tried at each of its letters.
_ATTRIBUTE = re.compile(rb"(?<![\w:.-])([A-Za-z_][\w:.-]*+)\s*=\s*(?:\"([^\"]*+)\"|'([^']*+)')")
# Bytes of a tag that are searched for attributes.
_MAX_ATTRIBUTES = 4096
_ITEM_ATTRIBUTES = ("Include", "Update", "Remove")
# Markup in which `<` starts no tag, with its end.
_OPAQUE = ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>"))


@dataclass(frozen=True, slots=True)
class _Tag:
    start: int
    end: int
    name: str
    attributes: bytes
    closes: bool
    is_empty: bool


@dataclass(slots=True)
class _Open:
    """The group or target being read; `depth` counts the elements open inside it."""

    tag: _Tag
    depth: int = 0
    children: list[str] = field(default_factory=list)


def is_msbuild(path: str) -> bool:
    """Whether MSBuild reads files of this extension: any `.*proj`, and what projects import."""
    extension = PurePosixPath(path).suffix.lower()
    return extension in _EXTENSIONS or extension.endswith("proj")


def parse_msbuild(source: Source) -> list[Section]:
    sections = []
    current: _Open | None = None
    for tag in _tags(source.text):
        if current is not None and _ends_early(current, tag):
            sections.append(_section(current, tag.start))
            current = None
        if current is None and _begins(tag):
            current = _Open(tag)
            ends = tag.is_empty
        else:
            ends = tag.closes and current is not None and tag.name == current.tag.name
        if current is None:
            continue
        if ends:
            sections.append(_section(current, tag.end))
            current = None
        elif tag is not current.tag:
            _read_child(current, tag)
    if current is not None:
        sections.append(_section(current, len(source.text)))
    return sections


def _tags(text: bytes) -> Iterator[_Tag]:
    """The complete tags in order; after a broken one the scan goes on at the next `<`. O(bytes)."""
    at = text.find(b"<")
    while at >= 0:
        opaque = next(((mark, end) for mark, end in _OPAQUE if text.startswith(mark, at)), None)
        if opaque:
            end = text.find(opaque[1], at + len(opaque[0]))
            if end < 0:
                return
            at = text.find(b"<", end)
            continue
        found = _TAG.match(text, at)
        stop = found.end() if found else at + 1
        if found and text[stop : stop + 1] == b">":
            name = found[2][:MAX_HEADING].decode("ascii")
            yield _Tag(at, stop + 1, name, found[3][:_MAX_ATTRIBUTES], bool(found[1]), found[3].endswith(b"/"))
        at = text.find(b"<", stop)


def _begins(tag: _Tag) -> bool:
    if tag.closes:
        return False
    # A property or an item may be called Target too; only the real one has a name.
    return tag.name in _GROUPS or (tag.name == "Target" and "Name" in _attributes(tag))


def _ends_early(current: _Open, tag: _Tag) -> bool:
    """Whether the open one was never closed: groups hold no groups, targets hold no targets."""
    if tag.closes:
        return tag.name == "Project" and current.depth <= 0  # a reference to a project has a Project child
    if tag.name == "Target":
        return _begins(tag)
    return tag.name in _GROUPS and current.tag.name in _GROUPS


def _read_child(current: _Open, tag: _Tag) -> None:
    if tag.closes:
        current.depth -= 1
        return
    if current.depth <= 0 and len(current.children) < _NAMED_CHILDREN:
        child = _child_name(tag)
        if child not in current.children:
            current.children.append(child)
    if not tag.is_empty:
        current.depth += 1


def _child_name(tag: _Tag) -> str:
    attributes = _attributes(tag)
    item = next((attributes[key] for key in _ITEM_ATTRIBUTES if attributes.get(key)), "")
    return f"{tag.name} {item}" if item else tag.name


def _section(current: _Open, end: int) -> Section:
    tag = current.tag
    attributes = _attributes(tag)
    label = attributes.get("Name") or attributes.get("Label") or ", ".join(current.children)
    condition = attributes.get("Condition", "")
    if condition and tag.name != "Target":
        label = f"{label} when {condition}".strip()
    name = label or tag.name
    return Section(tag.start, end, name, f"{tag.name}.{label}" if label else tag.name)


def _attributes(tag: _Tag) -> dict[str, str]:
    found = _ATTRIBUTE.findall(tag.attributes)
    return {name.decode("ascii"): plain(unescape(plain(double or single)).encode()) for name, double, single in found}
