from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.parsing.tokens import MAX_WORD, Tokenizer, split_words, word_terms


def terms(text: str) -> list[str]:
    return Tokenizer()(text)


@pytest.mark.parametrize(
    "written", ["getUserById", "get_user_by_id", "GetUserByID", "GET_USER_BY_ID", "_get_user_by_id"]
)
def test_an_identifier_gives_its_words_and_its_joined_form(written: str) -> None:
    assert terms(written) == ["get", "user", "by", "id", "getuserbyid"]


def test_an_identifier_meets_the_same_words_written_apart() -> None:
    assert terms("get user by id") == ["get", "user", "by", "id"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("XMLHttpRequest", ["xml", "http", "request", "xmlhttprequest"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("sha256Sum", ["sha", "256", "sum", "sha256sum"]),
        ("base64", ["base", "64", "base64"]),
        ("kebab-case", ["kebab", "case"]),
        ("a.b::c", ["a", "b", "c"]),
        ("__init__", ["init"]),
        ("_", []),
        ("___", []),
        ("", []),
        ("+ - {}();", []),
    ],
)
def test_words_are_split_at_humps_underscores_and_digits(written: str, expected: list[str]) -> None:
    assert terms(written) == expected


def test_english_endings_are_stemmed_alike_in_words_and_in_identifiers() -> None:
    assert terms("parsing parses parsed") == ["pars", "pars", "pars"]
    assert terms("parsedFiles")[:2] == terms("parse file")


def test_terms_repeat_as_they_occur() -> None:
    assert terms("b a b") == ["b", "a", "b"]


@pytest.mark.parametrize(
    ("written", "plain"),
    [("café", "cafe"), ("naïve", "naive"), ("ÜBER", "uber"), ("ﬁle", "file"), ("ＦＵＬＬ", "full"), ("ёлка", "елка")],
)
def test_accents_ligatures_and_widths_do_not_matter(written: str, plain: str) -> None:
    assert terms(written) == terms(plain) != []


def test_cyrillic_and_greek_words_are_terms_in_lower_case() -> None:
    assert terms("Привет Мир ΛΟΓΟΣ") == ["привет", "мир", "λογος"]


def test_cjk_text_gives_characters_and_bigrams() -> None:
    assert terms("用户登录") == ["用", "户", "登", "录", "用户", "户登", "登录"]
    assert terms("ログ") == ["ロ", "ク", "ロク"]  # a voicing mark is an accent
    assert terms("한글") == ["한", "글", "한글"]


def test_cjk_and_latin_in_one_word_give_both() -> None:
    assert terms("get用户Name") == ["get", "用", "户", "用户", "name"]


def test_cjk_text_without_a_break_is_no_data_however_long() -> None:
    assert len(terms("漢" * (MAX_WORD + 1))) == 2 * MAX_WORD + 1


def test_a_run_longer_than_a_word_is_data() -> None:
    assert terms("a" * MAX_WORD) != []
    assert terms("a" * (MAX_WORD + 1)) == []
    assert terms(f"x {'deadbeef' * 40} y") == ["x", "y"]


@given(st.text(max_size=60))
def test_composed_and_decomposed_text_have_the_same_terms(text: str) -> None:
    assert terms(unicodedata.normalize("NFC", text)) == terms(unicodedata.normalize("NFD", text))


@given(st.text(max_size=60))
def test_any_text_gives_terms_without_white_space(text: str) -> None:
    assert all(term and not any(c.isspace() for c in term) for term in terms(text))


@given(st.lists(st.text(max_size=12), max_size=8))
def test_what_was_seen_before_changes_nothing(words: list[str]) -> None:
    used = Tokenizer()
    for word in words:
        used(word)
    assert [used(word) for word in words] == [terms(word) for word in words]


@given(st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=2, max_size=5))
def test_snake_case_camel_case_and_spaces_share_their_words(words: list[str]) -> None:
    apart = terms(" ".join(words))
    snake = terms("_".join(words))
    assert snake == [*apart, "".join(words)]
    if all(len(word) > 1 for word in words):  # `aB` and `AB` differ only as written
        assert terms(words[0] + "".join(word.capitalize() for word in words[1:])) == snake


@pytest.mark.parametrize("name", ["getUserById", "user_id", "größeÄndern"])
def test_the_words_of_an_identifier_are_kept_as_written(name: str) -> None:
    assert (
        split_words(name)
        == {
            "getUserById": ["get", "user", "by", "id"],
            "user_id": ["user", "id"],
            "größeÄndern": ["gr", "öß", "e", "ä", "ndern"],
        }[name]
    )


def test_one_word_gives_the_terms_of_its_text() -> None:
    assert list(word_terms("parsedFiles")) == terms("parsedFiles")


HOSTILE = [
    "a" + "\u0301\u0316" * 1000,  # marks that normalisation would have to sort
    "ab", "_", "aB", "漢", "人ab", "é", "\ufdfa", "A1", "\u0301a", "+", "ｶﾞ", "한", "🧵",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    for text in (piece * (100_000 // len(piece)), f"{piece} " * (100_000 // (len(piece) + 1))):
        started = time.process_time()
        terms(text)
        assert time.process_time() - started < 2


def test_many_marks_on_one_character_take_linear_time() -> None:
    started = time.process_time()
    assert terms("a" + "\u0301\u0316" * 200_000) == ["a"]
    assert time.process_time() - started < 2  # sorted as one run: minutes
