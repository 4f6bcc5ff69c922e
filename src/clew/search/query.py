"""What a query asks: words, identifiers, paths, the frames of a stack trace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.parsing.tokens import Tokenizer, split_words

MAX_QUERY = 8_000  # characters: a long stack trace; what follows adds time, not meaning
MAX_TERMS = 64

# Dropped from questions, never from documents, and kept when nothing else is left.
_STOP_WORDS = frozenset(
    ["a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "no", "not", "of", "on", "or", "our", "should", "so", "some", "such", "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "us", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your", "find", "show", "code", "used", "uses", "using", "use"]
)
_QUOTED = re.compile(r"`([^`\n]{1,200})`|\"([^\"\n]{2,200})\"|'([^'\n]{2,200})'")
_TOKEN = re.compile(r"[^\s,;()\[\]{}<>\"'`]+")
# What people write as a name: inner capitals, underscores, dots, ::, ->, # or a call's parentheses.
_IDENTIFIER = re.compile(r"[^\W\d]\w*(?:(?:\.|::|->|#)~?[^\W\d]\w*)*[!?]?")
_CODE_SHAPE = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|\w_\w|^_\w|\w(?:\.|::|->|#)\w")
_PATH = re.compile(r"(?:[\w.@+~-]+[/\\])+[\w.@+~-]+|[\w@+~-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,9}")
_NAME_SEPARATOR = re.compile(r"\.|::|->|#|/")

# File, line and function of a stack frame in the forms that runtimes print.
_FRAMES = tuple(
    re.compile(pattern)
    for pattern in (
        r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<name>[\w<>.]+))?',  # Python
        r"at (?:async )?(?:new )?(?P<name>[\w$.<>]+)(?: \[as \w+\])? \((?P<file>[^()\n]+?):(?P<line>\d+)(?::\d+)?\)",
        r"at (?P<name>[\w$.<>/]+)\((?P<file>[\w$.-]+\.\w+):(?P<line>\d+)\)",  # Java, Kotlin, Scala
        r"at (?P<name>[\w.<>`+]+)\([^)\n]*\) in (?P<file>[^\n]+?):line (?P<line>\d+)",  # C#
        r"(?P<file>[\w./\\@+~-]+\.\w+):(?P<line>\d+):in [`'](?:[^'\n]*[#.])?(?P<name>\w+[!?]?)'",  # Ruby
        r"(?P<file>[\w./\\@+~:-]+\.\w+)[,:]? (?:on )?line (?P<line>\d+)(?:,? in (?P<name>[\w.]+))?",  # PHP, prose
        r"(?P<file>[\w./\\@+~-]+\.[A-Za-z]\w*)[:(](?P<line>\d+)",  # Go, Rust, compilers
    )
)
_ERROR_WORDS = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Exception|Fault)|Traceback|panic|error\[E\d+\]|undefined reference|Segmentation fault)\b"
)
_PLAIN_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a stack trace; `line` and `name` may be unknown (0, "")."""

    file: str
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class Query:
    """`kind` is symbol, path, error or question. `terms` are weighted search terms, `names` are
    identifiers as written (qualified ones whole), `paths` look like file paths."""

    text: str
    kind: str
    terms: dict[str, float]
    names: tuple[str, ...]
    paths: tuple[str, ...]
    frames: tuple[Frame, ...]
    words: int


def analyse(text: str, tokenizer: Tokenizer) -> Query:
    """Understand a query. O(length); never raises on any text."""
    text = text[:MAX_QUERY].strip()
    frames = tuple(dict.fromkeys(_frames(text)))
    paths = tuple(dict.fromkeys(match[0].replace("\\", "/") for match in _PATH.finditer(text) if _is_path(match[0])))
    names = tuple(name for name in dict.fromkeys(_names(text)) if name not in paths)
    kind = _kind(text, names, paths, frames)
    terms = _terms(text, names, tokenizer)
    return Query(text, kind, terms, names, paths, frames, len(text.split()))


def last_name(name: str) -> str:
    """The unqualified part: `total` of `Cart.total` and of `Cart::total`."""
    return _NAME_SEPARATOR.split(name)[-1]


def dotted(name: str) -> str:
    """A name with the separator that stored symbols use."""
    return ".".join(part for part in _NAME_SEPARATOR.split(name) if part)


def _kind(text: str, names: tuple[str, ...], paths: tuple[str, ...], frames: tuple[Frame, ...]) -> str:
    if frames or ("\n" in text and _ERROR_WORDS.search(text)) or _ERROR_WORDS.match(text):
        return "error"
    if len(text.split()) == 1:
        return "path" if "/" in text and paths else "symbol" if names else "question"
    return "question"


def _frames(text: str) -> Iterator[Frame]:
    taken: set[tuple[int, int]] = set()
    for pattern in _FRAMES:
        for match in pattern.finditer(text):
            span = match.span("line")
            if span in taken or len(match["file"]) > 300:
                continue
            taken.add(span)
            name = last_name((match.groupdict().get("name") or "").strip("<>"))
            yield Frame(match["file"].replace("\\", "/"), int(match["line"][:9]), name)


def _is_path(text: str) -> bool:
    return "/" in text or "\\" in text or text.rpartition(".")[2].lower() in _KNOWN_ENDINGS


def _names(text: str) -> Iterator[str]:
    """Identifiers: what is quoted as code, what is shaped like code, and a query that is one word."""
    for match in _QUOTED.finditer(text):
        quoted = next(group for group in match.groups() if group)
        if _IDENTIFIER.fullmatch(quoted.removesuffix("()")):
            yield quoted.removesuffix("()")
    tokens = text.split()
    for raw in _TOKEN.findall(text):
        token = raw.strip(".:!?*&#@$/\\-+=|~^%") if not _IDENTIFIER.fullmatch(raw) else raw
        if _IDENTIFIER.fullmatch(token) and (
            len(tokens) == 1 or _CODE_SHAPE.search(token) or f"{token}(" in text or _is_capitalised(token, text)
        ):
            yield token


def _is_capitalised(token: str, text: str) -> bool:
    """`Session` inside a sentence names a type; as its first word it may just begin the sentence."""
    return token[0].isupper() and not token.isupper() and not text.startswith(token)


def _terms(text: str, names: tuple[str, ...], tokenizer: Tokenizer) -> dict[str, float]:
    words = text.split()
    kept = [word for word in words if word.strip(".,;:!?()'\"").casefold() not in _STOP_WORDS]
    terms: dict[str, float] = {}
    for term in tokenizer(" ".join(kept or words)):
        if term in terms:
            terms[term] += 0.25  # said twice is meant a little more, not twice as much
        elif len(terms) < MAX_TERMS:
            terms[term] = 1.0
    for name in names:
        for part in split_words(name):
            if part in _STOP_WORDS and part in terms:
                terms[part] = 0.3  # the `by` of getUserById
    return terms


_KNOWN_ENDINGS = frozenset(
    ["py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "rs", "java", "kt", "kts", "scala", "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "cs", "rb", "php", "swift", "lua", "hs", "ex", "exs", "zig", "dart", "ml", "mli", "jl", "sol", "m", "mm", "groovy", "gradle", "sh", "bash", "ps1", "psm1", "sql", "html", "css", "scss", "tf", "hcl", "svelte", "vue", "json", "toml", "yaml", "yml", "md", "rst", "txt", "xml", "csproj", "props", "targets", "cfg", "ini", "proto", "mk", "cmake", "dockerfile"]
)
