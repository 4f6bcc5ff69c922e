"""The signals of each candidate file, as plain arrays. Every one is documented in SIGNALS.

To add one: a line in SIGNALS, a function in `_PARTS`, then train again (`training/ranker`).
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from clew.index.store import CHUNK_BITS, Float32s, Int64s, TextHits
from clew.parsing.tokens import Tokenizer
from clew.records import FileFlag
from clew.search.candidates import Candidates, Named
from clew.search.query import Query, last_name

SIGNALS = {
    "body": "best chunk's BM25 over its text, relative to the best of the query",
    "body_top3": "sum of the three best chunks' BM25, likewise",
    "file_body": "BM25 over the whole file, likewise",
    "symbol": "best chunk's BM25 over definition names, likewise",
    "file_symbol": "BM25 over all definition names of the file, likewise",
    "path": "BM25 over the path's words, likewise",
    "cover_body": "share of the query, by rarity, that the best chunk holds",
    "cover_file": "share of the query that the file holds",
    "cover_symbol": "share of the query among the file's definition names",
    "cover_path": "share of the query among the path's words",
    "cover_definition": "share of the query that the names of the best definition hold",
    "hits": "logarithm of the number of the file's chunks among the best of the query",
    "definition_hits": "logarithm of the number of its definitions among the best by name",
    "phrase": "share of the query's neighbouring words that one chunk holds as neighbours, by rarity",
    "verbatim": "1 if a chunk holds a long piece of the query word for word, less for a shorter one",
    "quoted": "share of the query's quoted phrases that one chunk holds word for word",
    "vector": "best chunk's cosine similarity, relative to the best of the query",
    "vector_top3": "sum of the three best chunks' similarities, likewise",
    "defines": "1 if the file defines a name of the query as written, less when many files do",
    "defines_folded": "the same without regard to case",
    "defines_type": "1 if what it defines so is a type, less when many files do",
    "alone": "`defines` where the query is that one name, else 0",
    "alone_type": "`defines_type` likewise",
    "named": "share of the query's names that the file defines",
    "stem": "share of the file name's words that are in the query",
    "stem_exact": "1 if the file name is a name of the query",
    "pointed": "1 if a path or stack frame of the query names the file; less for later frames and bare names",
    "test": "1 for test code, unless the query asks for tests",
    "example": "1 for examples, unless asked for",
    "vendored": "1 for third-party code",
    "documentation": "1 for prose, unless asked for",
    "stub": "1 for declarations only (.pyi, .d.ts)",
    "header": "1 for C and C++ headers: they declare, and mostly another file does it",
    "older": "1 below a folder v1, v2 ... when a candidate lies in a later one beside it, unless one is asked for",
    "barrel": "1 for files that only gather others (__init__, index, mod)",
    "data": "1 for configuration and data without definitions",
    "depth": "directories above the file",
    "length": "logarithm of the number of lines",
    "language": "share of the candidates that are in the file's language",
    "directory": "share of the candidates that lie in the file's directory",
    "siblings": "best whole-file BM25 of the other candidates in the directory, relative",
    "twins": "logarithm of the number of candidates with the same file name but for the ending",
    "words": "logarithm of the number of words of the query, the same for all files",
    "names": "number of identifiers in the query, up to 3, the same for all files",
}
# The same for every candidate of a query: they say which of the other signals to trust.
OF_THE_QUERY = ("words", "names")
_HEADERS = (".h", ".hh", ".hpp", ".hxx")
_VERSION = re.compile(r"\bv(\d{1,3})\b")
_BARRELS = frozenset({"__init__", "index", "mod", "lib", "main", "package-info", "doc"})
_FLAGS = tuple(
    (flag.name.lower(), int(flag))
    for flag in (FileFlag.TEST, FileFlag.EXAMPLE, FileFlag.VENDORED, FileFlag.DOCUMENTATION, FileFlag.STUB)
    if flag.name
)
# Stemmed words with which a query asks for such files, so that they are not held against them.
_ASKED = {
    "test": frozenset({"test", "tests", "unittest", "spec", "pytest", "fixtur"}),
    "example": frozenset({"exampl", "sampl", "demo", "tutori"}),
    "documentation": frozenset({"doc", "document", "readm", "changelog", "guid", "manual", "tutori"}),
}
_TYPES = frozenset({"class", "struct", "interface", "trait", "enum", "object", "type"})
_NOTHING: frozenset[str] = frozenset()
_TOKENIZER = Tokenizer()
# How much a definition of this kind answers a name that is asked for.
_KIND_WEIGHT = {"field": 0.5, "property": 0.5, "variable": 0.6, "constant": 0.7, "section": 0.4, "module": 0.7}


@dataclass(frozen=True, slots=True)
class FileSignals:
    """`values[name][i]` is a signal of the file `ids[i]`, whose path is `paths[i]`; `vectors`: whether those of the
    embedding mean anything; `question`: whether the query is one, and no name, path or error message."""

    ids: Int64s
    paths: tuple[str, ...]
    values: dict[str, Float32s]
    vectors: bool = False
    question: bool = True


def file_signals(candidates: Candidates, query: Query) -> FileSignals:
    """The signals of every candidate file, ids ascending. O(candidates)."""
    ids = np.array(sorted(candidates.files), np.int64)
    values = {name: np.zeros(len(ids), np.float32) for name in SIGNALS}
    for part in _PARTS:
        part(values, ids, candidates, query)
    paths = tuple(candidates.files[int(each)].path for each in ids)
    return FileSignals(ids, paths, values, bool(len(candidates.vectors.ids)), query.kind == "question")


def _texts(values: dict[str, Float32s], ids: Int64s, candidates: Candidates, query: Query) -> None:
    texts = candidates.texts
    _best_chunks(values, ids, "body", "cover_body", "hits", texts["body"])
    _best_chunks(values, ids, "symbol", "cover_definition", "definition_hits", texts["symbol"])
    values["body_top3"][:] = _top3(
        np.searchsorted(ids, texts["body"].ids >> CHUNK_BITS), texts["body"].scores, len(ids)
    )
    for name, cover in (("file_body", "cover_file"), ("file_symbol", "cover_symbol"), ("path", "cover_path")):
        rows, hits = np.searchsorted(ids, texts[name].ids), texts[name]
        values[name][rows] = relative(hits.scores)
        values[cover][rows] = hits.coverage


def relative(scores: Float32s) -> Float32s:
    """Scores, none below 0, in units of the best of them."""
    top = float(scores.max()) if len(scores) else 0.0
    return scores / np.float32(top) if top > 0 else scores


def _best_chunks(
    values: dict[str, Float32s], ids: Int64s, best: str, cover: str, count: str, hits: TextHits
) -> None:  # fmt: skip
    rows = np.searchsorted(ids, hits.ids >> CHUNK_BITS)
    np.maximum.at(values[best], rows, relative(hits.scores))
    np.maximum.at(values[cover], rows, hits.coverage)
    values[count][:] = np.log1p(np.bincount(rows, minlength=len(ids)))


def _phrases(values: dict[str, Float32s], ids: Int64s, candidates: Candidates, query: Query) -> None:
    found = candidates.phrases
    rows = np.searchsorted(ids, found.ids >> CHUNK_BITS)
    for name, each in (("phrase", found.pairs), ("verbatim", found.run), ("quoted", found.quoted)):
        np.maximum.at(values[name], rows, each)


def _top3(rows: Int64s, scores: Float32s, count: int) -> Float32s:
    """Sum of the three best scores per row, relative; hits come best first."""
    out = np.zeros(count, np.float32)
    seen = np.zeros(count, np.int32)
    for row, score in zip(rows.tolist(), scores.tolist(), strict=True):
        if seen[row] < 3:
            seen[row] += 1
            out[row] += score
    return relative(out)


def _vectors(values: dict[str, Float32s], ids: Int64s, candidates: Candidates, query: Query) -> None:
    hits = candidates.vectors
    if not len(hits.ids):
        return
    rows = np.searchsorted(ids, hits.ids >> CHUNK_BITS)
    scores = np.maximum(hits.scores, 0)
    np.maximum.at(values["vector"], rows, relative(scores))
    values["vector_top3"][:] = _top3(rows, scores, len(ids))


def _names(values: dict[str, Float32s], ids: Int64s, candidates: Candidates, query: Query) -> None:
    found: dict[int, set[str]] = {}
    for each in candidates.named:
        row = int(np.searchsorted(ids, each.file_id))
        weight = _KIND_WEIGHT.get(each.definition.kind, 1.0) / (1.0 + 0.02 * (each.alternatives - 1))
        found.setdefault(row, set()).add(each.definition.name.casefold())
        for name in ("defines_folded", *_exact(each)):
            values[name][row] = max(values[name][row], weight)
    if query.words == 1:
        values["alone"][:], values["alone_type"][:] = values["defines"], values["defines_type"]
    asked = {last_name(name).casefold() for name in query.names}
    for row, names in found.items():
        values["named"][row] = len(names & asked) / max(1, len(asked))


def _exact(named: Named) -> Sequence[str]:
    if not named.exact:
        return ()
    return ("defines", "defines_type") if named.definition.kind in _TYPES else ("defines",)


def _pointed(values: dict[str, Float32s], ids: Int64s, candidates: Candidates, query: Query) -> None:
    for file_id, pointed in candidates.pointed.items():
        values["pointed"][np.searchsorted(ids, file_id)] = pointed.weight


def _facts(values: dict[str, Float32s], ids: Int64s, candidates: Candidates, query: Query) -> None:
    """What is known of a file without its text; after `_names`."""
    files = [candidates.files[int(each)] for each in ids]
    names = {_bare(name) for name in query.names}
    if query.words <= 2:
        names.add(_bare(query.text.replace(" ", "")))
    called = [_name(file.path) for file in files]
    flags = np.array([file.flags for file in files], np.int64)
    for name, flag in _FLAGS:
        if not query.terms.keys() & _ASKED.get(name, _NOTHING):
            values[name][:] = flags & flag != 0
    for name in ("test", "example", "vendored"):  # where a name that is asked for is defined does not count against it
        values[name] *= 1 - np.minimum(values["defines"], 1)
    wanted = query.terms.keys()
    values["stem"][:] = [len(each.words & wanted) / len(each.words) if each.words else 0.0 for each in called]
    values["stem_exact"][:] = [each.bare in names for each in called]
    values["barrel"][:] = [each.barrel for each in called]
    values["data"][:] = [file.strategy != "syntax" for file in files]
    values["data"] *= flags & int(FileFlag.DOCUMENTATION) == 0
    values["header"][:] = [file.path.endswith(_HEADERS) for file in files]
    values["depth"][:] = [each.depth for each in called]
    values["length"][:] = np.log1p([file.lines for file in files])


def _neighbours(values: dict[str, Float32s], ids: Int64s, candidates: Candidates, query: Query) -> None:
    """How the candidates lie to each other, and what the query is like."""
    files = [candidates.files[int(each)] for each in ids]
    paths = [file.path for file in files]
    folders = [path.rpartition("/")[0] for path in paths]
    values["language"][:] = _shares([file.language for file in files])
    values["directory"][:] = _shares(folders)
    if not _VERSION.search(query.text):
        values["older"][:] = _older([_name(path).version for path in paths])
    values["twins"][:] = np.log(_counts([_name(path).bare for path in paths]))
    values["siblings"][:] = _best_other(folders, values["file_body"])
    values["words"][:] = np.log1p(query.words)
    values["names"][:] = min(3, len(query.names))


def _counts(groups: Sequence[Hashable]) -> list[int]:
    counts = Counter(groups)
    return [counts[each] for each in groups]


def _shares(groups: Sequence[Hashable]) -> list[float]:
    return [count / len(groups) for count in _counts(groups)]


def _older(versions: Sequence[tuple[str, int]]) -> list[bool]:
    """Which of (folder above, number) is not the latest that is there; numbers start at 1, 0 is none."""
    latest: dict[str, int] = {}
    for folder, number in versions:
        latest[folder] = max(latest.get(folder, 0), number)
    return [0 < number < latest[folder] for folder, number in versions]


def _best_other(groups: Sequence[str], scores: Float32s) -> list[float]:
    """The best score of the others in each one's group; 0 where there is none."""
    best: dict[str, tuple[float, float]] = {}
    for group, score in zip(groups, scores.tolist(), strict=True):
        first, second = best.get(group, (0.0, 0.0))
        best[group] = (score, first) if score > first else (first, max(second, score))
    return [
        best[group][1] if score == best[group][0] else best[group][0]
        for group, score in zip(groups, scores.tolist(), strict=True)
    ]


_PARTS = (_texts, _phrases, _vectors, _names, _pointed, _facts, _neighbours)


@dataclass(frozen=True, slots=True)
class _FileName:
    """What a path says: `bare` is the file name without endings, case and separators, `words` its terms."""

    bare: str
    words: frozenset[str]
    barrel: bool
    depth: int
    version: tuple[str, int]  # the folder above v1, v2 ..., and that number; ("", 0) without


@functools.lru_cache(maxsize=100_000)  # about 40 MB; a query looks at hundreds of files, mostly the same ones
def _name(path: str) -> _FileName:
    name = path[path.rfind("/") + 1 :]
    stem = name.partition(".")[0] or name
    terms = _TOKENIZER(stem)
    # The joined form of several words is none of them.
    words = terms[:-1] if len(terms) > 2 and terms[-1] == "".join(terms[:-1]) else terms
    return _FileName(_bare(stem), frozenset(words), stem in _BARRELS, path.count("/"), _version(path))


def _version(path: str) -> tuple[str, int]:
    above = 0
    for part in path.split("/")[:-1]:
        found = _VERSION.fullmatch(part)
        if found:
            return path[:above], int(found[1])
        above += len(part) + 1
    return "", 0


def _bare(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")
