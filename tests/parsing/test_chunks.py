"""Chunks cover a file: laws over fixtures and random text, and the promises of the docstring one by one."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.languages import language_of, pack, parser_for
from clew.parsing.chunks import CONTEXT_BYTES, MAX_CHUNKS, OVERLAP_SHARE, chunk
from clew.parsing.definitions import Outline, outline
from clew.parsing.limits import CHUNK_BYTES
from clew.parsing.sections import sections_of
from clew.parsing.source import Source, decode, for_parser
from clew.records import CHUNK_KINDS, Chunk

FIXTURES = sorted((Path(__file__).parents[1] / "languages").glob("*/example*"))
WORD = re.compile(rb"[^\W_]|[\x80-\xff]")


def by_syntax(path: str, source: Source, budget: int) -> tuple[Chunk, ...]:
    language = language_of(path, source.text)
    parser = parser_for(language)
    assert parser is not None
    text = for_parser(source)
    tree = parser.parse(text)
    return chunk(source, outline(tree, text, pack(language)), tree, budget)


def by_sections(path: str, source: Source, budget: int) -> tuple[Chunk, ...]:
    sections = sections_of(language_of(path), path, source) or []
    starts = tuple(each.start_byte for each in sections)
    found = Outline(tuple(sections), starts, tuple(each.start_line for each in sections))
    return chunk(source, found, None, budget)


def by_lines(source: Source, budget: int) -> tuple[Chunk, ...]:
    return chunk(source, None, None, budget)


def text_of(source: Source, each: Chunk) -> bytes:
    return source.text[each.start_byte : each.end_byte]


def check_laws(source: Source, chunks: tuple[Chunk, ...], budget: int) -> None:
    starts, ends = source.line_starts, [*source.line_starts[1:], len(source.text)]
    covered = {line for each in chunks for line in range(each.start_line, each.end_line + 1)}
    words = {line for line in range(1, len(starts) + 1) if WORD.search(source.text, starts[line - 1], ends[line - 1])}
    assert words <= covered
    assert [each.ordinal for each in chunks] == list(range(len(chunks)))
    for each in chunks:
        assert each.kind in CHUNK_KINDS
        assert WORD.search(text_of(source, each))
        text_of(source, each).decode("utf-8")  # never cut inside a character
        first, last = starts[each.start_line - 1], ends[each.end_line - 1]
        if each.start_line < each.end_line:
            assert (each.start_byte, each.end_byte) == (first, last)
            assert last - first <= budget
        else:
            assert first <= each.start_byte < each.end_byte <= last
            assert each.end_byte - each.start_byte <= 4 * budget
    for before, after in pairwise(chunks):
        repeated = before.end_byte - after.start_byte
        if repeated > 0:  # only a statement of the same definition, and never all of a chunk
            assert before.symbol == after.symbol
            assert repeated <= budget * OVERLAP_SHARE
            assert after.start_byte > before.start_byte and after.end_byte > before.end_byte


@pytest.mark.parametrize("budget", [CHUNK_BYTES, 200, 40])
@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.parent.name)
def test_every_fixture_is_covered_by_its_syntax(fixture: Path, budget: int) -> None:
    source = decode(fixture.read_bytes())
    check_laws(source, by_syntax(fixture.name, source, budget), budget)
    check_laws(source, by_lines(source, budget), budget)


PIECES = st.sampled_from(
    [
        "def f():", "class A:", "    ",
        "  ", "\n", "\r\n", "\r", "x = 1", "if x:", "# note", "'é'", "漢字", "_", "(", ")",
        "\t", "@d", "return", "# Title", "## Sub", "- a: b", "```", ";", " ", "\n\n", "    pass\n", "w " * 30, "ö" * 50,
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=200)
BUDGETS = st.integers(8, 120)


@given(text=TEXTS, budget=BUDGETS)
def test_any_text_is_covered_by_lines(text: str, budget: int) -> None:
    source = decode(text.encode("utf-8"))
    check_laws(source, by_lines(source, budget), budget)


@given(text=TEXTS, budget=BUDGETS, path=st.sampled_from(["a.py", "a.js", "a.go", "a.rb"]))
def test_any_text_is_covered_by_syntax(text: str, budget: int, path: str) -> None:
    source = decode(text.encode("utf-8"))
    check_laws(source, by_syntax(path, source, budget), budget)


@given(text=TEXTS, budget=BUDGETS, path=st.sampled_from(["a.md", "a.yaml", "a.toml", "a.txt"]))
def test_any_text_is_covered_by_sections(text: str, budget: int, path: str) -> None:
    source = decode(text.encode("utf-8"))
    check_laws(source, by_sections(path, source, budget), budget)


@given(st.binary(max_size=300))
def test_any_bytes_are_covered(data: bytes) -> None:
    source = decode(data)
    check_laws(source, by_lines(source, 30), 30)


def test_a_short_file_is_one_chunk() -> None:
    source = decode(b"just\nwords\n")
    assert by_lines(source, CHUNK_BYTES) == (Chunk(0, "lines", "", 1, 2, 0, 11),)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"  ___ --- !!\n"])
def test_a_text_without_a_word_has_no_chunks(data: bytes) -> None:
    assert by_lines(decode(data), CHUNK_BYTES) == ()


def test_definitions_are_chunks_and_gaps_lie_between_them() -> None:
    source = decode(b"import os\n\n# about f\n@d\ndef f():\n    pass\n\nx = 1\n\ndef g():\n    pass\n")
    found = [
        (each.kind, each.symbol, each.start_line, each.end_line) for each in by_syntax("a.py", source, CHUNK_BYTES)
    ]
    assert found == [("gap", "", 1, 2), ("function", "f", 3, 6), ("gap", "", 7, 9), ("function", "g", 10, 11)]


def test_a_container_gives_a_header_that_names_its_members_and_no_text_twice() -> None:
    source = decode(b"class A:\n    size = 1\n    def f(self):\n        pass\n    def g(self):\n        pass\n")
    header, first, second = by_syntax("a.py", source, CHUNK_BYTES)
    assert (header.symbol, header.start_line, header.end_line, header.context) == ("A", 1, 2, "size f g")
    assert (first.symbol, second.symbol) == ("A.f", "A.g")
    assert first.context == "" and first.start_byte == header.end_byte


def test_the_member_names_of_a_container_are_bounded() -> None:
    members = "".join(f"    def method_{number:04}(self): pass\n" for number in range(200))
    header = by_syntax("a.py", decode(f"class A:\n{members}".encode()), CHUNK_BYTES)[0]
    assert len(header.context) <= CONTEXT_BYTES


def test_a_short_function_keeps_what_is_nested_in_it() -> None:
    source = decode(b"def f():\n    def g():\n        pass\n    return g\n")
    assert [each.symbol for each in by_syntax("a.py", source, CHUNK_BYTES)] == ["f"]


def test_a_long_body_is_split_where_statements_begin_with_one_statement_of_overlap() -> None:
    statements = [f"    value_{number} = (\n        {number},\n    )\n" for number in range(12)]
    source = decode(("def f():\n" + "".join(statements)).encode())
    chunks = by_syntax("a.py", source, 300)
    assert len(chunks) > 1
    for before, after in pairwise(chunks):
        assert text_of(source, after).startswith(b"    value_")
        assert before.end_byte - after.start_byte == len(statements[0])


def test_a_statement_is_not_repeated_alone_before_one_that_does_not_fit_beside_it() -> None:
    source = decode(b"def f():\n    a = 1\n    b = 2\n    c = '" + b"w " * 200 + b"'\n    d = 4\n")
    chunks = by_syntax("a.py", source, 60)
    assert all(after.end_byte > before.end_byte for before, after in pairwise(chunks))


def test_lines_are_cut_at_a_blank_line_where_there_is_one() -> None:
    source = decode(b"one one one\ntwo two two\n\nthree three\nfour four four\n")
    assert [(each.start_line, each.end_line) for each in by_lines(source, 50)] == [(1, 3), (4, 5)]


def test_a_line_far_over_the_budget_is_cut_at_white_space() -> None:
    source = decode(b"word " * 200)
    chunks = by_lines(source, 50)
    assert len(chunks) > 4
    assert all(each.start_line == each.end_line == 1 for each in chunks)
    assert all(text_of(source, each).startswith(b"word") for each in chunks)
    assert b"".join(text_of(source, each) for each in chunks) == source.text


def test_a_line_without_white_space_is_cut_between_characters() -> None:
    source = decode(("é" * 1001).encode())
    assert b"".join(text_of(source, each) for each in by_lines(source, 25)) == source.text


def test_the_chunks_of_a_file_are_bounded_and_the_last_one_takes_the_rest() -> None:
    source = decode(b"def f(): pass\n" * (MAX_CHUNKS + 50))
    chunks = by_syntax("a.py", source, CHUNK_BYTES)
    assert len(chunks) == MAX_CHUNKS
    assert (chunks[-1].end_line, chunks[-1].end_byte) == (MAX_CHUNKS + 50, len(source.text))


def test_definitions_that_share_a_line_are_covered_once() -> None:
    source = decode(b"class A { f() {} g() {} } class B { h() {} }\n")
    chunks = by_syntax("a.js", source, CHUNK_BYTES)
    assert b"".join(text_of(source, each) for each in chunks) == source.text


DEPTH = 2000
NESTED = {
    "a.py": "x = " + "(\n" * DEPTH + "1" + ")" * DEPTH + "\n",
    "a.js": "function f() {\n" * DEPTH + "}\n" * DEPTH,
    "a.c": "void f() {\n" + "{ x;\n" * DEPTH + "}\n" * DEPTH + "}\n",
}


@pytest.mark.parametrize("path", NESTED)
def test_nesting_of_two_thousand_levels_is_cut(path: str) -> None:
    source = decode(NESTED[path].encode())
    check_laws(source, by_syntax(path, source, CHUNK_BYTES), CHUNK_BYTES)


def test_json_nested_two_thousand_levels_is_cut() -> None:
    source = decode(('{"a":\n' * DEPTH + "1" + "}" * DEPTH).encode())
    check_laws(source, by_sections("a.json", source, CHUNK_BYTES), CHUNK_BYTES)
