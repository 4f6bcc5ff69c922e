"""A query against one generation, from words to hits: the parts together, over a real index."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_index import Indexed, IndexTree

from clew.index.store import Where
from clew.parsing.tokens import Tokenizer
from clew.records import to_json
from clew.search.answer import Found, Wanted, answer, similar
from clew.search.features import SIGNALS
from clew.search.filters import Filters, resolve
from clew.search.secrets import MASK

SECRET = "AKIA" + "Z7Q2M4X9B1C3V5N8"
TREE = {
    "src/cart.py": (
        "class Cart:\n    def total(self, items):\n        return sum(price of items)\n\n"
        "    def clear(self):\n        self.items = []\n"
    ),
    "src/order.py": (
        "def order_total(items):\n    return sum(price for items)\n\n\ndef ship(order):\n    return order\n"
    ),
    "src/keys.py": f"def connect():\n    access = '{SECRET}'\n    return access\n",
    "tests/test_cart.py": "def test_total():\n    assert Cart().total([]) == 0\n",
    "docs/cart.md": "# Cart\n\nThe total of all items.\n",
    "bare.py": "price = 1\nprice_list = [price]\n",
} | {f"many/needle_{number}/needle.py": "def needle():\n    return 'needle'\n" for number in range(12)}


@pytest.fixture(scope="module")
def indexed(index_tree: IndexTree) -> Indexed:
    return index_tree({**TREE, "few.py": "class Pin:\n    '''a needle among many other words'''\n    size = 3\n"})


def asked(indexed: Indexed, query: str, filters: Filters | None = None, keep: Any = None, **wanted: Any) -> Found:
    where = resolve(filters, indexed.catalog)[0] if filters else Where()
    more = {} if keep is None else {"keep": keep}
    return answer(query, indexed.catalog, indexed.reader, Tokenizer(), where, Wanted(**wanted), **more)


def paths(found: Found) -> list[str]:
    return [hit.path for hit in found.hits]


def test_the_file_that_answers_comes_first_with_its_lines(indexed: Indexed) -> None:
    hit = asked(indexed, "Cart.total").hits[0]
    place = hit.places[0]
    assert (hit.rank, hit.path, hit.language) == (1, "src/cart.py", "python")
    assert (place.start_line, place.symbol, place.kind) == (2, "Cart.total", "method")
    assert place.text is not None and place.text.startswith("    def total(self, items):\n")


def test_each_file_is_one_hit_and_ranks_count_from_one(indexed: Indexed) -> None:
    found = asked(indexed, "total items price cart")
    assert len(set(paths(found))) == len(found.hits) > 3
    assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)


def test_the_text_of_a_place_is_that_of_its_lines(indexed: Indexed) -> None:
    for hit in asked(indexed, "total items price cart order", places=5).hits:
        lines = TREE[hit.path].splitlines()
        for place in hit.places:
            assert place.text == "\n".join(lines[place.start_line - 1 : place.end_line]).rstrip("\n")


@pytest.mark.parametrize("limit", [1, 3])
def test_no_more_hits_come_than_asked_for(indexed: Indexed, limit: int) -> None:
    assert len(asked(indexed, "needle", limit=limit).hits) == limit


@pytest.mark.parametrize("text", ["zzzzzz", "?!", "\0", "漢字"])
def test_nothing_found_is_an_empty_answer(indexed: Indexed, text: str) -> None:
    assert asked(indexed, text) == Found((), (), 0)


def test_files_that_may_not_answer_any_more_make_room_for_others(indexed: Indexed) -> None:
    first = paths(asked(indexed, "needle", limit=2))[0]
    found = asked(indexed, "needle", limit=2, keep=lambda file: file.path != first)
    assert first not in paths(found) and len(found.hits) == 2


def test_a_filter_on_kinds_is_not_crowded_out_by_files_without_one(indexed: Indexed) -> None:
    found = asked(indexed, "needle", Filters(kinds=("class",)), limit=3)
    assert [(hit.path, hit.places[0].kind) for hit in found.hits] == [("few.py", "class")]


def test_a_filter_on_chunks_is_not_crowded_out_either(indexed: Indexed) -> None:
    found = asked(indexed, "needle", Filters(expression="symbol = Pin"), limit=3)
    assert [(hit.path, hit.places[0].symbol) for hit in found.hits] == [("few.py", "Pin")]


def test_every_place_passes_the_filter(indexed: Indexed) -> None:
    found = asked(indexed, "total items price", Filters(kinds=("function",), tests="without"), places=5)
    assert found.hits
    assert all(place.kind == "function" for hit in found.hits for place in hit.places)
    assert "tests/test_cart.py" not in paths(found)


def test_without_text_places_are_lines_alone(indexed: Indexed) -> None:
    found = asked(indexed, "Cart.total", text=False)
    assert all(place.text is None for hit in found.hits for place in hit.places)
    assert found.tokens < asked(indexed, "Cart.total").tokens


def test_the_signals_are_given_when_asked_for(indexed: Indexed) -> None:
    assert all(hit.signals is None for hit in asked(indexed, "total").hits)
    for hit in asked(indexed, "total", explain=True).hits:
        assert hit.signals is not None and hit.signals.keys() == SIGNALS.keys()


def test_keys_are_masked_and_counted_unless_told_otherwise(indexed: Indexed) -> None:
    found = asked(indexed, "connect access")
    text = found.hits[0].places[0].text
    assert text is not None and SECRET not in text and MASK in text
    assert found.notes == ("1 key-like literals are masked",)
    plain = asked(indexed, "connect access", mask_secrets=False)
    assert SECRET in str(plain.hits[0].places[0].text) and plain.notes == ()


@given(st.integers(1, 600), st.booleans(), st.integers(1, 3))
def test_an_answer_keeps_to_its_budget(indexed: Indexed, budget: int, text: bool, places: int) -> None:
    found = asked(indexed, "total items price needle", budget=budget, text=text, places=places)
    assert found.tokens <= budget
    free = asked(indexed, "total items price needle", text=text, places=places)
    shown = sum(len(hit.places) for hit in found.hits)
    assert shown <= sum(len(hit.places) for hit in free.hits)
    if shown < sum(len(hit.places) for hit in free.hits):
        assert any(f"budget of {budget} tokens" in note for note in found.notes)


def test_a_place_that_is_cut_says_so_and_ends_where_its_text_ends(indexed: Indexed) -> None:
    cuts = [
        (place, budget)
        for budget in range(30, 120)
        for hit in asked(indexed, "Cart.total", budget=budget).hits
        for place in hit.places
        if place.truncated
    ]
    assert cuts
    for place, budget in cuts:
        assert place.text and place.end_line == place.start_line + place.text.count("\n"), budget


def test_a_budget_that_is_enough_changes_nothing(indexed: Indexed) -> None:
    assert asked(indexed, "total items", budget=100_000) == asked(indexed, "total items")


def test_an_answer_turns_into_json(indexed: Indexed) -> None:
    found = to_json(asked(indexed, "total items", explain=True))
    assert json.loads(json.dumps(found)) == found


def like(indexed: Indexed, path: str, line: int, filters: Filters | None = None, **wanted: Any) -> Found | None:
    where = resolve(filters, indexed.catalog)[0] if filters else Where()
    return similar(path, line, indexed.catalog, indexed.reader, Tokenizer(), where, Wanted(**wanted))


def test_code_like_a_place_is_found_and_the_place_itself_is_not(indexed: Indexed) -> None:
    found = like(indexed, "src/cart.py", 3)
    assert found is not None and found.hits[0].path == "src/order.py"
    assert found.hits[0].places[0].symbol == "order_total"
    own = [place for hit in found.hits if hit.path == "src/cart.py" for place in hit.places]
    assert all(not place.start_line <= 3 <= place.end_line for place in own)


def test_similar_code_passes_the_filter_too(indexed: Indexed) -> None:
    found = like(indexed, "src/cart.py", 3, Filters(paths=("tests",)))
    assert found is not None and set(paths(found)) <= {"tests/test_cart.py"}


@pytest.mark.parametrize(("path", "line"), [("src/cart.py", 999), ("missing.py", 1), ("src/cart.py", 0)])
def test_a_place_without_indexed_code_has_nothing_like_it(indexed: Indexed, path: str, line: int) -> None:
    assert like(indexed, path, line) is None
