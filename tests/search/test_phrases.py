"""Word order against a real index: what a chunk holds of the query as it was written."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_index import Indexed, IndexTree

from clew.index.store import CHUNK_BITS, Where
from clew.parsing.tokens import Tokenizer
from clew.search.answer import Wanted, answer
from clew.search.phrases import DEPTH, NOTHING, Phrases, phrases, words
from clew.search.query import analyse

MESSAGE = "there is no reactor running, must be called from the context of a runtime"
TREE = {
    "context.rs": f'pub const MISSING: &str = "{MESSAGE}";\n',
    "reactor.rs": "/// The reactor of a runtime: running the reactor, called by the runtime in its context.\n"
    "pub struct Reactor;\n\nimpl Reactor {\n    /// Running reactor of this runtime context.\n"
    "    pub fn running_reactor(runtime: Runtime) -> bool {\n        reactor.running(runtime.context)\n    }\n}\n",
    "settings.py": 'def load(name):\n    raise KeyError(f"unknown key {name!r} in section "\n'
    '                   "of the settings file")\n',
    "keys.py": "def key(section):\n    # unknown section, file of the key, settings\n    return settings[section]\n",
    "lines.py": 'TEXT = "first line\\nsecond line"\n',
    "word.py": "def solitary():\n    return 1\n",
}


@pytest.fixture(scope="module")
def indexed(index_tree: IndexTree) -> Indexed:
    return index_tree(TREE)


def found(indexed: Indexed, text: str) -> Phrases:
    query = analyse(text, Tokenizer())
    return phrases(indexed.catalog, query, indexed.reader.search_text("body", query.terms, 400, Where()))


def best(indexed: Indexed, text: str, name: str) -> dict[str, float]:
    """One value by path, the best chunk's."""
    out: dict[str, float] = {}
    rows = found(indexed, text)
    for chunk_id, value in zip(rows.ids.tolist(), getattr(rows, name).tolist(), strict=True):
        path = indexed.path(chunk_id >> CHUNK_BITS)
        out[path] = max(out.get(path, 0.0), round(value, 3))
    return out


def first(indexed: Indexed, text: str) -> str:
    hits = answer(text, indexed.catalog, indexed.reader, Tokenizer(), Where(), Wanted()).hits
    return hits[0].path


def test_words_are_what_lies_between_signs() -> None:
    assert words(b'raise KeyError(f"unknown Key {name!r}")') == [b"raise", b"keyerror", b"f", b"unknown", b"key",
                                                                 b"name", b"r"]  # fmt: skip


def test_words_of_other_scripts_stay_whole() -> None:
    assert words("проверка_1 пароля".encode()) == ["проверка_1".encode(), "пароля".encode()]


def test_a_message_stands_verbatim_where_it_is_raised(indexed: Indexed) -> None:
    run = best(indexed, f"thread 'main' panicked at src/main.rs:10:5:\n{MESSAGE}", "run")
    assert run["context.rs"] == 1.0
    assert run["reactor.rs"] == 0.0


def test_the_file_that_raises_an_error_is_first(indexed: Indexed) -> None:
    assert first(indexed, f"thread 'main' panicked at src/main.rs:10:5:\n{MESSAGE}") == "context.rs"


def test_values_that_a_program_filled_in_do_not_count_against_a_chunk(indexed: Indexed) -> None:
    pairs = best(indexed, "KeyError: \"unknown key 'colour' in section of the settings file\"", "pairs")
    assert pairs["settings.py"] == 1.0 > pairs["keys.py"]
    assert first(indexed, "KeyError: \"unknown key 'colour' in section of the settings file\"") == "settings.py"


def test_a_line_break_in_a_literal_is_a_gap(indexed: Indexed) -> None:
    assert best(indexed, "first line\nsecond line", "pairs")["lines.py"] == 1.0


def test_a_quoted_phrase_is_held_word_by_word_or_not(indexed: Indexed) -> None:
    quoted = best(indexed, 'where is "settings file" of a section', "quoted")
    assert quoted == {"settings.py": 1.0, "keys.py": 0.0}
    assert best(indexed, "where is `file of the key` raised", "quoted")["keys.py"] == 1.0


def test_a_quoted_phrase_decides_between_files_with_the_same_words(indexed: Indexed) -> None:
    assert first(indexed, 'key settings "file of the key"') == "keys.py"
    assert first(indexed, 'key settings "of the settings file"') == "settings.py"


@pytest.mark.parametrize("text", ["solitary", "", "?!", "zzz yyy", "漢"])
def test_without_neighbours_or_hits_there_is_nothing(indexed: Indexed, text: str) -> None:
    assert found(indexed, text) is NOTHING or not found(indexed, text).run.any()


def test_no_more_chunks_are_read_than_the_depth(index_tree: IndexTree) -> None:
    many = index_tree(
        {f"f{number}.py": f"def f{number}():\n    return 'shared words'\n" for number in range(DEPTH + 9)}
    )
    assert len(found(many, "shared words").ids) == DEPTH


def test_a_text_beyond_the_budget_is_left_empty(indexed: Indexed) -> None:
    places = [(indexed.ids["context.rs"], 0), (indexed.ids["word.py"], 0)]
    whole = indexed.catalog.chunk_texts(places, 10_000)
    assert [bool(each) for each in whole] == [True, True]
    assert indexed.catalog.chunk_texts(places, len(whole[0])) == [whole[0], b""]


def test_an_unknown_chunk_has_no_text(indexed: Indexed) -> None:
    assert indexed.catalog.chunk_texts([(999_999, 0), (indexed.ids["word.py"], 77)], 10_000) == [b"", b""]


PIECES = st.sampled_from(["reactor running", "settings file", '"of the"', "`", "\\n", "key", " ", "\0", "漢字", "é"])


@given(st.lists(PIECES, max_size=12).map(" ".join))
def test_every_value_is_a_share(indexed: Indexed, text: str) -> None:
    rows = found(indexed, text)
    for values in (rows.pairs, rows.run, rows.quoted):
        assert len(values) == len(rows.ids)
        assert np.isfinite(values).all() and (values >= 0).all() and (values <= 1 + 1e-5).all()


def test_a_long_paste_costs_no_more_than_its_first_words(indexed: Indexed) -> None:
    start = time.perf_counter()
    found(indexed, f"Error: {MESSAGE} " * 1_000)
    assert time.perf_counter() - start < 1  # it takes about 5 ms


def test_the_line_that_raises_an_error_is_shown(index_tree: IndexTree) -> None:
    filler = "".join(f"def cart_{number}(cart, total):\n    return cart.total + {number}\n\n\n" for number in range(60))
    raising = 'def refuse(total):\n    raise ValueError(f"the total {total} of a cart must not be negative")\n'
    tree = index_tree({"cart.py": filler + raising + "\n\n" + filler})
    text = "ValueError: the total -7 of a cart must not be negative"
    hits = answer(text, tree.catalog, tree.reader, Tokenizer(), Where(), Wanted(places=1)).hits
    line = filler.count("\n") + 2
    assert hits[0].places[0].start_line <= line <= hits[0].places[0].end_line
