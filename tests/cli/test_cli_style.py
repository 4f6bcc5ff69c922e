from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.cli.style import Painter, cut, safe, wants_colour, width


def test_colour_follows_the_terminal_and_the_two_customs() -> None:
    assert wants_colour("auto", True, {"TERM": "xterm"})
    assert not wants_colour("auto", False, {"TERM": "xterm"})
    assert not wants_colour("auto", True, {"TERM": "dumb"})
    assert not wants_colour("auto", True, {"NO_COLOR": "1"})
    assert wants_colour("auto", True, {"NO_COLOR": ""})
    assert wants_colour("always", False, {"NO_COLOR": "1"})
    assert not wants_colour("never", True, {})


def test_text_of_a_file_cannot_steer_the_terminal() -> None:
    assert safe("a\x1b[2Jb\rc\x07") == "a\\x1b[2Jb\\x0dc\\x07"
    assert safe("\x9b31m") == "\\x9b31m"


def test_text_of_a_file_cannot_reorder_what_is_read() -> None:
    assert safe("if \u202eadmin\u2066") == "if \\u202eadmin\\u2066"


def test_a_file_name_that_is_not_utf8_shows_its_bytes() -> None:
    assert safe("caf\udce9.py") == "caf\\xe9.py"


def test_tabs_become_spaces() -> None:
    assert safe("\tx\ty") == "    x   y"


def test_width_counts_columns_not_characters() -> None:
    assert width("用户") == 4
    assert width("e\u0301") == 1
    assert width("abc") == 3


def test_cutting_keeps_the_beginning_or_the_end() -> None:
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcd", 4) == "abcd"
    assert cut("用户认证", 5) == "用户…"
    assert cut("abc", 0) == ""


@given(st.text(), st.integers(min_value=0, max_value=30))
def test_what_is_cut_always_fits_and_is_safe_to_print(text: str, columns: int) -> None:
    shown = cut(safe(text), columns)
    assert width(shown) <= columns
    assert all(character.isprintable() or ord(character) >= 0xA0 for character in shown)


@given(st.text())
def test_safe_text_can_always_be_encoded(text: str) -> None:
    safe(text).encode("utf-8")
    assert safe(safe(text)) == safe(text)


def test_without_colour_the_painter_leaves_text_alone() -> None:
    assert Painter(False)("path", "a.py") == "a.py"
    assert Painter(True)("path", "a.py") == "\x1b[1;36ma.py\x1b[0m"
    assert Painter(True)("path", "") == ""
