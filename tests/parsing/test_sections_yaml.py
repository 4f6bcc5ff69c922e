from __future__ import annotations

import pytest

from clew.parsing.sections import sections_of
from clew.parsing.source import decode


def outline(text: str) -> list[tuple[str, int, int]]:
    found = sections_of("yaml", "a.yaml", decode(text.encode("utf-8")))
    return [(section.symbol, section.start_line, section.end_line) for section in found or []]


def symbols(text: str) -> list[str]:
    return [symbol for symbol, _, _ in outline(text)]


WORKFLOW = """\
# runs on every push
name: CI build  # shown in the list
on: [push]

# what to run
jobs:
  test:
    runs-on: ubuntu
    steps:
      - uses: checkout
      - run: |
          name: not a key
        # still the step
          pytest

  # publishes
  release:
    needs: test
    steps:
      - run: >-
          twine
          upload
      - if: always()
        env:
          A: 1
          B: 2
# the end
"""


def test_top_level_keys_are_sections_and_big_mappings_are_divided() -> None:
    assert outline(WORKFLOW) == [
        ("CI build.name", 2, 2),
        ("CI build.on", 3, 3),
        ("CI build.jobs", 6, 6),
        ("CI build.jobs.test", 7, 14),
        ("CI build.jobs.release", 17, 26),
    ]


def test_a_section_has_name_signature_and_exact_bytes() -> None:
    source = decode(b"a: 1\r\nb:\r\n  c: 2\r\n\r\n# next\r\nd: 3\r\n")
    second = (sections_of("yaml", "a.yml", source) or [])[1]
    assert (second.name, second.kind, second.signature) == ("b", "section", "b:")
    assert source.text[second.start_byte : second.end_byte] == b"b:\r\n  c: 2"


def test_a_small_mapping_stays_whole() -> None:
    assert outline("a:\n  b: 1\n  c: 2\nd: 3\n") == [("a", 1, 3), ("d", 4, 4)]


def test_a_dictionary_of_single_values_stays_whole() -> None:
    text = "en:\n" + "".join(f"  message{n}: text\n" for n in range(100))
    assert outline(text) == [("en", 1, 101)]


def test_every_document_has_its_own_qualifier() -> None:
    text = """\
%YAML 1.2
---
kind: Service
metadata:
  labels: {a: b}
  name: shop
--- # next
kind: Job
metadata:
  name: "backup: nightly"
...
---
kind: List
"""
    assert outline(text) == [
        ("shop.kind", 3, 3),
        ("shop.metadata", 4, 6),
        ("backup: nightly.kind", 8, 8),
        ("backup: nightly.metadata", 9, 10),
        ("kind", 13, 13),
    ]


@pytest.mark.parametrize("key", ["name", "id", "packageName", "appName", "displayName", "product"])
def test_a_document_is_qualified_by_its_name(key: str) -> None:
    assert symbols(f"x: 1\n{key}: 'it''s'\n") == ["it''s.x", f"it''s.{key}"]


def test_name_wins_over_product_wherever_it_stands() -> None:
    assert symbols("product: p\nname: n\n") == ["n.product", "n.name"]


@pytest.mark.parametrize(
    "value", ["", "|", "[a]", "{a: b}", "*x", "&x y", "'{{ .Values.name }}'", "{{ name }}", "# no"]
)
def test_a_name_that_is_no_plain_text_qualifies_nothing(value: str) -> None:
    expected = "name" if "'" not in value else "{{ .Values.name }}.name"
    assert symbols(f"name: {value}\n") == [expected]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('"a: b": 1', "a: b"),
        ("'it: x' : 1", "it: x"),
        ("/users/{id}: 1", "/users/{id}"),
        ("http://x.y: 1", "http://x.y"),
        ("two words: 1", "two words"),
        ("-x: 1", "-x"),
        ("a#b: 1", "a#b"),
        ("ключ: 1", "ключ"),
        ("key:\t1", "key"),
        ("<<: 1", "<<"),
    ],
)
def test_keys_of_every_form_are_read(line: str, key: str) -> None:
    assert symbols(line + "\n") == [key]


@pytest.mark.parametrize(
    "line", ["- x", "-", "# k: 1", "{{- if .x }}", "{% if x: %}", "[a: b]", "a:b", "? k", ": v", "text", "]"]
)
def test_a_line_without_a_key_belongs_to_the_key_above(line: str) -> None:
    comment = line.startswith("#")
    assert outline(f"a: 1\n{line}\nb: 2\n") == [("a", 1, 1 if comment else 2), ("b", 3, 3)]


BODY = "".join(f"  x{n}: 1\n      y\n" for n in range(12))


@pytest.mark.parametrize("value", ["|", ">-", "|2 # text", "[", "{", '"open', "'open", "plain", "&a !t |"])
def test_text_under_a_key_with_a_value_has_no_keys(value: str) -> None:
    assert symbols(f"a: {value}\n{BODY}b: 1\n") == ["a", "b"]


@pytest.mark.parametrize("value", ["", "&anchor", "!tag", "# note", "&a !t # note"])
def test_a_mapping_may_have_anchor_tag_and_comment(value: str) -> None:
    assert symbols(f"a: {value}\n{BODY}b: 1\n")[:2] == ["a", "a.x0"]


def test_a_sequence_at_the_indentation_of_its_key_has_no_keys() -> None:
    assert symbols("a:\n- b: 1\n" + BODY + "c: 1\n") == ["a", "c"]


def test_the_named_items_of_a_top_level_sequence_are_sections() -> None:
    text = "---\n- name: Install\n  hosts: all\n\n  tasks:\n    - name: inner\n- hosts: db\n  name: Migrate\n- plain\n"
    assert outline(text) == [("Install", 2, 6), ("Migrate", 7, 8)]


def test_a_document_may_be_indented_as_a_whole() -> None:
    assert outline("  a: 1\n  b:\n    c: 2\n") == [("a", 1, 1), ("b", 2, 3)]


def test_broken_text_gives_the_keys_that_can_be_told() -> None:
    assert symbols('a: "never closed\n}\n\tb: [\nc: 1\n  ]:\n d\n"e\nf: 2') == ["a", "c", "f"]


def test_old_mac_newlines_end_lines() -> None:
    assert outline("a: 1\rb:\r  c: 2\r") == [("a", 1, 1), ("b", 2, 3)]


@pytest.mark.parametrize("text", ["", "\n", "# only\n", "just text\n", "- a\n- b\n", "---\n---\n"])
def test_a_file_without_keys_is_not_divided(text: str) -> None:
    assert sections_of("yaml", "a.yaml", decode(text.encode())) is None
