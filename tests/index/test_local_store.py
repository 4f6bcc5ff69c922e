from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_conformance import *  # noqa: F403 - the tests of the suite become tests of this module
from store_conformance import DIMENSION, MakeStore, answers, build, history_law, one, write
from store_corpus import ChunkDoc, Corpus, FileDoc, batch_of, check_counts, check_vectors, corpora, unit

from clew.errors import DamagedIndexError, UsageError
from clew.index.local import LocalStore
from clew.index.merge import MAX_SEGMENTS
from clew.index.store import CHUNK_BITS, ChunkBatch, FileRow, Postings, Where


@pytest.fixture
def make_store(tmp_path: Path) -> Iterator[MakeStore]:
    numbers = itertools.count()
    yield lambda: LocalStore(tmp_path / f"store{next(numbers)}")


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "segments")


def names(store: LocalStore) -> set[str]:
    return {path.name for path in store.directory.iterdir()} if store.directory.exists() else set()


def many(count: int, dimension: int, seed: int) -> Corpus:
    """Files of three chunks with random unit vectors, a third of them near each other or equal."""
    random = np.random.default_rng(seed)
    centre = random.standard_normal(dimension)
    made: Corpus = {}
    for file_id in range(count):
        spread = (1.0, 0.05, 0.0)[file_id % 3]
        base = random.standard_normal(dimension) if spread == 1.0 else centre
        vectors = [unit((base + spread * random.standard_normal(dimension)).tolist()) for _ in range(3)]
        words = random.integers(1, 4, 3).tolist()
        chunks = tuple(ChunkDoc({"alpha": n, "beta": 1}, vector=v) for n, v in zip(words, vectors, strict=True))
        made[file_id] = FileDoc(f"d{file_id % 7}/{file_id}.py", chunks)
    return made


@history_law
@given(steps=st.lists(st.tuples(corpora(DIMENSION, most=3), st.lists(st.integers(0, 9), max_size=3)), max_size=12))
def test_an_updated_index_answers_bit_for_bit_like_a_new_one(
    make_store: MakeStore, steps: list[tuple[Corpus, list[int]]]
) -> None:
    store, corpus = make_store(), Corpus()
    manifest = store.writer(None).finish()
    for added, removed in steps:
        manifest = write(store, manifest, added, removed)
        corpus = {key: file for key, file in corpus.items() if key not in removed} | added
    updated, fresh = store.reader(manifest), store.reader(build(store, corpus))
    assert answers(updated) == answers(fresh)


@pytest.mark.parametrize("seed", range(3))
def test_the_quantised_scan_is_exact_among_near_and_equal_vectors(store: LocalStore, seed: int) -> None:
    corpus = many(300, 16, seed)
    reader = store.reader(build(store, corpus))
    queries = [corpus[1].chunks[0].vector, corpus[0].chunks[0].vector, [1.0] * 16]
    some = np.arange(0, 300, 2, dtype=np.int64)
    for query, where in itertools.product(queries, (None, Where(files=some), Where(files=some[:5]))):
        assert query is not None
        check_vectors(reader, corpus, query, 7, where)
        check_vectors(reader, corpus, query, 300, where)


def test_a_text_search_over_many_rows_cuts_ties_by_id(store: LocalStore) -> None:
    corpus = {file_id: one({"alpha": 1 + (file_id == 700)}, path=f"{999 - file_id}.py") for file_id in range(1000)}
    reader = store.reader(build(store, corpus))
    assert reader.search_text("file_body", {"alpha": 1.0}, 4).ids.tolist() == [700, 0, 1, 2]


def test_a_generation_without_changes_writes_no_file(store: LocalStore) -> None:
    manifest = write(store, None, {1: one({"alpha": 1})})
    before = names(store)
    assert write(store, manifest, {}, removed=[5]) == manifest
    assert names(store) == before


def test_an_empty_first_generation_makes_no_directory(store: LocalStore) -> None:
    assert store.writer(None).finish()["segments"] == []
    assert not store.directory.exists()


def test_an_aborted_writer_leaves_no_file(store: LocalStore) -> None:
    writer = store.writer(None)
    writer.add(batch_of({1: one({"alpha": 1})}))
    writer.abort()
    writer.abort()
    assert names(store) == set()
    with pytest.raises(ValueError, match="closed"):
        writer.remove([1])


def test_many_generations_stay_within_the_segment_bound(store: LocalStore) -> None:
    manifest, corpus = None, Corpus()
    for number in range(40):
        file = one({"alpha": 1, f"word{number}": 2}, path=f"{number % 11}.py")
        corpus[number % 23] = file
        manifest = write(store, manifest, {number % 23: file})
        assert len(manifest["segments"]) <= MAX_SEGMENTS
    reader = store.reader(manifest)
    reader.verify()
    check_counts(reader, corpus)
    assert answers(reader) == answers(store.reader(build(store, corpus)))


def test_a_writer_with_too_much_in_memory_writes_segments_on_the_way(store: LocalStore) -> None:
    none = Postings(*(np.zeros(0, np.uint32) for _ in range(3)))
    most = (1 << CHUNK_BITS) - 1
    files = [FileRow(n, f"{n}.sql", "sql", 0, most) for n in range(4)]
    kinds = np.zeros(4 * most, np.uint8)
    writer = store.writer(None)
    writer.add(ChunkBatch(files, kinds, [], {"body": none, "symbol": none, "path": none}))
    writer.add(batch_of({4: FileDoc("4.py", (ChunkDoc({"alpha": 1}),) * 5)}))
    assert len(names(store)) == 1
    writer.add(batch_of({0: one({"beta": 1})}))
    reader = store.reader(writer.finish())
    assert (reader.counts().files, reader.counts().chunks) == (5, 3 * most + 6)
    assert reader.search_text("body", {"alpha": 1.0, "beta": 1.0}, 2).ids.tolist() == [0, 4 << CHUNK_BITS]


def test_refreshing_a_few_files_does_not_rewrite_the_large_segment(store: LocalStore) -> None:
    manifest = build(store, {n: one({"alpha": 1}, path=f"{n}.py") for n in range(400)})
    large = manifest["segments"][0]["file"]
    for number in range(20):
        manifest = write(store, manifest, {number: one({"beta": 1})})
        assert large in [segment["file"] for segment in manifest["segments"]]


def test_a_segment_with_many_removed_files_is_rewritten_without_them(store: LocalStore) -> None:
    manifest = build(store, {n: one({f"only{n}": 1}, path=f"{n}.py") for n in range(10)})
    manifest = write(store, manifest, {}, removed=[0, 1, 2])
    assert [(row["files"], row["dead"]) for row in manifest["segments"]] == [(7, [])]
    assert store.reader(manifest).document_frequency("body", "only2") == 0


def test_removing_every_file_leaves_no_segment(store: LocalStore) -> None:
    manifest = write(store, None, {1: one({"alpha": 1}, unit([1, 2, 3]))})
    manifest = write(store, manifest, {}, removed=[1])
    assert manifest == store.writer(None).finish()
    assert store.collect_garbage(manifest) == 1
    assert names(store) == set()


def test_files_without_chunks_are_found_by_path_and_survive_merging(store: LocalStore) -> None:
    manifest, corpus = None, Corpus()
    for number in range(12):
        corpus[number] = FileDoc(f"{number}.py", (), {"alpha": 1}) if number % 2 else one({"beta": 1}, unit([1, 2, 3]))
        manifest = write(store, manifest, {number: corpus[number]})
    reader = store.reader(manifest)
    check_counts(reader, corpus)
    assert reader.search_text("path", {"alpha": 1.0}, 3).ids.tolist() == [1, 3, 5]


def test_garbage_collection_touches_only_its_own_files(store: LocalStore) -> None:
    manifest = write(store, None, {1: one({"alpha": 1})})
    left = [f"tmp-{'0' * 32}.bin", f"seg-{'0' * 32}.bin"]
    foreign = ["seg-notes.bin", "catalog.sqlite", "tmp-x"]
    for name in left + foreign:
        (store.directory / name).write_bytes(b"")
    assert store.collect_garbage(manifest) == 2
    assert names(store) == {*foreign, manifest["segments"][0]["file"]}


def test_repeated_and_zero_counts_are_added_up(store: LocalStore) -> None:
    numbers = np.array
    body = Postings(numbers([0, 0, 0], np.uint32), numbers([0, 1, 2], np.uint32), numbers([200, 100, 0], np.uint32))
    none = Postings(*(np.zeros(0, np.uint32) for _ in range(3)))
    files = [FileRow(1, "a.py", "python", 0, 1)]
    postings = {"body": body, "symbol": none, "path": none}
    batch = ChunkBatch(files, np.zeros(1, np.uint8), ["alpha", "alpha", "beta"], postings)
    writer = store.writer(None)
    writer.add(batch)
    reader = store.reader(writer.finish())
    reader.verify()
    assert [reader.document_frequency("body", word) for word in ("alpha", "beta")] == [1, 0]
    expected = np.log(1 + 0.5 / 1.5) * 255 * 2.2 / (255 + 1.2)
    assert reader.search_text("body", {"alpha": 1.0}, 1).scores[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    "damage",
    [
        lambda m: None,
        lambda m: [],
        lambda m: m | {"format": 2},
        lambda m: m | {"segments": None},
        lambda m: m | {"segments": [7]},
        lambda m: m | {"dimension": 0},
        lambda m: m | {"dimension": True},
        lambda m: m | {"dimension": 3},
        lambda m: m | {"segments": m["segments"] * 2},
        lambda m: m | {"segments": [m["segments"][0] | {"file": "../seg-1.bin"}]},
        lambda m: m | {"segments": [m["segments"][0] | {"file": f"seg-{'0' * 32}.bin"}]},
        lambda m: m | {"segments": [m["segments"][0] | {"files": 5}]},
        lambda m: m | {"segments": [m["segments"][0] | {"chunks": -1}]},
        lambda m: m | {"segments": [m["segments"][0] | {"chunks": "1"}]},
        lambda m: m | {"segments": [m["segments"][0] | {"dead": [9]}]},
        lambda m: m | {"segments": [m["segments"][0] | {"dead": [1, 1]}]},
        lambda m: m | {"segments": [m["segments"][0] | {"dead": [10**30]}]},
    ],
)
def test_a_manifest_that_does_not_fit_is_a_damaged_index(store: LocalStore, damage: Any) -> None:
    manifest = write(store, None, {1: one({"alpha": 1})})
    with pytest.raises(DamagedIndexError):
        store.reader(damage(manifest))


def test_a_file_that_lives_twice_is_found_by_verification(store: LocalStore) -> None:
    first = write(store, None, {1: one({"alpha": 1})})
    second = write(store, None, {1: one({"alpha": 1})})
    reader = store.reader(first | {"segments": first["segments"] + second["segments"]})
    with pytest.raises(DamagedIndexError, match="two segments"):
        reader.verify()


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_a_weight_without_meaning_is_refused(store: LocalStore, weight: float) -> None:
    reader = store.reader(write(store, None, {1: one({"alpha": 1})}))
    with pytest.raises(ValueError, match="weight"):
        reader.search_text("body", {"alpha": weight}, 5)


def test_an_unknown_kind_in_a_filter_is_named(store: LocalStore) -> None:
    reader = store.reader(write(store, None, {1: one({"alpha": 1})}))
    with pytest.raises(UsageError, match="funktion"):
        reader.search_text("body", {"alpha": 1.0}, 5, Where(kinds=frozenset({"funktion"})))


def test_a_closed_reader_refuses_to_search(store: LocalStore) -> None:
    reader = store.reader(write(store, None, {1: one({"alpha": 1})}))
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        reader.search_text("body", {"alpha": 1.0}, 5)


def test_a_batch_that_contradicts_itself_is_refused(store: LocalStore) -> None:
    good = batch_of({1: one({"alpha": 1})})
    none = Postings(*(np.zeros(0, np.uint32) for _ in range(3)))
    wrong_row = Postings(np.array([4], np.uint32), np.array([0], np.uint32), np.array([1], np.uint32))
    fields = {"symbol": none, "path": none}
    for batch in (
        ChunkBatch([*good.files, *good.files], good.kinds, good.vocabulary, good.postings),
        ChunkBatch(good.files, np.zeros(2, np.uint8), good.vocabulary, good.postings),
        ChunkBatch(good.files, np.array([99], np.uint8), good.vocabulary, good.postings),
        ChunkBatch(good.files, good.kinds, ["alpha"], fields | {"body": wrong_row}),
        ChunkBatch(good.files, good.kinds, [], fields | {"body": good.postings["body"]}),
        ChunkBatch(good.files, good.kinds, good.vocabulary, good.postings, np.zeros((2, 3), np.float32)),
    ):
        with pytest.raises(ValueError, match=r"."):
            store.writer(None).add(batch)


WRITER = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[3:]
from store_conformance import build, one, write
from clew.index.local import LocalStore
import json
store = LocalStore(Path(sys.argv[1]))
manifest = json.loads(sys.argv[2])
print("ready", flush=True)
generation = 0
while True:
    generation += 1
    files = {n: one({"alpha": 1, f"g{generation}": 1}, path=f"{n}.py") for n in range(generation % 7 + 1)}
    manifest = write(store, manifest, files)
    print(json.dumps(manifest), flush=True)
"""


@pytest.mark.parametrize("acknowledged", [0, 1, 5, 12])
def test_a_killed_writer_leaves_every_acknowledged_generation_readable(store: LocalStore, acknowledged: int) -> None:
    base = build(store, {n: one({"alpha": 1}, path=f"{n}.py") for n in range(30)})
    paths = [str(Path(__file__).parent), *filter(None, sys.path)]
    command = [sys.executable, "-c", WRITER, str(store.directory), json.dumps(base), *paths]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        manifests = [base] + [json.loads(process.stdout.readline()) for _ in range(acknowledged)]
        process.kill()
        process.wait()
    for manifest in manifests:
        reader = store.reader(manifest)
        reader.verify()
        assert reader.search_text("body", {"alpha": 1.0}, 100).ids.size == 30
        reader.close()
    store.collect_garbage(manifests[-1])
    after = write(store, manifests[-1], {99: one({"alpha": 1})})
    assert store.reader(after).document_frequency("body", "alpha") == 31


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from store_conformance import one
from store_corpus import batch_of
from clew.errors import ClewError
from clew.index.local import LocalStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
writer = LocalStore(Path(sys.argv[1])).writer(None)
writer.add(batch_of({n: one({f"word{n}": 1}) for n in range(500)}))
for attempt in range(2):
    try:
        writer.finish()
    except ClewError as error:
        print("refused:", error.message)
    except ValueError as error:
        print("refused:", error)
writer.abort()
"""


@pytest.mark.skipif(os.name == "nt", reason="file size limits are a POSIX feature")
def test_a_full_disk_is_one_clear_error_and_leaves_nothing(store: LocalStore) -> None:
    paths = [str(Path(__file__).parent), *filter(None, sys.path)]
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(store.directory), *paths],
        capture_output=True, text=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        f"refused: cannot write the index in {store.directory}: File too large",
        "refused: the writer failed: only abort is left",
    ]
    assert names(store) == set()
