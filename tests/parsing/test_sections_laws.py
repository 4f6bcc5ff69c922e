"""What holds for the sections of any text in any language."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.parsing.sections import sections_of
from clew.parsing.sections.outline import MAX_SECTIONS, MAX_SYMBOL
from clew.parsing.source import decode, line_of

LANGUAGES = [
    ("markdown", "a.md"),
    ("yaml", "a.yaml"),
    ("xml", "a.csproj"),
    ("toml", "a.toml"),
    ("json", "a.json"),
    ("text", "a.txt"),
    ("text", "a.adoc"),
]
PIECES = {
    "markdown": [
        "# ",
        "## ",
        "a",
        "é",
        "\n",
        "\n\n",
        "\r",
        "---\n",
        "===",
        "```",
        "~~~",
        "- ",
        "1. ",
        "> ",
        "    ",
        "\t",
        "<!--",
        "-->",
        "<pre>",
        "`",
        "[x](y)",
        "{#i}",
        "title: t",
    ],
    "yaml": [
        "a: ",
        "b:",
        "\n",
        "  ",
        "    ",
        "- ",
        "---\n",
        "...\n",
        "|",
        "'",
        '"',
        "# c",
        "name: n",
        "{{",
        "é",
        "\r\n",
        "\t",
    ],
    "xml": [
        "<PropertyGroup>",
        "</PropertyGroup>",
        "<Target Name='",
        "'>",
        "</Target>",
        "<A",
        "/>",
        ">",
        "<!--",
        "-->",
        "<ItemGroup/>",
        "\n",
        '"',
        "é",
        "<![CDATA[",
        "]]>",
        "</Project>",
        "Condition='x'",
    ],
    "toml": [
        "[a]",
        "[[b]]",
        "\n",
        "[",
        "]",
        "{",
        "}",
        '"""',
        "'''",
        '"',
        "'",
        "#",
        "a = ",
        "name = 'n'",
        "é",
        "\\",
        "\r",
    ],
    "json": ['"a"', ":", "{", "}", "[", "]", ",", "\n", "1", '"', "//", "/*", "*/", "\\", "é", " "],
    "text": ["Title", "\n", "=====", "-----", "~~~~~", "== ", " ", "----\n", "é", "\r\n", "[x]", "\n\n"],
}


@pytest.mark.parametrize(("language", "path"), LANGUAGES)
@given(data=st.data())
def test_sections_are_sorted_inside_the_file_and_without_overlap(language: str, path: str, data: st.DataObject) -> None:
    pieces = st.lists(st.sampled_from(PIECES[language]), max_size=80).map("".join)
    source = decode(data.draw(pieces | st.text(max_size=40)).encode("utf-8"))
    end = 0
    for section in sections_of(language, path, source) or []:
        assert end <= section.start_byte < section.end_byte <= len(source.text)
        assert section.start_line == line_of(source, section.start_byte)
        assert section.end_line == line_of(source, section.end_byte - 1)
        assert section.name and section.symbol and section.kind == "section" and "\n" not in section.signature
        assert not source.text[section.start_byte : section.end_byte][-1:].isspace()
        end = section.end_byte


HOSTILE = {
    "markdown": [
        "# a\n",
        "#\n",
        "- ",
        "> ",
        "[",
        "[a](",
        "`",
        "```\n",
        "<!--",
        "*",
        "- - - x",
        "a\n---\n",
        "  - a\n",
        "{#",
        "<a",
        "-  ",
        " ",
        "# [a](" * 9 + "\n",
    ],
    "yaml": ["a:\n", "a: 'b\n", "  ", "- ", "&", "a: " + "&" * 50 + "x\n", '"', "---\n", "'", "a: [\n", "? ", "#"],
    "xml": [
        "<",
        "<a",
        '<a "',
        "<a b='",
        "<!--",
        "<![CDATA[",
        "<PropertyGroup>",
        "<Target Name='x'>",
        "a",
        "<a>",
        "\"'<a'\"",
        "<ItemGroup><a b ",
        "<Target " + "a" * 5000,
    ],
    "toml": ["[", "[[", "[a]\n", "x = [\n", '"""', "'''", '"\\', "#\n", "[a.", "[a\n", "{", '"', "[a]\n#\n"],
    "json": ["{", "[", '{"a":', '"', "/*", '"\\', '"a":\n', '{\n"a":1}\n', ":", ",", "}"],
    "text": ["=", "A\n===\n", "== a\n", "----\n", "a", "-", "`", "==== "],
}


@pytest.mark.parametrize(("language", "path"), LANGUAGES)
def test_hostile_text_takes_linear_time(language: str, path: str) -> None:
    for piece in HOSTILE[language]:
        # A tenth of the largest file keeps the test quick; what is quadratic takes minutes on it already.
        source = decode((piece * (200_000 // len(piece))).encode("utf-8"))
        started = time.process_time()
        found = sections_of(language, path, source) or []
        assert time.process_time() - started < 2, piece[:40]
        assert len(found) <= MAX_SECTIONS
        assert all(len(section.symbol) <= MAX_SYMBOL for section in found)


def test_an_unknown_language_is_not_divided() -> None:
    assert sections_of("python", "a.py", decode(b"# a\n")) is None
