"""Pairs as the model sees them: what is asked, and the document as clew embeds a chunk, name kept or masked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# The symbol and a chunk of `clew.parsing.limits.CHUNK_BYTES`.
DOCUMENT_CHARS = 1700
QUERY_CHARS = 400
SOURCES = ("doc", "name", "section", "commit")
_MASK = "func"


@dataclass(frozen=True, slots=True)
class Pair:
    """One line of a pairs file."""

    language: str
    package: str
    symbol: str
    name: str
    query: str
    code: str
    source: str

    @property
    def question(self) -> str:
        """The query. Go's comments begin with the name, which would give the answer away."""
        text = self.query[:QUERY_CHARS]
        if self.source == "doc" and self.name and text.startswith(self.name + " "):
            return text[len(self.name) + 1 :]
        return text

    @property
    def document(self) -> str:
        """The symbol, then the text, as the index embeds a chunk."""
        return f"{self.symbol}\n{self.code}"[:DOCUMENT_CHARS]

    @property
    def masked(self) -> str:
        """The document with its own name replaced wherever it stands as a word."""
        if not self.name:
            return self.document
        pattern = rf"(?<![^\W_]){re.escape(self.name)}(?![^\W_])"
        return re.sub(pattern, _MASK, self.document)


def read_pairs(directory: Path) -> Iterator[Pair]:
    """Every pair of a folder of JSON lines files, in a fixed order."""
    for path in sorted(directory.glob("*.jsonl")):
        yield from read_pairs_of(path)


def read_pairs_of(path: Path) -> Iterator[Pair]:
    """The pairs of one file."""
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            yield Pair(
                row["language"], row["package"], row.get("symbol") or "", row.get("name") or "", row["query"],
                row["code"], row["source"],
            )  # fmt: skip
