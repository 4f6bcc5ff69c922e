"""Killed writers, damaged files, folders that cannot be written: always an answer that is right or one clear error."""

from __future__ import annotations

import ctypes
import os
import random
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from engine_load import ask, counts, kill_rounds, mark_of, write_generation
from engine_tools import clew_run, engine, functions, indexed, linux_only, paths, static_model, texts, write

from clew import Answer, ClewError, DamagedIndexError, Engine, Hit
from clew.index import layout

KILLS = 6
FILES = 24


@linux_only
def test_a_killed_writer_leaves_a_whole_generation_and_the_next_run_repairs(root: Path, tmp_path: Path) -> None:
    rounds = list(kill_rounds(root, KILLS, FILES, seed=4))
    assert sum(each.struck for each in rounds) >= KILLS // 2
    with engine(root) as repaired, engine(root, index_dir=str(tmp_path / "fresh")) as fresh:
        fresh.index()
        assert counts(repaired) == counts(fresh)
        assert [hit.places for hit in ask(repaired, FILES).hits] == [hit.places for hit in ask(fresh, FILES).hits]


def test_what_a_killed_writer_left_is_removed_by_the_next_run(root: Path) -> None:
    with indexed(root, {"a.py": functions("alpha")}) as opened:
        build = layout.current(opened.index_path)
        assert build is not None
        (build / "segments" / f"tmp-{'0' * 32}.bin").write_bytes(b"half")
        (build / "segments" / f"seg-{'0' * 32}.bin").write_bytes(b"never listed")
        half = layout.new_build(opened.index_path)
        (half / "catalog.db").write_bytes(b"half")
        (opened.index_path / "writer.pid").write_text("1", encoding="ascii")
        write(root, {"b.py": functions("beta")})
        assert paths(opened.search("beta")) == ["b.py"]
        assert len(list(build.glob("segments/*"))) == 2
        assert [path for path in opened.index_path.glob("index-*")] == [build]
        assert not (opened.index_path / "writer.pid").exists()


# Damage


TREE = {
    "src/alpha.py": functions("alpha", "load_user"),
    "src/beta.py": functions("beta", "total_price"),
    "lib/gamma.go": "package lib\n\n// Gamma doubles.\nfunc Gamma(value int) int {\n\treturn value * 2\n}\n",
    "docs/delta.md": "# Delta\n\nHow delta is computed from the total.\n\n## More\n\nOther words.\n",
}
QUESTIONS = ("total_price", "how is delta computed", "Gamma", "src/alpha.py", "about load user")


@dataclass(frozen=True, slots=True)
class Sound:
    """An undamaged index, and what it answers."""

    root: Path
    model: str
    answers: dict[str, list[tuple[str, object]]]

    def open(self) -> Engine:
        return engine(self.root, embedder=self.model)

    def index_path(self) -> Path:
        return self.root / ".clew"

    def build(self) -> Path:
        path = layout.current(self.index_path())
        assert path is not None
        return path


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    base = tmp_path_factory.mktemp("sound")
    root = base / "project"
    root.mkdir()
    model = static_model(base / "model")
    with indexed(root, TREE, embedder=model) as opened:
        answers = {question: shown(opened.search(question)) for question in QUESTIONS}
    return Sound(root, model, answers)


@pytest.fixture
def sound(template: Sound) -> Iterator[Sound]:
    """The template; its index is put back afterwards."""
    kept = template.root.parent / "kept"
    shutil.copytree(template.index_path(), kept)
    yield template
    shutil.rmtree(template.index_path(), ignore_errors=True)
    kept.rename(template.index_path())


def shown(answer: Answer) -> list[tuple[str, object]]:
    return [(hit.path, hit.places) for hit in answer.hits]


def outcome(sound: Sound) -> str:
    """`right`, `error` (one clear line) or `wrong`. Any other exception fails the test."""
    try:
        with sound.open() as opened:
            for question in QUESTIONS:
                if shown(opened.search(question)) != sound.answers[question]:
                    return "wrong"
    except ClewError as error:
        assert "\n" not in error.message
        assert error.hint
        return "error"
    return "right"


def survives(sound: Sound, path: Path, damaged: bytes) -> str:
    """The outcome with this content of a file; nothing but a clear error or a right answer is acceptable."""
    path.write_bytes(damaged)
    found = outcome(sound)
    with sound.open() as opened:
        opened.status()
        opened.index_health()
    return found


def flips(content: bytes, every: int) -> Iterator[tuple[int, bytes]]:
    for offset in range(0, len(content), every):
        yield offset, content[:offset] + bytes([content[offset] ^ 0xFF]) + content[offset + 1 :]


def test_a_flipped_byte_in_the_catalog_is_an_error_or_changes_nothing(sound: Sound) -> None:
    path = sound.build() / "catalog.db"
    content = path.read_bytes()
    wrong = [offset for offset, bad in flips(content, 97) if survives(sound, path, bad) == "wrong"]
    assert wrong == []


def test_a_flipped_byte_in_a_segment_is_an_error_or_changes_nothing(sound: Sound) -> None:
    path = next(sound.build().glob("segments/*.bin"))
    content = path.read_bytes()
    wrong = [offset for offset, bad in flips(content, 97) if survives(sound, path, bad) == "wrong"]
    assert wrong == []


def test_a_flipped_byte_in_the_pointer_is_an_error(sound: Sound) -> None:
    path = sound.index_path() / "current"
    content = path.read_bytes()
    for _, bad in flips(content, 1):
        assert survives(sound, path, bad) == "error"


def test_a_flipped_byte_in_the_vector_cache_changes_nothing(sound: Sound) -> None:
    path = sound.index_path() / "vectors.db"
    content = path.read_bytes()
    for _, bad in flips(content, 797):
        assert survives(sound, path, bad) == "right"
        with sound.open() as opened:
            opened.index(full=True)
            assert shown(opened.search(QUESTIONS[0])) == sound.answers[QUESTIONS[0]]
