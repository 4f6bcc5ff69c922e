"""The catalog: what goes in comes out, one transaction is one generation, damage is told."""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.errors import BusyIndexError, DamagedIndexError
from clew.index import catalog as module
from clew.index.catalog import Catalog, FileRecord
from clew.records import Chunk, Definition, FileStat

CHUNKS = [Chunk(0, "function", "f", 1, 2, 0, 20), Chunk(1, "gap", "", 3, 3, 20, 30)]
DEFINITIONS = [Definition("f", "A.f", "method", 1, 2, 0, 20, "def f()", "Does it.")]


def record(path: str, **changes: object) -> FileRecord:
    file = FileRecord(0, path, FileStat(1, 2, 3, 4), b"hash", "python", 0, "syntax", 3, "", "")
    return replace(file, **changes)  # type: ignore[arg-type]


def add(catalog: Catalog, path: str, **changes: object) -> int:
    return catalog.add_file(record(path, **changes), zlib.compress(b"text"), DEFINITIONS, CHUNKS)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    made = Catalog.create(tmp_path / "catalog.db")
    made.publish()
    yield made
    made.close()


def test_a_file_comes_back_as_it_was_stored(catalog: Catalog) -> None:
    file_id = add(catalog, "src/a.py", flags=3, error="half of it")
    stored = record("src/a.py", flags=3, error="half of it", id=file_id)
    assert catalog.files() == [stored]
    assert catalog.file_named("src/a.py") == stored
    assert catalog.files_by_id([file_id, 999]) == {file_id: stored}
    assert catalog.text(file_id) == b"text"
    assert catalog.chunks(file_id) == CHUNKS
    assert catalog.definitions(file_id) == DEFINITIONS


def test_a_file_without_text_has_none(catalog: Catalog) -> None:
    assert catalog.text(catalog.add_file(record("a", skipped="binary"), b"", [], [])) == b""


def test_the_context_of_a_chunk_is_not_kept(catalog: Catalog) -> None:
    file_id = catalog.add_file(record("a"), b"", [], [replace(CHUNKS[0], context="names")])
    assert catalog.chunks(file_id) == [CHUNKS[0]]


def test_ids_are_never_used_again(catalog: Catalog) -> None:
    first = add(catalog, "a")
    catalog.remove_files([first])
    assert add(catalog, "a") > first


def test_a_removed_file_leaves_nothing(catalog: Catalog) -> None:
    gone, kept = add(catalog, "a"), add(catalog, "b")
    catalog.remove_files([gone])
    assert [file.id for file in catalog.files()] == [kept]
    assert catalog.totals() == {"files": 1, "chunks": 2, "definitions": 1}
    assert (catalog.text(gone), catalog.definitions(gone), catalog.file_named("a")) == (b"", [], None)


def test_files_are_listed_by_path_and_stats_in_one_order(catalog: Catalog) -> None:
    for path in ("b", "a", "c"):
        add(catalog, path, stat=FileStat(ord(path), 2, 3, 4))
    catalog.keep_stats()
    assert [file.path for file in catalog.files()] == ["a", "b", "c"]
    paths, stats = catalog.stats()
    assert {path: stat[0] for path, stat in zip(paths, stats, strict=True)} == {"a": 97, "b": 98, "c": 99}


def test_an_empty_catalog_has_no_stats(catalog: Catalog) -> None:
    assert catalog.stats() == ([], [])
    catalog.keep_stats()
    assert catalog.stats() == ([], [])


def test_stats_can_change_without_anything_else(catalog: Catalog) -> None:
    file_id = add(catalog, "a")
    catalog.set_stats([(file_id, FileStat(9, 8, 7, 6))])
    assert catalog.files() == [record("a", id=file_id, stat=FileStat(9, 8, 7, 6))]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_any_name_of_a_file_comes_back(catalog: Catalog, path: str) -> None:
    file_id = add(catalog, path)
    catalog.keep_stats()
    assert catalog.file_named(path) == record(path, id=file_id)
    assert catalog.files_by_id([file_id])[file_id].path == catalog.files()[0].path == catalog.stats()[0][0] == path
    catalog.remove_files([file_id])


def test_a_name_that_is_no_text_is_not_found(catalog: Catalog) -> None:
    assert catalog.file_named("caf\udce9.py") is None


def test_definitions_are_found_by_name_whatever_the_case(catalog: Catalog) -> None:
    add(catalog, "a")
    other = replace(DEFINITIONS[0], name="STRASSE", symbol="STRASSE")
    last = catalog.add_file(record("b"), b"", [other, DEFINITIONS[0]], [])
    assert [file_id for file_id, _ in catalog.definitions_named("F")] == [1, last]
    assert catalog.definitions_named("straße") == [(last, replace(other, signature="", doc=""))]
    assert catalog.definitions_named("A.f") == []


def test_files_are_found_by_their_name_shortest_path_first(catalog: Catalog) -> None:
    paths = ("x/deep/a.py", "a.py", "x/a.py", "xa.py", "x/a_py", "café/a.py")
    ids = {path: add(catalog, path) for path in paths}
    add(catalog, "skip/a.py", skipped="binary")
    found = [path for _, path in catalog.files_called("a.py", 10)]
    assert found[:2] == ["a.py", "x/a.py"] and sorted(found) == sorted(["a.py", "x/a.py", "x/deep/a.py", "café/a.py"])
    assert catalog.files_called("a.py", 1) == [(ids["a.py"], "a.py")]
    assert catalog.files_called("a%py", 10) == catalog.files_called("", 10) == []


def test_totals_and_groups_count_indexed_files(catalog: Catalog) -> None:
    for path, language in (("a", "go"), ("b", "python"), ("c", "python")):
        add(catalog, path, language=language)
    catalog.add_file(record("d", skipped="binary"), b"", [], [])
    assert catalog.totals() == {"files": 3, "chunks": 6, "definitions": 3}
    assert list(catalog.group_counts("language").items()) == [("python", 2), ("go", 1)]
    assert catalog.group_counts("skipped", "skipped != ''") == {"binary": 1}


def test_conditions_select_indexed_files_and_chunks(catalog: Catalog) -> None:
    first = add(catalog, "a")
    catalog.add_file(record("b", skipped="binary"), b"", [], [])
    assert catalog.select_files("lines > ?", [0]) == [first]
    assert catalog.select_chunks("kind = ? AND path = ?", ["gap", "a"]) == [(first, 1)]


def test_more_ids_than_a_statement_takes_are_found(catalog: Catalog) -> None:
    with catalog.transaction(write=True):
        ids = [catalog.add_file(record(str(number)), b"", [], []) for number in range(1100)]
    assert sorted(catalog.files_by_id(ids)) == ids


def test_meta_comes_back_and_is_replaced_by_key(catalog: Catalog) -> None:
    catalog.set_meta({"root": os.fsdecode(b"/caf\xe9"), "generation": 1, "skipped": {"a": 1}})
    catalog.set_meta({"generation": 2})
    assert catalog.meta() == {"root": os.fsdecode(b"/caf\xe9"), "generation": 2, "skipped": {"a": 1}}
    assert catalog.version() == 0
    catalog.set_meta({"version": 7})
    assert catalog.version() == 7


def test_an_error_inside_a_transaction_leaves_nothing(catalog: Catalog) -> None:
    add(catalog, "kept")
    before = (catalog.files(), catalog.totals(), catalog.meta())
    with pytest.raises(KeyboardInterrupt), catalog.transaction(write=True):
        add(catalog, "new")
        catalog.remove_files([1])
        catalog.set_meta({"generation": 9})
        raise KeyboardInterrupt
    assert (catalog.files(), catalog.totals(), catalog.meta()) == before


def test_a_reader_sees_one_generation_while_another_is_written(catalog: Catalog) -> None:
    add(catalog, "a")
    reader = Catalog.open(catalog.path)
    with reader.transaction():
        assert reader.totals()["files"] == 1
        with catalog.transaction(write=True):
            add(catalog, "b")
            assert reader.totals()["files"] == 1
        assert reader.totals()["files"] == 1
    assert reader.totals()["files"] == 2
    reader.close()


def test_a_second_writer_is_told_that_the_index_is_busy(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUSY_MILLISECONDS", 10)
    other = Catalog.open(catalog.path)
    with catalog.transaction(write=True), pytest.raises(BusyIndexError), other.transaction(write=True):
        pytest.fail("two writers")  # pragma: no cover
    other.close()


def test_a_published_catalog_can_be_opened_and_checked(catalog: Catalog) -> None:
    add(catalog, "a")
    catalog.checkpoint()
    again = Catalog.open(catalog.path)
    again.verify()
    assert again.totals()["files"] == 1
    again.close()


def test_a_changed_chunk_does_not_match_its_checksum(catalog: Catalog) -> None:
    file_id = add(catalog, "a")
    with sqlite3.connect(catalog.path) as direct:
        direct.execute("UPDATE chunks SET end_line = 3 WHERE ordinal = 0")
    direct.close()
    with pytest.raises(DamagedIndexError, match="checksum"):
        catalog.chunks(file_id)


def test_a_text_that_does_not_unpack_is_damage(catalog: Catalog) -> None:
    file_id = catalog.add_file(record("a"), b"not compressed", [], [])
    with pytest.raises(DamagedIndexError):
        catalog.text(file_id)


def test_chunks_of_a_file_that_is_not_there_are_damage(catalog: Catalog) -> None:
    with pytest.raises(DamagedIndexError):
        catalog.chunks(12)


def test_what_is_no_catalog_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    with pytest.raises(DamagedIndexError, match="it has no catalog"):
        Catalog.open(path)
    assert not path.exists()
    path.write_bytes(b"")
    with pytest.raises(DamagedIndexError, match="not an index that this version can read"):
        Catalog.open(path)


def test_a_foreign_database_is_not_opened(tmp_path: Path) -> None:
    direct = sqlite3.connect(tmp_path / "foreign.db")
    direct.execute("CREATE TABLE files (path TEXT)")
    direct.commit()
    direct.close()
    before = (tmp_path / "foreign.db").read_bytes()
    with pytest.raises(DamagedIndexError, match="not an index") as caught:
        Catalog.open(tmp_path / "foreign.db")
    assert "--full" in caught.value.hint
    assert (tmp_path / "foreign.db").read_bytes() == before


def test_a_catalog_of_another_schema_is_not_opened(catalog: Catalog) -> None:
    direct = sqlite3.connect(catalog.path)
    direct.execute("PRAGMA user_version = 99")
    direct.close()
    with pytest.raises(DamagedIndexError, match="not an index that this version can read"):
        Catalog.open(catalog.path)


def test_overwritten_pages_are_found_by_a_check(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    made = Catalog.create(path)
    for number in range(200):
        add(made, f"a{number}.py")
    made.publish()
    made.close()
    data = bytearray(path.read_bytes())
    data[8192:-4096] = b"\x5a" * (len(data) - 12288)
    path.write_bytes(data)
    damaged = Catalog.open(path)
    with pytest.raises(DamagedIndexError):
        damaged.verify()
    damaged.close()


@pytest.mark.parametrize("kept", [10, 100, 5000])
def test_a_catalog_that_is_cut_off_is_damage(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "catalog.db"
    made = Catalog.create(path)
    for number in range(100):
        add(made, f"a{number}.py")
    made.publish()
    made.close()
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DamagedIndexError):
        opened = Catalog.open(path)
        try:
            opened.files()
            opened.verify()
        finally:
            opened.close()
