"""Cut a file into chunks that cover it.

A definition with its comments and wrappers is a chunk; what lies between definitions becomes gap
chunks; a container gives a header chunk that names its members, and the members are chunks of
their own, so no text is stored twice; what exceeds the budget is split at statements, with one
statement of overlap. Chunks consist of whole lines. Only pieces without any word are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.parsing.definitions import Outline
from clew.parsing.limits import CHUNK_BYTES
from clew.records import CHUNKED_KINDS, Chunk, Definition

if TYPE_CHECKING:
    from tree_sitter import Tree

    from clew.parsing.source import Source

OVERLAP_SHARE = 0.15  # a statement longer than this share of the budget is not repeated
MAX_CHUNKS = 10_000  # per file; the rest of a larger file stays one last chunk
CONTEXT_BYTES = 1000  # of a container's member names

_CHUNKED = frozenset(CHUNKED_KINDS)
_CONTAINERS = frozenset("class struct interface trait enum object module section".split())
_WORD = re.compile(rb"[^\W_]|[\x80-\xff]")


@dataclass(slots=True)
class _Node:
    """A definition that becomes chunks, as 0-based lines `[start, end)` including what is attached above."""

    definition: Definition
    start: int
    end: int
    children: list[_Node]
    members: list[str]


@dataclass(frozen=True, slots=True)
class _Piece:
    kind: str
    symbol: str
    start: int
    end: int
    context: str = ""


def chunk(source: Source, found: Outline | None, tree: Tree | None, budget: int = CHUNK_BYTES) -> tuple[Chunk, ...]:
    """The chunks of a file in order. O(lines + definitions + tree nodes above the budget)."""
    lines = len(source.line_starts)
    ends = [*source.line_starts[1:], len(source.text)]
    size = _Sizes(source.line_starts, ends)
    cuts = _Cuts(tree, budget) if tree is not None else None
    roots = _forest(found, lines, size, budget) if found is not None else []
    default = "gap" if found is not None else "lines"
    out: list[Chunk] = []
    for piece in _pieces(roots, lines, default):
        for start, end in _windows(piece.start, piece.end, source, size, cuts, budget):
            for first, last in _within_line(start, end, source, size, budget):
                if len(out) >= MAX_CHUNKS:
                    return (*out[:-1], _grown(out[-1], lines, len(source.text)))
                if _WORD.search(source.text, first, last):
                    context = piece.context if start == piece.start else ""
                    out.append(Chunk(len(out), piece.kind, piece.symbol, start + 1, end, first, last, context))
    return tuple(out)


class _Sizes:
    def __init__(self, starts: Sequence[int], ends: Sequence[int]) -> None:
        self.starts = starts
        self.ends = ends

    def __call__(self, start: int, end: int) -> int:
        """Bytes of the lines `[start, end)`."""
        return self.ends[end - 1] - self.starts[start] if end > start else 0


def _forest(found: Outline, lines: int, size: _Sizes, budget: int) -> list[_Node]:
    """Definitions that become chunks, nested; members of a short function stay in it."""
    roots: list[_Node] = []
    open_nodes: list[_Node] = []
    for definition, start_line in zip(found.definitions, found.start_lines, strict=True):
        start, end = min(start_line, definition.start_line) - 1, min(definition.end_line, lines)
        while open_nodes and open_nodes[-1].end < end:
            open_nodes.pop()
        if open_nodes and open_nodes[-1].definition.end_byte >= definition.end_byte:
            open_nodes[-1].members.append(definition.name)
        if definition.kind not in _CHUNKED:
            continue
        node = _Node(definition, start, end, [], [])
        if not open_nodes:
            roots.append(node)
        elif _opens(open_nodes[-1], size, budget):
            open_nodes[-1].children.append(node)
        else:
            continue
        open_nodes.append(node)
    return roots


def _opens(node: _Node, size: _Sizes, budget: int) -> bool:
    """Whether a definition is cut into its members: a container, or a function too long for one chunk."""
    return node.definition.kind in _CONTAINERS or size(node.start, node.end) > budget


def _pieces(roots: list[_Node], lines: int, default: str) -> Iterator[_Piece]:
    """Partition the file's lines: each line goes to the innermost definition that owns it, in order."""
    cursor = 0
    # A frame: children left to visit, kind and symbol of the text between them, end, context of the first piece.
    stack: list[tuple[Iterator[_Node], str, str, int, str]] = [(iter(roots), default, "", lines, "")]
    while stack:
        children, kind, symbol, end, context = stack.pop()
        child = next(children, None)
        if child is None:
            if cursor < end:
                yield _Piece(kind, symbol, cursor, end, context)
                cursor = end
            continue
        start = max(child.start, cursor)
        if start >= child.end:  # it shares its lines with the definition before
            stack.append((children, kind, symbol, end, context))
            continue
        if cursor < start:
            yield _Piece(kind, symbol, cursor, start, context)
            context, kind = "", "gap" if kind != "lines" else kind
            cursor = start
        stack.append((children, kind, symbol, end, context))
        inner = " ".join(dict.fromkeys(child.members))[:CONTEXT_BYTES] if child.children else ""
        stack.append((iter(child.children), child.definition.kind, child.definition.symbol, child.end, inner))


class _Cuts:
    """Where statements begin, found by walking only nodes larger than the budget."""

    def __init__(self, tree: Tree, budget: int) -> None:
        rows: set[int] = set()
        pending = [tree.root_node]
        while pending:
            node = pending.pop()
            for child in node.named_children:
                rows.add(child.start_point[0])
                if child.end_byte - child.start_byte > budget:
                    pending.append(child)
        self.rows = sorted(rows)

    def before(self, start: int, limit: int) -> int:
        """The last statement start in `(start, limit]`, or 0."""
        position = bisect_right(self.rows, limit) - 1
        return self.rows[position] if position >= 0 and self.rows[position] > start else 0

    def previous(self, row: int) -> int:
        position = bisect_left(self.rows, row) - 1
        return self.rows[position] if position >= 0 else 0


def _windows(
    start: int, end: int, source: Source, size: _Sizes, cuts: _Cuts | None, budget: int
) -> Iterator[tuple[int, int]]:
    """Split lines `[start, end)` into windows within the budget."""
    done = start  # lines before this are in a window already
    while size(start, end) > budget:
        limit = bisect_right(size.ends, size.starts[start] + budget, start, end)
        if limit >= end:
            break
        cut = cuts.before(done, limit) if cuts is not None else 0
        # A cut that leaves a sliver costs more than it saves: cut at a blank line or any line then.
        if not cut or size(start, cut) < budget // 4:
            cut = _blank_before(done, limit, source, size) or max(limit, done + 1)
        yield start, cut
        done = cut
        overlap = cuts.previous(cut) if cuts is not None else start
        repeated = overlap > start and size(overlap, cut) <= budget * OVERLAP_SHARE
        # A window of repeated lines alone, before a line that does not fit beside them, would say nothing new.
        start = overlap if repeated and size(overlap, cut + 1) <= budget else cut
        if start >= end:
            return
    if start < end:
        yield start, end


def _blank_before(start: int, limit: int, source: Source, size: _Sizes) -> int:
    for row in range(limit, (start + limit) // 2, -1):
        if row > start and not source.text[size.starts[row - 1] : size.ends[row - 1]].strip():
            return row
    return 0


def _within_line(start: int, end: int, source: Source, size: _Sizes, budget: int) -> Iterator[tuple[int, int]]:
    """Byte ranges of a window; a single line far over the budget is cut at white space."""
    first, last = size.starts[start], size.ends[end - 1]
    while last - first > 4 * budget:
        cut = max(source.text.rfind(mark, first + budget, first + 2 * budget) for mark in (b" ", b",", b";"))
        cut = cut + 1 if cut > 0 else first + 2 * budget
        while cut < last and source.text[cut] & 0xC0 == 0x80:  # not inside a UTF-8 character
            cut += 1
        yield first, cut
        first = cut
    yield first, last


def _grown(last: Chunk, lines: int, size: int) -> Chunk:
    return Chunk(last.ordinal, last.kind, last.symbol, last.start_line, lines, last.start_byte, size, last.context)
