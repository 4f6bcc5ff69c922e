"""Ignore files in gitignore syntax, read exactly as git reads them.

Git compares bytes, so patterns and names are handled as byte strings widened to text (Latin-1):
`?` then matches one byte of a UTF-8 name, as in git. Each file is compiled once: literal names,
`*.suffix` patterns and literal paths become look-ups, the rest two combined expressions, so the
cost of one question is a few look-ups and not one match per pattern.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clew.workspace.globs import literal_prefix, name_expression, path_expression

# Bytes of an ignore file that are read. Git reads all of it; real ones are a few kilobytes.
MAX_IGNORE_BYTES = 1 << 20
# What git sets as core.ignoreCase when it creates a repository on these platforms.
IGNORE_CASE = sys.platform in ("win32", "darwin")


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: str
    negative: bool
    directories_only: bool
    by_name: bool  # without a slash a pattern is compared with the last component, at any depth


def as_bytes_text(text: str) -> str:
    """Widen a file name to the form that rules are compared with: one character per byte."""
    return text if text.isascii() else os.fsencode(text).decode("latin-1")


def _trim_trailing_spaces(line: str) -> str:
    first_space = None
    position = 0
    while position < len(line):
        if line[position] == " ":
            first_space = position if first_space is None else first_space
        else:
            if line[position] == "\\":
                position += 1
                if position >= len(line):
                    return line
            first_space = None
        position += 1
    return line if first_space is None else line[:first_space]


def _parse_line(line: str) -> _Rule | None:
    if not line or line.startswith("#"):
        return None
    pattern = _trim_trailing_spaces(line)
    negative = pattern.startswith("!")
    pattern = pattern[negative:]
    directories_only = pattern.endswith("/")
    pattern = pattern[: len(pattern) - directories_only]
    return _Rule(pattern, negative, directories_only, "/" not in pattern)


def _parse(data: bytes) -> Iterable[_Rule]:
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    for line in text.split("\n"):
        rule = _parse_line(line.removesuffix("\r").partition("\0")[0])
        if rule is not None:
            yield rule


class IgnoreRules:
    """The compiled rules of one ignore file. The last rule that matches decides."""

    __slots__ = ("_flags", "_name_globs", "_names", "_path_globs", "_paths", "_rules", "_suffixes")

    def __init__(self, data: bytes, *, ignore_case: bool = IGNORE_CASE) -> None:
        self._rules = tuple(_parse(data))
        self._flags = re.DOTALL | (re.IGNORECASE | re.ASCII if ignore_case else 0)
        self._names: dict[str, list[int]] = {}
        self._suffixes: dict[str, list[int]] = {}
        self._paths: dict[str, list[int]] = {}
        name_globs: list[tuple[int, str]] = []
        path_globs: list[tuple[int, str]] = []
        for number in reversed(range(len(self._rules))):
            self._file_rule(number, self._rules[number], ignore_case, name_globs, path_globs)
        self._name_globs = _Globs(name_globs, self._flags)
        self._path_globs = _Globs(path_globs, self._flags)

    def _file_rule(
        self,
        number: int,
        rule: _Rule,
        ignore_case: bool,
        name_globs: list[tuple[int, str]],
        path_globs: list[tuple[int, str]],
    ) -> None:
        literal = not ignore_case and literal_prefix(rule.pattern) == rule.pattern
        if not rule.by_name and literal:
            self._paths.setdefault(rule.pattern.removeprefix("/"), []).append(number)
        elif not rule.by_name:
            path_globs.append((number, path_expression(rule.pattern)))
        elif literal:
            self._names.setdefault(rule.pattern, []).append(number)
        elif not ignore_case and re.fullmatch(r"\*\.[^.*?\[\\]+", rule.pattern):
            self._suffixes.setdefault(rule.pattern[1:], []).append(number)
        else:
            name_globs.append((number, name_expression(rule.pattern)))

    def __bool__(self) -> bool:
        return bool(self._rules)

    def verdict(self, path: str, name: str, is_directory: bool) -> bool | None:
        """True: ignored. False: a negated rule takes it back. None: no rule matches.

        `path` is relative to the ignore file's directory and `name` its last component, both as
        `as_bytes_text` gives them. Rules about parents are not consulted: a walker that does not
        descend into ignored directories has the same effect.
        """
        best = self._first(self._names.get(name), is_directory, -1)
        best = self._first(self._paths.get(path), is_directory, best)
        if self._suffixes:
            dot = name.rfind(".")
            if dot >= 0:
                best = self._first(self._suffixes.get(name[dot:]), is_directory, best)
        best = self._first(self._name_globs.matches(name), is_directory, best)
        best = self._first(self._path_globs.matches(path), is_directory, best)
        return None if best < 0 else not self._rules[best].negative

    def _first(self, numbers: Iterable[int] | None, is_directory: bool, best: int) -> int:
        if numbers is None:
            return best
        for number in numbers:
            if number <= best:
                return best
            if is_directory or not self._rules[number].directories_only:
                return number
        return best


class _Globs:
    """Patterns with wildcards, last rule first, behind one combined expression that says whether any matches."""

    __slots__ = ("_any", "_compiled", "_each", "_flags")

    def __init__(self, globs: Sequence[tuple[int, str]], flags: int) -> None:
        self._flags = flags
        self._each = tuple(globs)
        self._compiled: list[tuple[int, re.Pattern[str]]] | None = None  # only once something matched
        self._any = re.compile("|".join(f"(?:{glob})" for _, glob in globs), flags).fullmatch if globs else None

    def matches(self, text: str) -> Iterable[int] | None:
        if self._any is None or self._any(text) is None:
            return None
        if self._compiled is None:
            self._compiled = [(number, re.compile(glob, self._flags)) for number, glob in self._each]
        return (number for number, glob in self._compiled if glob.fullmatch(text))


@dataclass(frozen=True, slots=True)
class Layer:
    """Rules with their place: `base` is the directory of the ignore file, relative to the root, with a final slash.

    For an ignore file above the root, `lead` is the way from its directory down to the root instead.
    `reason` is what a path is counted under when these rules leave it out.
    """

    rules: IgnoreRules
    reason: str
    base: str = ""
    lead: str = ""


def deciding_layer(
    layers: Sequence[Layer], path: str, name: str, is_directory: bool
) -> tuple[Layer | None, bool | None]:
    """The nearest ignore file that has an opinion, with it. Cost: O(layers)."""
    for layer in reversed(layers):
        verdict = layer.rules.verdict(layer.lead + path[len(layer.base) :], name, is_directory)
        if verdict is not None:
            return layer, verdict
    return None, None


def rules_from_patterns(patterns: Iterable[str]) -> IgnoreRules:
    """Rules from a setting: the same syntax, one pattern per item."""
    return IgnoreRules("\n".join(patterns).encode("utf-8", "surrogateescape"))


def read_rules(path: str, *, follow_links: bool) -> tuple[IgnoreRules | None, str]:
    """Read an ignore file; None when there is none. The second value is a problem to report, or empty.

    Git does not follow a link for an ignore file inside the tree, and neither do we: it could
    point anywhere.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if not follow_links:
        flags |= getattr(os, "O_NOFOLLOW", 0)
        if os.path.islink(path):  # noqa: PTH114 - a plain string; called for every directory with rules
            return None, f"{path}: a symbolic link is not read as an ignore file"
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            data = file.read(MAX_IGNORE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None, ""
    except (OSError, ValueError) as error:
        return None, f"{path}: the ignore file could not be read ({getattr(error, 'strerror', None) or error})"
    if len(data) > MAX_IGNORE_BYTES:
        return IgnoreRules(data[:MAX_IGNORE_BYTES]), f"{path}: only the first {MAX_IGNORE_BYTES} bytes were read"
    return IgnoreRules(data), ""
