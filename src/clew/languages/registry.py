"""Finds the pack of a file and loads its grammar and queries on first use.

Reading all `pack.toml` files costs a few milliseconds and no grammar; tree-sitter and a grammar
are imported only when a parser is asked for.
"""

from __future__ import annotations

import functools
import importlib
import re
import tomllib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from tree_sitter import Language, Parser, Query

_SHEBANG = re.compile(rb"^#!\s*\S*?(?:/env\s+(?:-\S+\s+)*(?:\w+=\S*\s+)*)?([\w.+-]+)\s*(?:\n|\r|\s|$)")
MORE_LANGUAGES = "clew[more-languages]"
_MORE_MODULE = "semble_grammars"
_RECOGNITION = ("extensions", "filenames", "interpreters", "markers", "documentation")
_HEAD_BYTES = 64 * 1024  # enough to tell C from C++; reading more would cost more than it decides


@dataclass(frozen=True, slots=True)
class Pack:
    """One language: how to recognise its files and how to read its syntax tree.

    `grammar` is `module:function`, empty for languages without a grammar (their files become
    sections or line chunks). `requirement` is what `pip install` takes. `markers` are regular
    expressions that claim a file of a shared extension by its content, e.g. C++ in a `.h`.
    `wrap` are node types around a definition that belong to it, e.g. an export statement.
    `constructors` are function names that construct, `transparent` are qualifiers that name nothing
    (`prototype`, `exports`), `separator` joins a written qualified name
    (`::`), and stored symbols always use a dot.
    """

    name: str
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    grammar: str = ""
    requirement: str = ""
    wrap: tuple[str, ...] = ()
    constructors: tuple[str, ...] = ()
    transparent: tuple[str, ...] = ()
    separator: str = "."
    documentation: bool = False
    like: str = ""  # the pack whose queries this language is read with
    rewrite: tuple[tuple[str, str], ...] = ()  # see `readable`
    clauses: bool = False  # a function is written as several clauses of its name, one after the other
    verbatim: bool = False  # names are stored as written: selectors, targets, headings


@dataclass(frozen=True, slots=True)
class Fitness:
    """Whether a pack works on this machine.

    `state`: ok; textual (there is no grammar, or an optional one: its files are read as text); missing (the
    grammar is not installed); unfit (our query does not compile with the installed one). `detail` is one line,
    `requirement` is what `pip install` takes; both are empty where nothing is wrong.
    """

    state: str
    detail: str = ""
    requirement: str = ""


@functools.cache
def packs() -> tuple[Pack, ...]:
    """Every pack, by name."""
    found = []
    for folder in sorted(files(__package__).iterdir(), key=lambda entry: entry.name):
        source = folder / "pack.toml"
        if not source.is_file():
            continue
        data = tomllib.loads(source.read_text(encoding="utf-8"))
        found.append(_pack(data))
    return (*found, *_extra({each.name: each for each in found}))


def _pack(data: dict[str, Any]) -> Pack:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
    return Pack(**fields)


def _extra(known: dict[str, Pack]) -> Iterator[Pack]:
    """Languages of `extra.toml`: a name, at most a grammar. They come last, so that packs keep what both claim."""
    for name, data in tomllib.loads((files(__package__) / "extra.toml").read_text(encoding="utf-8")).items():
        each = _pack({"name": name, **data})
        if name in known:
            continue
        base = known.get(each.like)
        if base is not None:
            own = {field: getattr(each, field) for field in _RECOGNITION}
            each = replace(base, name=name, like=base.name, **own)
        elif each.grammar:
            each = replace(each, requirement=MORE_LANGUAGES)
        yield each


@functools.cache
def _tables() -> tuple[dict[str, list[Pack]], dict[str, Pack], dict[str, Pack], dict[str, Pack]]:
    extensions: dict[str, list[Pack]] = {}
    filenames: dict[str, Pack] = {}
    interpreters: dict[str, Pack] = {}
    for each in packs():
        for extension in each.extensions:
            extensions.setdefault(extension, []).append(each)
        filenames.update({name: each for name in each.filenames if name not in filenames})
        interpreters.update({name: each for name in each.interpreters if name not in interpreters})
    return extensions, filenames, interpreters, {each.name: each for each in packs()}


def pack(name: str) -> Pack:
    """The pack of this name; KeyError if there is none."""
    return _tables()[3][name]


def language_of(path: str, head: bytes = b"") -> str:
    """Name the language of a file by name, extension, content or shebang; "" if none fits.

    Several packs may claim one extension (`.h`): the first whose marker is found in `head` wins,
    else the first without markers.
    """
    extensions, filenames, interpreters, _ = _tables()
    name = path.rsplit("/", 1)[-1]
    if name in filenames:
        return filenames[name].name
    stem, dot, _ = name.rpartition(".")
    while dot and stem:  # the longest extension first: `.d.ts` before `.ts`
        longest = name[name.index(".", 1) if name.startswith(".") else name.index(".") :]
        for start in (i for i, letter in enumerate(longest) if letter == "."):
            claims = extensions.get(longest[start:].lower())
            if claims:
                return _by_markers(claims, head)
        break
    if name.split(".", 1)[0] in filenames:  # Dockerfile.dev, Makefile.linux, README.fr
        return filenames[name.split(".", 1)[0]].name
    shebang = _SHEBANG.match(head)
    if shebang:
        command = shebang[1].decode("ascii", "replace").lower()
        found = interpreters.get(command) or interpreters.get(command.rstrip("0123456789."))
        return found.name if found else ""
    return ""


def _by_markers(claims: list[Pack], head: bytes) -> str:
    if len(claims) == 1:
        return claims[0].name
    for claim in claims:
        if claim.markers and any(re.search(marker.encode(), head[:_HEAD_BYTES], re.M) for marker in claim.markers):
            return claim.name
    return next((claim.name for claim in claims if not claim.markers), claims[0].name)


@functools.cache
def _language(grammar: str) -> Language:
    from tree_sitter import Language

    module, _, function = grammar.partition(":")
    if module == _MORE_MODULE:
        return cast("Language", importlib.import_module(module).get_language(function))
    with warnings.catch_warnings():
        # Some grammar wheels still hand over an integer pointer, which tree-sitter deprecates.
        warnings.simplefilter("ignore", DeprecationWarning)
        return Language(getattr(importlib.import_module(module), function or "language")())


@functools.cache
def parser_for(name: str) -> Parser | None:
    """A parser for the language, or None when it has no grammar or the grammar is not installed."""
    from tree_sitter import Parser

    try:
        return Parser(_language(pack(name).grammar)) if pack(name).grammar else None
    except Exception:
        # Whatever a grammar package raises at import (semble_grammars has errors of its own), files get line chunks.
        return None


@functools.cache
def query_for(name: str, kind: str = "definitions") -> Query | None:
    """The pack's compiled query, or None when the pack has none or it does not fit the grammar."""
    from tree_sitter import Query, QueryError

    source = files(__package__) / (pack(name).like or name) / f"{kind}.scm"
    if parser_for(name) is None or not source.is_file():
        return None
    try:
        return Query(_language(pack(name).grammar), source.read_text(encoding="utf-8"))
    except (QueryError, ValueError):
        return None


def readable(text: bytes, each: Pack) -> bytes:
    """The text as the grammar can read it: macros that stand for no syntax of their own are rewritten.

    `Pack.rewrite` holds pairs of a regular expression and its replacement, which is filled up with spaces,
    so lengths and lines stay. A pattern must not match across lines.
    """
    for pattern, replacement in each.rewrite:
        text = re.sub(pattern.encode(), functools.partial(_filled, replacement.encode()), text, flags=re.M)
    return text


def _filled(replacement: bytes, found: re.Match[bytes]) -> bytes:
    return found.expand(replacement).ljust(len(found[0]))


def check(each: Pack) -> Fitness:
    """Load a pack's grammar and compile its query. Optional grammars are not loaded."""
    if not each.grammar or each.grammar.startswith(_MORE_MODULE):
        return Fitness("textual")
    if parser_for(each.name) is None:
        return Fitness("missing", f"no grammar for {each.name}", each.requirement)
    if (files(__package__) / (each.like or each.name) / "definitions.scm").is_file() and query_for(each.name) is None:
        return Fitness("unfit", f"the installed grammar does not fit our query for {each.name}", each.requirement)
    return Fitness("ok")
