"""Globs as git's matcher reads them, translated to regular expressions over bytes widened to text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_NEVER = "(?!)"
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


def literal_prefix(pattern: str) -> str:
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
            tokens.append(re.escape(pattern[position + 1]))
            position += 2
        else:
            tokens.append("[^/]" if char == "?" else re.escape(char))
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


def name_expression(pattern: str) -> str:
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


def path_expression(pattern: str) -> str:
    # Git compares the literal beginning first and hands only the rest to its matcher, where a `**`
    # then stands at the start: `foo**/bar` matches `foox/y/bar`. The same is done here.
    pattern = pattern.removeprefix("/")
    prefix = literal_prefix(pattern)
    return re.escape(prefix) + name_expression(pattern[len(prefix) :])
