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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

# Bytes of an ignore file that are read. Git reads all of it; real ones are a few kilobytes.
MAX_IGNORE_BYTES = 1 << 20
# What git sets as core.ignoreCase when it creates a repository on these platforms.
IGNORE_CASE = sys.platform in ("win32", "darwin")

_NEVER = "(?!)"
_ESCAPED = {byte: re.escape(chr(byte)) for byte in range(256)}
_STAR, _ANY_DEPTH, _ANY_TEXT = "*", "**/", "**"  # the tokens that are not one fixed byte
_OPEN_ENDED = frozenset((_ANY_DEPTH, _ANY_TEXT))


def _byte_class(test: Callable[[str], bool]) -> frozenset[int]:
    return frozenset(byte for byte in range(128) if test(chr(byte)))


_GRAPH = frozenset(range(0x21, 0x7F))
_ALNUM = _byte_class(str.isalnum)
_NAMED_CLASSES = {
    "alnum": _ALNUM,
    "alpha": _byte_class(str.isalpha),
    "blank": frozenset(b" \t"),
    "cntrl": frozenset((*range(0x20), 0x7F)),
    "digit": frozenset(b"0123456789"),
    "graph": _GRAPH,
    "lower": _byte_class(str.islower),
    "print": _GRAPH | {0x20},
    "punct": _GRAPH - _ALNUM,
    "space": frozenset(b" \t\n\r\v\f"),
    "upper": _byte_class(str.isupper),
    "xdigit": frozenset(b"0123456789abcdefABCDEF"),
}


class _Malformed(Exception):
    """The pattern can never match: an unclosed class, a trailing backslash."""


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


def _literal_prefix(pattern: str) -> str:
    special = re.search(r"[*?\[\\]", pattern)
    return pattern if special is None else pattern[: special.start()]


def _read_set(pattern: str, start: int) -> tuple[str, int]:
    """Translate the class that opens at `start`; return its expression and where it ends."""
    position = start + 1
    negated = pattern[position : position + 1] in ("!", "^")
    position += negated
    members: set[int] = set()
    previous = 0
    first = True
    while first or pattern[position : position + 1] != "]":
        first = False
        if position >= len(pattern):
            raise _Malformed
        previous, position = _read_set_item(pattern, position, previous, members)
    if not negated:
        members.discard(ord("/"))
        inside = "".join(f"\\x{byte:02x}" for byte in sorted(members))
        return (f"[{inside}]" if inside else _NEVER), position + 1
    inside = "".join(f"\\x{byte:02x}" for byte in sorted(members | {ord("/")}))
    return f"[^{inside}]", position + 1


def _read_set_item(pattern: str, position: int, previous: int, members: set[int]) -> tuple[int, int]:
    """One item of a class. Returns the byte that a following `-` would start from (0: none) and the next position."""
    char = pattern[position]
    if char == "\\":
        if position + 1 >= len(pattern):
            raise _Malformed
        members.add(ord(pattern[position + 1]))
        return ord(pattern[position + 1]), position + 2
    if char == "-" and previous and pattern[position + 1 : position + 2] not in ("", "]"):
        position += 1
        if pattern[position] == "\\":
            position += 1
            if position >= len(pattern):
                raise _Malformed
        members.update(range(previous, ord(pattern[position]) + 1))
        return 0, position + 1
    if pattern.startswith("[:", position):
        end = pattern.find("]", position + 2)
        if end < 0:
            raise _Malformed
        if end > position + 2 and pattern[end - 1] == ":":
            name = pattern[position + 2 : end - 1]
            if name not in _NAMED_CLASSES:
                raise _Malformed
            members.update(_NAMED_CLASSES[name])
            return 0, end + 1
    members.add(ord(char))
    return ord(char), position + 1


def _tokens(pattern: str) -> list[str]:
    """Split a glob into fixed one-byte expressions and the three kinds of star."""
    tokens: list[str] = []
    position = 0
    while position < len(pattern):
        char = pattern[position]
        if char == "*":
            token, position = _read_stars(pattern, position)
            tokens.append(token)
        elif char == "[":
            token, position = _read_set(pattern, position)
            tokens.append(token)
        elif char == "\\":
            if position + 1 >= len(pattern):
                raise _Malformed
            tokens.append(_ESCAPED[ord(pattern[position + 1])])
            position += 2
        else:
            tokens.append("[^/]" if char == "?" else _ESCAPED[ord(char)])
            position += 1
    return tokens


def _read_stars(pattern: str, start: int) -> tuple[str, int]:
    end = start
    while pattern[end : end + 1] == "*":
        end += 1
    after = pattern[end : end + 2]
    bounded = (start == 0 or pattern[start - 1] == "/") and (after in ("", "\\/") or after.startswith("/"))
    if end - start == 1 or not bounded:
        return _STAR, end
    if after.startswith("/"):
        return _ANY_DEPTH, end + 1
    return _ANY_TEXT, end


def _split(tokens: Sequence[str], separators: frozenset[str]) -> list[tuple[str, list[str]]]:
    """Parts as (the separator before it, its tokens); the first part has none."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for token in tokens:
        if token in separators:
            parts.append((token, []))
        else:
            parts[-1][1].append(token)
    return parts


def _chunk_expression(tokens: Sequence[str], last: bool) -> str:
    """Tokens without `**`. Earlier stars take the shortest run that fits and never give it back.

    The shortest is always right, because the next star can take up what it left, and without
    backtracking a hostile pattern such as `*a*a*a*a*b` costs no more than another.
    """
    parts = _split(tokens, frozenset((_STAR,)))
    out = "".join(parts[0][1])
    for number, (_, part) in enumerate(parts[1:], start=2):
        fixed = "".join(part)
        out += f"[^/]*{fixed}" if last and number == len(parts) else f"(?>[^/]*?{fixed})"
    return out


def _expression(pattern: str) -> str:
    """Translate a glob to a regular expression that must match the whole text."""
    try:
        parts = _split(_tokens(pattern), _OPEN_ENDED)
    except _Malformed:
        return _NEVER
    out = _chunk_expression(parts[0][1], len(parts) == 1)
    for number, (separator, part) in enumerate(parts[1:], start=2):
        last = number == len(parts)
        if last and separator == _ANY_TEXT and not part:
            return out + ".*"
        skip = "(?:[^/]*/)*?" if separator == _ANY_DEPTH else ".*?"
        piece = skip + _chunk_expression(part, last)
        out += piece if last else f"(?>{piece})"
    return out


def _path_expression(pattern: str) -> str:
    # Git compares the literal beginning first and hands only the rest to its matcher, where a `**`
    # then stands at the start: `foo**/bar` matches `foox/y/bar`. The same is done here.
    pattern = pattern.removeprefix("/")
    prefix = _literal_prefix(pattern)
    return re.escape(prefix) + _expression(pattern[len(prefix) :])


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
        literal = not ignore_case and _literal_prefix(rule.pattern) == rule.pattern
        if not rule.by_name and literal:
            self._paths.setdefault(rule.pattern.removeprefix("/"), []).append(number)
        elif not rule.by_name:
            path_globs.append((number, _path_expression(rule.pattern)))
        elif literal:
            self._names.setdefault(rule.pattern, []).append(number)
        elif not ignore_case and re.fullmatch(r"\*\.[^.*?\[\\]+", rule.pattern):
            self._suffixes.setdefault(rule.pattern[1:], []).append(number)
        else:
            name_globs.append((number, _expression(rule.pattern)))

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
        if os.path.islink(path):
            return None, f"{path}: a symbolic link is not read as an ignore file"
    try:
        with open(os.open(path, flags), "rb") as file:
            data = file.read(MAX_IGNORE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None, ""
    except (OSError, ValueError) as error:
        return None, f"{path}: the ignore file could not be read ({getattr(error, 'strerror', None) or error})"
    if len(data) > MAX_IGNORE_BYTES:
        return IgnoreRules(data[:MAX_IGNORE_BYTES]), f"{path}: only the first {MAX_IGNORE_BYTES} bytes were read"
    return IgnoreRules(data), ""
