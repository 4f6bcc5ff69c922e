"""Makes the small index importable and hands it out by module: nothing here writes to it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.register_assert_rewrite("search_index")
sys.path.insert(0, str(Path(__file__).parent))

from search_index import Indexed, IndexTree, indexed  # noqa: E402  # it lies beside this file


@pytest.fixture(scope="module")
def index_tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexTree]:
    with ExitStack() as stack:

        def index(files: Mapping[str, str]) -> Indexed:
            return stack.enter_context(indexed(tmp_path_factory.mktemp("tree"), files))

        yield index
