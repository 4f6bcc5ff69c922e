from __future__ import annotations

import re

from clew.cli import render
from clew.cli.style import Painter, width
from clew.records import (
    Answer,
    Check,
    Failure,
    FileCounts,
    Freshness,
    Hit,
    IndexEstimate,
    IndexReport,
    Place,
    Status,
)

PLAIN = Painter(False)
CART = Place(
    "src/cart.py", 3, 8, "Cart.total", "method", "    def total(self):\n        rules = []\n\n        return 1\n"
)
TAX = Place("src/cart.py", 20, 20, "TAX", "constant", "TAX = 0.2")


def answer(*hits: Hit, query: str = "cart total", freshness: str = "fresh", notes: tuple[str, ...] = ()) -> Answer:
    return Answer(query, "/repo", 1, Freshness(freshness, 2 if freshness != "fresh" else 0), hits, notes)


def shown(record: Answer, columns: int = 80) -> list[str]:
    return render.answer_lines(record, PLAIN, columns)


def test_a_hit_is_numbered_with_path_lines_symbol_and_kind() -> None:
    lines = shown(answer(Hit(1, "src/cart.py", "python", 0.5, (CART, TAX))))
    assert lines == [
        "1  src/cart.py:3-8  Cart.total  method",
        "   3  def total(self):",
        "   4      rules = []",
        "   6      return 1",
        "   :20  TAX  constant",
        "   20  TAX = 0.2",
    ]


def test_numbers_are_aligned_when_there_are_ten_files() -> None:
    hits = [Hit(rank, f"f{rank}.py", "python", 1.0, (Place(f"f{rank}.py", 1, 1),)) for rank in range(1, 11)]
    lines = shown(answer(*hits))
    assert lines[0] == "1   f1.py:1"
    assert lines[9] == "10  f10.py:1"


def test_without_text_an_answer_is_one_line_per_place() -> None:
    bare = Place("a.py", 1, 4, "f", "function")
    assert shown(answer(Hit(1, "a.py", "python", 1.0, (bare,)))) == ["1  a.py:1-4  f  function"]


def test_lines_outside_of_definitions_carry_no_word_of_the_index() -> None:
    assert shown(answer(Hit(1, "a.py", "python", 1.0, (Place("a.py", 1, 4, "", "gap"),)))) == ["1  a.py:1-4"]


def test_nothing_found_says_so() -> None:
    assert shown(answer()) == ["no results"]


def test_freshness_is_mentioned_only_when_it_matters() -> None:
    hit = Hit(1, "a.py", "python", 1.0, (Place("a.py", 1, 4),))
    assert shown(answer(hit, freshness="stale"))[-1] == "stale: 2 changed files"
    assert shown(answer(hit)) == ["1  a.py:1-4"]


def test_notes_come_last() -> None:
    assert shown(answer(notes=("no model",)))[-1] == "note: no model"


def test_a_file_that_changed_since_is_marked() -> None:
    lines = shown(answer(Hit(1, "a.py", "python", 1.0, (Place("a.py", 1, 4, "f", "function"),), stale=True)))
    assert lines == ["1  a.py:1-4  f  function, changed since"]


def test_the_lines_that_hold_the_words_of_the_question_are_shown() -> None:
    text = "def f():\n" + "    pass\n" * 30 + "    return apply_rules()\n"
    chosen = render.telling_lines(text, ["rules"], 3)
    assert [offset for offset, _ in chosen] == [0, 1, 31]


def test_common_words_of_a_question_are_not_looked_for() -> None:
    assert render.query_words("How are the Rules of x applied, 认证?") == ["rules", "applied", "认证"]


def test_blank_and_bracket_lines_are_not_worth_showing() -> None:
    assert render.telling_lines("{\n\n}\nx\r\ny\rz\n", [], 5) == [(3, "x"), (4, "y"), (5, "z")]


def test_every_line_but_the_path_fits_the_terminal_also_with_wide_characters() -> None:
    place = Place("深/" * 60 + "f.py", 100000, 100400, "型" * 80, "function", "名前 = " + "値" * 200 + "\n\tx" * 9)
    for columns in (40, 80, 120):
        lines = shown(answer(Hit(1, place.path, "python", 1.0, (place,)), query="名前"), columns)
        assert place.path in lines[0]  # whole, to be copied
        assert max(map(width, lines[1:])) <= columns
        assert "f.py:100000-100400" in lines[0]


def test_a_very_narrow_terminal_gets_no_text_but_the_places() -> None:
    assert len(shown(answer(Hit(1, "src/cart.py", "python", 1.0, (CART,))), 20)) <= 2


def test_hostile_names_and_text_cannot_steer_the_terminal() -> None:
    place = Place("a\x1b[2J.py", 1, 1, "f\x07", "function", "x\x1b]0;t\x07 = 1")
    text = "\n".join(shown(answer(Hit(1, place.path, "python", 1.0, (place,)), notes=("\x1b[1m",))))
    assert not re.search("[\x00-\x09\x0b-\x1f]", text)


def test_with_colour_the_text_is_the_same_without_its_codes() -> None:
    record = answer(Hit(1, "src/cart.py", "python", 0.5, (CART, TAX)), freshness="refreshed", notes=("n",))
    coloured = render.answer_lines(record, Painter(True), 80)
    assert [re.sub(r"\x1b\[[\d;]*m", "", line) for line in coloured] == shown(record)
    assert coloured != shown(record)


def test_what_a_score_is_made_of_is_shown_when_asked_for() -> None:
    hit = Hit(1, "a.py", "python", 0.5, (Place("a.py", 1, 4),), signals={"body": 1.25, "symbol": 0.0})
    assert shown(answer(hit))[1] == "   score 0.5  body 1.25  symbol 0"


def test_an_index_report_names_its_numbers_and_reasons() -> None:
    report = IndexReport(
        "/repo", 1, FileCounts(1200, 30, 4, 9, 1), 12345, 1, 0, {"binary": 8, "too large": 1},
        (Failure("a.py", "timed out"),), 12.34,
    )  # fmt: skip
    assert render.report_lines(report, PLAIN, 80) == [
        "1,230 files in the index: 12,345 chunks, 1 definition, 12.3 s",
        "  1,200 indexed · 30 unchanged · 4 removed · 9 skipped · 1 failed",
        "  skipped: binary 8, too large 1",
        "  failed a.py: timed out",
    ]


def test_a_dry_run_says_that_nothing_was_written() -> None:
    lines = render.estimate_lines(IndexEstimate("/repo", 3, 2_500_000, 40, 2, True, {}), PLAIN, 80)
    assert lines[0] == "3 files, 2.5 MB, about 40 chunks; 2 to index. Nothing was written."
    assert "large" in lines[1]


def test_an_unknown_number_is_not_shown_as_zero() -> None:
    lines = render.status_lines(Status(True, "/repo", "/repo/.clew", files=0, error="damaged"), PLAIN, 80)
    table = dict(line.split(maxsplit=1) for line in lines)
    assert table["files"] == "0"
    assert table["chunks"] == "unknown"
    assert table["error"] == "damaged"


def test_a_missing_index_names_the_command() -> None:
    assert "clew index" in "\n".join(render.status_lines(Status(False, "/repo", "/repo/.clew"), PLAIN, 80))


def test_checks_are_aligned_and_carry_their_fix() -> None:
    lines = render.check_lines(
        [Check("git", "ok", "2.4"), Check("packages", "broken", "no numpy", "pip install x")], PLAIN
    )
    assert lines[0] == "ok      git       2.4"
    assert lines[1] == "broken  packages  no numpy"
    assert lines[2].strip() == "→ pip install x"


def test_settings_show_value_origin_and_help() -> None:
    table: dict[str, dict[str, object]] = {
        "limit": {"value": 5, "origin": "flag"},
        "exclude": {"value": [], "origin": "default"},
    }
    lines = render.settings_lines(table, {"limit": "Files.", "exclude": "Patterns."}, PLAIN)
    assert lines[0].split() == ["limit", "5", "flag"]
    assert lines[1].strip() == "Files."
    assert lines[2].split() == ["exclude", "(none)", "default"]
