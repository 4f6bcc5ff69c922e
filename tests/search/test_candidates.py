"""What each recall brings, over a real index."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from search_index import Indexed, IndexTree

from clew import Engine
from clew.index.store import Where
from clew.parsing.tokens import Tokenizer
from clew.search.candidates import TEXT_DEPTHS, Candidates, Pointed, gather
from clew.search.filters import Filters, resolve
from clew.search.query import analyse

TREE = {
    "src/cart.py": "class Cart:\n    def total(self):\n        return price\n\n\ndef checkout():\n    return 1\n",
    "src/deep/cart.py": "def refund():\n    return 'money'\n",
    "lib/order.go": "package order\n\ntype Order struct{}\n\nfunc (o *Order) Total() int { return 0 }\n",
    "docs/guide.md": "# Refunds\n\nMoney goes back to the customer.\n",
}


@pytest.fixture(scope="module")
def indexed(index_tree: IndexTree) -> Indexed:
    return index_tree(TREE)


def gathered(indexed: Indexed, text: str, filters: Filters | None = None) -> Candidates:
    where = resolve(filters, indexed.catalog)[0] if filters else Where()
    return gather(indexed.catalog, indexed.reader, analyse(text, Tokenizer()), None, where)


def paths(indexed: Indexed, candidates: Candidates) -> set[str]:
    return {indexed.path(file_id) for file_id in candidates.files}


def test_every_text_field_is_searched(indexed: Indexed) -> None:
    found = gathered(indexed, "money")
    assert found.texts.keys() == TEXT_DEPTHS.keys()
    assert paths(indexed, found) == {"src/deep/cart.py", "docs/guide.md"}
    assert len(found.texts["body"].ids) == 2


def test_every_id_that_was_found_has_its_file(indexed: Indexed) -> None:
    found = gathered(indexed, "total money refunds in src/cart.py")
    for field, hits in found.texts.items():
        ids = hits.ids if field.startswith("file") or field == "path" else hits.ids >> 20
        assert set(ids.tolist()) <= found.files.keys()


def test_without_a_vector_there_are_no_neighbours(indexed: Indexed) -> None:
    assert len(gathered(indexed, "money").vectors.ids) == 0
    query = analyse("money", Tokenizer())
    found = gather(indexed.catalog, indexed.reader, query, np.zeros(4, np.float32), Where())
    assert len(found.vectors.ids) == 0


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root = tmp_path_factory.mktemp("embedded")
    (root / "cart.py").write_text("def total_price(items):\n    return sum(items)\n", encoding="utf-8")
    (root / "user.py").write_text("def login(user, password):\n    return check(user)\n", encoding="utf-8")
    with Engine.open(root) as engine:
        engine.index()
        yield engine


def test_vectors_bring_files_beside_what_words_found(embedded: Engine) -> None:
    assert {hit.path for hit in embedded.search("total price").hits} == {"cart.py", "user.py"}


def test_vectors_alone_bring_what_is_near_and_nothing_when_all_is_far(embedded: Engine) -> None:
    assert [hit.path for hit in embedded.search("authentication").hits] == ["user.py"]
    assert embedded.search("zzzqqqxxyy").hits == ()


def test_a_name_is_looked_up_and_told_exact_from_folded(indexed: Indexed) -> None:
    found = {each.definition.symbol: each for each in gathered(indexed, "Total").named}
    assert found.keys() == {"Cart.total", "Order.Total"}
    assert (found["Order.Total"].exact, found["Cart.total"].exact) == (True, False)
    assert all(each.alternatives == 2 for each in found.values())


def test_a_qualified_name_means_that_one(indexed: Indexed) -> None:
    assert [each.definition.symbol for each in gathered(indexed, "Cart.total").named] == ["Cart.total"]
    assert [each.definition.symbol for each in gathered(indexed, "Order::Total").named] == ["Order.Total"]
    assert not any(each.exact for each in gathered(indexed, "art.total").named)


def test_a_name_may_be_qualified_by_what_only_the_path_tells(indexed: Indexed) -> None:
    found = {each.definition.symbol: each.exact for each in gathered(indexed, "deep::cart::refund").named}
    assert found == {"refund": True}
    assert [each.exact for each in gathered(indexed, "shop/lib.Order.Total").named] == [True]


def test_a_name_behind_an_unknown_object_is_found_as_a_guess(indexed: Indexed) -> None:
    found = gathered(indexed, "where does basket.checkout() go").named
    assert [(each.definition.symbol, each.exact) for each in found] == [("checkout", False)]


def test_the_innermost_frame_of_a_python_trace_points_most(indexed: Indexed) -> None:
    trace = (
        'Traceback (most recent call last):\n  File "/srv/src/deep/cart.py", line 1, in refund\n'
        '  File "/srv/src/cart.py", line 3, in total\nKeyError: 1\n'
    )
    found = gathered(indexed, trace).pointed
    assert found[indexed.ids["src/cart.py"]].weight > found[indexed.ids["src/deep/cart.py"]].weight


def test_a_definition_that_is_named_twice_is_found_once(indexed: Indexed) -> None:
    assert len(gathered(indexed, "does `checkout` call checkout()").named) == 1


def test_a_path_points_at_its_file(indexed: Indexed) -> None:
    found = gathered(indexed, "src/deep/cart.py")
    assert [indexed.path(each) for each in found.pointed] == ["src/deep/cart.py"]


def test_a_path_points_by_its_longest_tail_that_is_there(indexed: Indexed) -> None:
    found = gathered(indexed, "/home/someone/project/src/cart.py")
    assert [indexed.path(each) for each in found.pointed] == ["src/cart.py"]
    assert [indexed.path(each) for each in gathered(indexed, "cart.py").pointed] == ["src/cart.py", "src/deep/cart.py"]


def test_a_stack_frame_points_at_its_line(indexed: Indexed) -> None:
    trace = 'Traceback:\n  File "/srv/src/cart.py", line 3, in total\nNameError: price\n'
    found = gathered(indexed, trace)
    assert found.pointed == {indexed.ids["src/cart.py"]: Pointed(line=3, weight=1.0)}
    assert "Cart.total" in [each.definition.symbol for each in found.named]


def test_a_filter_holds_for_every_recall(indexed: Indexed) -> None:
    found = gathered(indexed, "`Total` in src/cart.py or lib/order.go", Filters(paths=("lib",)))
    assert paths(indexed, found) == {"lib/order.go"}
    assert {indexed.path(each) for each in found.pointed} == {"lib/order.go"}
    assert [each.definition.symbol for each in found.named] == ["Order.Total"]


def test_a_kind_holds_for_names_too(indexed: Indexed) -> None:
    assert [each.definition.kind for each in gathered(indexed, "checkout", Filters(kinds=("function",))).named] == [
        "function"
    ]
    assert gathered(indexed, "checkout", Filters(kinds=("class",))).named == ()


def test_a_filter_that_admits_nothing_finds_nothing(indexed: Indexed) -> None:
    assert gathered(indexed, "Total src/cart.py money", Filters(paths=("nowhere",))).files == {}


@pytest.mark.parametrize("text", ["", "?!", "the", "zzzzzz", "\0", "a" * 9000, "Cart." * 500, "../../etc/passwd", "漢"])
def test_any_query_finds_something_or_nothing(indexed: Indexed, text: str) -> None:
    gathered(indexed, text)


def test_the_bare_name_of_a_longer_written_path_points_only_weakly(indexed: Indexed) -> None:
    trace = 'File "/srv/shop/order.go", line 1\nFile "/x/src/cart.py", line 3, in total\n'
    found = gathered(indexed, trace)
    assert found.pointed[indexed.ids["lib/order.go"]].weight < found.pointed[indexed.ids["src/cart.py"]].weight
