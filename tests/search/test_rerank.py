"""The second stage with a real, small model: what it changes, what it keeps, and when it leaves the order alone."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_index import Indexed, IndexTree

from clew import Engine, Settings
from clew.embedding import StaticEmbedder, VectorCache, open_static, text_hash, write_static_model
from clew.errors import ModelError
from clew.index.store import Where
from clew.parsing.tokens import Tokenizer
from clew.search.answer import Found, Wanted, answer
from clew.search.places import Span
from clew.search.rerank import FILES, PLACES, WEIGHT, Reranker, mixed

# The first two mean the same to the model and share no word.
MEANINGS = {"erase": 0, "wipe": 0, "cookie": 1, "disk": 2}
# Words and lengths of the first two are alike, so any ranker takes them by path; only their meaning differs.
TREE = {
    "calm.py": "def calm(cookie):\n    hold(cookie)\n",
    "gone.py": "def gone(cookie):\n    wipe(cookie)\n",
} | {f"more/part_{n:02}.py": f"def part_{n:02}(disk):\n    return disk\n" for n in range(20)}
QUERY = "erase the cookie disk"


@pytest.fixture(scope="module")
def indexed(index_tree: IndexTree) -> Indexed:
    return index_tree(TREE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A static model that gives the first meaning ten times the weight of the others."""
    folder = tmp_path_factory.mktemp("model")
    weights = np.array([10, 10, 1, 1], np.float32)
    vectors = np.eye(3, dtype=np.float32)[list(MEANINGS.values())]
    write_static_model(folder, name="tiny", vocabulary=list(MEANINGS), vectors=vectors, weights=weights)
    return folder


@pytest.fixture(scope="module")
def model(folder: Path) -> StaticEmbedder:
    return open_static(folder)


class Counting:
    """The real model; counts the texts it is given."""

    def __init__(self, inner: StaticEmbedder) -> None:
        self.identity, self.dimension, self._inner = inner.identity, inner.dimension, inner
        self.texts: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        self.texts += texts
        return self._inner.embed_documents(texts)

    def embed_query(self, text: str) -> np.ndarray:
        return self._inner.embed_query(text)


class Broken(Counting):
    def embed_query(self, text: str) -> np.ndarray:
        raise ModelError("the network cannot be run")


def asked(indexed: Indexed, rerank: Reranker | None, query: str = QUERY, **wanted: object) -> Found:
    tokenizer, where = Tokenizer(), Where()
    return answer(
        query, indexed.catalog, indexed.reader, tokenizer, where, Wanted(**wanted), rerank=rerank  # type: ignore[arg-type]
    )  # fmt: skip


def paths(found: Found) -> list[str]:
    return [hit.path for hit in found.hits]


def test_a_file_that_means_what_is_asked_comes_first(indexed: Indexed, model: StaticEmbedder, tmp_path: Path) -> None:
    assert paths(asked(indexed, None))[0] == "calm.py"
    assert paths(asked(indexed, Reranker(model, tmp_path / "vectors.db", 60)))[0] == "gone.py"


def test_files_beyond_the_first_keep_their_order_and_no_score_rises(
    indexed: Indexed, model: StaticEmbedder, tmp_path: Path
) -> None:
    before, after = asked(indexed, None, limit=22), asked(indexed, Reranker(model, tmp_path / "v.db", 60), limit=22)
    assert len(after.hits) == 22
    assert paths(after)[FILES:] == paths(before)[FILES:]
    assert sorted(paths(after)[:FILES]) == sorted(paths(before)[:FILES])
    assert all(first.score >= second.score for first, second in itertools.pairwise(after.hits))
    assert [hit.rank for hit in after.hits] == list(range(1, 23))


def test_it_looks_deeper_than_the_answer_and_shows_no_more(
    indexed: Indexed, model: StaticEmbedder, tmp_path: Path
) -> None:
    counting = Counting(model)
    found = asked(indexed, Reranker(counting, tmp_path / "v.db", 60), limit=1, places=1)
    assert paths(found) == ["gone.py"]
    assert FILES <= len(counting.texts) <= FILES * PLACES
    assert all(len(hit.places) <= 1 for hit in found.hits)


def test_a_text_is_read_once(indexed: Indexed, model: StaticEmbedder, tmp_path: Path) -> None:
    counting = Counting(model)
    rerank = Reranker(counting, tmp_path / "v.db", 60)
    first = asked(indexed, rerank)
    read = len(counting.texts)
    assert asked(indexed, rerank) == first
    assert asked(indexed, Reranker(counting, tmp_path / "v.db", 60)) == first
    assert len(counting.texts) == read


def test_what_is_read_is_the_symbol_and_the_lines(indexed: Indexed, model: StaticEmbedder, tmp_path: Path) -> None:
    counting = Counting(model)
    asked(indexed, Reranker(counting, tmp_path / "v.db", 60))
    assert "gone\ndef gone(cookie):\n    wipe(cookie)\n" in counting.texts


def test_out_of_time_the_order_is_that_of_before_and_asking_again_goes_on(
    indexed: Indexed, model: StaticEmbedder, tmp_path: Path
) -> None:
    counting = Counting(model)
    rerank = Reranker(counting, tmp_path / "v.db", 9, clock=lambda: float(len(counting.texts)))  # a second a text
    found = asked(indexed, rerank)
    assert found.hits == asked(indexed, None).hits
    (note,) = found.notes
    assert note.startswith("not reranked: ")
    assert "within 9 s; ask again" in note
    read = len(counting.texts)
    assert 0 < read < FILES
    asked(indexed, rerank)
    assert read < len(counting.texts)
    assert len(set(counting.texts)) == len(counting.texts)
    assert paths(asked(indexed, Reranker(counting, tmp_path / "v.db", 60)))[0] == "gone.py"


def test_a_model_that_fails_becomes_a_note(indexed: Indexed, model: StaticEmbedder, tmp_path: Path) -> None:
    found = asked(indexed, Reranker(Broken(model), tmp_path / "v.db", 60))
    assert found.hits == asked(indexed, None).hits
    assert found.notes == ("not reranked: the network cannot be run",)


def test_a_cache_that_cannot_be_written_costs_time_and_no_answer(
    indexed: Indexed, model: StaticEmbedder, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    found = asked(indexed, Reranker(model, tmp_path / "file" / "v.db", 60))
    assert paths(found)[0] == "gone.py"
    assert any("vector cache" in note for note in found.notes)


def test_explain_shows_the_similarity(indexed: Indexed, model: StaticEmbedder, tmp_path: Path) -> None:
    found = asked(indexed, Reranker(model, tmp_path / "v.db", 60), explain=True)
    signals = found.hits[0].signals
    assert signals is not None
    assert signals["rerank"] > 0.9


def test_its_vectors_are_kept_apart_by_the_models_identity(
    indexed: Indexed, model: StaticEmbedder, tmp_path: Path
) -> None:
    asked(indexed, Reranker(model, tmp_path / "v.db", 60))
    key = text_hash("gone\ndef gone(cookie):\n    wipe(cookie)\n")
    with VectorCache(tmp_path / "v.db") as cache:
        assert key in cache.get_many(model.identity, [key])
        assert not cache.get_many("another", [key])


def engine(root: Path, **settings: str) -> Engine:
    opened = Engine.open(root, Settings(embedder="none", workers=1, **settings))  # type: ignore[arg-type]
    if not opened.exists():
        for path, text in TREE.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        opened.index()
    return opened


def test_the_setting_turns_it_on(folder: Path, tmp_path: Path) -> None:
    with engine(tmp_path) as without, engine(tmp_path, rerank=str(folder)) as second:
        assert without.search(QUERY).hits[0].path == "calm.py"
        assert second.search(QUERY).hits[0].path == "gone.py"


def test_a_setting_that_cannot_be_met_is_a_note_and_no_error(tmp_path: Path) -> None:
    with engine(tmp_path, rerank=str(tmp_path / "nothing")) as opened:
        answer_ = opened.search(QUERY)
    assert answer_.hits
    assert [note for note in answer_.notes if note.startswith("not reranked: embedder ")] != []


def test_one_file_is_not_read(index_tree: IndexTree, model: StaticEmbedder, tmp_path: Path) -> None:
    counting = Counting(model)
    found = asked(index_tree({"only.py": "def wipe():\n    pass\n"}), Reranker(counting, tmp_path / "v.db", 60), "wipe")
    assert paths(found) == ["only.py"]
    assert not counting.texts


def test_a_file_without_lines_counts_as_the_least_similar() -> None:
    head = [(1, 1.0), (2, 0.9), (3, 0.95)]
    assert [each for each, _ in mixed(head, {2: 0.5, 3: 0.1})] == [2, 1, 3]


@given(
    st.lists(st.tuples(st.floats(-5, 5), st.floats(-1, 1)), min_size=1, max_size=FILES),
)
def test_the_order_is_by_the_sum_and_ties_stay(rows: list[tuple[float, float]]) -> None:
    head = [(number, score) for number, (score, _) in enumerate(rows)]
    found = mixed(head, {number: similarity for number, (_, similarity) in enumerate(rows)})
    assert sorted(each for each, _ in found) == list(range(len(rows)))
    for (one, first), (other, second) in itertools.pairwise(found):
        assert first > second or (first == second and one < other)
    assert all(score == round(rows[each][0] + WEIGHT * rows[each][1], 5) for each, score in found)


def test_a_place_of_bytes_that_are_no_text_is_read(model: StaticEmbedder, tmp_path: Path) -> None:
    lines = {each: [Span(1, 1, 0, 4, "", "gap", 1.0)] for each in (1, 2)}
    again = Reranker(model, tmp_path / "v.db", 60)("wipe", [(1, 1.0), (2, 0.5)], lines, lambda _: b"\xff\xfe\xfd\xfc")
    assert [each for each, _ in again.best] == [1, 2]
