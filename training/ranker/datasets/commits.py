"""Commits as queries: the subject asks, the one to three source files that the commit changed answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manifest import Source, changed_spans, git

from clew.languages import language_of, pack
from clew.records import FileFlag
from clew.workspace import path_flags

MAX_QUERIES = 20  # a repository
MAX_SAME_FILES = 3  # queries with the same answer; a file that every second commit touches must not teach alone
MAX_FILES = 3
MAX_PATHS = 12  # changed paths of any sort; a sweep over the tree is about none of its files
_NOT_SOURCE = FileFlag.TEST | FileFlag.GENERATED | FileFlag.VENDORED | FileFlag.DOCUMENTATION | FileFlag.EXAMPLE
_NOT_CODE = frozenset("json yaml toml xml html css scss containerfile hcl make cmake nix gitignore".split())
_VERSION = re.compile(r"(?:^|/)_*version_*\.\w+$", re.I)

_TYPE = re.compile(r"^(\w+)(?:\([^)]*\))?!?:\s+")
_UNWANTED_TYPES = frozenset("chore ci doc docs style test tests build revert release deps lint bench wip".split())
_PREFIX = re.compile(
    r"^(?:[\w./*+:-]{1,40}(?:,\s?[\w./*+-]{1,40})*(?:\([^)]*\))?!?:\s+|\[[^\]]*\][:\s]*|\([^)]*\)[:\s]+|[^\w\s\"'`]+\s+)"
)
_ISSUE = re.compile(
    r"\s*[(\[]?(?:\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|see|re|refs?|issue|pr|part of|cf\.?|for|bug)\b:?\s*)?"
    r"(?:[\w./-]*#\d+|GH-\d+|https?://\S+)[)\]]?[.,;]?",
    re.I,
)
_TRAILER = re.compile(r"\s*\[(?:ci skip|skip ci|[^\]]{0,20})\]$|\s+[-,;:]$|\s*[-–—]\s*$")
_DULL = re.compile(
    r"^(?:merge|revert|bump|back ?port|release|version|prepare|upgrade|change ?log|typo|spelling|chore|ci\b|docs?\b"
    r"|documentation|document\b|reformat|format(?:ting)?\b|lint|clean ?up|wip|refactor|whitespace|minor|misc|rename"
    r"|style|apply|address|more\b|tests?\b|delint|appease|silence|pacify|run \w+fmt|use (?:clang|go)|tidy|simplif"
    r"|move\b|tweak|review|nit\b|hlint\b|ormolu|happy|fmt\b|comments?\b|regenerate|sync\b|initial|start\b|deps?\b"
    r"|pin\b|set version|new version|publish"
    r"|update (?:\S+ )?(?:change|dep|read|doc|copyright|trans|lock|version|submodule|license|snapshot|vendor|to v?\d)"
    r"|fix(?:es|ed)? (?:\w+ )?(?:typo|spelling|lint|build|ci\b|tests?\b|format|indent|warning|whitespace|comment|doc"
    r"|merge|compil)"
    r"|add (?:missing |some |more )?(?:\w+ )?(?:tests?\b|comment|doc|change|type annot|copyright)"
    r"|remove (?:unused|dead|unnecessary|redundant|obsolete|trailing|comment))",
    re.I,
)
# Anywhere in the subject: the commit is about prose, tests or another commit.
_ABOUT_OTHER = re.compile(
    r"\btypos?\b|go ?doc\b|fixup!|squash!|previous commit|last commit|doc ?strings?\b|\bdocs?\b|documentation"
    r"|\bcomments?$|\btests$|flaky|mix format|clang|copyright|\bgrammar of\b|warnings?$|haddocks?\b|javadoc",
    re.I,
)
_MIN_WORDS, _MAX_WORDS = 4, 40
_LETTERS = re.compile(r"[A-Za-z]{2,}")


@dataclass(frozen=True, slots=True)
class Commit:
    name: str
    date: int  # seconds of the committer's clock
    subject: str
    files: tuple[str, ...]  # source files, all of them changed and none added or removed


def subject_query(subject: str) -> str:
    """A subject line without its tags and numbers; "" when it says too little or is about no code."""
    kind = _TYPE.match(subject)
    if kind and kind[1].lower() in _UNWANTED_TYPES:
        return ""
    text = _ISSUE.sub("", subject.strip())
    for _ in range(2):  # "fix(core): parser: ..."; more is prose with colons
        text = _PREFIX.sub("", text, count=1)
    text = " ".join(_TRAILER.sub("", text).split()).strip(" .;,")
    enough = _MIN_WORDS <= len(text.split()) <= _MAX_WORDS and len(_LETTERS.findall(text)) >= _MIN_WORDS - 1
    return text if enough and not _DULL.search(text) and not _ABOUT_OTHER.search(text) else ""


def is_source(path: str) -> bool:
    """Code that people wrote to run, by its path: no test, no example, no configuration."""
    language = language_of(path)
    if not language or language in _NOT_CODE or path.endswith(".d.ts") or _VERSION.search(path):
        return False
    return bool(pack(language).grammar) and not path_flags(path) & _NOT_SOURCE


def qualifying(place: Path, source: Source, *which: str) -> Iterator[Commit]:
    """Commits that could be queries, newest first, by `git log` of `which`."""
    log = git(
        place, "log", "--no-merges", "--no-renames", "--name-status", "--format=%x01%H%x02%ct%x02%an%x02%s", *which
    )
    for entry in log.split("\x01")[1:]:
        head, _, names = entry.partition("\n")
        name, date, author, subject = head.split("\x02", 3)
        changes = [line.partition("\t") for line in names.split("\n") if line]
        query = subject_query(subject)
        if not query or "[bot]" in author or len(changes) > MAX_PATHS:
            continue
        code = [(kind, path) for kind, _, path in changes if is_source(path)]
        inside = all(kind == "M" and source.inside(path) for kind, path in code)
        if inside and 1 <= len(code) <= MAX_FILES:
            yield Commit(name, int(date), query, tuple(path for _, path in code))


def commit_queries(place: Path, source: Source, indexed: set[str]) -> list[dict[str, Any]]:
    """At most `MAX_QUERIES`, the ones nearest to the pinned revision; `indexed` are paths inside the folder."""
    out: list[dict[str, Any]] = []
    answers: Counter[tuple[str, ...]] = Counter()
    asked = set()
    for commit in reversed(list(qualifying(place, source, f"{source.revision}..{source.until}"))):
        files = tuple(source.inside(path) for path in commit.files)
        known = all(path in indexed for path in files)
        if not known or answers[files] >= MAX_SAME_FILES or commit.subject.lower() in asked:
            continue
        answers[files] += 1
        asked.add(commit.subject.lower())
        spans = [
            {"path": source.label(inner), **span.to_json()}
            for path, inner in zip(commit.files, files, strict=True)
            for span in changed_spans(place, source.revision, commit.name, path)
        ]
        relevant = [source.label(path) for path in files]
        row = {"repo": source.name, "query": commit.subject, "category": "commit", "relevant": relevant}
        out.append({**row, "spans": spans, "commit": commit.name})
        if len(out) == MAX_QUERIES:
            break
    return out
