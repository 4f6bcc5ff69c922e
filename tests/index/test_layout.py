from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.errors import DamagedIndexError, RootError
from clew.index import layout


def test_an_index_lies_in_its_root_or_outside_keyed_by_the_roots_path(tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "shop", tmp_path / "b" / "shop"
    assert layout.index_directory(first) == first / ".clew"
    outside = [layout.index_directory(root, str(tmp_path / "out")) for root in (first, second)]
    assert outside[0] != outside[1]
    assert all(each.parent == tmp_path / "out" and each.name.startswith("shop-") for each in outside)
    assert layout.index_directory(first, str(tmp_path / "out")) == outside[0]


def test_the_directory_outside_may_begin_with_the_home_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME" if sys.platform != "win32" else "USERPROFILE", str(tmp_path))
    assert layout.index_directory(Path("/r"), "~/indexes").parent == tmp_path / "indexes"


def test_a_root_whose_name_is_not_utf8_has_a_directory() -> None:
    assert layout.index_directory(Path(os.fsdecode(b"/caf\xe9")), "/out").parent == Path("/out")


def test_a_prepared_directory_is_ignored_by_git_and_keeps_an_ignore_file_of_the_user(tmp_path: Path) -> None:
    directory = tmp_path / "deep" / ".clew"
    layout.prepare(directory)
    ignore = directory / ".gitignore"
    assert ignore.read_text(encoding="ascii") == "*\n"
    ignore.write_text("mine\n", encoding="ascii")
    layout.prepare(directory)
    assert ignore.read_text(encoding="ascii") == "mine\n"


def test_a_directory_that_cannot_be_made_is_a_root_error_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    with pytest.raises(RootError, match="cannot write the index directory") as caught:
        layout.prepare(tmp_path / "file" / ".clew")
    assert "CLEW_INDEX_DIR" in caught.value.hint


def test_a_build_becomes_current_when_it_is_published(tmp_path: Path) -> None:
    assert layout.current(tmp_path) is None
    first = layout.new_build(tmp_path)
    assert first.is_dir() and layout.current(tmp_path) is None
    layout.publish(tmp_path, first)
    assert layout.current(tmp_path) == first
    second = layout.new_build(tmp_path)
    assert second != first and layout.current(tmp_path) == first
    layout.publish(tmp_path, second)
    assert layout.current(tmp_path) == second
    assert {entry.name for entry in tmp_path.iterdir()} == {"current", first.name, second.name}


@pytest.mark.parametrize("pointer", ["", "..", "../index-00000000", "index-0000000G", "/etc", "index-00000000" * 1000])
def test_a_pointer_to_anything_else_is_damage(tmp_path: Path, pointer: str) -> None:
    (tmp_path / "current").write_text(pointer, encoding="ascii")
    with pytest.raises(DamagedIndexError, match="does not name an index") as caught:
        layout.current(tmp_path)
    assert "--full" in caught.value.hint


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=40))
def test_whatever_a_pointer_holds_it_never_leads_outside(tmp_path: Path, pointer: bytes) -> None:
    (tmp_path / "current").write_bytes(pointer)
    try:
        found = layout.current(tmp_path)
    except DamagedIndexError:
        return
    assert found is not None and found.parent == tmp_path and found.name.startswith("index-")


def test_a_pointer_that_cannot_be_read_is_damage(tmp_path: Path) -> None:
    (tmp_path / "current").mkdir()
    with pytest.raises(DamagedIndexError, match="cannot be read"):
        layout.current(tmp_path)


def test_other_builds_are_removed_and_nothing_else(tmp_path: Path) -> None:
    kept, old = layout.new_build(tmp_path), layout.new_build(tmp_path)
    (old / "catalog.db").write_bytes(b"x")
    (tmp_path / "vectors.db").write_bytes(b"x")
    (tmp_path / "index-of-mine").mkdir()
    (tmp_path / "index-00000000").symlink_to(tmp_path / "index-of-mine")
    layout.remove_others(tmp_path, keep=kept)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted(
        [kept.name, "vectors.db", "index-of-mine", "index-00000000"]
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps open files")
def test_a_reader_keeps_what_it_has_open_of_a_removed_build(tmp_path: Path) -> None:
    old = layout.new_build(tmp_path)
    (old / "data").write_bytes(b"still here")
    with open(old / "data", "rb") as stream:
        layout.remove_others(tmp_path, keep=None)
        assert not old.exists() and stream.read() == b"still here"
