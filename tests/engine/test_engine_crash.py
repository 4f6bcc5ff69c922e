"""Killed writers, damaged files, folders that cannot be written: always an answer that is right or one clear error."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from engine_load import ask, contents, counts, kill_rounds
from engine_tools import clew_run, engine, functions, indexed, linux_only, paths, static_model, write

from clew import Answer, ClewError, Engine
from clew.index import layout

KILLS = 6
FILES = 24


@linux_only
def test_a_killed_writer_leaves_a_whole_generation_and_the_next_run_repairs(root: Path, tmp_path: Path) -> None:
    rounds = list(kill_rounds(root, KILLS, FILES, seed=4))
    assert sum(each.struck for each in rounds) == KILLS
    with engine(root) as repaired, engine(root, index_dir=str(tmp_path / "fresh")) as fresh:
        fresh.index()
        assert counts(repaired) == counts(fresh)
        assert contents(repaired) == contents(fresh)
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
        assert list(opened.index_path.glob("index-*")) == [build]
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
    """An undamaged index, and what it answers. `put_back` undoes all damage."""

    root: Path
    model: str
    answers: dict[str, list[tuple[str, object]]]

    @property
    def index_path(self) -> Path:
        return self.root / ".clew"

    @property
    def catalog(self) -> Path:
        return next(self.index_path.glob("index-*/catalog.db"))

    @property
    def segment(self) -> Path:
        return next(self.index_path.glob("index-*/segments/*.bin"))

    def open(self) -> Engine:
        return engine(self.root, embedder=self.model, workers=1)

    def put_back(self) -> None:
        shutil.rmtree(self.index_path, ignore_errors=True)
        shutil.copytree(self.root.parent / "kept", self.index_path)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    base = tmp_path_factory.mktemp("sound")
    root = base / "project"
    root.mkdir()
    model = static_model(base / "model")
    with indexed(root, TREE, embedder=model) as opened:
        answers = {question: shown(opened.search(question)) for question in QUESTIONS}
    shutil.copytree(root / ".clew", base / "kept")
    return Sound(root, model, answers)


@pytest.fixture
def sound(template: Sound) -> Sound:
    template.put_back()
    return template


def shown(answer: Answer) -> list[tuple[str, object]]:
    return [(hit.path, hit.places) for hit in answer.hits]


def outcome(sound: Sound) -> str:
    """`right`, `announced` (not up to date, and says so), `wrong`, or the code of the one clear error.

    Any other exception fails the test.
    """
    try:
        with sound.open() as opened:
            opened.status()
            opened.index_health()
            answers = {question: opened.search(question) for question in QUESTIONS}
    except ClewError as error:
        assert "\n" not in error.message
        assert error.hint
        return error.code
    if any(answer.freshness.state == "stale" for answer in answers.values()):
        assert all(answer.freshness.message for answer in answers.values())
        return "announced"
    return "right" if all(shown(answers[each]) == sound.answers[each] for each in QUESTIONS) else "wrong"


def outcomes(sound: Sound, path: Path, contents: Iterable[bytes]) -> set[str]:
    """What comes of each content of a file of the index."""
    found = set()
    for content in contents:
        path.write_bytes(content)
        found.add(outcome(sound))
        sound.put_back()
    return found


def flipped(content: bytes, count: int, seed: int = 1) -> Iterator[bytes]:
    """The content with one byte changed, at offsets spread at random."""
    for offset in random.Random(seed).sample(range(len(content)), min(count, len(content))):
        yield content[:offset] + bytes([content[offset] ^ 0xFF]) + content[offset + 1 :]


def cut(content: bytes) -> Iterator[bytes]:
    """The content without its end."""
    for length in (0, 1, 15, 16, 100, len(content) // 2, len(content) - 1):
        yield content[:length]


SOUND_OUTCOMES = {"right", "announced", "index_damaged"}


def test_a_flipped_byte_in_the_catalog_is_an_error_or_changes_nothing(sound: Sound) -> None:
    content = sound.catalog.read_bytes()
    assert outcomes(sound, sound.catalog, flipped(content, 50)) <= SOUND_OUTCOMES


def test_a_flipped_byte_in_a_segment_is_an_error_or_changes_nothing(sound: Sound) -> None:
    content = sound.segment.read_bytes()
    assert outcomes(sound, sound.segment, flipped(content, 120)) <= SOUND_OUTCOMES


def test_a_flipped_byte_in_a_large_segment_is_found_by_the_doctor(
    sound: Sound, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.index.session.CHECKED_BYTES", -1)
    content = sound.segment.read_bytes()
    for bad in flipped(content, 40):
        sound.segment.write_bytes(bad)
        with sound.open() as opened:
            states = [check.state for check in opened.index_health()]
        # Between two arrays there is padding, which means nothing.
        assert "broken" in states or outcome(sound) == "right"


def test_a_flipped_byte_in_the_pointer_is_an_error(sound: Sound) -> None:
    content = (sound.index_path / "current").read_bytes()
    assert outcomes(sound, sound.index_path / "current", flipped(content, len(content))) == {"index_damaged"}


def test_damage_to_the_vector_cache_never_changes_an_answer(sound: Sound) -> None:
    path = sound.index_path / "vectors.db"
    content = path.read_bytes()
    assert outcomes(sound, path, [*flipped(content, 5), *cut(content), b"text"]) == {"right"}
    for bad in (*flipped(content, 2), content[: len(content) // 2], b"text"):
        path.write_bytes(bad)
        with sound.open() as opened:
            opened.index(full=True)
        assert outcome(sound) == "right"


NOT_META = ["null", "[]", "{}", '"text"', "-1", "1.5", "1e400", "true", '{"a": []}', "[[]]", "{", "[" * 2000]


def test_any_value_in_the_place_of_what_the_catalog_says_of_its_generation_is_an_error_or_changes_nothing(
    sound: Sound,
) -> None:
    with contextlib.closing(sqlite3.connect(sound.catalog)) as database:
        keys = [key for (key,) in database.execute("SELECT key FROM meta")]
    assert "manifest" in keys
    for key in keys:
        for value in NOT_META:
            with contextlib.closing(sqlite3.connect(sound.catalog)) as database, database:
                database.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))
            assert outcome(sound) in SOUND_OUTCOMES, (key, value)
            sound.put_back()


def test_an_index_run_rebuilds_what_turns_out_to_be_damaged_on_the_way(sound: Sound) -> None:
    with contextlib.closing(sqlite3.connect(sound.catalog)) as database:
        (page,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'files'").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    content = sound.catalog.read_bytes()
    sound.catalog.write_bytes(content[: (page - 1) * size] + b"\xff" * size + content[page * size :])
    with sound.open() as opened:
        report = opened.index()
        assert any("rebuilding the index: it is damaged" in note for note in report.notes)
        assert report.generation == 2
    assert outcome(sound) == "right"


@pytest.mark.parametrize("name", ["catalog", "segment"])
def test_a_file_without_its_end_is_an_error(sound: Sound, name: str) -> None:
    path: Path = getattr(sound, name)
    assert outcomes(sound, path, cut(path.read_bytes())) == {"index_damaged"}


def foreign_database(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.executescript("CREATE TABLE meta (key TEXT, value TEXT); INSERT INTO meta VALUES ('generation', '1');")


def replaced_by_folder(path: Path) -> None:
    path.mkdir()
    (path / "inner").write_text("x", encoding="ascii")


def outside(path: Path) -> Path:
    """A file that is no part of the index, and whose content the answers show."""
    return next(folder for folder in path.parents if folder.name == "project") / "src" / "alpha.py"


FOREIGN: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: None,
    "a text": lambda path: path.write_text("not an index\n" * 20, encoding="ascii"),
    "another database": foreign_database,
    "a folder": replaced_by_folder,
    "a pipe": lambda path: os.mkfifo(path),
    "a link out": lambda path: path.symlink_to(outside(path)),
    "a link to itself": lambda path: path.symlink_to(path.name),
}


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links")
@pytest.mark.parametrize("what", FOREIGN)
@pytest.mark.parametrize("name", ["catalog", "segment"])
def test_something_else_in_the_place_of_a_file_is_an_error_and_the_next_index_rebuilds(
    sound: Sound, name: str, what: str
) -> None:
    path: Path = getattr(sound, name)
    path.unlink()
    FOREIGN[what](path)
    assert outcome(sound) == "index_damaged"
    with sound.open() as opened:
        assert (opened.status().error or "").startswith("index_damaged:")
        report = opened.index()
        assert any("rebuilding the index" in note for note in report.notes)
        assert report.embedded == 0
    assert outcome(sound) == "right"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links")
@pytest.mark.parametrize("what", ["a text", "another database", "a folder", "a pipe", "a link out", "a link to itself"])
def test_something_else_in_the_place_of_the_pointer_is_an_error_and_the_next_index_rebuilds(
    sound: Sound, what: str
) -> None:
    path = sound.index_path / "current"
    path.unlink()
    FOREIGN[what](path)
    assert outcome(sound) == "index_damaged"
    with sound.open() as opened:
        opened.index()
    assert outcome(sound) == "right"


# A hostile clone may bring an index folder: what lies in it must neither block nor lead out of it.
@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links")
@pytest.mark.parametrize("what", [name for name in FOREIGN if name != "nothing"])
def test_something_else_in_the_place_of_the_helper_files_neither_blocks_nor_leads_out(sound: Sound, what: str) -> None:
    for name in ("vectors.db", "writer.lock", "writer.pid", "current.new", ".gitignore"):
        path = sound.index_path / name
        path.unlink(missing_ok=True)
        FOREIGN[what](path)
    assert outcome(sound) == "right"
    with sound.open() as opened:
        opened.index(full=True)
    assert outcome(sound) == "right"
    assert (sound.root / "src" / "alpha.py").read_text(encoding="utf-8") == TREE["src/alpha.py"]


def test_an_index_folder_without_a_pointer_is_a_missing_index(sound: Sound) -> None:
    (sound.index_path / "current").unlink()
    assert outcome(sound) == "no_index"
    with sound.open() as opened:
        assert not opened.status().exists
        opened.index()
    assert outcome(sound) == "right"


def test_a_damaged_index_is_one_line_of_the_command_and_of_its_doctor(sound: Sound) -> None:
    sound.catalog.write_bytes(b"not a database" * 100)
    env = {"CLEW_EMBEDDER": sound.model}
    for words, told in ((["search", "total"], '"index_damaged"'), (["doctor"], '"broken"')):
        done = clew_run(sound.root, *words, env=env)
        assert (done.returncode, done.stderr) == (1, "")
        assert told in done.stdout
    assert clew_run(sound.root, "index", env=env).returncode == 0
    assert outcome(sound) == "right"


def test_a_damaged_model_is_one_clear_error(sound: Sound) -> None:
    table = Path(sound.model) / "table.npy"
    content = table.read_bytes()
    try:
        for bad in (*flipped(content, 3), *cut(content)):
            table.write_bytes(bad)
            assert outcome(sound) == "model"
    finally:
        table.write_bytes(content)


# Folders and files that may not be touched


def without_privileges() -> None:
    """Give up the administrator's right to pass over permissions; runs in the child, before it becomes clew."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


@pytest.fixture
def as_user() -> dict[str, Any]:
    """Options that make a command heed permissions, also where the tests run as the administrator."""
    if sys.platform == "win32" or (os.geteuid() == 0 and sys.platform != "linux"):
        pytest.skip("permissions cannot be tested here")
    return {"preexec_fn": without_privileges} if os.geteuid() == 0 else {}


@contextlib.contextmanager
def mode(path: Path, bits: int) -> Iterator[None]:
    before = path.stat().st_mode
    path.chmod(bits)
    try:
        yield
    finally:
        path.chmod(before)


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    everything = [folder, *folder.rglob("*")]
    with contextlib.ExitStack() as stack:
        for path in everything:
            stack.enter_context(mode(path, 0o555 if path.is_dir() else 0o444))
        yield


def test_a_file_that_may_not_be_read_is_counted_and_the_rest_is_indexed(root: Path, as_user: dict[str, Any]) -> None:
    write(root, {"a.py": functions("alpha"), "closed.py": functions("beta")})
    with mode(root / "closed.py", 0):
        report = json.loads(clew_run(root, "index", **as_user).stdout)
    assert (report["files"]["indexed"], report["files"]["failed"]) == (1, 1)
    assert report["failures"] == [{"path": "closed.py", "reason": "Permission denied"}]
    found = json.loads(clew_run(root, "search", "beta").stdout)  # it may be read now
    assert found["hits"][0]["path"] == "closed.py"


def test_a_folder_that_may_not_be_listed_is_counted(root: Path, as_user: dict[str, Any]) -> None:
    write(root, {"a.py": functions("alpha"), "closed/b.py": functions("beta")})
    with mode(root / "closed", 0):
        report = json.loads(clew_run(root, "index", **as_user).stdout)
    assert (report["files"]["indexed"], report["skipped_reasons"]) == (1, {"unreadable": 1})


def test_an_indexed_file_that_may_not_be_read_any_more_is_marked_stale(root: Path, as_user: dict[str, Any]) -> None:
    with indexed(root, {"a.py": functions("alpha")}):
        pass
    write(root, {"a.py": functions("omega")})
    with mode(root / "a.py", 0):
        found = json.loads(clew_run(root, "search", "alpha", **as_user).stdout)
    assert [(hit["path"], hit["stale"]) for hit in found["hits"]] == [("a.py", True)]


def test_an_index_that_may_not_be_written_is_searched_or_refused_in_one_line(
    root: Path, as_user: dict[str, Any]
) -> None:
    with indexed(root, {"a.py": functions("alpha")}):
        pass
    with read_only(root / ".clew"):
        done = clew_run(root, "search", "alpha", **as_user)
        assert_answered_or_refused(done)
        write(root, {"b.py": functions("beta")})
        assert_answered_or_refused(clew_run(root, "search", "alpha", **as_user))
        refused = clew_run(root, "index", "--no-json", **as_user)
        assert refused.returncode == 1
        assert "cannot write" in refused.stderr
        assert len(refused.stderr.splitlines()) <= 2


def assert_answered_or_refused(done: subprocess.CompletedProcess[str]) -> None:
    document = json.loads(done.stdout)
    assert done.stderr == ""
    if done.returncode:
        assert document["error"]["code"] not in ("internal", "system", "index_damaged"), document
    else:
        assert [hit["path"] for hit in document["hits"]] == ["a.py"]


def test_a_root_that_may_not_be_written_is_told_in_one_line(root: Path, as_user: dict[str, Any]) -> None:
    write(root, {"a.py": functions("alpha")})
    with mode(root, 0o555):
        done = clew_run(root, "index", "--no-json", **as_user)
    assert done.returncode == 1
    assert "CLEW_INDEX_DIR" in done.stderr


def test_a_full_disk_is_one_clear_error_and_the_old_generation_stays(root: Path) -> None:
    resource = pytest.importorskip("resource")
    with indexed(root, {"a.py": functions("alpha")}):
        pass
    write(root, {f"big{number}.py": functions(*(f"name{number}x{part}" for part in range(200))) for number in range(9)})

    def limit_file_size() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then writes fail, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = clew_run(root, "index", "--no-json", preexec_fn=limit_file_size)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "damaged" not in done.stderr
    with engine(root, refresh_seconds=0) as opened:
        assert paths(opened.search("alpha")) == ["a.py"]
    with engine(root) as opened:
        assert opened.index().files.indexed == 9
