"""Labels from a file: what is understood, and the one clear line for what is not."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import UsageError
from clew.evaluation import Gold, LabelledQuery, load_queries
from clew.evaluation import datasets as module
from clew.workspace import resolve_inside


def loaded(tmp_path: Path, content: object) -> list[LabelledQuery]:
    file = tmp_path / "queries.json"
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    file.write_bytes(data)
    return load_queries(file, partial(resolve_inside, tmp_path))


def refused(tmp_path: Path, content: object) -> str:
    with pytest.raises(UsageError) as caught:
        loaded(tmp_path, content)
    assert "\n" not in caught.value.message
    return caught.value.message


def test_a_path_and_lines_of_a_file_are_labels(tmp_path: Path) -> None:
    rows = [
        {"query": "q", "relevant": ["a.py", {"path": "b.py", "start_line": 3, "end_line": 9}], "secondary": ["c.py"]}
    ]
    assert loaded(tmp_path, rows) == [LabelledQuery("q", (Gold("a.py"), Gold("b.py", 3, 9)), (Gold("c.py"),))]


def test_other_keys_are_allowed_and_a_category_groups(tmp_path: Path) -> None:
    (query,) = loaded(tmp_path, [{"query": "q", "relevant": ["a.py"], "category": "symbol", "by": "me"}])
    assert (query.category, query.secondary) == ("symbol", ())


def test_paths_are_made_relative_to_the_root(tmp_path: Path) -> None:
    rows = [{"query": "q", "relevant": ["./x/../a.py", str(tmp_path / "b.py")]}]
    assert [gold.path for gold in loaded(tmp_path, rows)[0].gold] == ["a.py", "b.py"]


def test_a_label_that_is_given_twice_counts_once(tmp_path: Path) -> None:
    assert loaded(tmp_path, [{"query": "q", "relevant": ["a.py", "./a.py"]}])[0].gold == (Gold("a.py"),)


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    assert loaded(tmp_path, b'\xef\xbb\xbf[{"query": "q", "relevant": ["a"]}]')[0].text == "q"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "is not JSON"),
        (b"[{]", "line 1, column 3"),
        (b"\xff\xfe", "is not UTF-8: byte 0"),
        (b"[" * 100_000, "is not JSON that can be read"),
        ({"queries": []}, "is not a list of labelled queries"),
        ([], "holds no query"),
        (["q"], "query 1 is not an object"),
        ([{"relevant": ["a"]}], 'query 1 has no text in "query"'),
        ([{"query": "  ", "relevant": ["a"]}], 'has no text in "query"'),
        ([{"query": "q"}], "query 1 ('q') has no list in \"relevant\""),
        ([{"query": "q", "relevant": "a.py"}], 'has no list in "relevant"'),
        ([{"query": "q", "relevant": []}], 'has no file in "relevant"'),
        ([{"query": "q", "relevant": [1]}], "neither a path nor an object"),
        ([{"query": "q", "relevant": [{"file": "a"}]}], "neither a path nor an object"),
        ([{"query": "q", "relevant": ["a"], "secondary": "b"}], 'has no list in "secondary"'),
        ([{"query": "ok", "relevant": ["a"]}, {"query": "q", "relevant": ["../b"]}], "('q') the path '../b' is"),
        ([{"query": "q", "relevant": ["/etc/passwd"]}], "outside the root"),
        ([{"query": "q", "relevant": ["a\0b"]}], "outside the root"),
        ([{"query": "q", "relevant": ["."]}], "names the root itself"),
        ([{"query": "q", "relevant": [{"path": "a", "start_line": 3}]}], "not 3 and None"),
        ([{"query": "q", "relevant": [{"path": "a", "start_line": 9, "end_line": 3}]}], "1 <= start_line <= end_line"),
        ([{"query": "q", "relevant": [{"path": "a", "start_line": 0, "end_line": 3}]}], "not 0 and 3"),
        ([{"query": "q", "relevant": [{"path": "a", "start_line": True, "end_line": 3}]}], "not True and 3"),
        ([{"query": "q" * 500, "relevant": []}], "..."),
    ],
)  # fmt: skip
def test_every_bad_input_is_one_clear_line(tmp_path: Path, content: object, expected: str) -> None:
    message = refused(tmp_path, content)
    assert expected in message
    assert len(message) < 400


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    inside = partial(resolve_inside, tmp_path)
    with pytest.raises(UsageError, match="there is no file"):
        load_queries(tmp_path / "missing.json", inside)
    with pytest.raises(UsageError, match="is a folder"):
        load_queries(tmp_path, inside)
    with pytest.raises(UsageError):
        load_queries(Path("a\0b"), inside)


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not a regular file"):
        load_queries(tmp_path / "pipe", partial(resolve_inside, tmp_path))


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "large.json"
    with file.open("wb") as out:
        out.truncate(module.MAX_BYTES + 1)
    with pytest.raises(UsageError, match="larger than"):
        load_queries(file, partial(resolve_inside, tmp_path))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["query", "relevant", "secondary", "path", "start_line", "end_line"]), inner, max_size=4
    ),
)  # fmt: skip


@given(JSON)
def test_any_json_is_understood_or_refused_by_name(tmp_path_factory: pytest.TempPathFactory, content: object) -> None:
    try:
        loaded(tmp_path_factory.getbasetemp(), content)
    except UsageError as error:
        assert error.hint
