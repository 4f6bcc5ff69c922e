from __future__ import annotations

import pytest

from clew.parsing.sections import sections_of
from clew.parsing.source import decode


def outline(language: str, text: str) -> list[tuple[str, int, int]]:
    found = sections_of(language, f"a.{language}", decode(text.encode("utf-8")))
    return [(section.symbol, section.start_line, section.end_line) for section in found or []]


def symbols(language: str, text: str) -> list[str]:
    return [symbol for symbol, _, _ in outline(language, text)]


CARGO = """\
title = "root"

[package] # about
name = "serde"
authors = [
  "a",
  ["nested"],
]

# optional parts
[features."std.io"]
text = \"\"\"
[no]
\\\"\"\" still
\"\"\"
raw = '''
[no]
'''

[[ bin ]]
path = "x # no"
name = "cli"
[[bin]]
"""


def test_toml_tables_are_sections() -> None:
    assert outline("toml", CARGO) == [
        ("package", 3, 8),
        ("features.std.io", 11, 18),
        ("bin.cli", 20, 22),
        ("bin", 23, 23),
    ]


def test_a_toml_section_has_name_signature_and_exact_bytes() -> None:
    source = decode(b"\xef\xbb\xbf[a.b]\r\nx = 1\r\n\r\n# of c\r\n  [c]\r\n")
    first = (sections_of("toml", "a.toml", source) or [])[0]
    assert (first.name, first.symbol, first.signature) == ("b", "a.b", "[a.b]")
    assert source.text[first.start_byte : first.end_byte] == b"[a.b]\r\nx = 1"


def test_comments_that_end_a_table_are_its_own() -> None:
    assert outline("toml", "[a]\nx = 1\n# y = 2\n\n[b]\n# z\n") == [("a", 1, 3), ("b", 5, 6)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a]\nx = [1,\n[b]\ny = 1\n", ["a", "b"]),
        ("[a]\nx = {y = 1\n[b.c]\n", ["a", "b.c"]),
        ('[a]\nx = "open\n[b]\n', ["a", "b"]),
        ("[a]\nx = ]]}\n[b]\n", ["a", "b"]),
        ("[a\n[b]\n", ["b"]),
        ("[]\n[[]]\n[.]\n[b]\n", ["b"]),
        ("[a]\nx = '''open\n[b]\n", ["a"]),
    ],
)
def test_broken_toml_gives_the_tables_that_can_be_told(text: str, expected: list[str]) -> None:
    assert symbols("toml", text) == expected


def test_arrays_at_the_left_margin_are_no_tables() -> None:
    assert symbols("toml", 'x = [\n["a"],\n[1, 2],\n[true]\n]\n[t]\n') == ["t"]


PACKAGE = """\
{
  // about
  "name": "shop",
  "keywords": ["a", "{", "\\"quoted\\": "],
  "scripts": {
    "build": "tsc",
    "test": "vitest"
  },
  /* "no": 1, */
  "jest": {
    "a": {
      "deep": 1
    },
    "b": [
      { "c": 1 },
PAD    ],
    "d": {
      "e": 2
    }
  }
}
""".replace("PAD", "      {},\n" * 12)


def test_json_keys_are_sections_and_big_objects_are_divided() -> None:
    assert outline("json", PACKAGE) == [
        ("name", 3, 3),
        ("keywords", 4, 4),
        ("scripts", 5, 8),
        ("jest", 10, 10),
        ("jest.a", 11, 13),
        ("jest.b", 14, 28),
        ("jest.d", 29, 31),
    ]


def test_a_json_section_has_name_signature_and_exact_bytes() -> None:
    source = decode('{\r\n  "é": [\r\n    1 ],\r\n  "b": 2\r\n}'.encode())
    first, second = sections_of("json", "a.json", source) or []
    assert (first.name, first.kind, first.signature) == ("é", "section", '"é": [')
    assert source.text[first.start_byte : first.end_byte] == '"é": [\r\n    1 ]'.encode()
    assert source.text[second.start_byte : second.end_byte] == b'"b": 2'


def test_a_json_dictionary_of_single_values_stays_whole() -> None:
    text = '{\n"en": {\n' + ",\n".join(f'"m{n}": "text"' for n in range(100)) + "\n}\n}\n"
    assert outline("json", text) == [("en", 2, 103)]


def test_minified_json_has_no_sections() -> None:
    assert sections_of("json", "a.json", decode(b'{"a":1,"b":{"c":2},"d":3}')) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{\n"a": 1\n"b": 2\n', ["a", "b"]),
        ('{\n"a": [1, 2,\n"b": 2\n', ["a"]),
        ('{\n"a": "open\n,"b": 2}', ["a", "b"]),
        ('{\n"a": 1,,\n"b": 2,\n}', ["a", "b"]),
        ('}]\n{\n"a": 1}', ["a"]),
        ('{\n"a": 1 /* open\n"b": 2}', ["a"]),
        ('{\n"": 1,\n"b": 2}', ["b"]),
        ('{\n"a', []),
    ],
)
def test_broken_json_gives_the_keys_that_can_be_told(text: str, expected: list[str]) -> None:
    assert symbols("json", text) == expected


@pytest.mark.parametrize("text", ["[1, 2]", '[\n{"a": 1}\n]', '"text"', "", "{}", "nothing"])
def test_json_that_is_no_object_is_not_divided(text: str) -> None:
    assert sections_of("json", "a.json", decode(text.encode())) is None


@pytest.mark.parametrize("language", ["toml", "json"])
def test_old_mac_newlines_end_lines_and_comments(language: str) -> None:
    text = {"toml": "[a] # x\rb = 1\r[c]\r", "json": '{ // x\r"a": \r1,\r"c": 1}'}[language]
    assert outline(language, text) == ([("a", 1, 2), ("c", 3, 3)] if language == "toml" else [("a", 2, 3), ("c", 4, 4)])
