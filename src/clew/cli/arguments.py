"""The command line's words: which are commands, which are flags, and which are a question.

Only the parser that a call needs is built, and nothing here imports the engine.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from clew.errors import UsageError
from clew.records import CHUNKED_KINDS, DEFINITION_KINDS, MOST_ASKED, out_of_range

# First words that are commands. Every other first word begins a question.
COMMANDS = {
    "search": "Ask a question; `clew WORDS...` is short for it",
    "index": "Build the index, or bring it up to date",
    "status": "What is indexed, and whether it is up to date",
    "similar": "Code like the code at PATH:LINE",
    "eval": "Measure the answers against labelled queries in FILE",
    "settings": "Every setting, its value and where that comes from",
    "doctor": "Check the installation, the settings and the index",
    "help": "This text, or the help of a command",
}
# Commands of later versions: reserved from the start, so that no question changes its meaning then.
RESERVED = (
    "callers", "callees", "trace", "impact", "graph", "mcp", "init", "hook", "skill", "adr", "gc",
    "telemetry", "web",
)  # fmt: skip
TESTS = ("with", "without", "only")

_TOP = """\
clew: ask a codebase a question and get the right lines

  clew WORDS...                  how are rules applied
  clew COMMAND [OPTIONS]

Commands
{commands}

Options of a search (clew search --help)
  -n, --limit N        files in the answer (10)
  --kind KIND          function, method, class, ...      --lang LANGUAGE
  --path PREFIX        only below this folder            --tests with|without|only
  --index              build the index if there is none

Options everywhere
  --root DIR           the repository (default: found from here upward)
  --json / --no-json   one JSON document, or text (default: JSON when piped)
  --quiet, --color auto|always|never, --force, --help; --version

After -- every word belongs to the question: clew -- index of a book
Exit codes: 0 done (also with nothing found), 1 failure, 2 usage, 130 interrupted
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A parsed command line."""

    command: str
    options: argparse.Namespace


class _Parser(argparse.ArgumentParser):
    """Raises instead of printing and exiting, so that a usage error can be a JSON document."""

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments"):
            raise UsageError(message, hint=f"see `{self.prog} --help`; after -- every word belongs to the question")
        raise UsageError(message, hint=f"see `{self.prog} --help`")


def parse(argv: Sequence[str]) -> Call:
    """Parse a command line. Raises UsageError; `--help` and `--version` become the command `help` or `version`."""
    flags, literal = _split_at_dashes(argv)
    position = _first_word(flags)
    word = "" if position is None else flags[position]
    if word in RESERVED:
        raise UsageError(
            f"`{word}` is not available in this version of clew",
            hint=f"to search for the word: clew search {word}",
        )
    command = word if word in COMMANDS else "search"
    if position is not None and word in COMMANDS:
        del flags[position]
    if "--version" in flags:
        return Call("version", argparse.Namespace())
    if command == "help" or _asks_help(flags):
        return _help_call(word if word in COMMANDS and word != "help" else None, flags, literal)
    if not argv:
        return Call("help", argparse.Namespace(topic=None, bare=True))
    options = parser(command).parse_intermixed_args(flags)
    return Call(command, _finished(command, options, literal))


def _split_at_dashes(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    words = list(argv)
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def _first_word(flags: Sequence[str]) -> int | None:
    """Where the first word stands that is neither a flag nor the value of one."""
    skip = False
    for position, part in enumerate(flags):
        if skip:
            skip = False
        elif part in _VALUE_FLAGS:
            skip = True
        elif not part.startswith("-") or part == "-" or " " in part.partition("=")[0]:
            return position
    return None


def _asks_help(flags: Sequence[str]) -> bool:
    return "--help" in flags or "-h" in flags


def _help_call(topic: str | None, flags: Sequence[str], literal: Sequence[str]) -> Call:
    words = [word for word in (*flags, *literal) if not word.startswith("-")]
    if topic is None and words and words[0] in COMMANDS:
        topic = words[0]
    return Call("help", argparse.Namespace(topic=topic, bare=False))


def _finished(command: str, options: argparse.Namespace, literal: Sequence[str]) -> argparse.Namespace:
    """Checks that span several words."""
    words = [*options.words, *literal]
    if command == "search":
        options.query = " ".join(words).strip()
        if not options.query:
            raise UsageError("there is no question", hint="clew how are rules applied")
        return options
    if command == "similar":
        if len(words) != 1:
            raise UsageError("`similar` takes one PATH:LINE", hint="clew similar src/cart.py:12")
        options.location = words[0]
        return options
    if command == "eval":
        if len(words) != 1:
            raise UsageError("`eval` takes one FILE of labelled queries", hint="clew eval queries.json")
        if options.compare and options.compare_with is not None:
            raise UsageError("--compare and --compare-with exclude each other", hint="see `clew eval --help`")
        options.file = words[0]
        return options
    if words:
        raise UsageError(
            f"`{command}` is a command and takes no words",
            hint=f"to search for these words: clew search {command} {' '.join(words)}",
        )
    return options


def help_text(topic: str | None) -> str:
    if topic is not None:
        return parser(topic).format_help()
    commands = "\n".join(f"  {name:<20} {text}" for name, text in COMMANDS.items())
    return _TOP.format(commands=commands)


def parser(command: str) -> argparse.ArgumentParser:
    """The parser of one command; its options are the public contract."""
    made = _Parser(
        prog=f"clew {command}",
        description=COMMANDS[command] + ".",
        usage=f"clew {command} {_WORDS.get(command, '')}[OPTIONS]",
        allow_abbrev=False,
        add_help=False,  # argparse would print and exit
    )
    made.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    if command in ("search", "similar"):
        _add_search_options(made)
    if command == "search":
        made.add_argument("--explain", action="store_true", help="show what each score is made of")
    if command == "eval":
        _add_eval_options(made)
    if command == "index":
        made.add_argument("--full", action="store_true", help="rebuild from nothing; also repairs a damaged index")
        made.add_argument("--dry-run", action="store_true", help="say what would be indexed, and write nothing")
    _add_common_options(made)
    return made


_WORDS = {"search": "QUERY ", "similar": "PATH:LINE ", "eval": "FILE ", "help": "[COMMAND] "}
_VALUE_FLAGS = frozenset({
    "-n", "--limit", "--kind", "--lang", "--path", "--tests", "--filter", "--places", "--budget", "--root", "--color",
    "--compare", "--compare-with",
})  # fmt: skip


_INNER_KINDS = ", ".join(kind for kind in DEFINITION_KINDS if kind not in CHUNKED_KINDS)
_KIND_HELP = f"of {', '.join(CHUNKED_KINDS)}; or of {_INNER_KINDS}, which show the definitions themselves"


def _add_search_options(made: argparse.ArgumentParser) -> None:
    add = made.add_argument
    add("-n", "--limit", type=_number("limit"), metavar="N", help="files in the answer (default: the setting, 10)")
    add("--kind", action="extend", default=[], metavar="KIND", type=_kinds, help=_KIND_HELP)
    add("--lang", action="extend", default=[], metavar="LANGUAGE", type=_names, help="a language, e.g. python")
    add("--path", action="append", default=[], metavar="PREFIX", help="only below this folder, or this file")
    add("--tests", choices=TESTS, default="with", help="with, without or only test files (default: with)")
    add("--filter", default="", metavar="EXPR", help="a filter expression, see the reference")
    add("--places", type=_number("places"), metavar="N", help="places shown per file (default: the setting, 2)")
    add("--budget", type=_number("budget"), metavar="TOKENS", help="most tokens that the answer may take")
    add("--no-text", action="store_true", help="places only, without their text")
    add("--index", action="store_true", help="build the index if there is none, or if it lags behind")


def _add_eval_options(made: argparse.ArgumentParser) -> None:
    add = made.add_argument
    add("-n", "--limit", type=_number("limit"), metavar="N", help="files asked for per query (default: 10)")
    add("--hits", action="store_true", help="the files of each answer too")
    add("--all", action="store_true", help="as text: every query, not only those without a right first file")
    add(
        "--compare", action="append", default=[], metavar="NAME=VALUE", type=_assignment,
        help="run again with this setting and compare; may be repeated",
    )  # fmt: skip
    add("--compare-with", metavar="REPORT", help="compare with the JSON that an earlier run printed")
    add("--index", action="store_true", help="build the index if there is none")


def _add_common_options(made: argparse.ArgumentParser) -> None:
    add = made.add_argument
    add("--root", metavar="DIR", help="the repository (default: found from the working directory upward)")
    add("--force", action="store_true", help="accept a root that is usually a mistake, such as the home directory")
    add("--json", action=argparse.BooleanOptionalAction, default=None, help="one JSON document, or text")
    add("--quiet", action="store_true", help="no progress and no notes on stderr")
    add("-h", "--help", action="store_true", help="this text")
    add("--color", choices=("auto", "always", "never"), default="auto", help="colour in text (default: auto)")


def _number(name: str) -> Callable[[str], int]:
    def parsed(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) <= 10 and 1 <= int(text) <= MOST_ASKED[name]:
            return int(text)
        raise UsageError(out_of_range(name, text if text.isdecimal() else repr(text)), hint="see `clew search --help`")

    return parsed


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name.strip(), value


def _names(text: str) -> list[str]:
    return [name.strip().lower() for name in text.split(",") if name.strip()]


def _kinds(text: str) -> list[str]:
    names = _names(text)
    for name in names:
        if name not in DEFINITION_KINDS:
            raise argparse.ArgumentTypeError(f"'{name}' is not one of {', '.join(DEFINITION_KINDS)}")
    return names
