"""What a query asks: words, identifiers, paths, the frames of a stack trace.

A query may be a pasted log, so every pattern takes linear time: its repetitions are bounded or possessive,
and a run of path characters is tried only from its first one.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass

from clew.parsing.tokens import Tokenizer, split_words
from clew.search.synonyms import families, with_synonyms

MAX_QUERY = 8_000  # characters: a long stack trace; what follows adds time, not meaning
MAX_TERMS = 64
MAX_NAMES = 64
MAX_QUOTED = 10
MAX_PATHS = 20  # each is looked up in the catalogue

# Dropped from questions, never from documents, and kept when nothing else is left.
_STOP_WORDS = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does", "for",
    "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "no", "not", "of",
    "on", "or", "our", "should", "so", "some", "such", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "to", "us", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom",
    "why", "will", "with", "would", "you", "your", "find", "show", "code", "used", "uses", "using", "use",
))  # fmt: skip
_CONTRACTED = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m))$")
_QUOTED = re.compile(r"`([^`\n]{1,200})`|\"([^\"\n]{2,200})\"|(?<!\w)'([^'\n]{2,200})'(?!\w)")
_TOKEN = re.compile(r"(?:->|[^\s,;()\[\]{}<>\"'`])++")
# Han, kana, Hangul and their punctuation: written up against an identifier, and no part of it.
_EAST_ASIAN = re.compile(r"[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+")
# What people write as a name: inner capitals, underscores, dots, ::, ->, #, \\ or a call's parentheses.
_SEPARATOR = r"(?:[?&!]?\.|::|->|#|\\)"
_IDENTIFIER = re.compile(rf"[^\W\d]\w*+(?:{_SEPARATOR}~?[^\W\d]\w*+)*+[!?]?")
_QUALIFIED = re.compile(rf"[^\W\d]\w*+(?:{_SEPARATOR}[^\W\d]\w*+)++")
_CODE_SHAPE = re.compile(rf"[a-z0-9][A-Z]|[A-Z]{{2}}[a-z]|\w_\w|^_\w|\w{_SEPARATOR}~?\w")
_NOT_CODE = re.compile(r"[A-Z]{2,}s|e\.g|i\.e")  # APIs, URLs
_DECORATION = ".:!?*&#@$/\\-+=|~^%"
_ITSELF = re.compile(r"(?:this|self|cls|super)(?:\.|->|::)")
_ARITY = re.compile(r"/\d{1,2}$")  # String.split/2
_RECEIVER = re.compile(r"(?:(?<=\.)|(?<!\w))\(\*?([A-Za-z_]\w{0,100}+)\)\.")  # gin.(*Context).JSON
_CALL = re.compile(r"\b(\w++)\(")
_SENTENCE_END = frozenset(".!?:\n")
_NAME_SEPARATOR = re.compile(rf"{_SEPARATOR}|/")

_RUN = r"(?<![\w.@+~/\\-])(?:[A-Za-z]:(?=[/\\]))?[\w.@+~/\\-]{1,400}+"
_PATH = re.compile(_RUN)
_FILE = rf"(?P<file>{_RUN})"
_LINE = r"(?P<line>\d{1,9})"
# File, line and function of a stack frame in the forms that runtimes print.
_FRAMES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf'File "(?P<file>[^"\n]{{1,300}})", line {_LINE}(?:, in (?P<name>[\w<>.]{{1,200}}))?',  # Python
        r"\bat (?:async )?(?:new )?(?P<name>[\w$.<>#]{1,200}+)(?: \[as [\w$]{1,100}\])?"  # JavaScript
        rf" \((?P<file>[^()\n]{{1,300}}?):{_LINE}(?::\d{{1,9}})?\)",
        rf"\bat (?P<name>[\w$.<>/@-]{{1,300}}+)\((?P<file>[\w$.-]{{1,200}}+):{_LINE}\)",  # Java, Kotlin, Scala
        r"\bat (?P<name>[\w.<>`+\[\],|]{1,300}+)\([^)\n]{0,500}+\)"  # C#
        rf" in (?P<file>[^\n:]{{1,2}}[^\n]{{1,300}}?):line {_LINE}",
        rf"{_FILE}:{_LINE}:in [`'](?P<name>[^'\n]{{1,200}})'",  # Ruby
        rf"#\d{{1,4}} (?P<file>[^(\n]{{1,300}}+)\({_LINE}\): (?P<name>[\w\\:>-]{{1,200}}+)\(",  # PHP
        r"#\d{1,4} {1,4}(?:0x[0-9a-f]{1,16} in )?(?P<name>[\w:~<>,*&]{1,200}+) ?\([^()\n]{0,400}+\)"  # gdb, lldb
        rf" at {_FILE}:{_LINE}",
        r"0x[0-9a-f]{1,16} in (?P<name>[\w:~<>,*&.]{1,200}+)(?:\([^()\n]{0,400}+\))?(?: const)?"  # sanitizers
        rf" {_FILE}:{_LINE}",
        rf"{_FILE}:{_LINE}:\d{{1,9}}: 0x[0-9a-f]{{1,16}} in (?P<name>[\w.]{{1,200}}+) \(",  # Zig
        rf"{_FILE}:{_LINE}: in (?:function|method|local|upvalue|field) ['<](?P<name>[\w.:]{{1,200}}+)['>]",  # Lua
        # Go and Rust print the function on the line above.
        r"^[ \t]{0,8}(?:\d{1,4}: {1,20}(?:0x[0-9a-f]{1,16} - )?)?(?:created by )?"
        r"(?P<name>[\w.:/*<>$()-]{1,200}?)(?:\((?:0x|\.\.\.|\{|\))[^\n]{0,300})?"
        rf"\n[ \t]{{1,40}}(?:at )?{_FILE}:{_LINE}",
        rf"{_FILE}:{_LINE}: (?:anonymous fn/\d{{1,2}} in )?(?P<name>[\w.]{{1,200}}+[!?]?)/\d",  # Elixir
        rf"{_FILE}[,:]? (?:on )?line {_LINE}(?:,? in (?P<name>[\w.]{{1,200}}+))?",  # PHP, prose
        rf"{_FILE}(?::|\(|: \(|#L){_LINE}(?!\w)",  # compilers, code hosts and the rest
    )
)
_OUTERMOST_FIRST = re.compile(r"Traceback \(most recent call last\)|\(most recent call last\):$", re.MULTILINE)
_CAUSE = re.compile(r"^[ \t]{0,8}(?:Caused by:|---> )", re.MULTILINE)
_NO_FILE = re.compile(r"<|\[|native|node:|internal/|Unknown Source")
# Functions that a compiler named: `lambda$run$0` and `<Run>b__0` lie in `run`; the others name none, or
# their class (`<init>`, `.ctor`).
_NAMED_WITHIN = re.compile(r"lambda\$(\w+)\$\d+|<(\w+)>\w__\w*")
_UNNAMED = re.compile(r"<init>|<clinit>|c?ctor|func\d+|\d+|h[0-9a-f]{16}|<>c\w*|MoveNext|<locals>|\W*")
_ERROR_WORDS = re.compile(
    r"\b(?:[A-Z]\w{0,80}(?:Error|Exception|Fault)|Traceback|panic|error\[E\d+\]|undefined reference"
    r"|Segmentation fault)\b"
)
_ERROR_TYPE = re.compile(
    r"(?<![\w.\\:])(?P<type>[A-Za-z_][\w.\\:]{0,200}?(?:Error|Exception|Fault|Failure))\)?:? (?=\S+ \S+)"
)
_ERROR_START = re.compile(
    r"(?:(?:Uncaught|Unhandled|fatal|runtime|Caused by:) )?"
    r"(?:[\w.:\\]{0,200}(?:[Ee]rror|Exception|Fault)|ERROR|panic)(?:\[\w+\]| \w{1,4}\d+)?\s?:"
    r"|(?:PHP )?(?:Fatal|Parse) error:|\w{0,60}[Ww]arning: |\*\* \(\w[\w.]{0,200}\)"
    r"|(?:[a-z]\w{0,60}\.){1,9}[A-Z]\w{0,80}: "  # a class with its package
    r"|E\d{3,5}: |[a-z]\w{0,20}: \(\d{1,3}\) |terminate called"
    r"|Traceback|undefined reference|Segmentation fault|thread '[^'\n]{0,100}' panicked",
)


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a stack trace; `name` may be unknown ("")."""

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
    quoted: tuple[str, ...] = ()


def analyse(text: str, tokenizer: Tokenizer, synonyms: bool = True) -> Query:
    """Understand a query. O(length) up to MAX_QUERY; never raises on any text."""
    text = text.strip()[:MAX_QUERY]
    frames = tuple(dict.fromkeys(_frames(text)))
    paths = tuple(dict.fromkeys(_paths(text)))[:MAX_PATHS]
    names = tuple(name for name in dict.fromkeys(_names(text)) if not _is_one_of(paths, name))[:MAX_NAMES]
    kind = _kind(text, names, paths, frames)
    if kind == "error":
        names = _without_error_types(text, names)
    terms = _terms(text, names, tokenizer)
    if synonyms and kind == "question":  # a name, a path or an error text is meant to the letter
        terms = with_synonyms(terms, _FAMILIES)
    return Query(text, kind, terms, names, paths, frames, len(text.split()), _quoted(text))


def last_name(name: str) -> str:
    """The unqualified part: `total` of `Cart.total` and of `Cart::total`."""
    return _NAME_SEPARATOR.split(name)[-1]


def dotted(name: str) -> str:
    """A name with the separator that stored symbols use."""
    return ".".join(part for part in _NAME_SEPARATOR.split(name) if part)


def _kind(text: str, names: tuple[str, ...], paths: tuple[str, ...], frames: tuple[Frame, ...]) -> str:
    if len(text.split()) == 1:
        return "path" if frames or ("/" in _slashes(text) and paths) else "symbol" if names else "question"
    if frames or ("\n" in text and _ERROR_WORDS.search(text)) or _ERROR_START.match(text):
        return "error"
    return "question"


def _without_error_types(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Of `ValueError: no such key` the place that raises it is wanted, not the class. Alone, the class is meant."""
    types = {match["type"] for match in _ERROR_TYPE.finditer(text)}
    return tuple(name for name in names if name not in types)


def _frames(text: str) -> list[Frame]:
    """Frames, those where it happened first; the first pattern that reads a line number has it."""
    found: dict[int, Frame] = {}
    for pattern in _FRAMES:
        for match in pattern.finditer(text):
            file = _slashes(match["file"]).strip()
            name = match.groupdict().get("name") or ""
            likely = _has_known_ending(file) or (name and "/" in file)
            if likely and match.start("line") not in found and not _NO_FILE.match(file):
                found[match.start("line")] = Frame(file, int(match["line"]), _function(name))
    return [found[place] for place in _inwards(text, sorted(found))]


def _inwards(text: str, places: list[int]) -> list[int]:
    """Places of frames from the innermost on. Python prints that last; Java prints the cause after what it led to."""
    if _OUTERMOST_FIRST.search(text):
        return places[::-1]
    causes = [match.start() for match in _CAUSE.finditer(text)]
    return sorted(places, key=lambda place: (-bisect(causes, place), place))


def _function(written: str) -> str:
    """The function that a frame names, unqualified; "" when it has none."""
    name = re.sub(r"[()*]", "", written.rpartition(" in ")[2])
    for part in reversed(_NAME_SEPARATOR.split(name)):
        within = _NAMED_WITHIN.fullmatch(part)
        if within:
            return within[1] or within[2]
        if _UNNAMED.fullmatch(part):
            continue
        return part if _IDENTIFIER.fullmatch(part) else ""
    return ""


def _paths(text: str) -> Iterator[str]:
    for match in _PATH.finditer(text):
        path = _slashes(match[0]).rstrip(".-+~")
        if _has_known_ending(path) or ("/" in path.strip("/") and any(map(str.isalpha, path))):
            yield path


def _is_one_of(paths: tuple[str, ...], name: str) -> bool:
    """`src\\main.py` is a path; `App\\Models\\User` is both the name of a class and the path of its file."""
    return _has_known_ending(name) and _slashes(name) in paths


def _slashes(path: str) -> str:
    return path.replace("\\", "/")


def _has_known_ending(path: str) -> bool:
    stem, dot, ending = path.rpartition(".")
    return bool(dot and stem) and ending.lower() in _KNOWN_ENDINGS


def _names(text: str) -> Iterator[str]:
    """Identifiers: what is quoted as code, what is shaped like code, a query that is one word, and last, as
    they may be names of other things, capitalised words within a sentence."""
    for match in _QUOTED.finditer(text):
        quoted = next(group for group in match.groups() if group)
        quoted = _ITSELF.sub("", quoted.partition("(")[0].lstrip("$@&*#:"), count=1)
        if _IDENTIFIER.fullmatch(quoted):
            yield quoted
    spaced = _RECEIVER.sub(r"\1.", _EAST_ASIAN.sub(" ", text))
    one_word = len(text.split()) == 1
    if one_word and _IDENTIFIER.fullmatch(text) and (spaced == text or spaced.isspace()):
        yield text.rstrip("!?")
        yield text
    called = set(_CALL.findall(spaced))
    capitalised: list[str] = []
    for match in _TOKEN.finditer(spaced):
        written = _unpacked(_ARITY.sub("", match[0]).strip(_DECORATION))
        token = _ITSELF.sub("", written, count=1)
        if not _IDENTIFIER.fullmatch(token) or _NOT_CODE.fullmatch(token):
            continue
        if one_word or _CODE_SHAPE.search(written) or last_name(token) in called:
            yield token
            if match[0][-1] in "!?" and _IDENTIFIER.fullmatch(match[0]):
                yield match[0]  # valid? and save! are names in Ruby and Elixir
        elif _is_capitalised(token) and not _begins_sentence(spaced, match.start()):
            capitalised.append(token)
    yield from capitalised


def _quoted(text: str) -> tuple[str, ...]:
    """Phrases of several words in quotes or back-ticks."""
    found = (next(group for group in match.groups() if group) for match in _QUOTED.finditer(text))
    return tuple(dict.fromkeys(each.strip() for each in found if " " in each.strip()))[:MAX_QUOTED]


def _unpacked(written: str) -> str:
    """`Client.Do` with its package of `net/http.Client.Do`: what follows the last directory."""
    if "/" not in written or written.rpartition(".")[2] in _KNOWN_ENDINGS:
        return written
    name = written.rpartition("/")[2]
    return name if _QUALIFIED.fullmatch(name) else written


def _is_capitalised(token: str) -> bool:
    return token[0].isupper() and not token.isupper() and token.casefold() not in _STOP_WORDS


def _begins_sentence(text: str, start: int) -> bool:
    """`Session` inside a sentence names a type; as its first word it may just begin the sentence."""
    before = text[max(0, start - 40) : start].rstrip(" \t\r\"'`([*#-")
    return not before or before[-1] in _SENTENCE_END


def _terms(text: str, names: tuple[str, ...], tokenizer: Tokenizer) -> dict[str, float]:
    words = text.split()
    kept = [word for word in words if not _is_stop_word(word)]
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


def _is_stop_word(word: str) -> bool:
    """`what's` and `doesn't` are as empty as `what` and `does`."""
    word = word.strip(".,;:!?()'\"").casefold().replace("\u2019", "'")
    base = _CONTRACTED.sub("", word)
    return base in _STOP_WORDS or (word != base and word.endswith("n't"))


_FAMILIES = families(Tokenizer())
_KNOWN_ENDINGS = frozenset((
    "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "rs", "java", "kt", "kts", "scala",
    "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "cs", "rb", "php", "swift", "lua", "hs", "ex", "exs", "zig", "dart",
    "ml", "mli", "jl", "sol", "m", "mm", "groovy", "gradle", "sh", "bash", "ps1", "psm1", "sql", "html", "css",
    "scss", "tf", "hcl", "svelte", "vue", "json", "toml", "yaml", "yml", "md", "rst", "txt", "xml", "csproj",
    "props", "targets", "cfg", "ini", "proto", "mk", "cmake", "dockerfile",
))  # fmt: skip
