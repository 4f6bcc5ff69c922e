"""Several processes and threads on one index: nobody waits for the writer, nobody sees half of its work."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from engine_load import ask, mark_of, readers_and_writer, write_generation
from engine_tools import clew_run, engine, functions, indexed, paths, texts, write

from clew import Answer, BusyIndexError, ClewError, IndexReport
from clew.index.catalog import Catalog

FILES = 6


def test_two_readers_and_a_writer_never_wait_nor_mix_generations(root: Path) -> None:
    readings, runs = readers_and_writer(root, seconds=5.0, files=FILES)
    assert [reading.errors for reading in readings] == [[], []]
    assert runs >= 2
    assert min(len(reading.marks) for reading in readings) >= 2, "no reader saw more than one generation"
    assert min(reading.answers for reading in readings) > runs
    both = [generation for generation in readings[0].marks if generation in readings[1].marks]
    assert all(readings[0].marks[each] == readings[1].marks[each] for each in both)
    assert max(reading.slowest for reading in readings) < 3.0


def test_a_search_is_answered_from_the_old_generation_while_the_writer_holds_its_transaction(root: Path) -> None:
    write_generation(root, 0, FILES)
    with engine(root) as writer, engine(root, refresh_seconds=0) as reader:
        writer.index()
        write_generation(root, 1, FILES)
        answers: list[Answer] = []

        def meanwhile(stage: str, done: int, total: int) -> None:
            answers.append(ask(reader, FILES))

        writer.index(progress=meanwhile)
        assert {mark_of(answer, FILES) for answer in answers} == {"mark0"}
        assert mark_of(ask(reader, FILES), FILES) == "mark1"


def test_a_search_that_would_catch_up_says_that_another_process_is_indexing(root: Path) -> None:
    write_generation(root, 0, FILES)
    with engine(root) as writer, engine(root, refresh_seconds=60) as reader:
        writer.index()
        write_generation(root, 1, FILES)
        answers: list[Answer] = []

        def meanwhile(stage: str, done: int, total: int) -> None:
            answers.append(ask(reader, FILES))

        writer.index(progress=meanwhile)
        assert {answer.freshness.state for answer in answers} == {"indexing"}
        assert {mark_of(answer, FILES) for answer in answers} == {"mark0"}
        assert all(hit.stale for hit in answers[0].hits)


def test_a_generation_that_is_replaced_while_it_is_being_opened_is_no_damage(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.index.catalog.BUSY_MILLISECONDS", 50)  # the writer waits for a reader of its own thread
    write_generation(root, 0, FILES)
    with engine(root) as writer, engine(root, refresh_seconds=0) as reader:
        writer.index()
        ask(reader, FILES)
        write_generation(root, 1, FILES)
        writer.index()
        read_meta = Catalog.meta

        def then_replaced(catalog: Catalog) -> dict[str, Any]:
            found = read_meta(catalog)
            monkeypatch.setattr(Catalog, "meta", read_meta)
            write_generation(root, 2, FILES)
            writer.index()  # removes the segments that the reader is about to open
            return found

        monkeypatch.setattr(Catalog, "meta", then_replaced)
        assert mark_of(ask(reader, FILES), FILES) == "mark2"


def test_a_rebuild_does_not_disturb_a_reader_of_the_old_index(root: Path) -> None:
    write_generation(root, 0, FILES)
    with engine(root) as writer, engine(root, refresh_seconds=0) as reader:
        writer.index()
        answers: list[Answer] = [ask(reader, FILES)]
        writer.index(full=True, progress=lambda *_: answers.append(ask(reader, FILES)))
        answers.append(ask(reader, FILES))
        assert len({tuple(paths(answer)) for answer in answers}) == 1


def test_threads_share_one_engine(root: Path) -> None:
    files = {f"{name}.py": functions(name) for name in ("alpha", "beta", "gamma", "delta")}
    with indexed(root, files) as opened:
        wrong: list[str] = []

        def search(name: str) -> None:
            for _ in range(20):
                found = paths(opened.search(name))
                if found != [f"{name}.py"]:
                    wrong.append(f"{name}: {found}")

        threads = [threading.Thread(target=search, args=(name[:-3],)) for name in files for _ in range(2)]
        for thread in threads:
            thread.start()
        opened.index(full=True)
        for thread in threads:
            thread.join()
        assert wrong == []


def test_two_engines_that_catch_up_at_once_both_answer(root: Path) -> None:
    with indexed(root, {"a.py": functions("alpha")}):
        pass
    write(root, {"a.py": functions("novel")})
    answers: list[Answer] = []

    def search() -> None:
        with engine(root) as opened:
            answers.append(opened.search("novel alpha"))

    threads = [threading.Thread(target=search) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4
    for answer in answers:
        assert paths(answer) == ["a.py"]
        assert answer.freshness.state in ("fresh", "refreshed", "indexing")
        if answer.freshness.state == "indexing":
            assert answer.hits[0].stale
        else:
            assert "def novel" in texts(answer)


def test_two_index_runs_at_once_both_succeed_one_after_the_other(root: Path) -> None:
    write(root, {f"m{number}.py": functions("alpha") for number in range(40)})
    reports: list[IndexReport] = []

    def run() -> None:
        with engine(root) as opened:
            reports.append(opened.index())

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(report.files.indexed for report in reports) == [0, 40]
    assert len({report.generation for report in reports}) == 1


@pytest.mark.parametrize("what", ["root", "index"])
def test_a_tree_that_vanishes_under_searches_is_one_clear_error(root: Path, what: str) -> None:
    files = {f"d{number}/m.py": functions("alpha", f"name{number}") for number in range(100)}
    with indexed(root, files, refresh_seconds=60) as opened:
        victim = root if what == "root" else opened.index_path

        def remove() -> None:
            while victim.exists():  # a search that catches up may put a file back
                shutil.rmtree(victim, ignore_errors=True)

        remover = threading.Thread(target=remove)
        remover.start()
        with pytest.raises(ClewError) as raised:
            while True:
                opened.search("alpha", limit=5)
        remover.join()
        assert "\n" not in raised.value.message


def test_a_catalog_held_by_another_program_is_busy_not_damaged(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.index.catalog.BUSY_MILLISECONDS", 50)
    with indexed(root, {"a.py": functions("alpha")}) as opened:
        catalog = next(opened.index_path.glob("index-*/catalog.db"))
    other = sqlite3.connect(catalog, isolation_level=None)
    try:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with engine(root) as blocked:
            assert (blocked.status().error or "").startswith("index_busy:")
            with pytest.raises(BusyIndexError):
                blocked.search("alpha")
    finally:
        other.close()
    with engine(root) as free:
        assert paths(free.search("alpha")) == ["a.py"]


def test_the_command_answers_while_another_process_writes(root: Path) -> None:
    write_generation(root, 0, FILES)
    with engine(root) as opened:
        opened.index()
        write_generation(root, 1, FILES)
        shown: list[str] = []

        def meanwhile(stage: str, done: int, total: int) -> None:
            if not shown:
                shown.append(clew_run(root, "search", "shared marker", env={"CLEW_EMBEDDER": "none"}).stdout)

        opened.index(progress=meanwhile)
    answer = json.loads(shown[0])
    assert answer["freshness"]["state"] == "indexing"
    assert f"pid {os.getpid()}" in answer["freshness"]["message"]
    assert len(answer["hits"]) == FILES
