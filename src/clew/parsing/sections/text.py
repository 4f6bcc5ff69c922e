"""Plain text, reStructuredText and AsciiDoc: underlined titles, and titles after equals signs."""

from __future__ import annotations

import re

from clew.parsing.sections.outline import MAX_HEADING, MAX_SECTIONS, Heading, Section, nest, plain
from clew.parsing.source import Source

# The characters that reStructuredText recommends, except quotes, which underline nothing outside of it.
_ADORNMENT = re.compile(rb"([=~^*+#.:_-])\1{2,}+\s*$|`{4,}+\s*$")
# Three of these are an ellipsis, a list or a comment sign in prose.
_WEAK = b"*+#.:_^"
_EQUALS_TITLE = re.compile(rb"(={1,6})[ \t]+(\S.*)$")
_HAS_WORD = re.compile(r"\w")
# Delimiters of AsciiDoc blocks whose content is not parsed for titles.
_VERBATIM = re.compile(rb"(-{4,}|\.{4,}|\+{4,}|/{4,}|={4,}|\*{4,}|`{3,})\s*$")
# AsciiDoc lets an underline differ from its title by this many characters, and hand-made ones do.
_SLACK = 2


def parse_text(source: Source) -> list[Section]:
    """Sections under underlined titles, else under `== Title` lines; none where there are neither."""
    lines = source.text.splitlines()
    return nest(_underlined(lines, source) or _after_equals(lines, source), len(source.text))


def parse_asciidoc(source: Source) -> list[Section]:
    """Sections under `== Title` lines, else under underlined titles."""
    lines = source.text.splitlines()
    return nest(_after_equals(lines, source) or _underlined(lines, source), len(source.text))


def _underlined(lines: list[bytes], source: Source) -> list[Heading]:
    """Levels are in order of appearance of a style, as reStructuredText has it: its character, with line above."""
    headings: list[Heading] = []
    styles: list[bytes] = []
    used = -1  # the last line that belongs to a heading
    for number in range(1, len(lines)):
        mark = _adornment(lines[number])
        if not mark or number - 1 <= used:
            continue
        over = number >= 2 and number - 2 > used and _adornment(lines[number - 2]) == mark
        first = number - 2 if over else number - 1
        if first > 0 and first - 1 != used and lines[first - 1].strip():
            continue  # the last line of a paragraph, or a row of a table
        title = _title(lines[number - 1], lines[number], over)
        if not title:
            continue
        style = mark + b"over" if over else mark
        if style not in styles:
            styles.append(style)
        starts = source.line_starts
        headings.append(Heading(starts[first], styles.index(style) + 1, title, starts[number - 1]))
        used = number
        if len(headings) > MAX_SECTIONS:
            break
    return headings


def _adornment(line: bytes) -> bytes:
    """The character that the line repeats, or nothing."""
    found = _ADORNMENT.match(line)
    if found is None or (line[:1] in _WEAK and len(line.rstrip()) < 4):
        return b""
    return line[:1]


def _title(line: bytes, underline: bytes, over: bool) -> str:
    if len(line) > MAX_HEADING or (line[:1].isspace() and not over) or line[:1] in b"[":
        return ""
    title = plain(line)
    if not _HAS_WORD.search(title) or len(underline.rstrip()) + _SLACK < len(title):
        return ""
    return title


def _after_equals(lines: list[bytes], source: Source) -> list[Heading]:
    headings = []
    fence = b""
    for number, line in enumerate(lines):
        if fence:
            fence = b"" if line.rstrip() == fence else fence
            continue
        if _VERBATIM.match(line):
            fence = line.rstrip()
            continue
        found = _EQUALS_TITLE.match(line)
        title = plain(found[2].rstrip(b"= \t")) if found else ""
        if found and title:
            headings.append(Heading(source.line_starts[number], len(found[1]), title))
        if len(headings) > MAX_SECTIONS:
            break
    return headings
