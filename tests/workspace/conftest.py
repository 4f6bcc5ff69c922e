from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for workspace_trees, shared by these tests


@pytest.fixture(autouse=True, scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tester's own git configuration and home must not decide."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.delenv("XDG_CONFIG_HOME", raising=False)
        patch.delenv("CLEW_ROOT", raising=False)
        yield
