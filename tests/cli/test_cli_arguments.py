from __future__ import annotations

from pathlib import Path

import pytest

from clew.cli.arguments import COMMANDS, RESERVED, help_text, parse
from clew.engine import Engine
from clew.errors import UsageError
from clew.records import MOST_ASKED


def usage_error(*argv: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse(argv)
    assert caught.value.exit_status == 2
    return caught.value


def test_words_that_are_no_command_are_a_question() -> None:
    call = parse(["how", "are", "rules", "applied"])
    assert call.command == "search"
    assert call.options.query == "how are rules applied"


def test_flags_may_stand_before_between_and_after_the_words() -> None:
    for argv in (["-n", "3", "how", "it", "works"], ["how", "-n", "3", "it", "works"], ["how", "it", "works", "-n3"]):
        options = parse(argv).options
        assert (options.query, options.limit) == ("how it works", 3)


def test_a_command_is_found_behind_flags_and_their_values() -> None:
    call = parse(["--root", "search", "--json", "status"])
    assert call.command == "status"
    assert (call.options.root, call.options.json) == ("search", True)
    assert parse(["--root=a b", "index"]).command == "index"


def test_the_value_of_a_flag_is_never_taken_for_a_command() -> None:
    call = parse(["--path", "index", "who", "calls"])
    assert (call.command, call.options.query, call.options.path) == ("search", "who calls", ["index"])


def test_after_two_dashes_every_word_belongs_to_the_question() -> None:
    assert parse(["--", "index", "--full"]).options.query == "index --full"
    assert parse(["search", "-n", "2", "what", "--", "-x", "--", "means"]).options.query == "what -x -- means"


def test_a_quoted_question_may_begin_with_a_dash_or_a_command_name() -> None:
    assert parse(["--force flag of push"]).options.query == "--force flag of push"
    assert parse(["index of a book"]).options.query == "index of a book"


def test_search_makes_a_question_of_words_that_are_commands() -> None:
    assert parse(["search", "index", "status"]).options.query == "index status"


def test_every_option_of_the_contract_is_understood() -> None:
    options = parse(
        [
            "search", "q", "--limit", "5", "--kind", "function", "--kind", "class,method", "--lang", "Python",
            "--path", "a", "--path", "b/c", "--tests", "only", "--filter", "x=1", "--places", "3", "--budget", "500",
            "--no-text", "--explain", "--index", "--root", "r", "--json", "--quiet", "--force",
        ]
    ).options  # fmt: skip
    assert (options.limit, options.places, options.budget) == (5, 3, 500)
    assert options.kind == ["function", "class", "method"]
    assert options.lang == ["python"]
    assert options.path == ["a", "b/c"]
    assert (options.tests, options.filter, options.root) == ("only", "x=1", "r")
    assert options.no_text and options.explain and options.index and options.json and options.quiet and options.force


def test_without_flags_the_settings_decide_and_nothing_is_filtered() -> None:
    options = parse(["q"]).options
    assert (options.limit, options.places, options.budget, options.json) == (None, None, None, None)
    assert (options.kind, options.lang, options.path, options.tests, options.filter) == ([], [], [], "with", "")


def test_two_calls_do_not_share_their_lists() -> None:
    parse(["q", "--path", "a", "--kind", "class"])
    assert (parse(["q"]).options.path, parse(["q"]).options.kind) == ([], [])


@pytest.mark.parametrize("value", ["0", "-1", "1001", "ten", "1.5", "", "٣", "9" * 50])
def test_a_count_must_be_a_whole_number_in_range(value: str) -> None:
    assert "limit" in usage_error("q", f"--limit={value}").message


@pytest.mark.parametrize(("name", "most"), MOST_ASKED.items())
def test_what_is_out_of_range_is_told_alike_by_the_command_line_and_the_engine(
    tmp_path: Path, name: str, most: int
) -> None:
    assert getattr(parse(["q", f"--{name}", str(most)]).options, name) == most
    expected = f"{name} is 1 to {most}, not {most + 1}"
    assert usage_error("q", f"--{name}", str(most + 1)).message == expected
    with Engine.open(tmp_path) as engine, pytest.raises(UsageError, match=expected):
        engine.search("q", **{name: most + 1})  # type: ignore[arg-type]


def test_the_help_of_search_says_which_kinds_show_definitions() -> None:
    text = " ".join(help_text("search").split())
    assert "constant, variable, field, property, which show the definitions themselves" in text


def test_an_unknown_kind_lists_the_kinds() -> None:
    assert "method" in usage_error("q", "--kind", "func").message


def test_an_unknown_flag_is_not_taken_for_a_word() -> None:
    error = usage_error("what", "does", "-Wall", "do")
    assert "-Wall" in error.message
    assert "--" in error.hint


def test_flags_are_not_abbreviated_because_new_ones_would_change_their_meaning() -> None:
    assert "--ind" in usage_error("q", "--ind").message


def test_a_command_that_takes_no_words_shows_how_to_search_for_them() -> None:
    error = usage_error("status", "code", "handling")
    assert error.hint == "to search for these words: clew search status code handling"


def test_similar_takes_exactly_one_location() -> None:
    assert parse(["similar", "a.py:3", "-n", "2"]).options.location == "a.py:3"
    usage_error("similar")
    usage_error("similar", "a.py:3", "b.py:4")


def test_an_empty_question_is_a_usage_error() -> None:
    usage_error("search")
    usage_error("  ")
    usage_error("--")
    usage_error("--json")


@pytest.mark.parametrize("word", RESERVED)
def test_a_command_of_a_later_version_is_reserved(word: str) -> None:
    error = usage_error(word, "--json", "x")
    assert error.message == f"`{word}` is not available in this version of clew"
    assert parse(["search", word]).options.query == word


def test_index_knows_full_and_dry_run() -> None:
    options = parse(["index", "--full", "--dry-run"]).options
    assert options.full and options.dry_run


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"help"}))
def test_help_of_a_command_is_asked_for_in_four_ways(command: str) -> None:
    for argv in ([command, "--help"], [command, "-h"], ["--help", command], ["help", command]):
        call = parse(argv)
        assert (call.command, call.options.topic) == ("help", command)


def test_help_wins_over_other_mistakes() -> None:
    assert parse(["index", "of", "things", "--help"]).options.topic == "index"
    assert parse(["--help"]).options.topic is None
    assert parse(["help"]).options.topic is None


def test_no_words_at_all_ask_for_help() -> None:
    assert parse([]).options.bare


def test_version_needs_no_command() -> None:
    assert parse(["--version"]).command == "version"


def test_every_command_and_its_options_are_in_the_help() -> None:
    top = help_text(None)
    assert all(f"  {command} " in top for command in COMMANDS)
    for command in set(COMMANDS) - {"help"}:
        text = help_text(command)
        assert all(flag in text for flag in ("--root", "--json", "--quiet", "--help", "--force"))
    assert all(flag in help_text("search") for flag in ("-n", "--kind", "--filter", "--budget", "--index"))
