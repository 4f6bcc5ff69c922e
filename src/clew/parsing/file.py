"""One file from bytes to definitions, chunks and terms. Runs in a worker process."""

from __future__ import annotations

import hashlib
import os
import stat
import time
import zlib
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.languages import language_of, pack, parser_for, readable
from clew.parsing.chunks import chunk
from clew.parsing.definitions import Outline, outline
from clew.parsing.limits import Limits
from clew.parsing.sections import sections_of
from clew.parsing.source import Source, decode, for_parser
from clew.parsing.tokens import Tokenizer
from clew.records import Chunk, Definition, FileFlag, FileStat
from clew.workspace import judge_content, path_flags, to_file_stat

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

_PARSE_BLOCK = 16 * 1024  # bytes handed to the parser at a time; between blocks the time limit is looked at
_TREE_BYTES = 1_500_000  # a syntax tree takes 80 to 140 times its source; above this a file gets line chunks


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What one file gave. `skipped` says why it is not indexed, `error` what went wrong although it is.

    `strategy` is syntax, sections or lines. `text` is the zlib-compressed UTF-8 text.
    """

    path: str
    stat: FileStat | None = None
    content_hash: bytes = b""
    language: str = ""
    flags: FileFlag = FileFlag.NONE
    strategy: str = ""
    lines: int = 0
    text: bytes = b""
    definitions: tuple[Definition, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    skipped: str = ""
    error: str = ""
    failed: str = ""


@dataclass(slots=True)
class Terms:
    """Term counts of a batch in the making; `vocabulary` numbers terms by first occurrence."""

    vocabulary: dict[str, int] = field(default_factory=dict)
    postings: dict[str, tuple[array[int], array[int], array[int]]] = field(default_factory=dict)

    def add(self, name: str, row: int, terms: Sequence[str]) -> None:
        rows, ids, counts = self.postings.setdefault(name, (array("I"), array("I"), array("I")))
        vocabulary = self.vocabulary
        counted = Counter(terms)
        ids.extend([vocabulary.setdefault(term, len(vocabulary)) for term in counted])
        counts.extend(counted.values())
        rows.extend([row] * len(counted))


def read_file(root: str, path: str, max_bytes: int) -> tuple[bytes, FileStat]:
    """Content and stat of one regular file; OSError otherwise. Links and pipes are not followed."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(os.path.join(root, path), flags)
    with open(descriptor, "rb") as stream:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError("not a regular file")
        data = stream.read(max_bytes + 1)
    return data, to_file_stat(found)


def content_hash(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def parse_file(root: str, path: str, limits: Limits) -> ParsedFile:
    """Read and parse one file; whatever is wrong with it is in the result, nothing is raised."""
    try:
        data, found = read_file(root, path, limits.max_bytes)
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the path
        return ParsedFile(path, failed=getattr(problem, "strerror", None) or str(problem))
    digest = content_hash(data)
    if len(data) > limits.max_bytes:
        return ParsedFile(path, found, digest, skipped="too large")
    reason, flags = judge_content(path, data)
    flags |= path_flags(path)
    if reason is None and flags & FileFlag.GENERATED and not limits.include_generated:
        reason = "generated"
    if reason is not None:
        return ParsedFile(path, found, digest, flags=flags, skipped=reason)
    language = language_of(path, data)
    source = decode(data)
    structure = _structure(path, language, source, limits)
    if structure.syntax_errors:
        flags |= FileFlag.SYNTAX_ERRORS
    if language and pack(language).documentation:
        flags |= FileFlag.DOCUMENTATION
    return ParsedFile(
        path=path,
        stat=found,
        content_hash=digest,
        language=language,
        flags=flags,
        strategy=structure.strategy,
        lines=len(source.line_starts),
        text=zlib.compress(source.text, 1),
        definitions=structure.outline.definitions if structure.outline else (),
        chunks=structure.chunks,
        error=structure.error,
    )


@dataclass(frozen=True, slots=True)
class _Structure:
    outline: Outline | None
    chunks: tuple[Chunk, ...]
    strategy: str
    syntax_errors: bool = False
    error: str = ""


def _structure(path: str, language: str, source: Source, limits: Limits) -> _Structure:
    """By syntax tree, else by sections, else by lines: every text gets chunks."""
    text = for_parser(source)
    wanted = language and len(text) <= _TREE_BYTES and limits.parse_seconds > 0
    parser = parser_for(language) if wanted else None
    tree, error = None, ""
    if language and pack(language).grammar and len(text) > _TREE_BYTES:
        error = f"larger than {_TREE_BYTES / 1e6:g} MB, indexed by lines, without symbols"
    if parser is not None:
        try:
            tree = _parse(parser, readable(text, pack(language)), limits.parse_seconds)
            found = outline(tree, text, pack(language))
            if found is not None:
                chunks = chunk(source, found, tree, limits.chunk_bytes)
                return _Structure(found, chunks, "syntax", tree.root_node.has_error)
        except ValueError:
            parser.reset()
            error = f"no syntax tree within {limits.parse_seconds:g} s, indexed by lines"
    sections = sections_of(language, path, source) if language else None
    if sections:
        starts = tuple(section.start_byte for section in sections)
        found = Outline(tuple(sections), starts, tuple(section.start_line for section in sections))
        return _Structure(found, chunk(source, found, None, limits.chunk_bytes), "sections", error=error)
    # A grammar without a query of ours still tells where statements begin.
    return _Structure(None, chunk(source, None, tree, limits.chunk_bytes), "lines", error=error)


def _parse(parser: Parser, text: bytes, seconds: float) -> Tree:
    """Parse within a time limit; ValueError beyond it. Bytes are parsed without looking at the limit, so
    only short texts go in one piece."""
    if len(text) <= _PARSE_BLOCK:
        return parser.parse(text)
    deadline = time.monotonic() + seconds
    return parser.parse(
        lambda offset, _: text[offset : offset + _PARSE_BLOCK],
        progress_callback=lambda *_: time.monotonic() > deadline,
    )


def add_terms(terms: Terms, parsed: ParsedFile, file_row: int, chunk_row: int, tokenizer: Tokenizer) -> None:
    """Count the terms of a file's chunks into the batch; `chunk_row` is the row of its first chunk."""
    text = zlib.decompress(parsed.text)
    inside = _names_by_chunk(parsed)
    for each, names in zip(parsed.chunks, inside, strict=True):
        body = text[each.start_byte : each.end_byte].decode("utf-8", "replace")
        terms.add("body", chunk_row + each.ordinal, tokenizer(f"{body}\n{each.context}" if each.context else body))
        terms.add("symbol", chunk_row + each.ordinal, tokenizer(" ".join((each.symbol, *names))))
    terms.add("path", file_row, tokenizer(parsed.path))


def _names_by_chunk(parsed: ParsedFile) -> list[list[str]]:
    """Names of the definitions that begin in each chunk, except the one the chunk is named after."""
    out: list[list[str]] = [[] for _ in parsed.chunks]
    position = 0
    for definition in parsed.definitions:
        while position + 1 < len(parsed.chunks) and parsed.chunks[position + 1].start_line <= definition.start_line:
            position += 1
        if parsed.chunks and parsed.chunks[position].symbol != definition.symbol:
            out[position].append(definition.name)
    return out
