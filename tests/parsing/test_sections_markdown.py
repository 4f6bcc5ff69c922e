from __future__ import annotations

import pytest

from clew.parsing.sections import sections_of
from clew.parsing.source import decode


def outline(text: str) -> list[tuple[str, int, int]]:
    found = sections_of("markdown", "guide.md", decode(text.encode("utf-8")))
    return [(section.symbol, section.start_line, section.end_line) for section in found or []]


def symbols(text: str) -> list[str]:
    return [symbol for symbol, _, _ in outline(text)]


def test_a_section_runs_to_the_next_heading_of_any_level() -> None:
    text = "intro\n\n# Guide\n\nHow to.\n\n## Install\n\npip\n\n### Offline\n\nwheel\n\n## Use\n\nrun\n"
    assert outline(text) == [
        ("Guide", 3, 5),
        ("Guide > Install", 7, 9),
        ("Guide > Install > Offline", 11, 13),
        ("Guide > Use", 15, 17),
    ]


def test_a_section_has_name_signature_and_exact_bytes() -> None:
    source = decode("# Über  uns\r\n\r\nText\r\n\r\n## B\r\n".encode())
    first = (sections_of("markdown", "a.md", source) or [])[0]
    assert (first.name, first.kind, first.signature, first.doc) == ("Über uns", "section", "# Über uns", "")
    assert source.text[first.start_byte : first.end_byte] == "# Über  uns\r\n\r\nText".encode()


def test_a_level_that_was_left_out_needs_no_parent() -> None:
    assert symbols("### Deep\n# Top\n### Under\n## Beside\n") == ["Deep", "Top", "Top > Under", "Top > Beside"]


def test_setext_headings_begin_at_their_text() -> None:
    text = "Title\nin two lines\n===\n\npara\n\nSub\n---\ntext\n"
    assert outline(text) == [("Title in two lines", 1, 5), ("Title in two lines > Sub", 7, 9)]


@pytest.mark.parametrize(
    "text",
    [
        "para\n\n---\n\nmore\n",  # a rule after a blank line
        "- item\n---\n",  # a rule after a list
        "- item\ncontinued lazily\n---\n",
        "> quote\ncontinued lazily\n---\n",
        "```\ntext\n---\n```\n",
        "    code\n---\n",
        "***\n---\n",
    ],
)
def test_a_rule_is_no_setext_heading(text: str) -> None:
    assert outline(text) == []


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n# no\n```",
        "~~~~ sh\n# no\n~~~\n# no\n~~~~",
        "````md\n```\n# no\n```\n````",
        "   ```\n# no\n   ```",
        "~~~\n``` \n# no\n~~~",
        "    # no",
        "\t# no",
        "<!-- \n# no\n-->",
        "<pre>\n# no\n\n# no\n</pre>",
        "<SCRIPT src='x'>\n# no\n</script>",
        "#no",
        "####### no",
        "\\# no",
        "#",
        "> # no",
        "- # no",
        "- ```sh\n  # no\n  ```",
        "1. step\n\n   ```sh\n   # no\n   ```",
        "10) step\n    ~~~\n    # no\n    ~~~",
        "- a\n  - b\n    ```\n    # no\n    ```",
    ],
)
def test_what_only_looks_like_a_heading_is_none(hidden: str) -> None:
    assert symbols(f"# First\n\n{hidden}\n\n# Last\n") == ["First", "Last"]


def test_a_fence_in_a_list_ends_with_the_list() -> None:
    assert symbols("- ```sh\n  # no\n\nback\n\n# Yes\n") == ["Yes"]


def test_a_fence_that_is_never_closed_runs_to_the_end() -> None:
    assert symbols("# A\n```\n# no\n") == ["A"]


def test_a_comment_on_one_line_hides_nothing_after_it() -> None:
    assert symbols("<!-- toc --> \n# A\n") == ["A"]


def test_a_backtick_in_the_info_string_opens_no_fence() -> None:
    assert symbols("``` a`b\n# A\n") == ["A"]


def test_indented_text_in_a_paragraph_is_no_code() -> None:
    assert symbols("Long\n      title\n---\n") == ["Long title"]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("## The `run` **method** ##", "The run method"),
        ("## See [the guide](https://x.y/z)", "See the guide"),
        ("## [![badge](b.svg)](ci) Build", "badge Build"),
        ('## <a name="x"></a>Anchor', "Anchor"),
        ("## Title {#title .x}", "Title"),
        ("## snake_case_name", "snake_case_name"),
        ("## C#", "C#"),
        ("## `__init__` and `List<T>`", "__init__ and List<T>"),
        ("  ## Indented", "Indented"),
        ("##\tTab", "Tab"),
        ("## 用户认证", "用户认证"),
    ],
)
def test_a_name_is_what_a_reader_sees(heading: str, name: str) -> None:
    assert symbols(heading + "\n") == [name]


def test_front_matter_is_a_section_called_by_its_title() -> None:
    text = '---\nlayout: post\nname: no\ntitle: "Release notes"\n---\n\n# Changes\n'
    found = sections_of("markdown", "a.md", decode(text.encode())) or []
    assert [(s.symbol, s.start_line, s.end_line) for s in found] == [("Release notes", 1, 5), ("Changes", 7, 7)]
    assert found[0].signature == 'title: "Release notes"'


def test_toml_front_matter_counts_too() -> None:
    assert symbols("+++\ntitle = 'T'\n+++\n# A\n") == ["T", "A"]


def test_a_comment_in_front_matter_is_no_heading() -> None:
    assert symbols("---\n# comment\nlayout: x\n---\n# A\n") == ["front matter", "A"]


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert [symbols("---\n\n# A\n\n---\n"), symbols("---\n# A\n"), symbols("---\n# A\n---\n")] == [["A"]] * 3


def test_old_mac_newlines_end_lines() -> None:
    assert outline("# A\rtext\r## B\r") == [("A", 1, 2), ("A > B", 3, 3)]


def test_form_feed_and_line_separator_end_no_line() -> None:
    source = decode("# A\x0c\u2028# no\n# B\n".encode())
    found = sections_of("markdown", "a.md", source) or []
    assert [section.start_line for section in found] == [1, 2]
    assert source.text[source.line_starts[1] :] == b"# B\n"


def test_text_without_headings_is_not_divided() -> None:
    assert sections_of("markdown", "a.md", decode(b"just text\n")) is None
