"""The signals of candidates over a real index, each as its documentation says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_index import Indexed, IndexTree

from clew.index.store import Where
from clew.parsing.tokens import Tokenizer
from clew.search.candidates import gather
from clew.search.features import SIGNALS, FileSignals, file_signals
from clew.search.query import analyse

TREE = {
    "cart.py": "class Cart:\n    def total(self):\n        return 'money money'\n",
    "deep/er/refund.py": "def refund():\n    return 'money'\n",
    "pkg/__init__.py": "from pkg.refund import refund\n",
    "tests/test_cart.py": "def test_money():\n    assert Cart().total()\n",
    "examples/demo.py": "money = 1\n",
    "types.pyi": "def money() -> int: ...\n",
    "README.md": "# Shop\n\nAbout money.\n",
    "config.toml": "money = 1\n",
    "other.go": "package other\n\nfunc TOTAL() {}\n",
    "vendor/dep/money.go": "package dep\n\nfunc Money() {}\n",
}
UNBOUNDED = {"depth", "length", "hits", "definition_hits", "twins", "words", "names"}


@pytest.fixture(scope="module")
def indexed(index_tree: IndexTree) -> Indexed:
    return index_tree(TREE)


def signals(indexed: Indexed, text: str, vector: np.ndarray | None = None) -> FileSignals:
    tokenizer = Tokenizer()
    query = analyse(text, tokenizer)
    return file_signals(gather(indexed.catalog, indexed.reader, query, vector, Where()), query)


def of(indexed: Indexed, text: str, name: str) -> dict[str, float]:
    """One signal by path, where it is not zero."""
    found = signals(indexed, text)
    return {
        indexed.path(int(file_id)): round(float(value), 4)
        for file_id, value in zip(found.ids, found.values[name], strict=True)
        if value
    }


def test_every_documented_signal_is_there_for_every_candidate(indexed: Indexed) -> None:
    found = signals(indexed, "money")
    assert found.values.keys() == SIGNALS.keys()
    assert all(len(values) == len(found.ids) for values in found.values.values())
    assert (np.diff(found.ids) > 0).all()


QUERIES = st.lists(
    st.sampled_from(
        [
            "money",
            "Cart.total",
            "refund",
            "README.md",
            "tests/test_cart.py",
            "TOTAL",
            "zzz",
            "test",
            "how",
            "`cart`",
            "漢",
        ]
    ),
    min_size=1,
    max_size=6,
).map(" ".join)


@given(QUERIES)
def test_signals_are_bounded(indexed: Indexed, text: str) -> None:
    for name, values in signals(indexed, text).values.items():
        assert np.isfinite(values).all() and (values >= 0).all(), name
        if name not in UNBOUNDED:
            assert (values <= 1 + 1e-5).all(), name


def test_a_query_that_finds_nothing_has_no_signals(indexed: Indexed) -> None:
    assert len(signals(indexed, "zzzzzz").ids) == 0


def test_text_signals_are_relative_to_the_best_of_the_query(indexed: Indexed) -> None:
    for name in ("body", "body_top3", "file_body"):
        assert max(of(indexed, "money", name).values()) == 1.0
    assert of(indexed, "money", "body")["cart.py"] > 0
    assert "pkg/__init__.py" not in of(indexed, "money", "body")


def test_coverage_is_the_share_of_the_query_that_is_held(indexed: Indexed) -> None:
    cover = of(indexed, "money refund", "cover_file")
    assert cover["deep/er/refund.py"] == 1.0
    assert 0 < cover["cart.py"] < 1


def test_a_definition_of_the_name_counts_as_written_or_folded(indexed: Indexed) -> None:
    assert of(indexed, "total", "defines").keys() == {"cart.py"}
    assert of(indexed, "total", "defines_folded").keys() == {"cart.py", "other.go"}
    assert of(indexed, "Cart", "defines") == {"cart.py": 1.0}
    assert of(indexed, "total", "defines")["cart.py"] < 1  # two files define it


def test_the_words_of_a_file_name_are_shared_with_the_query(indexed: Indexed) -> None:
    assert of(indexed, "a refund", "stem") == {"deep/er/refund.py": 1.0}
    assert of(indexed, "cart", "stem") == {"cart.py": 1.0, "tests/test_cart.py": 0.5}
    assert of(indexed, "Cart", "stem_exact") == {"cart.py": 1.0}


def test_paths_of_the_query_point_at_files_and_later_ones_less(indexed: Indexed) -> None:
    pointed = of(indexed, "in cart.py and deep/er/refund.py", "pointed")
    assert pointed == {"cart.py": 1.0, "deep/er/refund.py": pytest.approx(1 / 1.1, abs=1e-3)}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("test", {"tests/test_cart.py"}),
        ("example", {"examples/demo.py"}),
        ("documentation", {"README.md"}),
        ("stub", {"types.pyi"}),
        ("vendored", {"vendor/dep/money.go"}),
        ("data", {"config.toml"}),
    ],
)
def test_what_a_file_is_has_a_signal(indexed: Indexed, name: str, found: set[str]) -> None:
    assert of(indexed, "money", name).keys() == found


@pytest.mark.parametrize(
    ("name", "text"), [("test", "money tests"), ("example", "example of money"), ("documentation", "docs on money")]
)
def test_what_the_query_asks_for_is_not_held_against_a_file(indexed: Indexed, name: str, text: str) -> None:
    assert of(indexed, text, name) == {}


def test_files_that_only_gather_others_are_marked(indexed: Indexed) -> None:
    assert of(indexed, "refund", "barrel") == {"pkg/__init__.py": 1.0}


def test_depth_counts_directories_and_length_grows_with_lines(indexed: Indexed) -> None:
    assert of(indexed, "refund", "depth") == {"deep/er/refund.py": 2.0, "pkg/__init__.py": 1.0}
    length = of(indexed, "money", "length")
    assert length["cart.py"] == pytest.approx(np.log1p(3), abs=1e-3) and length["cart.py"] > length["config.toml"]


def test_the_best_definition_may_hold_less_of_the_query_than_all_of_the_file(indexed: Indexed) -> None:
    assert of(indexed, "cart total", "cover_definition")["cart.py"] == 1.0  # Cart.total
    assert of(indexed, "cart refund", "cover_definition")["cart.py"] < 1


def test_chunks_and_definitions_that_answer_are_counted(indexed: Indexed) -> None:
    assert of(indexed, "money", "hits")["cart.py"] == pytest.approx(np.log(2), abs=1e-3)
    assert of(indexed, "refund", "definition_hits")["deep/er/refund.py"] == pytest.approx(np.log(2), abs=1e-3)


def test_a_type_of_the_name_is_told_from_a_function(indexed: Indexed) -> None:
    assert of(indexed, "Cart", "defines_type") == {"cart.py": 1.0}
    assert of(indexed, "refund", "defines_type") == {}


def test_a_query_of_one_name_alone_wants_its_definition_above_all(indexed: Indexed) -> None:
    assert of(indexed, "Cart", "alone") == {"cart.py": 1.0} == of(indexed, "Cart", "alone_type")
    assert of(indexed, "where is `Cart`", "alone") == {}


def test_headers_are_marked(index_tree: IndexTree) -> None:
    tree = index_tree({"pipe.c": "int pipe;\n", "pipe.h": "int pipe;\n", "tube.hpp": "int pipe;\n"})
    assert of(tree, "pipe", "header") == {"pipe.h": 1.0, "tube.hpp": 1.0}


def test_a_folder_of_an_earlier_version_is_older_unless_a_version_is_asked_for(index_tree: IndexTree) -> None:
    text = "def parse():\n    return 1\n"
    tree = index_tree({"api/v3/a.py": text, "api/v4/a.py": text, "v1/b.py": text, "api/v5.py": text})
    assert of(tree, "parse", "older") == {"api/v3/a.py": 1.0}
    assert of(tree, "parse in v3", "older") == {}


def test_each_name_of_the_query_counts_its_share(indexed: Indexed) -> None:
    named = of(indexed, "`Cart` and `refund`", "named")
    assert named["cart.py"] == 0.5 and named["deep/er/refund.py"] == 0.5


def test_candidates_know_their_neighbours(indexed: Indexed) -> None:
    found = signals(indexed, "cart money refund")
    row = found.paths.index("cart.py")
    python = [path for path in found.paths if path.endswith((".py", ".pyi"))]
    assert found.values["language"][row] == pytest.approx(len(python) / len(found.paths))
    top = [path for path in found.paths if "/" not in path]
    assert found.values["directory"][row] == pytest.approx(len(top) / len(found.paths))
    assert found.values["siblings"].max() <= 1


def test_files_of_one_name_and_other_endings_are_twins(index_tree: IndexTree) -> None:
    tree = index_tree({"a/pipe.c": "int pipe;\n", "b/pipe.h": "int pipe;\n", "c/tube.c": "int pipe;\n"})
    assert of(tree, "pipe", "twins") == {"a/pipe.c": 0.6931, "b/pipe.h": 0.6931}


def test_what_the_query_is_like_is_the_same_for_every_file(indexed: Indexed) -> None:
    found = signals(indexed, "where is `Cart` refunded")
    np.testing.assert_allclose(found.values["words"], np.log(5), rtol=1e-6)
    assert set(found.values["names"].tolist()) == {1.0}


def test_signals_are_the_same_every_time(indexed: Indexed) -> None:
    first, second = signals(indexed, "money refund Cart.total"), signals(indexed, "money refund Cart.total")
    assert first.ids.tolist() == second.ids.tolist()
    for name in SIGNALS:
        np.testing.assert_array_equal(first.values[name], second.values[name])
