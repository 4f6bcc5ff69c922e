"""From one parsed file to pairs of a question and the code that answers it.

The engine's own parser finds definitions and their documentation, so the pairs look like what it indexes.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clew.languages import language_of, pack
from clew.parsing.file import ParsedFile, parse_file
from clew.parsing.limits import Limits
from clew.records import Definition, FileFlag
from clew.workspace import path_flags

LIMITS = Limits(max_bytes=1_000_000, parse_seconds=4.0)
CODE_CHARACTERS = 2_500  # about 600 tokens; the model sees the first few hundred
MIN_CODE_CHARACTERS = 40
MIN_WORDS, MAX_WORDS = 3, 60
_CALLABLE = frozenset({"function", "method", "constructor", "macro"})
_TYPES = frozenset({"class", "struct", "interface", "trait", "enum", "object", "type", "module"})
KINDS = _CALLABLE | _TYPES | {"property"}
_NO_FUNCTIONS = frozenset("make css scss html containerfile hcl json yaml toml xml".split())
UNWANTED = FileFlag.TEST | FileFlag.GENERATED | FileFlag.VENDORED

_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DELIMITER = r"\"\"\"|'''|\"|'"
# Where a description ends and its parameters, examples or rules begin.
_DETAILS = re.compile(
    r"(?:^|\n)\s*(?:[@\\](?!brief|summary|short|details|link|code|doc\b|typedoc\b)\w+|:\w+[^:\n]*:|>>>|```|~~~|\.\. "
    r"|iex>"
    r"|<(?:param|returns?|remarks|example|exception|typeparam|value|seealso|para)\b"
    r"|(?:args?|arguments?|param(?:eter)?s?|returns?|raises|yields?|examples?|notes?|see also|usage|throws|options"
    r"|keyword arguments|attributes|complexity|inputs?|outputs?|globals?)\s*:?\s*(?:\n|$)"
    r"|[-=~*_#+]{3,}|#+ |[-*] *parameters?)",
    re.I,
)
_MARKUP = (
    (re.compile(r"^\s*@(?:doc|typedoc|moduledoc)\b.*?(?:\"\"\"|'''|\")", re.S), ""),
    (re.compile(r"\{@(?:link|code|linkplain|literal)\s+([^}]*)\}"), r"\1"),
    (re.compile(r"\{@inheritDoc\}", re.I), ""),
    (re.compile(r"<see(?:also)?\s+\w+=\"(?:[A-Z]:)?([^\"]*)\"\s*/?>"), r"\1"),
    (re.compile(r"<(?:paramref|typeparamref)\s+name=\"([^\"]*)\"\s*/?>"), r"\1"),
    (re.compile(r"</?[a-zA-Z][^<>\n]{0,80}>"), " "),
    (re.compile(r"[\\@](?:brief|summary|short|details|doc)\b:?"), ""),
    (re.compile(r":[\w:]+:`~?([^`]+)`"), r"\1"),
    (re.compile(r"\[([^\]\n]+)\](?:\([^)\n]*\)|\[[^\]\n]*\])"), r"\1"),
    (re.compile(r"(?m)^[ \t]*(?:[*!|>^]+|//+!?|#+)[ \t]+"), ""),
    (re.compile(r"`+|\*\*"), ""),
)
_SENTENCE = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)\s+(?=[A-Z(`])|\n\s*\n")
_NOISE = re.compile(
    r"copyright|licen[cs]ed? |all rights reserved|^\W*(?:todo|fixme|xxx|hack|noqa|nolint|eslint|tslint|pylint|pragma"
    r"|type:|@ts-|#region|region|endregion|generated|auto-?generated|inherit|see |https?:|deprecated\W*$|internal\W*$)",
    re.I,
)

_README = re.compile(r"(?<!changelog)(?<!changes)(?<!history)(?<!news)(?<!releases)\.(?:md|markdown)$", re.I)
# Folders of the benchmark repositories inside other packages, beside what the engine flags as vendored.
_BENCHMARK_COPY = re.compile(
    r"(?:^|/)(?:nlohmann|fmt|fmtlib|bundled/fmt|libuv|uv|hiredis|redis-\d[^/]*|curl|libcurl|absl|abseil-cpp|gson|lang3"
    r"|jackson-databind|guzzlehttp|monolog|illuminate|sinatra|rack|active(?:record|support|model|job|storage)"
    r"|action(?:pack|view|mailer|cable|text)|railties|tokio|serde|serde_derive|axum|requests|httpx|flask|starlette"
    r"|fastapi|pydantic|pydantic_core|aiohttp|axios|express|redux|zod|vitest|gin-gonic|cobra|go-chi|ktor|exposed"
    r"|kotlinx-coroutines|kotlinx\.coroutines|circe|http4s|alamofire|snapkit|bats|bats-core|aeson|zls)(?:/|$)",
    re.I,
)
_SKIPPED_FOLDERS = re.compile(
    r"(?:^|/)(?:node_modules|vendor|_vendor|third[_-]?party|3rdparty|external|extern|deps|debian|\.git|testdata"
    r"|fixtures?|locale|locales|i18n|__tests__|tests?|spec|benchmarks?|cjs|commonjs|umd|amd|esm5|system|libc)/",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Pair:
    """One line of the output. `source` is doc, name, section or commit."""

    language: str
    package: str
    path: str
    symbol: str
    name: str
    query: str
    code: str
    kind: str
    source: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def wanted(path: str) -> bool:
    """Whether a path of a package can give pairs: code of its own that is no copy of a benchmark repository."""
    return not _BENCHMARK_COPY.search(path) and own(path)


def own(path: str) -> bool:
    """Whether a path is code or a guide that the package's own people wrote."""
    outside = path.startswith("/") or ".." in path.split("/")
    if outside or _SKIPPED_FOLDERS.search(path) or path.endswith((".min.js", ".min.mjs")):
        return False
    language = language_of(path)
    if not language:
        return False
    return is_document(path) or (
        language not in _NO_FUNCTIONS and path_flags(path) & UNWANTED == 0 and bool(pack(language).grammar)
    )


def is_document(path: str) -> bool:
    """Whether the file is a README or a guide, not a change log."""
    return _README.search(path) is not None


def parsed(root: Path, path: str) -> ParsedFile | None:
    """Parse a file as the engine does; None when it is no code or not worth learning from."""
    found = parse_file(str(root), path, LIMITS)
    if found.failed or found.skipped or not found.language or found.flags & UNWANTED:
        return None
    return found


def file_pairs(found: ParsedFile, package: str) -> Iterator[Pair]:
    """A doc pair for each documented definition, a name pair for each other one of some size."""
    text = zlib.decompress(found.text)
    for definition in found.definitions:
        if definition.kind not in KINDS:
            continue
        code = code_of(definition, text)
        if len(code) < MIN_CODE_CHARACTERS:
            continue
        query, source = description(definition.doc), "doc"
        if not query:
            query, source = name_words(definition, code), "name"
        if query:
            yield Pair(
                found.language, package, found.path, definition.symbol, definition.name, query, code,
                definition.kind, source,
            )  # fmt: skip


def code_of(definition: Definition, text: bytes) -> str:
    """The definition's text without its own documentation, cut to a length that a model reads."""
    cut = text[definition.start_byte : min(definition.end_byte, definition.start_byte + 4 * CODE_CHARACTERS)]
    code = cut.decode("utf-8", "replace")
    if definition.doc:
        code = _without_doc(code, definition.doc)
    return code.strip()[:CODE_CHARACTERS]


def _without_doc(code: str, doc: str) -> str:
    """Cut a docstring out. Comments above a definition are outside of it already."""
    start = code.find(doc[:80])
    if start < 0:
        return code
    opened = re.search(rf"(?:@(?:module)?doc\s+)?(?:~[sS]|[rRuUbB]{{0,2}})({_DELIMITER})\s*$", code[:start])
    if opened is None:
        return code
    end = code.find(opened[1], start)
    rest = code[end + len(opened[1]) :] if end >= 0 else ""
    return f"{code[: opened.start()].rstrip()}\n{rest.lstrip(chr(10))}"


def description(doc: str) -> str:
    """The first sentence or two of a documentation, as plain words; "" when there is nothing to learn from."""
    text = doc
    for pattern, replacement in _MARKUP[:1]:
        text = pattern.sub(replacement, text)
    details = _DETAILS.search(text)
    if details is not None:
        text = text[: details.start()]
    for pattern, replacement in _MARKUP[1:]:
        text = pattern.sub(replacement, text)
    sentences = [" ".join(part.split()) for part in _SENTENCE.split(text) if part.strip()]
    query = sentences[0] if sentences else ""
    if len(query.split()) < 6 and len(sentences) > 1:
        query = f"{query} {sentences[1]}"
    return question(query)


def question(text: str) -> str:
    """The text if it reads like English about code, else ""."""
    query = " ".join(text.split()).strip(" -*:;=/#\"'")
    words = query.split()
    if len(words) > MAX_WORDS:
        query = " ".join(words[:MAX_WORDS])
    letters = sum(len(word) for word in _WORD.findall(query))
    english = len(_WORD.findall(query)) >= MIN_WORDS and letters >= 0.6 * len(query)
    return query if english and not _NOISE.search(query) else ""


def split_name(name: str) -> list[str]:
    """`getUserById` as get, user, by, id."""
    return [part.lower() for part in _NAME_PART.findall(name)]


def name_words(definition: Definition, code: str) -> str:
    """The name as words, with its type in front, when it says something and stands for more than a line."""
    if definition.kind not in _CALLABLE or code.count("\n") < 3:
        return ""
    words = split_name(definition.name)
    if len([word for word in words if len(word) > 2]) < 2 or words[0] in ("test", "bench"):
        return ""
    return " ".join(words)
