"""Sentences of guides and change logs as queries about the one definition that they name.

Only documents outside the indexed folder, and only sentences of which the answer's file has no run of words: a
documentation comment that a guide repeats would find itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from folder import Folder
from manifest import Source
from symbols import lines

MAX_QUERIES = 5  # a repository
_MAX_CHANGES = 2  # of these from change logs, whose sentences are terse
_MAX_BYTES = 1_000_000
_MIN_WORDS, _MAX_WORDS = 6, 40
_SUFFIXES = frozenset((".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt", ".rdoc"))
_SKIPPED = re.compile(
    r"(?:^|/)(?:tests?|spec|fixtures?|testdata|node_modules|vendor|third[_-]?party|licen[cs]es?|i18n|locales?|\.\w+"
    r"|zh[_-]?\w*|ja|ko|es|fr|de|pt[_-]?\w*|ru|copying[^/]*|licen[cs]e[^/]*|authors[^/]*|contribut[^/]*"
    r"|code_of_conduct[^/]*|security[^/]*|agents[^/]*|claude[^/]*|cmakelists[^/]*)(?:/|$|\.)",
    re.I,
)
_CHANGES = re.compile(r"(?:^|/)(?:change|history|news|release)[^/]*$", re.I)
_FENCE = re.compile(r"(?ms)^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$|<!--.*?-->")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+\.|\||>)\s+")
# "The `Foo` class holds ...", "`foo(bar)`: holds ...", "| `foo` | holds ... |", "**`foo`** - holds ...".
_SUBJECT = re.compile(
    r"^(?:(?:The|A|An|Use|Using|Call|Calling)\s+)?(?:\*\*|\[)?(?::[\w:]+:)?(?:``~?([^`\n]{1,80})``|`~?([^`\n]{1,80})`)"
    r"(?:\]\([^)]*\))?(?:\*\*)?(?:\s+(?:class|method|function|type|module|macro|interface|struct|trait|object|enum"
    r"|component|helper|hook|option|command|middleware|plugin))?\s*(?:\([^)]*\)\s*)?"
    r"(?:[-–—:|]+\s+|to\s+|for\s+|(?=(?:is|are|was|can|will|must|may|has|does|lets|makes|[a-z]{2,}[^s]s)\s))"
)
_COPULA = re.compile(
    r"^(?:(?:function|method|property|string|object|boolean|number) (?=[A-Z])"
    r"|(?:is|are|was|can be) used (?:to|for) |(?:is|are|was|has been) )"
)
_CODE = re.compile(r"(?::[\w:]+:)?(`{1,2})~?([^`\n]{1,80}?)\1")
_NAME = re.compile(r"^(?:[\w$]+(?:\.|::|#|->|/))*([A-Za-z_$][\w$]*[?!]?)(?:\(.*\)|/\d|<.*>)?$")
# A lower-case word alone may be a command, an option or a word: `build`, `balance`.
_LIKE_A_NAME = re.compile(r"[a-z][A-Z]|_|^[A-Z][a-z]|[?!]$|[.#:(/]")
_SENTENCE = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)\s+(?=[A-Z`(*])")
_LINK = re.compile(r"!?\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])|`([^`<\n]+)<[^>\n]*>`_+")
_REMARK = re.compile(r"\(?(?:[\w./-]*#\d+|GH-\d+|@[\w-]+|https?://\S+|\b[0-9a-f]{7,40}\b|:issue:\S+|:user:\S+)\)?[,;]?")
_NOISE = re.compile(
    r"[|{}<>\\=]|^(?:deprecated|removed|renamed)\b|\bv?\d+\.\d+\.\d|copyright|licen[cs]e|install"
    r"|^(?:see|note that)\b|thanks|contributor|example",
    re.I,
)
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")


def guide_queries(source: Source, checkout: Path, folder: Folder) -> list[dict[str, Any]]:
    """Up to five, the order a hash; a definition is asked for once."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for path in sorted(checkout.rglob("*")):
        relative = path.relative_to(checkout).as_posix()
        if not path.is_file() or path.is_symlink() or source.inside(relative) or not _is_document(relative):
            continue
        if path.stat().st_size > _MAX_BYTES:
            continue
        category = "changes" if _CHANGES.search(relative) else "guide"
        for sentence, name in _sentences(path.read_text(encoding="utf-8", errors="replace"), folder):
            if not folder.says(folder.once[name][0], sentence):
                found.setdefault((name, category), (sentence, relative))
    ordered = sorted(found.items(), key=lambda each: sha256(f"{source.name} {each[0]}".encode()).hexdigest())
    ordered.sort(key=lambda each: each[0][1] == "changes")  # guides first
    out: list[dict[str, Any]] = []
    asked: set[str] = set()
    changes = 0
    for (name, category), (sentence, document) in ordered:
        if name in asked or len(out) >= MAX_QUERIES or (category == "changes" and changes >= _MAX_CHANGES):
            continue
        asked.add(name)
        changes += category == "changes"
        gold = lines(source, *folder.once[name])
        row = {"repo": source.name, "query": sentence, "category": category, "relevant": [gold]}
        out.append({**row, "from": document, "symbol": folder.once[name][1].symbol})
    return out


def _is_document(path: str) -> bool:
    return Path(path).suffix.lower() in _SUFFIXES and not _SKIPPED.search(path)


def _sentences(text: str, folder: Folder) -> Iterator[tuple[str, str]]:
    """What a document says of a definition: the sentence that its name begins, or the first below its heading."""
    heading = ""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.)\s|\||#)", _FENCE.sub("", text)):
        flat = " ".join(paragraph.split())
        title = _HEADING.match(flat)
        if title:
            heading = _defined(title[1].strip(" `*"), folder) if _is_name(title[1]) else ""
            continue
        sentences = _SENTENCE.split(_BULLET.sub("", flat)) if 0 < len(flat) <= 2_000 else []
        about, heading = heading, ""
        if about and sentences and (plain := _without(sentences[0], about)):
            yield plain, about
        for sentence in sentences:
            subject = _SUBJECT.match(sentence)
            name = _defined(subject[1] or subject[2], folder) if subject else ""
            if subject and name and (plain := _without(sentence[subject.end() :], name)):
                yield plain, name


def _is_name(title: str) -> bool:
    """Whether a heading is written as code or could be no word."""
    plain = title.strip(" *")
    return plain.startswith("`") or plain.endswith(")") or bool(re.search(r"[a-z][A-Z]|_", plain))


def _defined(code: str, folder: Folder) -> str:
    named = _NAME.match(code.strip())
    return named[1] if named and named[1] in folder.once and _LIKE_A_NAME.search(code) else ""


def _without(sentence: str, name: str) -> str:
    """The sentence as plain words; "" when it still has the name, or too little is left."""
    text = _CODE.sub(lambda code: code[2], _LINK.sub(lambda link: link[1] or link[2] or "", sentence))
    text = _EMPHASIS.sub("", _REMARK.sub("", text))
    text = re.sub(r"\(\s*\)|\[\s*\]|\s+(?=[,.;:])", "", " ".join(text.split())).strip(" -–—:;,.*_|")
    text = _COPULA.sub("", text)
    words = text.split()
    if not _MIN_WORDS <= len(words) <= _MAX_WORDS or _NOISE.search(text) or re.search(rf"\b{re.escape(name)}\b", text):
        return ""
    letters = sum(character.isascii() and character.isalpha() for character in text)
    return text if letters >= 0.7 * len(text) else ""
