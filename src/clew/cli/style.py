"""Colours, widths, and making text from files safe to show on a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

# SGR codes (ECMA-48) by role; basic colours only, so that every theme stays readable.
STYLES = {
    "path": "1;36",
    "symbol": "1;33",
    "match": "1",
    "dim": "2",
    "rank": "1",
    "good": "32",
    "warn": "33",
    "bad": "31",
    "head": "1",
}
TAB_WIDTH = 4
# Control characters could move the cursor or retitle the window; directional overrides can make code read
# as something that it is not ("Trojan source"); lone surrogates are bytes of a file name that is not UTF-8.
_UNSAFE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_ELLIPSIS = "…"


def wants_colour(choice: str, terminal: bool, environ: Mapping[str, str]) -> bool:
    """`choice` is always, never or auto; auto follows the terminal, NO_COLOR and TERM."""
    if choice != "auto":
        return choice == "always"
    return terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def safe(text: str) -> str:
    """One line of text with tabs expanded and anything that could steer a terminal made visible."""
    return _UNSAFE.sub(_visible, text.expandtabs(TAB_WIDTH))


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:  # PEP 383: the byte that could not be decoded
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def width(text: str) -> int:
    """Columns that the text takes: two for wide East Asian characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, columns: int) -> str:
    """The text in at most `columns` columns, with an ellipsis where it was longer."""
    if width(text) <= columns:
        return text
    used, kept = 0, 0
    for character in text:
        used += _columns(character)
        if used > columns - 1:
            break
        kept += 1
    return text[:kept] + _ELLIPSIS if columns > 0 else ""


class Painter:
    """Puts styles around text, or leaves it alone."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, style: str, text: str) -> str:
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.colour and text else text
