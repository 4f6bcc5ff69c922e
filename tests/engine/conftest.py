"""Makes the helpers of the engine tests importable, and keeps the caller's settings and git out of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

pytest.register_assert_rewrite("engine_tools", "engine_load")
sys.path.insert(0, str(Path(__file__).parent))

from engine_tools import SOURCE  # noqa: E402 - the path above makes it importable


@pytest.fixture(autouse=True)
def own_environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of its own and no settings: what the person who runs the tests has configured must not matter."""
    for name in list(os.environ):
        if name.startswith(("CLEW_", "XDG_", "GIT_")):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text("[user]\n\tname = t\n\temail = t@example.com\n", encoding="ascii")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty project folder."""
    path = tmp_path / "project"
    path.mkdir()
    return path
