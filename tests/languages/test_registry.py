"""How a file's language is told, and when a grammar is loaded."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections import Counter
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.languages import Fitness, Pack, check, language_of, pack, packs, parser_for, query_for
from clew.languages.registry import MORE_LANGUAGES


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"),
        ("deep/er/a.go", "go"),
        ("A.PY", "python"),
        ("a.b.rs", "rust"),
        (".hidden.py", "python"),
        ("a.d.ts", "typescript"),
        ("Makefile", "make"),
        ("sub/Makefile", "make"),
        ("Makefile.linux", "make"),
        ("Dockerfile", "containerfile"),
        ("Dockerfile.dev", "containerfile"),
        ("BUILD", "starlark"),
        ("a.unknownending", ""),
        ("py", ""),
        (".py", ""),
        ("", ""),
        ("a.", ""),
        ("...", ""),
        ("folder.py/name", ""),
    ],
)
def test_a_name_or_its_ending_tells_the_language(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("head", "language"),
    [
        (b"#!/usr/bin/env python3\n", "python"),
        (b"#!/usr/bin/python3.11 -u\n", "python"),
        (b"#! /bin/bash\n", "bash"),
        (b"#!/usr/bin/env -S node --flag\n", "javascript"),
        (b"#!/usr/bin/env FOO=bar ruby\n", "ruby"),
        (b"#!/usr/bin/env python3\r\n", "python"),
        (b"#!/opt/unknown\n", ""),
        (b"#!\n", ""),
        (b"import os\n", ""),
    ],
)
def test_a_script_without_an_ending_is_told_by_its_first_line(head: bytes, language: str) -> None:
    assert language_of("bin/tool", head) == language


def test_an_ending_tells_more_than_a_first_line() -> None:
    assert language_of("a.rb", b"#!/usr/bin/env python3\n") == "ruby"


def test_content_decides_between_languages_of_one_ending() -> None:
    assert language_of("a.h", b"int f(void);\n") == "c"
    assert language_of("a.h", b"namespace shop {\nclass Cart;\n}\n") == "cpp"
    assert language_of("a.h", b"@interface Cart : NSObject\n@end\n") == "objc"
    assert language_of("a.h") == "c"


@given(st.text(max_size=30), st.binary(max_size=80))
def test_any_path_and_content_give_a_known_language_or_none(path: str, head: bytes) -> None:
    language = language_of(path, head)
    assert language == "" or pack(language).name == language


def test_names_of_packs_are_unique_and_an_unknown_one_is_a_key_error() -> None:
    assert max(Counter(each.name for each in packs()).values()) == 1
    with pytest.raises(KeyError):
        pack("klingon")


def test_no_filename_or_interpreter_is_claimed_twice() -> None:
    for claims in ("filenames", "interpreters"):
        counts = Counter(claim for each in packs() for claim in getattr(each, claims))
        assert [claim for claim, count in counts.items() if count > 1] == []


def test_of_several_packs_of_one_ending_at_most_one_goes_without_markers() -> None:
    extra = tomllib.loads((files("clew.languages") / "extra.toml").read_text(encoding="utf-8"))
    own = [each for each in packs() if each.name not in extra]
    plain = Counter(extension for each in own if not each.markers for extension in each.extensions)
    assert [extension for extension, count in plain.items() if count > 1] == []


def test_a_pack_keeps_an_ending_that_a_language_without_a_pack_claims_too() -> None:
    assert ".luau" in pack("luau").extensions and language_of("a.luau") == "lua"


@pytest.mark.parametrize("each", packs(), ids=lambda each: each.name)
def test_what_a_pack_claims_is_written_as_it_is_compared(each: Pack) -> None:
    assert all(extension.startswith(".") and extension == extension.lower() for extension in each.extensions)
    assert all("/" not in name for name in each.filenames)


def test_a_language_like_another_is_read_with_its_queries() -> None:
    assert pack("starlark").like == "python"
    assert query_for("starlark") is not None and parser_for("starlark") is not None


def test_a_language_without_a_grammar_has_neither_parser_nor_query() -> None:
    assert (parser_for("markdown"), query_for("markdown")) == (None, None)
    assert check(pack("markdown")) == Fitness("textual")


def test_a_parser_and_a_query_are_made_once() -> None:
    assert parser_for("python") is parser_for("python")
    assert query_for("python") is query_for("python")


def test_a_query_that_a_pack_does_not_have_is_none() -> None:
    assert query_for("python", "no-such-kind") is None


def test_a_grammar_that_is_not_installed_is_named_with_its_requirement() -> None:
    assert run_with_broken("raise ImportError('not here')") == ["missing", "no grammar for lua", "tree-sitter-lua"]


def test_a_grammar_that_does_not_fit_the_query_is_named() -> None:
    code = "import tree_sitter_css as other; language = other.language"
    assert run_with_broken(code) == ["unfit", "the installed grammar does not fit our query for lua", "tree-sitter-lua"]


def test_an_optional_grammar_is_neither_loaded_nor_missed() -> None:
    optional = next(each for each in packs() if each.requirement == MORE_LANGUAGES)
    assert check(optional) == Fitness("textual")


def run_with_broken(grammar: str) -> list[str]:
    """State, detail and required package of the Lua pack, in a process where its grammar is another module."""
    code = f"""
import sys, types
module = types.ModuleType("tree_sitter_lua")
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "tree_sitter_lua":
            from importlib.machinery import ModuleSpec
            return ModuleSpec(name, self)
    def create_module(self, spec): return module
    def exec_module(self, module): exec({grammar!r}, module.__dict__)
sys.meta_path.insert(0, Finder())
from clew.languages import check, pack, query_for
assert query_for("lua") is None
found = check(pack("lua"))
print(found.state, found.detail, found.requirement.partition("==")[0], sep="\\n")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True, encoding="utf-8")
    return done.stdout.splitlines()


def test_telling_languages_loads_no_grammar() -> None:
    code = (
        "import sys; from clew.languages import language_of, packs; packs(); language_of('a.py');"
        "print([name for name in sys.modules if name.startswith('tree_sitter')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True, encoding="utf-8")
    assert done.stdout.strip() == "[]"
