"""What the section parsers share: the record they give, heading ancestry, and the way to definitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clew.parsing.source import Source, line_of
from clew.records import Definition

# A file with more is data, not structure; the rest of it stays plain text. Also bounds what one file can store.
MAX_SECTIONS = 10_000
# Bytes of a heading that are looked at for its name, and shown as its signature.
MAX_HEADING = 400
# Characters of a qualified name: six Markdown levels of ordinary headings fit.
MAX_SYMBOL = 500
# Lines: about what one chunk holds (220 tokens). A larger mapping is divided into its children.
BIG_LINES = 20


@dataclass(frozen=True, slots=True)
class Section:
    """A named range of bytes. `heading` is the offset on the line that names it, where that is not `start`."""

    start: int
    end: int
    name: str
    symbol: str
    heading: int | None = None


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that starts at a byte; level 1 is the outermost. `line` is where its title is, if not at `start`."""

    start: int
    level: int
    title: str
    line: int | None = None


def nest(headings: Sequence[Heading], end: int) -> list[Section]:
    """Sections that run from each heading to the next of any level, named by their ancestry."""
    sections = []
    ancestors: list[Heading] = []
    for index, heading in enumerate(headings):
        while ancestors and ancestors[-1].level >= heading.level:
            ancestors.pop()
        ancestors.append(heading)
        stop = headings[index + 1].start if index + 1 < len(headings) else end
        symbol = " > ".join(ancestor.title for ancestor in ancestors)
        sections.append(Section(heading.start, stop, heading.title, symbol, heading.line))
    return sections


def worth_splitting(lines: int, children: int) -> bool:
    """Whether a mapping is big, and made of blocks rather than of single values (a dictionary of messages)."""
    return children > 0 and lines >= BIG_LINES and lines >= 2 * children


def plain(raw: bytes) -> str:
    """One line of bounded length with single spaces."""
    return " ".join(raw[:MAX_HEADING].decode("utf-8", "ignore").split())


def to_definitions(source: Source, sections: Sequence[Section]) -> list[Definition]:
    """Sorted definitions without overlap. Sections that begin on one line are left out: minified data has no parts."""
    ordered = sorted(sections, key=lambda section: section.start)[: MAX_SECTIONS + 1]
    lines = [line_of(source, section.start) for section in ordered]
    out: list[Definition] = []
    for index, section in enumerate(ordered[:MAX_SECTIONS]):
        shares_line = lines[index] in (*lines[max(index - 1, 0) : index], *lines[index + 1 : index + 2])
        if shares_line or not section.name:
            continue
        stop = ordered[index + 1].start if index + 1 < len(ordered) else len(source.text)
        out += _definition(source, section, min(section.end, stop))
    return out


def _definition(source: Source, section: Section, stop: int) -> list[Definition]:
    own = source.text[section.start : stop].rstrip()
    if not own:
        return []
    end = section.start + len(own)
    heading = section.start if section.heading is None else section.heading
    return [
        Definition(
            name=section.name,
            symbol=section.symbol[:MAX_SYMBOL],
            kind="section",
            start_line=line_of(source, section.start),
            end_line=line_of(source, end - 1),
            start_byte=section.start,
            end_byte=end,
            signature=_line_at(source, heading),
        )
    ]


def _line_at(source: Source, byte: int) -> str:
    line = source.text[byte : byte + MAX_HEADING].splitlines()[:1]
    return plain(line[0]) if line else ""
