"""Tokens of a text, estimated without a vocabulary."""

from __future__ import annotations

import re

# One match is roughly one token of the common byte-pair vocabularies: words in pieces, runs of
# digits, punctuation and indentation.
_PIECES = re.compile(r"[A-Z]?[a-z]{1,8}|[A-Z]{1,4}|\d{1,3}|[^\W\d_A-Za-z]{1,2}|[^\w\s]{1,2}|_|\n\s*|[ \t]{2,}")


def count_tokens(text: str) -> int:
    """Estimated tokens of a text. O(length)."""
    return sum(1 for _ in _PIECES.finditer(text))


def cut_to_tokens(text: str, tokens: int) -> str:
    """The longest prefix of whole lines within that many tokens; empty when not even one line fits."""
    used = 0
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        used += count_tokens(line)
        if used > tokens:
            break
        lines.append(line)
    return "".join(lines).rstrip("\r\n")
