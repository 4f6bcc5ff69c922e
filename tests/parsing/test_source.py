from __future__ import annotations

import codecs
import itertools
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.parsing.source import Source, decode, for_parser, line_of

TEXT = 'function Größe {\r\n  "naïve – 用户"\r\n}\r\n'


def naive_line(text: bytes, byte: int) -> int:
    line = 1
    for at in range(min(byte, len(text))):
        ends = text[at : at + 1] == b"\n" or (text[at : at + 1] == b"\r" and text[at + 1 : at + 2] != b"\n")
        if ends and at + 1 < len(text):
            line += 1
    return line


def lines_of(source: Source) -> list[str]:
    """The text cut at the starts of its lines."""
    starts = [*source.line_starts, len(source.text)]
    return [source.text[start:end].decode("utf-8") for start, end in itertools.pairwise(starts)]


def test_utf8_text_is_kept_byte_for_byte() -> None:
    source = decode(TEXT.encode("utf-8"))
    assert (source.text, source.encoding) == (TEXT.encode("utf-8"), "utf-8")


@pytest.mark.parametrize(
    ("mark", "codec", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8", "utf-8-bom"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32-be"),
    ],
)
def test_a_byte_order_mark_names_the_encoding_and_is_dropped(mark: bytes, codec: str, encoding: str) -> None:
    source = decode(mark + TEXT.encode(codec))
    assert (source.text.decode("utf-8"), source.encoding) == (TEXT, encoding)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["function Get-User {\n}\n", "# проверка пароля пользователя\nx = 1\n"])
def test_utf16_without_a_mark_is_seen_by_its_nuls(codec: str, text: str) -> None:
    source = decode(text.encode(codec))
    assert (source.text.decode("utf-8"), source.encoding) == (text, codec)


def test_utf16_that_begins_with_a_nul_is_not_taken_for_utf32() -> None:
    source = decode(codecs.BOM_UTF16_LE + "\0ab".encode("utf-16-le"))
    assert (source.text, source.encoding) == (b" ab", "utf-16-le")


def test_half_a_character_at_the_end_of_utf16_is_dropped() -> None:
    assert decode(codecs.BOM_UTF16_LE + "ab".encode("utf-16-le")[:-1]).text == b"a"


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    assert decode(codecs.BOM_UTF16_LE + b"a\x00\x00\xd8b\x00").text == b"a?b"


def test_a_nul_in_utf8_becomes_a_space() -> None:
    assert decode(b"one\0two three four five six\n").text == b"one two three four five six\n"


@pytest.mark.parametrize(
    ("declaration", "codec", "encoding"),
    [
        ("# -*- coding: latin-1 -*-", "latin-1", "latin-1"),
        ("#!/usr/bin/ruby\n# encoding: iso-8859-15", "iso-8859-15", "iso8859-15"),
        (";; -*- mode: lisp; coding: iso-8859-2-unix -*-", "iso-8859-2", "iso8859-2"),
        ("/* vim: set fileencoding=cp1250 : */", "cp1250", "cp1250"),
        ('<?xml version="1.0" encoding="windows-1251"?>', "cp1251", "cp1251"),
        ('@charset "koi8-r";', "koi8-r", "koi8-r"),
        ("# coding: shift_jis", "shift_jis", "cp932"),
        ("# coding: gbk", "gbk", "gb18030"),
        ("# coding=euc-jp", "euc-jp", "euc_jp"),
    ],
)
def test_a_declared_encoding_is_used(declaration: str, codec: str, encoding: str) -> None:
    sample = {"koi8-r": "пароль", "cp1251": "пароль", "shift_jis": "認証", "gbk": "认证", "euc-jp": "認証"}
    text = f"{declaration}\nname = '{sample.get(codec, 'é')}'\n"
    source = decode(text.encode(codec))
    assert (source.text.decode("utf-8"), source.encoding) == (text, encoding)


def test_a_vim_line_at_the_end_of_the_file_counts() -> None:
    text = "int größe;\n" * 20 + "// vim: ts=4 fenc=latin1\n"
    assert decode(text.encode("latin-1")).text.decode("utf-8") == text


def test_text_that_is_utf8_beats_its_declaration() -> None:
    text = "# -*- coding: latin-1 -*-\nx = 'é'\n".encode()
    assert decode(text).text == text


@pytest.mark.parametrize("name", ["rot13", "unicode_escape", "zlib", "utf-7", "no-such-codec", "mbcs", "__init__"])
def test_a_declared_codec_that_does_more_than_decode_is_not_used(name: str) -> None:
    data = f"# coding: {name}\nx = 'caf\\u0065 ".encode() + b"\xe9'\n"
    assert decode(data).text == data.replace(b"\xe9", "é".encode())


def test_bytes_that_a_declared_encoding_lacks_become_question_marks() -> None:
    assert decode(b"# coding: euc-jp\n\xa4\xa2\xff\n").text == "# coding: euc-jp\nあ?\n".encode()


def test_undeclared_bytes_are_read_as_windows_1252() -> None:
    source = decode(b"caf\xe9 \x96 \x80 \x81")
    assert (source.text.decode("utf-8"), source.encoding) == ("café – € \x81", "cp1252")


def test_without_windows_characters_it_is_called_latin_1() -> None:
    assert decode(b"caf\xe9").encoding == "latin-1"


def test_one_foreign_byte_does_not_spoil_a_utf8_file() -> None:
    source = decode("Größe, naïve, 用户\n".encode() + b"caf\xe9\n")
    assert (source.text.decode("utf-8"), source.encoding) == ("Größe, naïve, 用户\ncafé\n", "utf-8+cp1252")


def test_only_lf_crlf_and_cr_end_a_line() -> None:
    source = decode("a\x0cb\u2028c\x85d\x0be\r\nf\rg\nh".encode())
    assert lines_of(source)[1:] == ["f\r", "g\n", "h"]


@pytest.mark.parametrize(
    ("text", "count"), [(b"", 1), (b"a", 1), (b"a\n", 1), (b"a\n\n", 2), (b"\n", 1), (b"a\r\rb", 3)]
)
def test_a_final_newline_begins_no_line(text: bytes, count: int) -> None:
    assert len(decode(text).line_starts) == count


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_function_is_on_the_line_an_editor_shows(newline: str) -> None:
    text = newline.join(["# one \x0c two", "# \u2028 three", "def target():", "    pass", ""]).encode()
    source = decode(text)
    assert line_of(source, text.index(b"target")) == 3
    assert "".join(lines_of(source)[2:]).encode() == text[text.index(b"def") :]


def test_a_parser_sees_lone_cr_as_lf_and_crlf_as_it_is() -> None:
    assert for_parser(decode(b"a\rb\r\nc\n\rd\r\r\n")) == b"a\nb\r\nc\n\nd\n\r\n"


def test_text_without_lone_cr_is_not_copied_for_a_parser() -> None:
    source = decode(b"a\r\nb\n")
    assert for_parser(source) is source.text


@given(st.binary(max_size=300) | st.text(max_size=100).map(lambda text: text.encode("utf-16")))
@example(codecs.BOM_UTF8 + b"\xff")
@example(codecs.BOM_UTF32_LE + b"\xff\xff\xff\xff")
@example(b"# coding: gb18030\n\x84\x31\xa4\x37\xff")
def test_any_bytes_give_text_without_nul_and_replacement_characters(data: bytes) -> None:
    source = decode(data)
    text = source.text.decode("utf-8")
    assert "\0" not in text
    assert "\ufffd" not in text or b"\xef\xbf\xbd" in data


@given(st.text(max_size=100).filter(lambda text: "\0" not in text and not text.startswith("\ufeff")))
def test_any_utf8_text_without_nul_is_verbatim(text: str) -> None:
    assert decode(text.encode("utf-8")).text == text.encode("utf-8")


@given(st.text(alphabet="a\r\n\x0c\u2028é", max_size=60))
def test_lines_agree_with_counting_by_hand(text: str) -> None:
    source = decode(text.encode("utf-8"))
    for byte in range(len(source.text) + 1):
        assert line_of(source, byte) == naive_line(source.text, byte)


@given(st.text(alphabet="a\r\n\x0c\u2028é", max_size=60))
def test_the_lines_together_are_the_file(text: str) -> None:
    source = decode(text.encode("utf-8"))
    assert source.line_starts[0] == 0
    assert "".join(lines_of(source)) == text


@given(st.text(alphabet="a\r\n", max_size=40))
def test_a_parser_counts_the_same_lines(text: str) -> None:
    source = decode(text.encode("utf-8"))
    parsed = for_parser(source)
    assert len(parsed) == len(source.text)
    assert all(parsed[:start].count(b"\n") == line for line, start in enumerate(source.line_starts))


def test_ten_megabytes_take_a_fraction_of_a_second() -> None:
    data = ("    return self.total(größe)\r\n" * 330_000).encode("utf-8")
    started = time.process_time()
    source: Source = decode(data)
    for_parser(source)
    assert len(source.line_starts) == 330_000
    assert time.process_time() - started < 1.0
