"""Frames between the indexer and its parser processes, and a real worker at the other end of two pipes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.parsing.file import ParsedFile, parse_file
from clew.parsing.limits import Limits
from clew.parsing.worker import pack_file, read_frame, unpack_file, write_frame
from clew.records import FileFlag, FileStat

MESSAGES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=20) | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)


@given(st.lists(MESSAGES.filter(lambda message: message is not None), max_size=4))
def test_messages_arrive_as_they_were_sent(messages: list[Any]) -> None:
    stream = BytesIO()
    for message in messages:
        write_frame(stream, message)
    stream.seek(0)
    assert [read_frame(stream) for _ in messages] == messages
    assert read_frame(stream) is None


@given(st.integers(0, 12))
def test_a_frame_that_is_cut_off_is_the_end_of_the_stream(kept: int) -> None:
    stream = BytesIO()
    write_frame(stream, ["start", 12345])
    assert kept < len(stream.getvalue())
    assert read_frame(BytesIO(stream.getvalue()[:kept])) is None


def test_a_name_that_is_not_utf8_arrives_as_it_was_sent() -> None:
    stream = BytesIO()
    write_frame(stream, ["caf\udce9.py"])
    stream.seek(0)
    assert read_frame(stream) == ["caf\udce9.py"]


@pytest.mark.parametrize("path", ["a.py", "a.md", "missing.py", "a.bin"])
def test_a_parsed_file_arrives_whole(tmp_path: Path, path: str) -> None:
    (tmp_path / "a.py").write_text("class A:\n    '''doc'''\n    def f(self): ...\n", encoding="utf-8")
    (tmp_path / "a.md").write_text("# A\n\ntext\n", encoding="utf-8")
    (tmp_path / "a.bin").write_bytes(bytes(range(256)))
    file = parse_file(str(tmp_path), path, Limits())
    stream = BytesIO()
    write_frame(stream, pack_file(file))
    stream.seek(0)
    assert unpack_file(read_frame(stream)) == file


def test_flags_and_stat_are_records_again() -> None:
    file = ParsedFile("a", FileStat(1, 2, 3, 4), flags=FileFlag.TEST | FileFlag.VENDORED)
    again = unpack_file(pack_file(file))
    assert isinstance(again.flags, FileFlag) and isinstance(again.stat, FileStat)


@pytest.fixture
def worker() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "clew.parsing.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    with process, process.stdin, process.stdout:
        yield process.stdin, process.stdout
        process.stdin.close()
        assert process.wait(timeout=20) == 0


def test_a_worker_says_where_it_is_and_answers_batch_after_batch(
    worker: tuple[IO[bytes], IO[bytes]], tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("def alpha(): ...\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("def beta(): ...\n", encoding="utf-8")
    to_worker, from_worker = worker
    for _ in range(2):
        request = {"root": str(tmp_path), "limits": asdict(Limits()), "paths": ["a.py", "missing.py", "b.py"]}
        write_frame(to_worker, request)
        assert [read_frame(from_worker) for _ in range(3)] == [["start", 0], ["start", 1], ["start", 2]]
        done, files, vocabulary, postings = read_frame(from_worker)
        assert done == "done"
        assert [unpack_file(each).failed for each in files] == ["", "No such file or directory", ""]
        rows, terms, counts = (np.frombuffer(each, np.uint32) for each in postings["symbol"])
        assert [vocabulary[term] for term in terms] == ["alpha", "beta"]
        assert (rows.tolist(), counts.tolist()) == ([0, 1], [1, 1])
        assert np.frombuffer(postings["path"][0], np.uint32).tolist() == [0, 0, 2, 2]  # rows of files
