"""A small index to search in: a real tree, parsed and stored as `clew index` does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from clew.index import layout
from clew.index.build import BuildRequest, build
from clew.index.catalog import Catalog
from clew.index.store import StoreReader
from clew.index.stores import open_store
from clew.parsing.limits import Limits
from clew.workspace import walk


@dataclass(frozen=True)
class Indexed:
    catalog: Catalog
    reader: StoreReader
    ids: dict[str, int]

    def path(self, file_id: int) -> str:
        return next(path for path, each in self.ids.items() if each == file_id)


IndexTree = Callable[[Mapping[str, str]], Indexed]


@contextmanager
def indexed(root: Path, files: Mapping[str, str]) -> Iterator[Indexed]:
    """Write a tree, index it and open what came of it."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    directory = root.with_name(f"{root.name}-index")
    layout.prepare(directory)
    build(BuildRequest(root, directory, {}, {}, Limits(), lambda: walk(root), workers=1))
    current = layout.current(directory)
    assert current is not None
    with ExitStack() as stack:
        catalog = stack.enter_context(closing(Catalog.open(current / "catalog.db")))
        reader = stack.enter_context(closing(open_store(current).reader(catalog.meta()["manifest"])))
        yield Indexed(catalog, reader, {file.path: file.id for file in catalog.files()})
