"""The docs say what is true: the reference is the code's, the guide names everything, links and modules exist."""

from __future__ import annotations

import importlib.util
import itertools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from clew.cli import arguments
from clew.errors import UsageError
from clew.settings import SETTINGS

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "clew"
PAGES = sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("changelog.d/*.md")))
COMMANDS = tuple(command for command in arguments.COMMANDS if command != "help")
# attrs' form: 12.added.md, and 12.added.1.md for a second one.
FRAGMENT = re.compile(r"\d+\.(?:added|changed|deprecated|removed|fixed|security)(?:\.\d+)?\.md")


def text_of(page: str | Path) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def code_of(page: str | Path) -> str:
    """What stands in backquotes or in a block of code."""
    return "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text_of(page), re.DOTALL))


def option_names(command: str) -> list[str]:
    return [name for action in arguments.parser(command)._actions for name in action.option_strings]


def is_named(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_what_the_code_says(generator: ModuleType) -> None:
    assert text_of("docs/reference.md") == generator.render(), "run scripts/docs"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_guide_shows_every_command(command: str) -> None:
    assert is_named(f"clew {command}", code_of("docs/guide.md"))


@pytest.mark.parametrize("command", COMMANDS)
def test_the_reference_names_every_option(command: str) -> None:
    shown = code_of("docs/reference.md")
    assert [name for name in option_names(command) if not is_named(name, shown)] == []


def test_the_guide_names_every_option() -> None:
    shown = code_of("docs/guide.md")
    wanted = {name for command in COMMANDS for name in option_names(command) if name.startswith("--")}
    assert sorted(name for name in wanted if not is_named(name, shown)) == []


@pytest.mark.parametrize("page", ["docs/guide.md", "docs/reference.md"])
def test_every_setting_is_documented(page: str) -> None:
    shown = code_of(page)
    assert [setting.name for setting in SETTINGS if not is_named(setting.name, shown)] == []


def shown_commands() -> Iterator[tuple[str, str]]:
    """Each clew command in the shell blocks of the pages for users, with its page."""
    for page in ("README.md", "docs/guide.md", "CONTRIBUTING.md"):
        for language, block in re.findall(r"```(sh|console)\n(.*?)```", text_of(page), re.DOTALL):
            for line in block.splitlines():
                if language == "console" and not line.startswith("$ "):
                    continue
                match = re.match(r"(?:\$ )?(?:[A-Z_]+=\S+ )?(?:scripts/)?clew (.+)", line)
                if match:
                    yield page, match[1]


@pytest.mark.parametrize(("page", "line"), tuple(shown_commands()), ids=str)
def test_a_shown_command_is_understood(page: str, line: str) -> None:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
    lexer.whitespace_split = True
    words = list(itertools.takewhile(lambda word: word not in ("|", ">"), lexer))
    assert arguments.parse(words).command in (*COMMANDS, "help", "version")


@pytest.mark.parametrize("word", arguments.RESERVED)
def test_the_readme_says_of_every_reserved_command_that_it_is_not_there(word: str) -> None:
    with pytest.raises(UsageError):
        arguments.parse([word])
    missing = text_of("README.md").partition("## What it does not do yet")[2].partition("\n## ")[0]
    assert is_named(word, missing)


def heading_anchors(page: Path) -> set[str]:
    """Anchors as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    prose = re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), target
        assert not anchor or anchor in heading_anchors(found), target


def test_the_readme_starts_with_two_commands_that_exist() -> None:
    first = re.search(r"```sh\n(.*?)```", text_of("README.md"), re.DOTALL)
    assert first is not None
    commands = [line.split()[0] for line in first[1].splitlines()]
    assert commands == ["scripts/clew", "scripts/test"]
    assert all((ROOT / command).is_file() for command in commands)


def rooms() -> list[tuple[str, str]]:
    """Rows of the table of rooms: folder relative to the package, and the cell with its modules."""
    rows = re.findall(r"^\| (\(top\)|`[\w/]+/`) \| [^|]+ \| ([^|]+) \|$", text_of("ARCHITECTURE.md"), re.MULTILINE)
    return [("" if name == "(top)" else name.strip("`"), cell) for name, cell in rows]


def test_every_package_is_a_room_of_the_architecture_and_the_other_way_round() -> None:
    packages = {f"{path.parent.relative_to(PACKAGE).as_posix()}/" for path in PACKAGE.glob("**/__init__.py")} - {"./"}
    named = {name for name, _ in rooms() if name}
    assert named == packages


@pytest.mark.parametrize(("room", "cell"), rooms(), ids=lambda value: value.split(" ")[0][:20])
def test_the_modules_of_a_room_are_named_and_exist(room: str, cell: str) -> None:
    there = {path.name for path in (PACKAGE / room).glob("*.py")} - {"__init__.py"}
    assert set(re.findall(r"`(\w+\.py)`", cell)) == there


def test_every_path_that_the_architecture_names_exists() -> None:
    paths = re.findall(r"`((?:[\w.]+/)+[\w.]*)`", text_of("ARCHITECTURE.md"))
    later = {"graph/", "decisions/", "mcp/", "languages/NAME/", "tests/languages/NAME/"}
    assert [
        path for path in paths if path not in later and not any((top / path).exists() for top in (ROOT, PACKAGE))
    ] == []


def test_changelog_fragments_are_named_by_the_rule() -> None:
    names = {path.name for path in (ROOT / "changelog.d").iterdir()} - {"README.md"}
    assert [name for name in names if not FRAGMENT.fullmatch(name)] == []
