"""What kind a file is: by its path (test, vendored, documentation, ...) and by its first bytes."""

from __future__ import annotations

import functools
import re

from clew.records import FileFlag
from clew.workspace import names, reasons

# Bytes that git reads to tell text from binary, rounded up.
_SAMPLE = 8192
_BYTE_ORDER_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
# UTF-16 without a mark: at least this share of the units is ASCII, as in any source code.
_UTF16_ASCII_SHARE = 0.4
# Control characters that text does not hold: all but tab, line ends, form feed, backspace, escape and Ctrl-Z.
_CONTROLS = bytes(byte for byte in range(1, 32) if byte not in b"\t\n\r\f\v\b\x1b\x1a")
_MAX_CONTROL_SHARE = 0.1
# Bytes. Measured: parsing such files costs seconds and gives nothing that anyone searches for.
_MINIFIED_AVERAGE_LINE = 300
_MINIFIED_LONGEST_LINE = 5_000
# Share of `(){};` in the longest line: minified code has 5 % and more, an embedded image or font none.
_MINIFIED_PUNCTUATION = 0.01
# A generated file says so at the top; further down the words are about something else.
_MARKER_LINES = 20

_PRIVATE_KEY = rb"\s*(?:-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d)"


# Patterns are compiled at first use: a query that only checks freshness needs none of them.
@functools.cache
def _pattern(expression: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(expression, flags)


def split_name(path: str) -> tuple[str, str, str]:
    """Directory, name and lower-case suffix (with its dot, or empty) of a POSIX path."""
    directory, _, name = path.rpartition("/")
    dot = name.rfind(".")
    return directory, name, name[dot:].lower() if dot > 0 else ""


def path_flags(path: str) -> FileFlag:
    """What the path alone says, by the conventions of the file's language. A few microseconds a file."""
    directory, name, suffix = split_name(path)
    family = names.FAMILY_OF_SUFFIX.get(suffix, "")
    flags = _directory_flags(directory, family)
    if family and _pattern(names.TEST_NAME_PATTERNS[family]).fullmatch(name):
        flags |= FileFlag.TEST
    if name.endswith(names.STUB_ENDINGS):
        flags |= FileFlag.STUB
    if _is_documentation(directory, name, suffix):
        flags |= FileFlag.DOCUMENTATION
    if _is_generated(name.lower(), suffix):
        flags |= FileFlag.GENERATED
    return flags


def path_reason(path: str) -> str | None:
    """Why the name alone keeps the file out of the index: 'secret', 'agent instructions', 'binary' or None."""
    directory, name, suffix = split_name(path)
    lowered = name.lower()
    if _is_secret(directory, lowered, suffix):
        return reasons.SECRET
    if _is_agent_file(directory, lowered):
        return reasons.AGENT_INSTRUCTIONS
    return reasons.BINARY if _is_binary(lowered, suffix) else None


@functools.lru_cache(maxsize=50_000)
def _directory_flags(directory: str, family: str) -> FileFlag:
    if not directory:
        return FileFlag.NONE
    flags = FileFlag.NONE
    parts = directory.split("/")
    lowered = [part.lower() for part in parts]
    if not names.VENDORED_DIRECTORIES.isdisjoint(lowered):
        flags |= FileFlag.VENDORED
    if _is_test_directory(directory, parts, lowered, family):
        flags |= FileFlag.TEST
    parents = ["", *lowered]
    if any(
        part in names.EXAMPLE_DIRECTORIES and parent not in names.DOMAIN_DIRECTORIES
        for parent, part in zip(parents, lowered, strict=False)
    ):
        flags |= FileFlag.EXAMPLE
    return flags


def _is_test_directory(directory: str, parts: list[str], lowered: list[str], family: str) -> bool:
    if lowered[0] in names.TOP_TEST_DIRECTORIES or not names.TEST_DIRECTORIES.isdisjoint(lowered):
        return True
    if _pattern(names.SOURCE_SET_PATTERN).fullmatch(directory + "/"):
        return True
    if not names.FAMILY_TEST_DIRECTORIES.get(family, frozenset()).isdisjoint(lowered):
        return True
    endings = names.FAMILY_TEST_DIRECTORY_ENDINGS.get(family)
    return endings is not None and any(part.endswith(endings) for part in parts)


def _is_documentation(directory: str, name: str, suffix: str) -> bool:
    if suffix in names.DOCUMENTATION_SUFFIXES:
        return True
    if suffix not in names.DOCUMENTATION_TEXT_SUFFIXES:
        return False
    stem = (name[: -len(suffix)] if suffix else name).lower()
    if suffix in ("", ".txt") and stem in names.DOCUMENTATION_NAMES:
        return True
    return suffix != "" and not names.DOCUMENTATION_DIRECTORIES.isdisjoint(directory.lower().split("/"))


@functools.lru_cache(maxsize=50_000)
def _secret_places(directory: str) -> tuple[frozenset[str] | None, ...]:
    parts = directory.lower().split("/")
    return tuple(files for place, files in names.SECRET_PLACES if place in parts)


def _is_secret(directory: str, name: str, suffix: str) -> bool:
    """Whether the name is one that keys, passwords or certificate stores go by."""
    if name.startswith(names.ENVIRONMENT_NAME_START) or name in names.SECRET_NAMES or suffix in names.SECRET_SUFFIXES:
        return True
    if name in names.SECRET_UNLESS_TEMPLATE:
        return directory.rpartition("/")[2].lower() != names.TEMPLATE_PARENT
    if "." not in directory:
        return False
    return any(files is None or name in files for files in _secret_places(directory))


@functools.lru_cache(maxsize=50_000)
def _is_agent_place(directory: str) -> bool:
    parts = directory.lower().split("/")
    following = [*parts[1:], None]
    return any(
        part == place and inner in (None, after)
        for place, inner in names.AGENT_PLACES
        for part, after in zip(parts, following, strict=True)
    )


def _is_agent_file(directory: str, name: str) -> bool:
    """Whether the file instructs a coding agent: such text must not come back as an answer about code."""
    return name in names.AGENT_NAMES or ("." in directory and _is_agent_place(directory))


def _is_binary(name: str, suffix: str) -> bool:
    """Whether the suffix is one of binary formats; the content of every other file decides later."""
    return suffix in names.BINARY_SUFFIXES or name in names.BINARY_NAMES


def _is_generated(name: str, suffix: str) -> bool:
    """Whether the name is one that generators and package managers give: `*.pb.go`, `*.min.js`, lock files."""
    if name in names.GENERATED_NAMES or name.endswith(names.GENERATED_ENDINGS):
        return True
    return name.startswith(names.GENERATED_STARTS) and suffix in names.GENERATED_START_SUFFIXES


def judge_content(path: str, data: bytes) -> tuple[str | None, FileFlag]:
    """Why the file is not to be indexed ('binary', 'minified', 'secret') or None, and the flags its content adds.

    Cost: the first 8 KB, and for web code one pass over the lines.
    """
    _, name, suffix = split_name(path)
    flags = FileFlag.GENERATED if _is_generated(name.lower(), suffix) else FileFlag.NONE
    encoding = wide_encoding(data)
    if encoding is None and _looks_binary(data[:_SAMPLE]):
        return reasons.BINARY, flags
    if re.match(_PRIVATE_KEY, data[:_SAMPLE]):
        return reasons.SECRET, flags
    if _is_minified(path, data):
        return reasons.MINIFIED, flags
    text = data[:_SAMPLE].decode(encoding or "latin-1", "replace")
    if _has_marker(text.lstrip("\ufeff").removeprefix("\xef\xbb\xbf"), suffix):
        flags |= FileFlag.GENERATED
    return None, flags


def wide_encoding(data: bytes) -> str | None:
    """'utf-16-le' and its like when the data is such text, by its mark or by its look; None for everything else."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding
    sample = data[:_SAMPLE]
    if b"\0" not in sample or len(sample) < 4:
        return None
    sample = sample[: len(sample) & ~1]
    even, odd = sample[::2], sample[1::2]
    for high, low, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        # In text the zero bytes are the high halves of ASCII; a zero low half would be U+xx00, which is rare.
        if high.count(0) < len(high) * _UTF16_ASCII_SHARE or low.count(0) > len(low) * 0.01:
            continue
        text = sample.decode(encoding, "ignore")
        if "\0" not in text and _control_share(text.encode("utf-8")) <= _MAX_CONTROL_SHARE:
            return encoding
    return None


def _looks_binary(sample: bytes) -> bool:
    return b"\0" in sample or _control_share(sample) > _MAX_CONTROL_SHARE


def _control_share(sample: bytes) -> float:
    return (len(sample) - len(sample.translate(None, _CONTROLS))) / max(1, len(sample))


def _is_minified(path: str, data: bytes) -> bool:
    suffix = split_name(path)[2]
    if path.lower().endswith(names.MINIFIED_ENDINGS):
        return True
    if suffix not in names.MINIFIABLE_SUFFIXES or len(data) <= _MINIFIED_LONGEST_LINE:
        return False
    lines = data.splitlines()
    longest = max(lines, key=len)
    if len(longest) <= _MINIFIED_LONGEST_LINE or len(data) / len(lines) <= _MINIFIED_AVERAGE_LINE:
        return False
    punctuation = len(longest) - len(longest.translate(None, b"(){};"))
    return suffix == ".svg" or punctuation > len(longest) * _MINIFIED_PUNCTUATION


def _has_marker(text: str, suffix: str) -> bool:
    """Whether a generator's marker stands in the comments that open the file."""
    starts = names.COMMENT_STARTS.get(suffix, names.DEFAULT_COMMENT_STARTS)
    block_end: str | None = None
    for line in re.split(r"\r\n|\r|\n", text, maxsplit=_MARKER_LINES)[:_MARKER_LINES]:
        bare = line.strip()
        if block_end is None:
            if not bare or bare.lower().startswith(names.OPENING_LINES):
                continue
            start = next((start for start in starts if bare.startswith(start)), None)
            if start is None:
                return False
            block_end, bare = names.BLOCK_ENDS.get(start), bare[len(start) :]
        comment, closing, after = bare.partition(block_end) if block_end else (bare, "", "")
        if _pattern(names.GENERATED_MARKERS, re.IGNORECASE).search(comment):
            return True
        if closing:
            block_end = None
            if after.strip():
                return False
    return False
