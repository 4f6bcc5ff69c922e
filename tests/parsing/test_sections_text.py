from __future__ import annotations

import pytest

from clew.parsing.sections import sections_of
from clew.parsing.source import decode


def outline(text: str, path: str = "notes.txt") -> list[tuple[str, int, int]]:
    found = sections_of("text", path, decode(text.encode("utf-8")))
    return [(section.symbol, section.start_line, section.end_line) for section in found or []]


def symbols(text: str, path: str = "notes.txt") -> list[str]:
    return [symbol for symbol, _, _ in outline(text, path)]


RST = """\
.. _top:

=======
 Guide
=======

Intro.

Install
=======
From source
~~~~~~~~~~~

.. code::

   Not a title
   ===========

Use
===
=====  =====
A      B
=====  =====
"""


def test_underlined_titles_nest_in_the_order_of_their_styles() -> None:
    assert outline(RST, "guide.rst") == [
        ("Guide", 3, 7),
        ("Guide > Install", 9, 10),
        ("Guide > Install > From source", 11, 17),
        ("Guide > Use", 19, 23),
    ]


def test_a_section_begins_at_its_line_above_and_shows_its_title() -> None:
    source = decode(b"text\r\n\r\nTitle\r\n-----\r\nbody\r\n")
    (section,) = sections_of("text", "a.txt", source) or []
    assert (section.name, section.signature, section.start_line) == ("Title", "Title", 3)
    assert source.text[section.start_byte : section.end_byte] == b"Title\r\n-----\r\nbody"


@pytest.mark.parametrize(
    "text",
    [
        "one paragraph\nits last line\n-------------\n",
        "a long title over a short line\n---\n",
        "\n-----\n\ntext\n",
        "  indented\n----------\n",
        "[source]\n----\ncode\n----\n",
        "Note\n...\n",
        "+---+\n-----\n",
        "a  b\n== ==\n",
        "a === b\n",
        "plain text\nof two lines\n",
        "==== \n",
    ],
)
def test_text_without_titles_is_not_divided(text: str) -> None:
    assert sections_of("text", "a.txt", decode(text.encode())) is None


ASCIIDOC = """\
= Manual

Intro

== Install [[x]]

[source,ruby]
----
== no
----

[NOTE]
====
Important
====

=== Offline ===
text
"""


def test_the_signature_of_a_title_between_lines_is_the_title() -> None:
    (section,) = sections_of("text", "a.rst", decode(b"=====\n A b\n=====\n")) or []
    assert (section.start_line, section.signature) == (1, "A b")


def test_titles_after_equals_signs_nest_by_their_count() -> None:
    assert outline(ASCIIDOC, "manual.adoc") == [
        ("Manual", 1, 3),
        ("Manual > Install [[x]]", 5, 15),
        ("Manual > Install [[x]] > Offline", 17, 18),
    ]


def test_plain_text_may_use_equals_signs_too() -> None:
    assert symbols("== News ==\n\n=== Now ===\n") == ["News", "News > Now"]


def test_asciidoc_may_underline() -> None:
    assert symbols("Manual\n======\n\nPart\n----\n", "m.asciidoc") == ["Manual", "Manual > Part"]


def test_old_mac_newlines_end_lines() -> None:
    assert outline("A b\r===\rtext\r") == [("A b", 1, 3)]
