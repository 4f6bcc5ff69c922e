"""Many files in worker processes: each comes back exactly once, whatever a grammar does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.parsing import pool
from clew.parsing.file import ParsedFile
from clew.parsing.limits import Limits
from clew.parsing.pool import BATCH_BYTES, BATCH_FILES, batches, parse_all

SIZES = st.lists(st.integers(0, 2 * BATCH_BYTES) | st.integers(0, 2000), max_size=120)


@given(SIZES)
def test_batches_keep_every_file_in_order_within_the_bounds(sizes: list[int]) -> None:
    files = [(str(number), size) for number, size in enumerate(sizes)]
    grouped = list(batches(files))
    assert [path for batch in grouped for path in batch] == [path for path, _ in files]
    for batch in grouped:
        assert 1 <= len(batch) <= BATCH_FILES
        assert len(batch) == 1 or sum(sizes[int(path)] for path in batch) <= BATCH_BYTES


def write(root: Path, count: int, ending: str = ".py") -> list[tuple[str, int]]:
    out = []
    for number in range(count):
        data = f"def f{number}(): ...\n".encode()
        (root / f"a{number}{ending}").write_bytes(data)
        out.append((f"a{number}{ending}", len(data)))
    return out


def by_path(root: Path, files: list[tuple[str, int]], limits: Limits | None = None) -> dict[str, ParsedFile]:
    found = [file for batch in parse_all(str(root), files, limits or Limits(), workers=2) for file in batch.files]
    assert sorted(file.path for file in found) == sorted(path for path, _ in files)
    return {file.path: file for file in found}


def processes() -> set[str]:
    """Ids of the processes that this one started and that still run."""
    lists = [task / "children" for task in Path("/proc/self/task").iterdir()]
    return {pid for path in lists if path.exists() for pid in path.read_text(encoding="ascii").split()}


has_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="lists processes by /proc")


def test_every_file_comes_back_once_from_several_workers(tmp_path: Path) -> None:
    files = write(tmp_path, 2 * BATCH_FILES + 3)
    found = by_path(tmp_path, [*files, ("missing.py", 0)])
    assert found["missing.py"].failed
    assert all(found[path].strategy == "syntax" for path, _ in files)


def test_the_terms_of_a_batch_belong_to_its_files(tmp_path: Path) -> None:
    (batch,) = parse_all(str(tmp_path), write(tmp_path, 3), Limits(), workers=1)
    rows, terms, _ = (np.frombuffer(each, np.uint32) for each in batch.postings["symbol"])
    for row, file in enumerate(batch.files):
        words = {batch.vocabulary[term] for term in terms[rows == row]}
        assert file.path.removesuffix(".py").replace("a", "f") in words


@has_proc
def test_nothing_to_parse_starts_nothing(tmp_path: Path) -> None:
    before = processes()
    assert list(parse_all(str(tmp_path), [], Limits())) == []
    assert processes() <= before


@has_proc
def test_no_process_outlives_a_run_that_is_given_up(tmp_path: Path) -> None:
    before = processes()
    running: Iterator[object] = parse_all(str(tmp_path), write(tmp_path, 3 * BATCH_FILES), Limits(), workers=2)
    next(running)
    running.close()  # type: ignore[attr-defined]
    assert processes() <= before


def test_a_name_that_is_not_utf8_is_parsed(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    assert by_path(tmp_path, [(name, 6)])[name].strategy == "syntax"


def break_grammar(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Put a Lua grammar before the installed one that does something else than parse."""
    folder.mkdir()
    (folder / "tree_sitter_lua.py").write_text(code, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))


def test_a_grammar_that_ends_its_process_costs_only_its_own_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_grammar(tmp_path / "grammars", monkeypatch, "import os\nos.abort()\n")
    files = [*write(tmp_path, 3), *write(tmp_path, 2, ".lua")]
    found = by_path(tmp_path, files)
    assert all(found[path].strategy == "syntax" for path, _ in files if path.endswith(".py"))
    for path in ("a0.lua", "a1.lua"):
        assert (found[path].strategy, found[path].failed) == ("lines", "")
        assert "hung or crashed" in found[path].error and found[path].chunks


def test_a_grammar_that_hangs_is_ended_and_costs_only_its_own_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_grammar(tmp_path / "grammars", monkeypatch, "while True: pass\n")
    monkeypatch.setattr(pool, "HANG_SECONDS", 1.0)
    files = [*write(tmp_path, 2), *write(tmp_path, 1, ".lua")]
    found = by_path(tmp_path, files, Limits(parse_seconds=1.0))
    assert found["a1.py"].strategy == "syntax"
    assert found["a0.lua"].strategy == "lines" and "hung or crashed" in found["a0.lua"].error
