"""`clew.__all__` is exactly what is visible."""

from __future__ import annotations

import subprocess
import sys

import pytest

import clew


def test_all_is_sorted_and_without_repetition() -> None:
    assert clew.__all__ == sorted(set(clew.__all__))


def test_all_is_what_dir_shows() -> None:
    assert dir(clew) == clew.__all__


def test_all_is_what_a_star_import_brings() -> None:
    brought: dict[str, object] = {}
    exec("from clew import *", brought)
    assert sorted(set(brought) - {"__builtins__"}) == clew.__all__


def test_every_class_that_is_visible_is_in_all() -> None:
    own = {name for name, value in vars(clew).items() if getattr(value, "__module__", "").startswith("clew.")}
    assert {name for name in own if not name.startswith("_")} <= set(clew.__all__)


@pytest.mark.parametrize("name", clew.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(clew, name) is not None


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Motor'"):
        clew.Motor  # noqa: B018


def test_every_error_is_a_clew_error_with_its_own_code() -> None:
    visible = [getattr(clew, name) for name in clew.__all__]
    raised = [each for each in visible if isinstance(each, type) and issubclass(each, Exception)]
    errors = [each for each in raised if issubclass(each, clew.ClewError)]
    assert errors == raised
    assert len({each.code for each in errors}) == len(errors)
    assert {each.exit_status for each in errors if issubclass(each, clew.UsageError)} == {2}


def test_importing_clew_loads_nothing_heavy() -> None:
    code = "import sys, clew; clew.to_json; print([m for m in ('numpy', 'tree_sitter', 'sqlite3') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True, encoding="utf-8")
    assert done.stdout.strip() == "[]"
