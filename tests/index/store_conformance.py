"""What every chunk store must do. A backend's test module defines the fixture `make_store`, which
returns a function that makes a new, empty store, and imports all of this:

    from store_conformance import *
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_corpus import (
    ALL_FIELDS,
    ChunkDoc,
    Corpus,
    FileDoc,
    batch_of,
    check_counts,
    check_text,
    check_vectors,
    corpora,
    files,
    filters,
    queries,
    unit,
)

from clew.errors import ModelError
from clew.index.store import CHUNK_BITS, Store, StoreReader, Where

MakeStore = Callable[[], Store]
DIMENSION = 3
# `make_store` makes a new store at each call, so the examples do not share one. Every generation waits
# for the disk, hence the small numbers of examples.
law = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
history_law = settings(law, max_examples=15)


def write(store: Store, manifest: Any, files: Corpus, removed: Iterable[int] = ()) -> Any:
    """One generation: remove, add file by file, and save the manifest as the catalog does."""
    writer = store.writer(manifest)
    writer.remove(list(removed))
    for file_id, file in files.items():
        writer.add(batch_of({file_id: file}))
    return json.loads(json.dumps(writer.finish()))


def build(store: Store, corpus: Corpus) -> Any:
    writer = store.writer(None)
    writer.add(batch_of(corpus))
    return json.loads(json.dumps(writer.finish()))


def one(body: dict[str, int], vector: tuple[float, ...] | None = None, path: str = "a.py") -> FileDoc:
    return FileDoc(path, (ChunkDoc(body, vector=vector),), {"a": 1})


def answers(reader: StoreReader) -> list[Any]:
    """Everything a few searches return, to compare two readers exactly."""
    found: list[Any] = []
    for name in ALL_FIELDS:
        hits = reader.search_text(name, {"alpha": 1.0, "beta": 2.0, "测试": 0.5}, 5)
        found.append((hits.ids.tolist(), hits.scores.tolist(), hits.coverage.tolist()))
    nearest = reader.search_vectors(np.array([1, 2, 3], np.float32), 5)
    return [*found, (nearest.ids.tolist(), nearest.scores.tolist())]


@law
@given(corpus=corpora(), name=st.sampled_from(ALL_FIELDS), terms=queries(), limit=st.integers(1, 6), where=filters())
def test_a_text_search_returns_the_exact_bm25_ranking(
    make_store: MakeStore, corpus: Corpus, name: str, terms: dict[str, float], limit: int, where: Where | None
) -> None:
    store = make_store()
    reader = store.reader(build(store, corpus))
    check_text(reader, corpus, name, terms, limit, where)
    reader.close()


@law
@given(corpus=corpora(DIMENSION), query=st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any),
       limit=st.integers(1, 6), where=filters())  # fmt: skip
def test_a_vector_search_returns_the_exact_cosine_ranking(
    make_store: MakeStore, corpus: Corpus, query: list[int], limit: int, where: Where | None
) -> None:
    store = make_store()
    reader = store.reader(build(store, corpus))
    check_vectors(reader, corpus, query, limit, where)
    reader.close()


Step = tuple[Corpus, list[int]]


@history_law
@given(
    steps=st.lists(st.tuples(corpora(DIMENSION, most=3), st.lists(st.integers(0, 9), max_size=3)), max_size=12),
    terms=queries(),
    where=filters(),
)
def test_every_generation_answers_exactly_whatever_came_before(
    make_store: MakeStore, steps: list[Step], terms: dict[str, float], where: Where | None
) -> None:
    store, corpus = make_store(), Corpus()
    manifest: Any = None
    for added, removed in steps:
        manifest = write(store, manifest, added, removed)
        corpus = {key: file for key, file in corpus.items() if key not in removed} | added
        reader = store.reader(manifest)
        check_counts(reader, corpus)
        for name in ALL_FIELDS:
            check_text(reader, corpus, name, terms, 4, where)
        check_vectors(reader, corpus, [1, -2, 3], 4, where)
        reader.close()
        store.collect_garbage(manifest)


@history_law
@given(corpus=corpora(DIMENSION), file=files(DIMENSION))
def test_an_older_generation_stays_readable_while_a_newer_one_is_written(
    make_store: MakeStore, corpus: Corpus, file: FileDoc
) -> None:
    store = make_store()
    old = build(store, corpus)
    before = store.reader(old)
    expected = answers(before)
    write(store, old, {3: file}, removed=[1, 2])
    again = store.reader(old)
    assert answers(before) == expected
    assert answers(again) == expected
    before.close()
    again.close()


def test_equal_documents_rank_by_id(make_store: MakeStore) -> None:
    store = make_store()
    vector = unit([1, 2, 2])
    manifest = None
    for file_id in (5, 3, 9, 1):  # in several segments, where the store has such
        manifest = write(store, manifest, {file_id: one({"alpha": 2}, vector, path=f"{9 - file_id}.py")})
    reader = store.reader(manifest)
    expected = [1 << CHUNK_BITS, 3 << CHUNK_BITS, 5 << CHUNK_BITS]
    assert reader.search_text("body", {"alpha": 1.0}, 3).ids.tolist() == expected
    assert reader.search_vectors(np.array(vector, np.float32), 3).ids.tolist() == expected
    reader.close()


def test_adding_a_file_again_replaces_it(make_store: MakeStore) -> None:
    store = make_store()
    manifest = write(store, None, {1: one({"old": 1})})
    writer = store.writer(manifest)
    writer.add(batch_of({1: one({"between": 1})}))
    writer.add(batch_of({1: one({"new": 1})}))
    reader = store.reader(writer.finish())
    assert [reader.document_frequency("body", word) for word in ("old", "between", "new")] == [0, 0, 1]
    assert reader.counts().files == 1
    reader.close()


def test_a_file_added_and_removed_by_one_writer_is_not_there(make_store: MakeStore) -> None:
    store = make_store()
    writer = store.writer(None)
    writer.add(batch_of({1: one({"alpha": 1}), 2: one({"alpha": 1})}))
    writer.remove([1])
    reader = store.reader(writer.finish())
    assert reader.search_text("body", {"alpha": 1.0}, 9).ids.tolist() == [2 << CHUNK_BITS]
    reader.close()


def test_a_generation_without_changes_has_an_equal_manifest(make_store: MakeStore) -> None:
    store = make_store()
    manifest = write(store, None, {1: one({"alpha": 1})})
    assert write(store, manifest, {}, removed=[77]) == manifest


def test_an_aborted_writer_leaves_the_generation_as_it_was(make_store: MakeStore) -> None:
    store = make_store()
    corpus = {1: one({"alpha": 1}), 2: one({"beta": 1})}
    manifest = build(store, corpus)
    writer = store.writer(manifest)
    writer.add(batch_of({1: one({"gamma": 1})}))
    writer.remove([2])
    writer.abort()
    reader = store.reader(manifest)
    check_counts(reader, corpus)
    reader.close()


def test_an_empty_filter_admits_nothing(make_store: MakeStore) -> None:
    store = make_store()
    reader = store.reader(build(store, {1: one({"alpha": 1}, unit([1, 0, 0]))}))
    nothing = np.zeros(0, np.int64)
    for where in (Where(files=nothing), Where(chunks=nothing), Where(kinds=frozenset())):
        assert not reader.search_text("body", {"alpha": 1.0}, 5, where).ids.size
        assert not reader.search_vectors(np.array([1, 0, 0], np.float32), 5, where).ids.size
    assert not reader.search_text("path", {"a": 1.0}, 5, Where(files=nothing)).ids.size
    reader.close()


def test_kinds_and_chunks_do_not_restrict_file_documents(make_store: MakeStore) -> None:
    store = make_store()
    reader = store.reader(build(store, {1: one({"alpha": 1})}))
    where = Where(chunks=np.zeros(0, np.int64), kinds=frozenset())
    assert reader.search_text("file_body", {"alpha": 1.0}, 5, where).ids.tolist() == [1]
    reader.close()


def test_searching_an_empty_store_finds_nothing(make_store: MakeStore) -> None:
    store = make_store()
    reader = store.reader(store.writer(None).finish())
    assert not reader.search_text("body", {"alpha": 1.0}, 5).ids.size
    assert not reader.search_vectors(np.array([1, 0, 0], np.float32), 5).ids.size
    assert (reader.documents("body"), reader.document_frequency("body", "alpha")) == (0, 0)
    reader.close()


def test_no_terms_or_no_room_find_nothing(make_store: MakeStore) -> None:
    store = make_store()
    reader = store.reader(build(store, {1: one({"alpha": 1}, unit([1, 0, 0]))}))
    assert not reader.search_text("body", {}, 5).ids.size
    assert not reader.search_text("body", {"unknown": 1.0}, 5).ids.size
    assert not reader.search_text("body", {"alpha": 1.0}, 0).ids.size
    assert not reader.search_vectors(np.array([1, 0, 0], np.float32), 0).ids.size
    reader.close()


def test_stored_vectors_come_back_in_the_order_asked_for(make_store: MakeStore) -> None:
    store = make_store()
    first, second = unit([1, 2, 3]), unit([3, 2, 1])
    manifest = write(store, None, {1: one({}, first)})
    reader = store.reader(write(store, manifest, {2: one({}, second)}))
    wanted = np.array([2, 1, 2], np.int64) << CHUNK_BITS
    stored = reader.vectors(wanted)
    assert stored is not None
    np.testing.assert_allclose(stored, [second, first, second], rtol=1e-6)
    with pytest.raises(KeyError):
        reader.vectors(np.array([5], np.int64))
    reader.close()


def test_without_an_embedder_there_are_no_vectors(make_store: MakeStore) -> None:
    store = make_store()
    reader = store.reader(build(store, {1: one({"alpha": 1})}))
    assert reader.vectors(np.array([1 << CHUNK_BITS], np.int64)) is None
    assert not reader.search_vectors(np.array([1, 0, 0], np.float32), 5).ids.size
    assert reader.counts().vectors == 0
    reader.close()


@pytest.mark.parametrize("query", [[1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [float("nan"), 0.0, 0.0]])
def test_a_query_vector_that_does_not_fit_is_a_model_error(make_store: MakeStore, query: list[float]) -> None:
    store = make_store()
    reader = store.reader(build(store, {1: one({}, unit([1, 0, 0]))}))
    with pytest.raises(ModelError):
        reader.search_vectors(np.array(query, np.float32), 5)
    reader.close()


@pytest.mark.parametrize("vector", [None, (1.0, 0.0)])
def test_chunks_that_do_not_fit_the_embedded_index_are_a_model_error(
    make_store: MakeStore, vector: tuple[float, ...] | None
) -> None:
    store = make_store()
    writer = store.writer(build(store, {1: one({}, unit([1, 0, 0]))}))
    with pytest.raises(ModelError):
        writer.add(batch_of({2: one({}, vector)}))
    writer.abort()


def test_collecting_garbage_keeps_the_current_generation(make_store: MakeStore) -> None:
    store = make_store()
    manifest = write(store, None, {1: one({"alpha": 1})})
    manifest = write(store, manifest, {1: one({"beta": 1})})
    store.collect_garbage(manifest)
    reader = store.reader(manifest)
    check_counts(reader, {1: one({"beta": 1})})
    reader.close()
    assert store.collect_garbage(manifest) == 0
