"""What a person sees."""

from __future__ import annotations

from collections.abc import Callable

OnTerminal = Callable[..., tuple[int, str, str]]


def test_no_words_on_a_terminal_show_the_help(clew_terminal: OnTerminal) -> None:
    status, out, err = clew_terminal()
    assert (status, err) == (0, "")
    assert "clew WORDS..." in out


def test_an_error_on_a_terminal_is_coloured_text_on_stderr(clew_terminal: OnTerminal) -> None:
    status, out, err = clew_terminal("graph")
    assert (status, out) == (2, "")
    assert err.startswith("\x1b[31mclew:\x1b[0m `graph` is not available")


def test_colour_is_off_where_it_is_not_wanted(clew_terminal: OnTerminal) -> None:
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in clew_terminal("graph", env=env)[2]


def test_json_on_a_terminal_is_a_document(clew_terminal: OnTerminal) -> None:
    status, out, err = clew_terminal("graph", "--json")
    assert (status, err) == (2, "")
    assert out.startswith('{\n  "error": {\n    "code": "usage"')
