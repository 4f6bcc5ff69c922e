"""Commit subjects and the functions they changed, from a bare git directory."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from archives import git_blobs
from extraction import KINDS, MIN_CODE_CHARACTERS, Pair, code_of, parsed, question, wanted

from clew.records import Definition

MAX_COMMITS = 250  # pairs of commits a repository; more would teach one project's habits
_LOG_COMMITS = 4_000
_MAX_FILES = 3  # a commit that touches more is about none of them
_MAX_FUNCTIONS = 2
_MAX_LINES = 200  # a longer definition is hardly what the subject is about
_LOG_SECONDS = 120
_PREFIX = re.compile(r"^(?:\w+(?:\([^)]*\))?!?:\s+|\[[^\]]*\]\s*|(?:fix(?:es)?|closes?)\s+#\d+[:,]?\s*)+", re.I)
_SUFFIX = re.compile(r"\s*\(?(?:#|GH-)\d+\)?\.?$|\s*\[[^\]]*\]$")
_DULL = re.compile(
    r"^(?:merge|revert|bump|release|version|prepare|update (?:change|dep|read|doc|copy|trans|lock|version)|changelog"
    r"|typo|fix (?:typo|lint|build|ci|(?:\w+ )?test|format|indent|warn)|chore|ci\b|docs?\b|format|lint|clean ?up|wip"
    r"|refactor|whitespace|minor|misc|rename|style|apply|address|more|add (?:missing )?(?:tests?|comment|doc)"
    r"|remove unused|tests?\b)",
    re.I,
)
_HUNK = re.compile(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


@dataclass(slots=True)
class _Change:
    subject: str
    files: list[tuple[str, bytes, list[tuple[int, int]]]] = field(default_factory=list)  # path, blob, changed lines


def subject_question(subject: str) -> str:
    """A subject line as a question: without its tags and numbers; "" when it says too little."""
    plain = _SUFFIX.sub("", _SUFFIX.sub("", _PREFIX.sub("", subject.strip())))
    if _DULL.search(plain) or len(plain.split()) < 4:
        return ""
    return question(plain)


def commit_pairs(directory: Path, commit: str, package: str) -> Iterator[Pair]:
    """At most `MAX_COMMITS` pairs, newest first. One parse for each changed file."""
    changes = []
    for change in _changes(directory, commit):
        if change.files and len(change.files) <= _MAX_FILES:
            changes.append(change)
        if len(changes) >= MAX_COMMITS:
            break
    blobs = git_blobs(directory, [blob for change in changes for _, blob, _ in change.files])
    with tempfile.TemporaryDirectory() as folder:
        for change in changes:
            for path, _, lines in change.files:
                yield from _changed(Path(folder), path, next(blobs), lines, change.subject, package)


def _changed(
    root: Path, path: str, content: bytes, lines: list[tuple[int, int]], subject: str, package: str
) -> Iterator[Pair]:
    place = root / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    except OSError:  # a name too long, or a file where another commit has a folder
        return
    found = parsed(root, path)
    place.unlink()
    if found is None:
        return
    text = content.decode("utf-8", "replace").encode()
    for definition in _innermost(found.definitions, lines)[:_MAX_FUNCTIONS]:
        code = code_of(definition, text)
        if len(code) >= MIN_CODE_CHARACTERS:
            yield Pair(
                found.language, package, path, definition.symbol, definition.name, subject, code, definition.kind,
                "commit",
            )  # fmt: skip


def _innermost(definitions: tuple[Definition, ...], lines: list[tuple[int, int]]) -> list[Definition]:
    """The smallest definition around each change, most changed first."""
    counted: dict[int, int] = {}
    for first, last in lines:
        around = [
            (each.end_line - each.start_line, position)
            for position, each in enumerate(definitions)
            if each.kind in KINDS and each.start_line <= first and last <= each.end_line
        ]
        if around and min(around)[0] <= _MAX_LINES:
            position = min(around)[1]
            counted[position] = counted.get(position, 0) + last - first + 1
    return [definitions[position] for position in sorted(counted, key=lambda each: -counted[each])]


def _changes(directory: Path, commit: str) -> Iterator[_Change]:
    """Commits with their changed code files, from one `git log`; stops after a time limit."""
    command = [
        "timeout", str(_LOG_SECONDS), "git", f"--git-dir={directory}", "log", "--no-merges", "--no-renames", "-p",
        "-U0", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", "--diff-filter=M", "-n",
        str(_LOG_COMMITS), "--format=%x00%s", commit,
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        change: _Change | None = None
        path, blob = "", b""
        for line in process.stdout:
            if line.startswith(b"\0"):
                if change is not None:
                    yield change
                subject = subject_question(line[1:].decode("utf-8", "replace"))
                change = _Change(subject) if subject else None
            elif change is None or line.startswith((b"-", b"+ ", b"+\t")):
                continue
            elif line.startswith(b"diff --git "):
                path, blob = "", b""
            elif line.startswith(b"index "):
                blob = line.split()[1].partition(b"..")[2]
            elif line.startswith(b"+++ b/"):
                path = line[6:].rstrip(b"\n\t").decode("utf-8", "replace")
                if wanted(path):
                    change.files.append((path, blob, []))
                else:
                    path = ""
            elif path and (hunk := _HUNK.match(line)):
                first, count = int(hunk[1]), int(hunk[2] or 1)
                change.files[-1][2].append((max(first, 1), max(first + count - 1, first, 1)))
        if change is not None:
            yield change
        process.terminate()
