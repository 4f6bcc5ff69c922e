"""Which lines of a file are shown, over a real index."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_index import Indexed, IndexTree

from clew.index.store import Where
from clew.parsing.tokens import Tokenizer
from clew.search.candidates import CHUNK_DEPTH, gather
from clew.search.filters import Filters, resolve
from clew.search.places import SECOND_SHARE, WHOLE_LINES, Span, spans
from clew.search.query import analyse

LONG = "def lengthy(x):\n" + "".join(f"    step_{number} = compute(x, {number})\n" for number in range(120))
TREE = {
    "cart.py": (
        "import money\n\n\nclass Cart:\n    tax = 7\n\n    def total(self):\n        return 'euro dollar'\n\n"
        "    def refund(self):\n        return 'euro'\n\n\ndef unrelated():\n    return 0\n"
    ),
    "long.py": LONG + "\n\ndef short():\n    return 'needle'\n",
    "empty_words.py": "x = 1\n",
    "pair.py": "def one():\n    return 'thread'\n\n\ndef two():\n    return 'thread'\n",
    "account.py": (
        "class Account:\n    limit = 5\n\n    def __init__(self, owner):\n        self.owner = owner\n\n"
        "    def account(self):\n        return self\n"
    ),
    "near.py": "\n\n".join(
        f"def {name}():\n    return '{word}'\n"
        for name, word in (("a", "acorn"), ("b", "stone"), ("c", "stone"), ("d", "acorn"), ("e", "acorn oak"))
    ),
    "twice.py": "\n\n".join(f"def {name}():\n    return 'needle'\n" for name in ("first", "second", "third")),
}


@pytest.fixture(scope="module")
def indexed(index_tree: IndexTree) -> Indexed:
    return index_tree(TREE)


def shown(indexed: Indexed, path: str, text: str, places: int = 2, filters: Filters | None = None) -> list[Span]:
    where = resolve(filters, indexed.catalog)[0] if filters else Where()
    query = analyse(text, Tokenizer())
    candidates = gather(indexed.catalog, indexed.reader, query, None, where)
    return spans([indexed.ids[path]], candidates, query, indexed.catalog, indexed.reader, where, places, Tokenizer())[
        indexed.ids[path]
    ]


def symbols(indexed: Indexed, path: str, text: str, places: int = 2, filters: Filters | None = None) -> list[str]:
    return [span.symbol for span in shown(indexed, path, text, places, filters)]


def test_the_chunk_that_answers_best_comes_first(indexed: Indexed) -> None:
    assert symbols(indexed, "cart.py", "euro dollar")[0] == "Cart.total"


def test_a_second_place_must_be_worth_its_tokens(indexed: Indexed) -> None:
    first, *others = shown(indexed, "cart.py", "euro dollar", places=9)
    assert all(span.score >= SECOND_SHARE * first.score for span in others)
    assert "unrelated" not in [span.symbol for span in others]


@pytest.mark.parametrize("places", [1, 2, 3])
def test_no_more_places_are_shown_than_asked_for(indexed: Indexed, places: int) -> None:
    assert len(symbols(indexed, "twice.py", "needle", places)) == places


def test_equal_places_come_in_the_order_of_the_file(indexed: Indexed) -> None:
    assert symbols(indexed, "pair.py", "thread") == ["one", "two"]


def test_of_two_places_that_match_alike_the_one_among_others_comes_first(indexed: Indexed) -> None:
    assert symbols(indexed, "twice.py", "needle", 3)[0] == "second"
    assert symbols(indexed, "near.py", "acorn", 1) == ["d"]


def test_a_class_that_is_named_comes_before_its_constructor_and_its_namesake(indexed: Indexed) -> None:
    assert symbols(indexed, "account.py", "Account", 1) == ["Account"]
    assert symbols(indexed, "account.py", "Account.account", 1) == ["Account.account"]


def test_every_place_of_a_file_is_looked_at_however_many_better_ones_other_files_have(index_tree: IndexTree) -> None:
    many = {f"many{number}.py": "def hazel():\n    return 'hazel'\n" for number in range(CHUNK_DEPTH + 20)}
    filler = "".join(f"def filler_{number}():\n    return {number}\n\n\n" for number in range(5))
    last = filler + "def last():\n" + "    number = 1\n" * 15 + "    return 'hazel'\n"
    tree = index_tree({**many, "aside.py": last})
    assert symbols(tree, "aside.py", "hazel", 1) == ["last"]


def test_a_file_that_was_found_otherwise_shows_something(indexed: Indexed) -> None:
    assert len(shown(indexed, "empty_words.py", "empty_words.py")) == 1
    assert len(shown(indexed, "cart.py", "zzzz")) == 1


def test_a_definition_that_is_named_comes_first(indexed: Indexed) -> None:
    assert symbols(indexed, "cart.py", "Cart.refund")[0] == "Cart.refund"
    assert symbols(indexed, "cart.py", "where does `unrelated` return euro dollar")[0] == "unrelated"


def test_a_long_definition_that_is_named_begins_with_its_signature(indexed: Indexed) -> None:
    first = shown(indexed, "long.py", "lengthy")[0]
    assert (first.symbol, first.start_line) == ("lengthy", 1)
    assert LONG.count("\n") > WHOLE_LINES


def test_a_named_field_without_a_chunk_of_its_own_is_shown_by_its_lines(indexed: Indexed) -> None:
    first = shown(indexed, "cart.py", "Cart.tax")[0]
    assert (first.symbol, first.kind, first.start_line, first.end_line) == ("Cart.tax", "field", 5, 5)


def test_the_line_of_a_stack_frame_comes_first(indexed: Indexed) -> None:
    trace = 'Traceback (most recent call last):\n  File "/srv/app/cart.py", line 11\nValueError: euro dollar\n'
    assert symbols(indexed, "cart.py", trace)[0] == "Cart.refund"


def test_a_filter_on_chunks_holds_for_what_is_shown(indexed: Indexed) -> None:
    assert symbols(indexed, "cart.py", "euro dollar", 9, Filters(kinds=("class",))) == ["Cart"]
    assert symbols(indexed, "cart.py", "euro dollar", 9, Filters(expression="symbol = unrelated")) == ["unrelated"]


QUERIES = st.lists(
    st.sampled_from(["euro", "needle", "Cart.total", "lengthy", "step_7", "cart.py", "tax", "compute", "zzz"]),
    min_size=1,
    max_size=5,
).map(" ".join)


@given(QUERIES, st.sampled_from(sorted(TREE)), st.integers(1, 5))
def test_no_line_is_shown_twice_and_every_span_lies_in_its_file(
    indexed: Indexed, text: str, path: str, places: int
) -> None:
    found = shown(indexed, path, text, places)
    assert 1 <= len(found) <= places
    source = indexed.catalog.text(indexed.ids[path])
    for span in found:
        assert 1 <= span.start_line <= span.end_line <= source.count(b"\n")
        assert source.count(b"\n", 0, span.start_byte) == span.start_line - 1
    for one, other in combinations(found, 2):
        assert one.end_line < other.start_line or other.end_line < one.start_line
    assert [span.score for span in found] == sorted((span.score for span in found), reverse=True)


def test_a_kind_without_chunks_of_its_own_shows_the_definitions(index_tree: IndexTree) -> None:
    source = "import os\n\nRETRY_LIMIT = 3  # attempts\nOTHER = 1\n\ndef retry_limit():\n    return RETRY_LIMIT\n"
    indexed = index_tree({"limits.py": source, "other.py": "def retry():\n    pass\n"})
    filters = Filters(kinds=("constant",))
    where, _ = resolve(filters, indexed.catalog)
    candidates = gather(indexed.catalog, indexed.reader, analyse("retry limit", Tokenizer()), None, where)
    assert {indexed.path(file_id) for file_id in candidates.files} == {"limits.py"}
    best = shown(indexed, "limits.py", "retry limit", filters=filters)[0]
    assert (best.symbol, best.kind, best.start_line) == ("RETRY_LIMIT", "constant", 3)


def test_a_definition_without_a_chunk_is_shown_as_whole_lines(index_tree: IndexTree) -> None:
    source = "class A:\n    MAX = 3  # tail\n\n    def f(self):\n        pass\n"
    indexed = index_tree({"a.py": source})
    best = shown(indexed, "a.py", "A.MAX")[0]
    assert source.encode()[best.start_byte : best.end_byte] == b"    MAX = 3  # tail"
