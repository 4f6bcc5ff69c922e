"""Which section parser a file gets, by its language and, where that is not enough, its extension."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from clew.parsing.sections.data import parse_json, parse_toml
from clew.parsing.sections.markdown import parse_markdown
from clew.parsing.sections.msbuild import is_msbuild, parse_msbuild
from clew.parsing.sections.outline import Section, to_definitions
from clew.parsing.sections.text import parse_asciidoc, parse_text
from clew.parsing.sections.yaml import parse_yaml
from clew.parsing.source import Source
from clew.records import Definition

_Parser = Callable[[Source], list[Section]]

_BY_LANGUAGE: dict[str, _Parser] = {
    "markdown": parse_markdown,
    "yaml": parse_yaml,
    "toml": parse_toml,
    "json": parse_json,
    "text": parse_text,
}
_ASCIIDOC = frozenset({".adoc", ".asciidoc", ".asc"})


def sections_of(language: str, path: str, source: Source) -> list[Definition] | None:
    """The file's sections, sorted and without overlap, or None where the file is not divided into any.

    Covers each section's own text only; what lies between sections is in none of them. Malformed input
    gives the sections that can be told apart, never an error. O(bytes), without recursion.
    """
    parser = _parser(language, path)
    if parser is None:
        return None
    return to_definitions(source, parser(source)) or None


def _parser(language: str, path: str) -> _Parser | None:
    if language == "xml":
        return parse_msbuild if is_msbuild(path) else None
    if language == "text" and PurePosixPath(path).suffix.lower() in _ASCIIDOC:
        return parse_asciidoc
    return _BY_LANGUAGE.get(language)
