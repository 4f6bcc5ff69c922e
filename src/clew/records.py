"""The frozen records that flow between rooms.

`path` is always POSIX and relative to the root. Lines are 1-based and inclusive, as an
editor shows them. Offsets are bytes into the file's text as UTF-8, end exclusive.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

# Every kind a definition, and so a place, can have. `--kind` accepts these names and no others.
DEFINITION_KINDS = (
    "function", "method", "constructor", "class", "struct", "interface", "trait", "enum", "object",
    "type", "module", "macro", "constant", "variable", "field", "property", "section",
)  # fmt: skip
# Of these, chunks of their own; the others (constants, fields, ...) lie inside the chunk around them.
CHUNKED_KINDS = (
    "function", "method", "constructor", "class", "struct", "interface", "trait", "enum", "object", "type", "module",
    "macro", "section",
)  # fmt: skip
# A chunk is a definition, part of one, or what lies between definitions.
CHUNK_KINDS = (*DEFINITION_KINDS, "gap", "lines")
# The most files, places in a file and tokens that a search can be asked for; the least of each is 1. An answer of
# more is a listing. Settings, the command line and the engine all go by this table.
MOST_ASKED: Mapping[str, int] = MappingProxyType({"limit": 1000, "places": 100, "budget": 1_000_000})
# Bytes; the largest file that is indexed unless a setting says otherwise. A syntax tree takes up to 140 times as much.
MAX_FILE_BYTES = 2_000_000


class FileFlag(enum.IntFlag):
    """What a file is, beside its language. Ranking and `--tests` read these."""

    NONE = 0
    TEST = 1
    GENERATED = 2
    VENDORED = 4
    DOCUMENTATION = 8
    STUB = 16  # type declarations only: .pyi, .d.ts
    EXAMPLE = 32
    SYNTAX_ERRORS = 64  # the grammar reported errors; definitions may be incomplete


@dataclass(frozen=True, slots=True)
class FileStat:
    """What tells that a file did not change, without reading it.

    The change time is in it because content written with an old modification time still moves it.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that the walker selected. Content decides later: binary, minified and generated files drop out then."""

    path: str
    stat: FileStat
    flags: FileFlag = FileFlag.NONE


@dataclass(frozen=True, slots=True)
class Definition:
    """A named thing in a file. `symbol` is the qualified name, e.g. `Cart.total`."""

    name: str
    symbol: str
    kind: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    signature: str = ""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a file that is indexed and shown as one.

    `context` is text that is searched and embedded with the chunk but lies elsewhere in the file
    or nowhere: a container's member names. It is never shown.
    """

    ordinal: int
    kind: str
    symbol: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    context: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file, with the definition they belong to."""

    path: str
    start_line: int
    end_line: int
    symbol: str = ""
    kind: str = ""
    text: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One file of an answer with its best places, best first."""

    rank: int
    path: str
    language: str
    score: float
    places: tuple[Place, ...]
    stale: bool = False
    decisions: tuple[str, ...] = ()
    signals: Mapping[str, float] | None = None  # only with explain=True


@dataclass(frozen=True, slots=True)
class Freshness:
    """Whether the answer reflects the working tree. `state`: fresh, refreshed, stale or indexing."""

    state: str
    changed_files: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    query: str
    root: str
    generation: int
    freshness: Freshness
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class FileCounts:
    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class IndexReport:
    root: str
    generation: int
    files: FileCounts
    chunks: int
    definitions: int
    embedded: int
    skipped_reasons: Mapping[str, int]
    failures: tuple[Failure, ...]
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexEstimate:
    """What `index --dry-run` says: nothing was written."""

    root: str
    files: int
    bytes: int
    estimated_chunks: int
    changed_files: int
    large: bool
    skipped_reasons: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Status:
    """The state of an index. None means unknown; 0 means none."""

    exists: bool
    root: str
    index_path: str
    generation: int | None = None
    files: int | None = None
    chunks: int | None = None
    definitions: int | None = None
    languages: Mapping[str, int] = field(default_factory=dict)
    embedder: str | None = None
    store: str | None = None
    stale: bool | None = None
    changed_files: int | None = None
    last_indexed_at: str | None = None
    text_only: Mapping[str, int] = field(default_factory=dict)
    skipped_reasons: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor. `state`: ok, advisory or broken."""

    name: str
    state: str
    detail: str
    fix: str = ""


def out_of_range(name: str, value: object) -> str:
    """What to say of a number outside `MOST_ASKED`, e.g. `budget is 1 to 1000000, not 2000000`."""
    return f"{name} is 1 to {MOST_ASKED[name]}, not {value}"


def to_json(record: Any) -> Any:
    """Turn a record, or a container of records, into what `json.dumps` takes.

    A place leaves out `text` and `truncated` when no text was asked for, and inside a hit its
    `path`; a hit leaves out its `signals` when they were not asked for. All else is always there.
    """
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        out = {f.name: to_json(getattr(record, f.name)) for f in dataclasses.fields(record)}
        if isinstance(record, Place) and record.text is None:
            del out["text"], out["truncated"]
        if isinstance(record, Hit):
            for place in out["places"]:
                del place["path"]
            if record.signals is None:
                del out["signals"]
        return out
    if isinstance(record, Mapping):
        return {str(key): to_json(value) for key, value in record.items()}
    if isinstance(record, (list, tuple)):
        return [to_json(value) for value in record]
    if isinstance(record, enum.Enum):
        return record.value
    return record
