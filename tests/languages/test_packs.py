"""Every pack on its fixture file: `tests/languages/NAME/example.*` with hand-marked `expected.txt`."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.languages import Pack, check, language_of, pack, packs, parser_for, readable
from clew.parsing.definitions import outline

FIXTURES = sorted(path for path in Path(__file__).parent.iterdir() if path.is_dir() and path.name != "__pycache__")


def _found(folder: Path) -> list[str]:
    (example,) = folder.glob("example*")
    text = example.read_bytes()
    name = language_of(example.name, text)
    assert name == folder.name
    parser = parser_for(name)
    assert parser is not None
    result = outline(parser.parse(readable(text, pack(name))), text, pack(name))
    assert result is not None
    return [f"{each.start_line}-{each.end_line} {each.kind} {each.symbol}" for each in result.definitions]


@pytest.mark.parametrize("folder", FIXTURES, ids=lambda path: path.name)
def test_a_pack_finds_exactly_the_marked_definitions(folder: Path) -> None:
    expected = (folder / "expected.txt").read_text(encoding="utf-8").splitlines()
    assert _found(folder) == [line for line in expected if line and not line.startswith("#")]


@pytest.mark.parametrize("each", packs(), ids=lambda each: each.name)
def test_a_pack_loads_and_its_queries_compile(each: Pack) -> None:
    assert check(each).state in ("ok", "textual")


def test_every_pack_with_definitions_has_a_fixture() -> None:
    with_query = {each.name for each in packs() if outline_query_exists(each.name)}
    assert with_query <= {folder.name for folder in FIXTURES}


def outline_query_exists(name: str) -> bool:
    from importlib.resources import files

    return (files("clew.languages") / name / "definitions.scm").is_file()
