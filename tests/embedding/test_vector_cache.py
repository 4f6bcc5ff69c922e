from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.embedding import VectorCache, embed_with_cache, text_hash, unit_rows
from clew.errors import ModelError

DAY = 86_400.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "vectors.sqlite"


@pytest.fixture
def cache(path: Path) -> Iterator[VectorCache]:
    with VectorCache(path) as opened:
        yield opened


def some(count: int, dimension: int = 8, seed: int = 1) -> tuple[list[bytes], np.ndarray]:
    rows = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return [text_hash(f"{seed} {i}") for i in range(count)], unit_rows(rows)


def texts(count: int) -> list[str]:
    return [f"get user {i} by id" for i in range(count)]


def test_a_kept_vector_comes_back(cache: VectorCache) -> None:
    hashes, vectors = some(2000)
    cache.put_many("e", hashes, vectors)
    found = cache.get_many("e", [*hashes, text_hash("unknown")])
    assert sorted(found) == sorted(hashes)
    assert np.allclose(np.stack([found[key] for key in hashes]), vectors, atol=1e-3)
    assert np.allclose(np.linalg.norm(np.stack(list(found.values())), axis=1), 1, atol=1e-6)


def test_vectors_of_two_models_never_mix(cache: VectorCache) -> None:
    hashes, vectors = some(3)
    cache.put_many("one", hashes, vectors)
    assert cache.get_many("two", hashes) == {}
    cache.put_many("two", hashes, -vectors)
    assert np.allclose(cache.get_many("one", hashes)[hashes[0]], vectors[0], atol=1e-3)


def test_the_cache_outlives_the_process(path: Path) -> None:
    hashes, vectors = some(5)
    with VectorCache(path) as first:
        first.put_many("e", hashes, vectors)
    with VectorCache(path) as second:
        assert len(second.get_many("e", hashes)) == 5
        assert second.notes == []


def test_a_text_embedded_before_is_not_embedded_again(cache: VectorCache, counting: Any) -> None:
    first, computed = embed_with_cache(counting, cache, texts(50))
    again, computed_again = embed_with_cache(counting, cache, texts(50))
    assert (computed, computed_again) == (50, 0)
    assert sum(counting.blocks) == 50
    assert np.array_equal(first, again)


def test_only_the_changed_text_is_embedded(cache: VectorCache, counting: Any) -> None:
    embed_with_cache(counting, cache, texts(50))
    _, computed = embed_with_cache(counting, cache, [*texts(50), "parse config"])
    assert computed == 1


def test_equal_texts_are_embedded_once(cache: VectorCache, counting: Any) -> None:
    vectors, computed = embed_with_cache(counting, cache, ["read file", "get", "read file", "read file"])
    assert computed == sum(counting.blocks) == 2
    assert np.array_equal(vectors[0], vectors[2])
    assert np.array_equal(vectors[0], vectors[3])
    assert not np.array_equal(vectors[0], vectors[1])


def test_without_a_cache_the_vectors_are_the_same(cache: VectorCache, counting: Any) -> None:
    cached, _ = embed_with_cache(counting, cache, ["read file", "", "read file"])
    plain, computed = embed_with_cache(counting, None, ["read file", "", "read file"])
    assert np.array_equal(cached, plain)
    assert computed == 2
    assert not plain[1].any()


def test_no_texts_cost_nothing(cache: VectorCache, counting: Any) -> None:
    vectors, computed = embed_with_cache(counting, cache, [])
    assert vectors.shape == (0, counting.dimension)
    assert computed == 0
    assert counting.blocks == []


def test_texts_are_embedded_in_blocks(cache: VectorCache, counting: Any) -> None:
    embed_with_cache(counting, cache, texts(10), block=4)
    assert counting.blocks == [4, 4, 2]


def test_lone_surrogates_have_a_key(cache: VectorCache, counting: Any) -> None:
    _, computed = embed_with_cache(counting, cache, ["get \udc80", "get \udc81"])
    assert computed == 2


class BrokenEmbedder:
    identity, dimension = "broken", 4

    def embed_documents(self, texts: Any) -> np.ndarray:
        return np.full((len(texts), 4), np.nan, dtype=np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        return np.zeros(4, dtype=np.float32)


def test_values_that_are_no_numbers_are_never_kept(cache: VectorCache) -> None:
    with pytest.raises(ModelError, match="broken"):
        embed_with_cache(BrokenEmbedder(), cache, ["a"])
    assert cache.get_many("broken", [text_hash("a")]) == {}


KILLED = """
import sys, pathlib, time
from clew.embedding import VectorCache, embed_with_cache, open_static
class Slow:
    def __init__(self, inner): self.inner, self.identity, self.dimension = inner, inner.identity, inner.dimension
    def embed_documents(self, texts):
        print("block", flush=True); sys.stdin.readline()
        return self.inner.embed_documents(texts)
texts = [f"get user {i} by id" for i in range(40)]
embed_with_cache(Slow(open_static(pathlib.Path(sys.argv[1]))), VectorCache(pathlib.Path(sys.argv[2])), texts, block=10)
"""


def test_a_killed_run_loses_at_most_the_last_block(path: Path, model: Path, counting: Any) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(model), str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    for go in (True, True, False):  # two blocks done, the third begun
        assert child.stdout.readline() == "block\n"
        if go:
            child.stdin.write("\n")
            child.stdin.flush()
    os.kill(child.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    child.communicate()
    with VectorCache(path) as cache:
        _, computed = embed_with_cache(counting, cache, texts(40))
        assert computed == 20
        assert cache.notes == []


WRITER = """
import sys, pathlib
import numpy as np
from clew.embedding import VectorCache, text_hash
who = sys.argv[2]
with VectorCache(pathlib.Path(sys.argv[1])) as cache:
    print("ready", flush=True); sys.stdin.readline()
    for block in range(30):
        hashes = [text_hash(f"{who} {block} {i}") for i in range(20)] + [text_hash(f"shared {block}")]
        cache.put_many("e", hashes, np.eye(21, 32, dtype=np.float32))
    print(cache.notes)
"""


def test_two_processes_put_at_once(path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(path)]
    children = [
        subprocess.Popen([*command, who], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        for who in ("a", "b")
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    outputs = [child.communicate("\n")[0] for child in _started(children)]
    assert outputs == ["[]\n", "[]\n"]
    wanted = [text_hash(f"{who} {block} {i}") for who in "ab" for block in range(30) for i in range(20)]
    with VectorCache(path) as cache:
        assert len(cache.get_many("e", wanted)) == len(wanted)
        assert len(cache.get_many("e", [text_hash(f"shared {block}") for block in range(30)])) == 30


def _started(children: list[subprocess.Popen[str]]) -> list[subprocess.Popen[str]]:
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    return children


def filled(path: Path, count: int = 500) -> tuple[list[bytes], np.ndarray]:
    hashes, vectors = some(count, dimension=64)
    with VectorCache(path) as cache:
        cache.put_many("e", hashes, vectors)
    return hashes, vectors


@pytest.mark.parametrize("content", [b"this is not a database" * 100, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_file_that_is_no_database_is_made_anew_with_a_note(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    hashes, vectors = some(3)
    with VectorCache(path) as cache:
        assert len(cache.notes) == 1
        assert str(path) in cache.notes[0]
        cache.put_many("e", hashes, vectors)
    with VectorCache(path) as cache:
        assert cache.notes == []
        assert len(cache.get_many("e", hashes)) == 3


def test_pages_overwritten_later_are_noticed_in_use_and_the_cache_made_anew(path: Path) -> None:
    hashes, vectors = filled(path)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    with VectorCache(path) as cache:
        assert cache.get_many("e", hashes) == {}
        cache.put_many("e", hashes, vectors)
        assert len(cache.get_many("e", hashes)) == len(hashes)
        assert len(cache.notes) == 1


def test_a_truncated_cache_gives_no_wrong_vector_and_can_be_used(path: Path) -> None:
    hashes, vectors = filled(path)
    os.truncate(path, path.stat().st_size // 2)
    with VectorCache(path) as cache:
        for key, vector in cache.get_many("e", hashes).items():
            assert np.allclose(vector, vectors[hashes.index(key)], atol=1e-3)
        cache.put_many("e", hashes, vectors)
        assert len(cache.get_many("e", hashes)) == len(hashes)


def test_a_flipped_byte_in_a_vector_is_a_miss_and_not_a_wrong_vector(path: Path) -> None:
    hashes, vectors = filled(path, count=1)
    blob = vectors[0].astype(np.float16).tobytes()
    data = bytearray(path.read_bytes())
    data[data.index(blob) + 1] ^= 0x10
    path.write_bytes(data)
    with VectorCache(path) as cache:
        assert cache.get_many("e", hashes) == {}
        cache.put_many("e", hashes, vectors)
        assert len(cache.get_many("e", hashes)) == 1


def test_a_database_of_another_schema_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    foreign = sqlite3.connect(path)
    foreign.execute("CREATE TABLE vectors (precious TEXT)")
    foreign.execute("INSERT INTO vectors VALUES ('kept')")
    foreign.commit()
    foreign.close()
    hashes, vectors = some(3)
    with VectorCache(path) as cache:
        cache.put_many("e", hashes, vectors)
        assert len(cache.get_many("e", hashes)) == 3
        assert len(cache.notes) == 1
    foreign = sqlite3.connect(path)
    assert foreign.execute("SELECT precious FROM vectors").fetchall() == [("kept",)]
    foreign.close()


def test_columns_of_unexpected_types_are_misses(path: Path) -> None:
    hashes, _ = filled(path, count=4)
    db = sqlite3.connect(path)
    db.execute("UPDATE vectors SET used = 'yesterday', vector = 'text' WHERE id = 1")
    db.execute("UPDATE vectors SET vector = 12 WHERE id = 2")
    db.execute("UPDATE vectors SET vector = zeroblob(1000000) WHERE id = 3")
    db.commit()
    db.close()
    with VectorCache(path) as cache:
        assert list(cache.get_many("e", hashes)) == [hashes[3]]


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_a_link_out_of_the_folder_is_not_followed(path: Path, tmp_path: Path, suffix: str) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"precious")
    path.parent.mkdir()
    path.with_name(path.name + suffix).symlink_to(outside)
    with VectorCache(path) as cache:
        cache.put_many("e", *some(3))
    assert outside.read_bytes() == b"precious"
    assert not path.is_symlink()


def test_a_cache_that_cannot_be_opened_is_out_of_use_with_a_note(tmp_path: Path, counting: Any) -> None:
    (tmp_path / "file").write_bytes(b"")
    with VectorCache(tmp_path / "file" / "vectors.sqlite") as cache:
        vectors, computed = embed_with_cache(counting, cache, texts(3))
        assert computed == 3
        assert vectors.any()
        assert len(cache.notes) == 1


def test_a_cache_removed_while_open_does_no_harm(path: Path) -> None:
    hashes, vectors = some(10)
    with VectorCache(path) as cache:
        cache.put_many("e", hashes, vectors)
        shutil.rmtree(path.parent)
        cache.put_many("e", hashes, vectors)
    with VectorCache(path) as cache:
        cache.put_many("e", hashes, vectors)
        assert len(cache.get_many("e", hashes)) == 10


def test_a_trim_removes_what_was_unused_for_longest(path: Path) -> None:
    now = [0.0]
    old, old_vectors = some(300, dimension=256, seed=1)
    new, new_vectors = some(300, dimension=256, seed=2)
    with VectorCache(path, clock=lambda: now[0]) as cache:
        cache.put_many("e", old, old_vectors)
        now[0] = 10 * DAY
        cache.put_many("e", new, new_vectors)
        now[0] = 20 * DAY
        cache.get_many("e", old[:50])
        assert cache.trim(250_000) > 0
        kept = set(cache.get_many("e", [*old, *new]))
        assert set(old[:50]) <= kept
        assert not set(old[50:]) & kept
        assert set(new) & kept
    assert path.stat().st_size <= 250_000


def test_a_cache_within_bounds_is_not_trimmed(path: Path) -> None:
    with VectorCache(path, max_bytes=1 << 20) as cache:
        hashes, vectors = some(100)
        cache.put_many("e", hashes, vectors)
        assert cache.trim() == 0
        assert len(cache.get_many("e", hashes)) == 100
