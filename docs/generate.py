"""Make docs/reference.md from the code: python docs/generate.py [--check]

Options, settings, fields, codes and languages are read from the code. What code cannot say, the meaning
of a field or of a code, stands in the tables below; an entry too few or too many stops the run.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import inspect
import re
import sys
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import clew
from clew import Engine, errors, records
from clew.cli import app, arguments
from clew.languages import Pack, packs
from clew.parsing.sections import dispatch
from clew.search import features, filters
from clew.settings import OTHER_VARIABLES, SETTINGS
from clew.workspace import reasons

TARGET = Path(__file__).with_name("reference.md")
AGAIN = "scripts/docs"

HEAD = f"""\
# Reference

This page is made by `{AGAIN}` from the code of clew {{version}}. Do not edit it by hand.
For how to use clew, read the [guide](guide.md).

- [Command line](#command-line)
- [Exit codes and error codes](#exit-codes-and-error-codes)
- [JSON documents](#json-documents)
- [Filter expressions](#filter-expressions)
- [Kinds](#kinds)
- [Settings](#settings)
- [Environment](#environment)
- [Signals of `--explain`](#signals-of---explain)
- [Why a file is left out](#why-a-file-is-left-out)
- [Languages](#languages)
- [Library](#library)
"""

# The documents that commands print, by the name of their record.
DOCUMENTS: Mapping[str, str] = {
    "Answer": "`clew WORDS...`, `clew search`, `clew similar`",
    "Hit": "an entry of `hits`: one file",
    "Place": "an entry of `places`: lines of that file",
    "Freshness": "the value of `freshness`",
    "IndexReport": "`clew index`",
    "FileCounts": "the value of `files`",
    "Failure": "an entry of `failures`",
    "IndexEstimate": "`clew index --dry-run`",
    "Status": "`clew status`",
    "Check": "an entry of `checks`: `clew doctor` prints `{\"checks\": [Check]}` and exits 1 if one is broken",
}  # fmt: skip

FIELDS: Mapping[str, Mapping[str, str]] = {
    "Answer": {
        "query": "the question, or PATH:LINE of `similar`",
        "root": "absolute path of the repository",
        "generation": "which state of the index answered: one more after each change, and 1 again after a rebuild",
        "freshness": "whether the answer shows the working tree",
        "hits": "files, best first; empty when nothing was found",
        "notes": "lines for the reader: what was left out, masked or not available",
        "tokens": "estimated tokens of the places and their text",
    },
    "Hit": {
        "rank": "1 is best",
        "path": "relative to the root, with `/`",
        "language": "a name of the languages table, or empty",
        "score": "compares hits of one answer; it has no unit and no fixed range",
        "places": "best first, never the same line twice",
        "stale": "the file changed since it was indexed: lines may have moved",
        "decisions": "reserved, always empty in this version",
        "signals": "only with `--explain`, which works in `search`: what the score is made of",
    },
    "Place": {
        "path": "left out inside a hit, which has it",
        "start_line": "from 1",
        "end_line": "inclusive",
        "symbol": "qualified name, e.g. `Cart.total`; empty outside of definitions",
        "kind": "a [kind](#kinds)",
        "text": "the lines as they are in the file; left out with `--no-text`",
        "truncated": "whether the text was cut to fit the budget; left out with `--no-text`",
    },
    "Freshness": {
        "state": "`fresh`: nothing changed. `refreshed`: changed files were indexed first. `stale`: changed files "
        "are not in the answer. `indexing`: another process is writing",
        "changed_files": "how many files differ, or were indexed first",
        "message": "one line for the reader, or empty",
    },
    "IndexReport": {
        "root": "absolute path of the repository",
        "generation": "the state that the run left",
        "files": "counts",
        "chunks": "in the whole index",
        "definitions": "in the whole index",
        "embedded": "texts that the model had to embed in this run",
        "skipped_reasons": "reason to count, see [why a file is left out](#why-a-file-is-left-out)",
        "failures": "files that could not be read, or not in full; they are tried again",
        "seconds": "the time of the run",
        "notes": "lines for the reader",
    },
    "FileCounts": {
        "indexed": "read and stored in this run",
        "unchanged": "kept as they were",
        "removed": "no longer there, or no longer wanted",
        "skipped": "left out; a directory that is left out as a whole counts once",
        "failed": "entries of `failures`",
    },
    "Failure": {"path": "relative to the root", "reason": "one line"},
    "IndexEstimate": {
        "root": "absolute path of the repository",
        "files": "files that would be in the index",
        "bytes": "their size",
        "estimated_chunks": "a rough figure",
        "changed_files": "how many a run would read or remove",
        "large": "the run takes noticeably long",
        "skipped_reasons": "as in the report, as far as names and sizes tell",
    },
    "Status": {
        "exists": "whether there is an index, readable or not",
        "root": "absolute path of the repository",
        "index_path": "where the index is, or would be",
        "generation": "as in an answer",
        "files": "indexed files",
        "chunks": "pieces that can be found",
        "definitions": "named things that are known",
        "languages": "language to number of files",
        "embedder": "identity of the model, or `none`",
        "store": "where chunks are kept",
        "stale": "whether the working tree or the settings differ from the index",
        "changed_files": "how many files differ",
        "last_indexed_at": "UTC, ISO 8601",
        "text_only": "language to number of files that are searched as text, without symbols",
        "skipped_reasons": "as in the report",
        "notes": "lines for the reader from the last index run: what was left out as a whole, and why",
        "error": "why the index cannot be read, as `code: message`",
    },
    "Check": {
        "name": "the link of the chain",
        "state": "`ok`, `advisory` or `broken`",
        "detail": "one line",
        "fix": "what to do, or empty",
    },
}

# The document of `clew eval`; tests/evaluation/test_eval_report.py compares it with a real one.
EVALUATION = (
    ("root", "absolute path of the repository"),
    ("generation", "the state of the index that answered"),
    ("embedder", "identity of the model that took part, or `none`"),
    ("freshness", "state of the last answer, as in `freshness.state`"),
    ("limit", "files asked for per query"),
    ("queries", "queries in FILE"),
    ("scored", "of these, queries with a label that is in the index: the figures are over them"),
    ("ndcg@10", "mean; binary gains, discount 1/log2(rank + 1)"),
    ("mrr@10", "mean of 1/rank of the first right hit"),
    ("hit@1", "share of queries whose first hit is right"),
    ("recall@5", "mean share of the labels among the first five hits"),
    ("recall@10", "the same for ten"),
    ("intervals", "figure to `[low, high]`: 95 %, bootstrap over queries"),
    ("by_category", "category to its number of queries and its figures"),
    ("tokens", "mean estimated tokens of an answer"),
    ("milliseconds", "median time of a search"),
    ("not_indexed", "labels that could not be looked for: `path`, `reason`, and how many `queries` name it"),
    ("notes", "lines for the reader"),
    (
        "per_query",
        "in the order of FILE: `query`, `category`, `rank` of the first right hit or null, `ranks` of the labels, the "
        "figures (null where not scored), `relevant`, `not_indexed`, and with `--hits` the `hits`: `rank`, `path`, "
        "`score`, `places`, and `label`: `relevant`, `secondary` or empty",
    ),
    (
        "comparison",
        "only with `--compare` and `--compare-with`: `before` and `after` name the runs, `queries` were scored in "
        "both, `left_out` were not, `measures` has for each figure `before`, `after`, `difference`, `interval`, `p`, "
        "`effect` (difference in standard deviations), `better`, `worse` and `equal`, and `changed` lists queries "
        "whose NDCG differs",
    ),
)

EXIT_CODES = (
    (0, "done, also when nothing was found"),
    (1, "failure; `clew doctor` found something broken"),
    (2, "the command line or a setting is wrong"),
    (app.INTERRUPTED, "interrupted with Ctrl-C"),
)
# Codes that the command line gives to what is no ClewError.
OTHER_CODES: Mapping[str, tuple[int, str]] = {
    "interrupted": (app.INTERRUPTED, "Ctrl-C."),
    "system": (1, "The system refused: no permission, a full disk."),
    "internal": (1, "A fault in clew. `CLEW_DEBUG=1` shows where; please report it."),
}
VARIABLES: Mapping[str, str] = {
    "CLEW_ROOT": "The repository, where `--root` is not given.",
    "CLEW_DEBUG": "Any text prints the traceback of an internal error, and what parser processes say.",
}
OUTSIDE_VARIABLES: Mapping[str, str] = {
    "NO_COLOR": "Any value turns colour off.",
    "TERM": "`dumb` turns colour and the repainted progress line off.",
    "XDG_CONFIG_HOME": "The folder above `clew/config.toml` and `clew/ignore` on Linux; `~/.config` if it is not set.",
}
FLAGS: Mapping[str, str] = {
    "test": "test code, by the conventions of the language",
    "generated": "says in its opening comment, or by its name, that a tool made it",
    "vendored": "third-party code: `vendor/`, `third_party/`, `node_modules/`, ...",
    "documentation": "prose",
    "stub": "declarations only: `.pyi`, `.d.ts`",
    "example": "below `examples/`, `samples/`, `demo/`, ...",
}
REASONS: Mapping[str, str] = {
    reasons.IGNORED_BY_GIT: "git ignores it: `.gitignore`, `.git/info/exclude`, `core.excludesFile`",
    reasons.IGNORED_BY_GITIGNORE: "a `.gitignore` matches it and git could not be asked",
    reasons.IGNORED_BY_DEFAULT: "outside git: a directory that tools make, such as `node_modules`",
    reasons.IGNORED_BY_CLEWIGNORE: "a `.clewignore` matches it",
    reasons.IGNORED_BY_USER: "your own ignore file matches it",
    reasons.EXCLUDED: "the setting `exclude` matches it",
    reasons.LINKED_WORKTREE: "a second checkout of the same repository",
    reasons.NESTED_REPOSITORY: "a repository of its own inside this one",
    reasons.NO_SUBMODULE_FILES: "`git submodule update --init` was not run",
    reasons.SECRET: "keys, passwords and certificates, by name or by a private key at its start",
    reasons.AGENT_INSTRUCTIONS: "`AGENTS.md`, `CLAUDE.md`, `.cursor/rules` and the like",
    reasons.BINARY: "no text",
    reasons.MINIFIED: "web code without line breaks, source maps",
    reasons.TOO_LARGE: "larger than `max_file_bytes`",
    reasons.SYMLINK: "links are not followed",
    reasons.SPECIAL: "a pipe, a socket or a device",
    reasons.UNREADABLE: "the system refused to open it",
    reasons.NOT_UTF8: "such a name cannot be stored or shown",
    "generated": "a tool made it; the setting `include_generated` takes it in",
}
_METHODS = ("open", "index", "estimate", "search", "similar", "evaluate", "status", "index_health", "close")


def render() -> str:
    """The whole page. KeyError or SystemExit where a table above does not fit the code."""
    parts = (
        HEAD.format(version=clew.__version__),
        *_command_line(),
        *_exit_codes(),
        *_documents(),
        *_filters(),
        *_kinds(),
        *_settings(),
        *_environment(),
        *_signals(),
        *_reasons(),
        *_languages(),
        *_library(),
    )
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _command_line() -> Iterator[str]:
    yield "## Command line"
    yield f"`clew --help` prints:\n\n```text\n{arguments.help_text(None).rstrip()}\n```"
    yield (
        "A first word that is a command starts that command. Any other first word begins a question. These words "
        f"are kept for later versions: {_listed(arguments.RESERVED)}. To search for such a word, or for the name of "
        "a command, write `clew search WORD` or `clew -- WORD`."
    )
    tables = {command: _options(arguments.parser(command)) for command in arguments.COMMANDS if command != "help"}
    shared = [row for row in tables["search"] if all(row in rows for rows in tables.values())]
    for command, rows in tables.items():
        yield f"### `clew {command}`"
        yield f"{arguments.COMMANDS[command]}.\n\n```text\n{arguments.parser(command).usage}\n```"
        own = [row for row in rows if row not in shared]
        yield _table(("Option", "Meaning"), own) if own else "Only the options of every command."
    yield "### Options of every command"
    yield _table(("Option", "Meaning"), shared)


def _options(parser: argparse.ArgumentParser) -> list[tuple[str, str]]:
    return [_option(action) for action in parser._actions if action.option_strings]


def _option(action: argparse.Action) -> tuple[str, str]:
    value = action.metavar or (f"{{{','.join(action.choices)}}}" if action.choices else "")
    names = ", ".join(f"`{name}{f' {value}' if value else ''}`" for name in action.option_strings)
    return names, _sentence(action.help or "")


def _exit_codes() -> Iterator[str]:
    yield "## Exit codes and error codes"
    yield _table(("Exit code", "Meaning"), [(str(code), _sentence(text)) for code, text in EXIT_CODES])
    yield (
        "A failure in JSON mode is one document on stdout: "
        '`{"error": {"code": ..., "message": ..., "hint": ...}}`. As text it is one or two lines on stderr. '
        "`code` is one of these and does not change:"
    )
    rows = [(f"`{each.code}`", str(each.exit_status), _first_sentences(each)) for each in _error_classes()]
    _same("OTHER_CODES", OTHER_CODES, _codes_in_app())
    rows += [(f"`{code}`", str(status), text) for code, (status, text) in OTHER_CODES.items()]
    yield _table(("Code", "Exit", "Meaning"), rows)


def _error_classes() -> list[type[errors.ClewError]]:
    found = [each for each in vars(errors).values() if inspect.isclass(each) and issubclass(each, errors.ClewError)]
    return [each for each in found if each is not errors.ClewError]


def _codes_in_app() -> set[str]:
    """The codes that `app` passes to `_fail` as literals."""
    calls = (node for node in ast.walk(ast.parse(inspect.getsource(app))) if isinstance(node, ast.Call))
    literals = (node.args[2] for node in calls if isinstance(node.func, ast.Name) and node.func.id == "_fail")
    return {str(each.value) for each in literals if isinstance(each, ast.Constant)}


def _documents() -> Iterator[str]:
    yield "## JSON documents"
    yield (
        "With `--json`, and whenever stdout is not a terminal, a command prints one JSON document in UTF-8 and "
        "nothing else on stdout. Progress and notes go to stderr. A value that is not known is `null`, a count of "
        "nothing is 0, and a list is never `null`. Later versions may add fields, never rename them."
    )
    for name, where in DOCUMENTS.items():
        record = getattr(records, name)
        hints = typing.get_type_hints(record)
        known = [field.name for field in dataclasses.fields(record)]
        _same(f"FIELDS[{name!r}]", FIELDS[name], known)
        rows = [(f"`{field}`", _type(hints[field]), FIELDS[name][field]) for field in known]
        yield f"### {name}"
        yield f"{where[0].upper()}{where[1:]}."
        yield _table(("Field", "Type", "Meaning"), rows)
    yield "### Evaluation document"
    yield "`clew eval` prints one object:"
    yield _table(("Field", "Meaning"), [(f"`{name}`", text) for name, text in EVALUATION])
    yield "### Settings document"
    yield '`clew settings` prints `{"settings": {NAME: {"value": ..., "origin": TEXT}}}`.'


def _type(hint: Any) -> str:
    """A Python annotation in the words of JSON."""
    plain = {str: "text", int: "integer", float: "number", bool: "true or false", type(None): "null"}
    if hint in plain:
        return plain[hint]
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return " or ".join(map(_type, inner))
    if origin is tuple:
        return f"list of {_type(inner[0])}"
    if origin is not None and issubclass(origin, Mapping):
        return f"object, {_type(inner[0])} to {_type(inner[1])}"
    name = hint.__name__
    return f"[{name}](#{name.lower()})" if name in DOCUMENTS else name


def _filters() -> Iterator[str]:
    flags = [flag.name.lower() for flag in records.FileFlag if flag.name and flag.name not in ("NONE", "SYNTAX_ERRORS")]
    _same("FLAGS", FLAGS, flags)
    text = inspect.getdoc(filters) or ""
    grammar = re.search(r"(?:^ {4}.*\n)+", text, re.M)
    if grammar is None:
        sys.exit("the grammar is missing in the docstring of clew.search.filters")
    yield "## Filter expressions"
    yield "`--filter EXPR` takes:"
    yield f"```text\n{inspect.cleandoc(grammar[0])}\n```"
    yield (
        "`and` binds closer than `or`. Names of fields and words such as `and` may be written in any case; values "
        "are compared as written. `like` takes `*` and `?`, and `*` also matches `/`. `path`, `language`, `lines`, "
        "`size` and the flags speak of a file, `kind`, `symbol`, `start_line` and `end_line` of a piece of it. "
        f"An expression has at most {filters.MAX_EXPRESSION:,} characters and nests at most {filters.MAX_DEPTH} deep."
    )
    yield _table(("Flag", "True for"), [(f"`{flag}`", FLAGS[flag]) for flag in flags])


def _kinds() -> Iterator[str]:
    yield "## Kinds"
    rest = [f"`{kind}`" for kind in records.CHUNK_KINDS if kind not in records.DEFINITION_KINDS]
    yield (
        f"`--kind` takes {_listed(records.DEFINITION_KINDS)}. A place can also be of kind {' or '.join(rest)}: lines "
        "between definitions, and lines of a file that is not divided into any. A filter expression takes them too."
    )


def _settings() -> Iterator[str]:
    yield "## Settings"
    yield (
        "From strong to weak: flags, environment, `clew.toml` in the root, `[tool.clew]` in `pyproject.toml`, your "
        "user file, defaults. Lists are not merged: the strongest one counts. `clew settings` shows each value and "
        "where it comes from."
    )
    rows = [
        (f"`{each.name}`", f"`{each.variable}`", _default(each.default), each.allowed, each.help) for each in SETTINGS
    ]
    yield _table(("Setting", "Environment", "Default", "Allowed", "Meaning"), rows)


def _default(value: object) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return "(empty)" if value in ("", ()) else f"`{value}`"


def _environment() -> Iterator[str]:
    yield "## Environment"
    _same("VARIABLES", VARIABLES, OTHER_VARIABLES)
    yield "Beside the settings above. An unknown `CLEW_` variable is an error, so that a slip does not go unnoticed."
    rows = [(f"`{name}`", text) for name, text in {**VARIABLES, **OUTSIDE_VARIABLES}.items()]
    yield _table(("Variable", "Meaning"), rows)


def _signals() -> Iterator[str]:
    yield "## Signals of `--explain`"
    yield (
        "A score is a weighted sum of these, corrected by boosted trees. They are for the curious and for bug reports,"
        " and may change."
    )
    yield _table(("Signal", "Meaning"), [(f"`{name}`", text) for name, text in features.SIGNALS.items()])


def _reasons() -> Iterator[str]:
    yield "## Why a file is left out"
    defined = {value for name, value in vars(reasons).items() if name.isupper()}
    _same("REASONS", REASONS, defined | {"generated"})
    yield "`clew index` and `clew status` count files that are not indexed by these reasons:"
    yield _table(("Reason", "Meaning"), REASONS.items())


def _languages() -> Iterator[str]:
    known = packs()
    with_symbols = [each for each in known if _has_definitions(each)]
    with_sections = [each for each in known if each not in with_symbols and _has_sections(each)]
    rest = [each for each in known if each not in with_symbols and each not in with_sections]
    yield "## Languages"
    yield (
        f"{len(with_symbols)} languages with definitions, {len(with_sections)} with sections, and {len(rest)} more "
        "that are known by name and searched as text. A text file in a language that is not listed here is searched "
        "as text too; `clew status` counts it under `text_only`."
    )
    rows = [
        (f"`{each.name}`", _recognised(each), _reading(each, each in with_symbols))
        for each in sorted((*with_symbols, *with_sections), key=lambda each: each.name)
    ]
    yield _table(("Language", "Extensions and names", "Definitions"), rows)
    yield "### Searched as text"
    yield (
        "Where the second column says so, the extra `more-languages` installs a grammar, which only makes better "
        "cuts between pieces."
    )
    text_rows = [
        (f"`{each.name}`", _recognised(each), "`more-languages`" if each.grammar else "")
        for each in sorted(rest, key=lambda each: each.name)
    ]
    yield _table(("Language", "Extensions and names", "Grammar"), text_rows)


def _has_definitions(each: Pack) -> bool:
    return (files("clew.languages") / (each.like or each.name) / "definitions.scm").is_file()


def _has_sections(each: Pack) -> bool:
    return each.name in dispatch._BY_LANGUAGE or each.name == "xml"


def _reading(each: Pack, with_symbols: bool) -> str:
    if with_symbols:
        return f"yes, read as `{each.like}`" if each.like else "yes"
    return "no; MSBuild files by sections, others as text" if each.name == "xml" else "no; by sections"


def _recognised(each: Pack) -> str:
    """How files of the language are told, without an endless list: a pack may know a hundred names."""
    most = 24
    marks = [*each.extensions, *each.filenames]
    more = f" and {len(marks) - most} more" if len(marks) > most else ""
    return " ".join(f"`{mark}`" for mark in marks[:most]) + more


def _library() -> Iterator[str]:
    yield "## Library"
    yield f"`import clew` gives {_listed(clew.__all__)}. Records turn into the documents above with `to_json`."
    yield "### Engine"
    yield inspect.getdoc(Engine) or ""
    for name in _METHODS:
        method = getattr(Engine, name)
        yield f"#### `{name}`"
        yield f"```python\n{_signature(name, inspect.signature(method))}\n```"
        if method.__doc__:
            yield inspect.getdoc(method) or ""


def _signature(name: str, signature: inspect.Signature, width: int = 100) -> str:
    """A signature on one line, or with one parameter a line. Not `str(signature)`: that quotes annotations."""
    parts: list[str] = []
    for each in signature.parameters.values():
        if each.name == "self":
            continue
        if each.kind is each.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        default = "" if each.default is each.empty else f" = {each.default!r}"
        parts.append(f"{each.name}: {each.annotation}{default}")
    line = f"{name}({', '.join(parts)}) -> {signature.return_annotation}"
    if len(line) <= width:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f") -> {signature.return_annotation}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in lines)


def _cell(text: str) -> str:
    """Plain text for a Markdown table: `<root>` is no HTML there and `__init__` is not bold. Code stays as it is."""
    parts = text.replace("|", "\\|").split("`")
    parts[::2] = [part.replace("<", "&lt;").replace("__", "\\_\\_") for part in parts[::2]]
    return "`".join(parts)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".") if text else ""


def _first_sentences(each: type) -> str:
    return " ".join((inspect.getdoc(each) or "").split("\n\n")[0].split())


def _same(table: str, ours: Iterable[str], theirs: Iterable[str]) -> None:
    missing, spare = sorted(set(theirs) - set(ours)), sorted(set(ours) - set(theirs))
    if missing or spare:
        sys.exit(f"docs/generate.py: {table} lacks {missing or 'nothing'} and has {spare or 'nothing'} too many")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the page is out of date")
    check = parser.parse_args().check
    page = render()
    if check:
        if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == page:
            return 0
        print(f"{TARGET} is out of date; run {AGAIN}", file=sys.stderr)
        return 1
    TARGET.write_text(page, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
