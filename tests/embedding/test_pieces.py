from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.embedding import Pieces, split_word
from clew.embedding.pieces import _WORD, MAX_CACHED_CHARS, MAX_CACHED_WORDS, _words

VOCABULARY = ["get", "user", "read", "##ing", "##er", "a", "b", "##a", "##b", "用户", "привет"]


def texts_of(ids: list[int]) -> list[str]:
    return [VOCABULARY[i] for i in ids]


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("getUserById", ["get", "user", "by", "id"]),
        ("HTTPServer", ["http", "server"]),
        ("parseURLs", ["parse", "urls"]),
        ("URLsFor", ["urls", "for"]),
        ("sha256sum", ["sha", "256", "sum"]),
        ("XMLHttpRequest2", ["xml", "http", "request", "2"]),
        ("MAX", ["max"]),
        ("ИмяФайла", ["имя", "файла"]),
        ("Größe2", ["größe", "2"]),
        ("用户Name", ["用户", "name"]),
        ("", []),
    ],
)
def test_a_word_is_cut_where_case_or_digits_change(word: str, parts: list[str]) -> None:
    assert split_word(word) == parts


def test_the_longest_piece_that_fits_is_taken() -> None:
    assert texts_of(Pieces(VOCABULARY).all_ids("reading reader")) == ["read", "##ing", "read", "##er"]


def test_a_character_that_no_piece_begins_with_is_skipped() -> None:
    assert texts_of(Pieces(VOCABULARY).all_ids("azb")) == ["a", "##b"]


def test_without_a_continuation_prefix_one_piece_serves_everywhere() -> None:
    assert Pieces(["ab", "a"], continuation="").all_ids("aba") == [0, 1]


def test_distinct_ids_hold_each_piece_once_and_in_order() -> None:
    assert Pieces(VOCABULARY).distinct_ids("user get_user getUser") == [0, 1]


def test_full_width_letters_are_read_as_their_plain_forms() -> None:
    assert texts_of(Pieces(VOCABULARY).all_ids("ｇｅｔ")) == ["get"]


def test_scripts_without_case_are_matched() -> None:
    assert texts_of(Pieces(VOCABULARY).all_ids("Привет 用户")) == ["привет", "用户"]


@given(st.text(st.characters(max_codepoint=127)))
def test_the_fast_cut_of_ascii_text_equals_the_expression(text: str) -> None:
    assert _words(text) == _WORD.findall(text)


@given(st.text())
def test_a_split_word_keeps_every_letter_and_digit(text: str) -> None:
    for word in _words(text):
        assert "".join(split_word(word)) == word.lower() or "ς" in word.lower()


def test_the_word_cache_stays_bounded() -> None:
    pieces = Pieces(VOCABULARY)
    for i in range(MAX_CACHED_WORDS + 10):
        pieces[f"a{i}"]
    assert len(pieces) <= MAX_CACHED_WORDS


def test_a_very_long_word_is_neither_cached_nor_read_to_its_end() -> None:
    pieces = Pieces(VOCABULARY)
    assert len(pieces.all_ids("a" * 1_000_000)) == 256
    assert len(pieces) == 0
    assert MAX_CACHED_CHARS < 256
