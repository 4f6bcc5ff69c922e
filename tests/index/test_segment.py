from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_conformance import answers, build, one
from store_corpus import ChunkDoc, FileDoc, unit

from clew.errors import DamagedIndexError
from clew.index.local import LocalStore
from clew.index.segment import ALIGNMENT, CHECKSUM, PREAMBLE, REQUIRED, VECTOR_ARRAYS, Segment
from clew.index.store import CHUNK_BITS, Int64s, StoreReader, Where

Table = dict[str, dict[str, Any]]


class Built:
    """A store with one small segment, and a way to replace the bytes of its file."""

    def __init__(self, directory: Path) -> None:
        self.store = LocalStore(directory)
        corpus = {n: self.file(n) for n in range(5)}
        self.manifest = build(self.store, corpus)
        self.name: str = self.manifest["segments"][0]["file"]
        self.path = directory / self.name
        self.content = self.path.read_bytes()
        self.expected = self.answers()

    def file(self, n: int) -> FileDoc:
        first = ChunkDoc({"alpha": n + 1, "beta": 1}, {"gamma": 1}, "class", unit([n + 1, 2, 3]))
        return FileDoc(f"d/{n}.py", (first, ChunkDoc({"测试": 2}, vector=unit([1, n, 9]))), {"d": 1, f"f{n}": 1})

    def replace(self, content: bytes) -> None:
        self.path.unlink()  # a mapped file must not change under its reader
        self.path.write_bytes(content)

    def answers(self) -> list[Any]:
        reader = self.store.reader(self.manifest)
        chunks = np.arange(5, dtype=np.int64) << CHUNK_BITS
        where = Where(files=np.array([1, 3]), chunks=chunks, kinds=frozenset({"class"}))
        found = [*answers(reader), reader.search_text("body", {"alpha": 1.0}, 3, where).ids.tolist()]
        found.append(reader.search_vectors(np.array([1, 0, 0], np.float32), 3, where).ids.tolist())
        return [*found, self.vectors(reader, chunks), reader.counts().chunks]

    def vectors(self, reader: StoreReader, chunks: Int64s) -> Any:
        try:
            stored = reader.vectors(chunks)
        except KeyError:  # a crafted file may hold other files than its manifest was made for
            return None
        return None if stored is None else stored.tolist()

    def verify(self) -> None:
        self.store.reader(self.manifest).verify()

    def table(self) -> tuple[Table, int]:
        _, _, _, offset, size = PREAMBLE.unpack_from(self.content)
        return json.loads(self.content[offset : offset + size]), offset

    def with_table(self, table: Any, text: bytes | None = None) -> bytes:
        """The file with another table and right checksums: a crafted file, not a damaged one."""
        magic, version, _, offset, _ = PREAMBLE.unpack_from(self.content)
        text = json.dumps(table).encode() if text is None else text
        preamble = PREAMBLE.pack(magic, version, zlib.crc32(text), offset, len(text))
        head: bytes = preamble + CHECKSUM.pack(zlib.crc32(preamble))
        return b"".join((head, self.content[len(head) : offset], text))

    def with_array(self, key: str, values: Any) -> bytes:
        """The file with other values in one array and right checksums."""
        table, _ = self.table()
        row = table[key]
        data = np.asarray(values, row["dtype"]).reshape(row["shape"]).tobytes()
        row["crc32"] = zlib.crc32(data)
        whole = self.with_table(table)
        return whole[: row["offset"]] + data + whole[row["offset"] + len(data) :]

    def array(self, key: str) -> np.ndarray:
        return Segment(self.path.parent, self.name).arrays[key].copy()


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return Built(tmp_path / "segments")


def only_damage(action: Callable[[], Any]) -> bool:
    """Run it; whether it found damage. Any other exception fails the test."""
    try:
        action()
    except DamagedIndexError as error:
        assert "damaged" in error.message
        return True
    return False


def test_an_intact_segment_passes_verification(built: Built) -> None:
    built.verify()


def test_every_array_is_aligned(built: Built) -> None:
    table, _ = built.table()
    assert set(table) == set(REQUIRED | VECTOR_ARRAYS)
    assert all(row["offset"] % ALIGNMENT == 0 for row in table.values())


def test_a_file_cut_anywhere_does_not_open(built: Built) -> None:
    for length in range(0, len(built.content), 7):
        built.replace(built.content[:length])
        with pytest.raises(DamagedIndexError, match=built.name):
            Segment(built.path.parent, built.name)


def test_a_file_with_bytes_added_does_not_open(built: Built) -> None:
    built.replace(built.content + b"\0")
    with pytest.raises(DamagedIndexError, match="size"):
        Segment(built.path.parent, built.name)


def test_a_flipped_byte_in_any_array_is_found_by_verification(built: Built) -> None:
    table, _ = built.table()
    for key, row in table.items():
        content = bytearray(built.content)
        content[row["offset"]] ^= 0x55
        built.replace(bytes(content))
        assert only_damage(built.verify), key


def test_a_flipped_byte_in_the_table_or_preamble_is_found_at_once(built: Built) -> None:
    _, offset = built.table()
    for place in [*range(PREAMBLE.size + CHECKSUM.size), *range(offset, len(built.content), 11)]:
        content = bytearray(built.content)
        content[place] ^= 0x20
        built.replace(bytes(content))
        with pytest.raises(DamagedIndexError, match=built.name):
            Segment(built.path.parent, built.name)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(flips=st.dictionaries(st.integers(0, 1 << 30), st.integers(1, 255), min_size=1, max_size=8))
def test_searching_a_damaged_file_fails_only_as_damaged_and_is_right_if_verification_passes(
    built: Built, flips: dict[int, int]
) -> None:
    content = bytearray(built.content)
    for place, mask in flips.items():
        content[place % len(content)] ^= mask
    built.replace(bytes(content))
    searched: list[Any] = []
    failed = only_damage(lambda: searched.extend(built.answers()))
    if not only_damage(built.verify):
        assert not failed
        assert searched == built.expected


@pytest.mark.parametrize("value", [0, 1, 0x7FFFFFFF, 0xFFFFFFFF])
@pytest.mark.parametrize("key", sorted(REQUIRED | VECTOR_ARRAYS))
def test_a_crafted_array_with_right_checksums_fails_only_as_damaged(built: Built, key: str, value: int) -> None:
    original = built.array(key)
    with np.errstate(over="ignore"):  # infinity, in float16
        values = np.full(original.shape, value, np.int64).astype(original.dtype)
    built.replace(built.with_array(key, values))
    only_damage(built.answers)
    only_damage(built.verify)
    only_damage(lambda: _rewrite(built))


def _rewrite(built: Built) -> None:
    writer = built.store.writer(built.manifest)
    writer.remove([0, 1, 2])
    writer.finish()


def test_merging_never_copies_damage_under_a_fresh_checksum(built: Built) -> None:
    table, _ = built.table()
    content = bytearray(built.content)
    content[table["body.counts"]["offset"]] ^= 1
    built.replace(bytes(content))
    with pytest.raises(DamagedIndexError, match=r"checksum of body\.counts"):
        _rewrite(built)


@pytest.mark.parametrize(
    "change",
    [
        {"offset": 1 << 40},
        {"offset": -64},
        {"offset": 65},
        {"offset": "64"},
        {"offset": True},
        {"shape": [1 << 60]},
        {"shape": [-1]},
        {"shape": [1, 1]},
        {"shape": []},
        {"shape": [1.5]},
        {"shape": None},
        {"dtype": "|O"},
        {"dtype": "<f8"},
        {"dtype": 7},
        {"crc32": "x"},
    ],
)
def test_a_crafted_table_row_does_not_open(built: Built, change: dict[str, Any]) -> None:
    for key in ("file_ids", "vectors", "body.rows"):
        table, _ = built.table()
        table[key] |= change
        built.replace(built.with_table(table))
        with pytest.raises(DamagedIndexError, match=built.name):
            Segment(built.path.parent, built.name)


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b"nul", b"[" * 100_000, b'{"file_ids": 1}', b"\xff\xfe"])
def test_a_crafted_table_of_another_form_does_not_open(built: Built, text: bytes) -> None:
    built.replace(built.with_table(None, text))
    with pytest.raises(DamagedIndexError, match=built.name):
        Segment(built.path.parent, built.name)


def test_a_table_with_arrays_of_other_lengths_does_not_open(built: Built) -> None:
    original, _ = built.table()
    for key, row in original.items():
        table = json.loads(json.dumps(original))
        table[key]["shape"][0] = max(0, row["shape"][0] - 1)
        if table[key]["shape"] == row["shape"]:
            continue
        built.replace(built.with_table(table))
        opened = not only_damage(lambda: Segment(built.path.parent, built.name))
        assert not opened or key in ("paths", "terms", "symbol.rows", "path.rows"), key
        only_damage(built.answers)
        assert only_damage(built.verify), key


@pytest.mark.skipif(os.name == "nt", reason="links and pipes as on POSIX")
def test_a_link_a_pipe_and_a_directory_are_not_opened(built: Built, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.bin"
    elsewhere.write_bytes(built.content)
    for make in (lambda: built.path.symlink_to(elsewhere), lambda: os.mkfifo(built.path), built.path.mkdir):
        if built.path.exists() or built.path.is_symlink():
            built.path.unlink()
        make()
        with pytest.raises(DamagedIndexError, match=built.name):
            Segment(built.path.parent, built.name)


def test_a_segment_without_terms_or_chunks_works(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    reader = store.reader(build(store, {1: FileDoc("a.py", ())}))
    reader.verify()
    assert not reader.search_text("path", {"alpha": 1.0}, 5).ids.size
    where = Where(chunks=np.array([1 << CHUNK_BITS]))
    assert not reader.search_vectors(np.array([1, 0, 0], np.float32), 5, where).ids.size


def test_terms_are_found_whatever_their_script(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    words = ["", "a", "ab", "b", "ß", "я", "测", "测试", "😀", "\udc80", "\uffff", "z" * 5000]
    reader = store.reader(build(store, {1: one(dict.fromkeys(words, 1))}))
    assert [reader.document_frequency("body", word) for word in words] == [1] * len(words)
    assert [reader.document_frequency("body", word) for word in ("aa", "c", "测试x", "\ud800")] == [0] * 4
