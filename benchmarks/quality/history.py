"""A repository's history, from a git directory: which lines a commit changed, as lines of an earlier revision."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

PINNED, PARENT = "pinned", "parent"
_GIT_SECONDS = 300
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.M)


@dataclass(frozen=True, slots=True)
class Span:
    """Lines, 1-based and inclusive. `at` says of which state of the file: the pinned one or the commit's parent."""

    start_line: int
    end_line: int
    at: str

    def to_json(self) -> dict[str, str | int]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Hunk:
    old: int
    old_count: int
    new: int
    new_count: int


def environment(**more: str) -> dict[str, str]:
    """Git without the user's settings, and without anything that it would run or download."""
    plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_LFS_SKIP_SMUDGE": "1"}
    return {**os.environ, **plain, "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C", **more}


def git(place: Path, *arguments: str) -> str:
    """Output of a reading git command; CalledProcessError when it fails."""
    command = ["git", f"--git-dir={place}", "-c", "core.quotePath=false", *arguments]
    done = subprocess.run(command, capture_output=True, check=True, env=environment(), timeout=_GIT_SECONDS)
    return done.stdout.decode("utf-8", "replace")


def changed_spans(place: Path, revision: str, commit: str, path: str) -> list[Span]:
    """What the commit replaced or removed; of an insertion the two lines around it.

    Lines that were themselves written after the pinned revision have no place there. When none of a file's lines
    has one, they are given as of the parent.
    """
    ranges = _merged([_replaced(hunk) for hunk in _hunks(place, f"{commit}^", commit, path)])
    later = _hunks(place, revision, f"{commit}^", path)
    mapped = []
    for first, last in ranges:
        lines = [line for line in (_earlier(each, later) for each in range(first, last + 1)) if line]
        if lines:
            mapped.append((lines[0], lines[-1]))
    if mapped:
        return [Span(first, last, PINNED) for first, last in _merged(mapped)]
    return [Span(first, last, PARENT) for first, last in ranges]


def _hunks(place: Path, old: str, new: str, path: str) -> list[_Hunk]:
    options = ("--no-renames", "-U0", "--no-color", "--no-ext-diff", "--no-textconv")
    text = git(place, "diff", *options, old, new, "--", path)
    return [_Hunk(int(a), int(b or 1), int(c), int(d or 1)) for a, b, c, d in _HUNK.findall(text)]


def _replaced(hunk: _Hunk) -> tuple[int, int]:
    if hunk.old_count:
        return hunk.old, hunk.old + hunk.old_count - 1
    return max(hunk.old, 1), hunk.old + 1


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if out and first <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], last))
        else:
            out.append((first, last))
    return out


def _earlier(line: int, hunks: list[_Hunk]) -> int:
    """The line's number before the hunks; 0 when they wrote it."""
    shift = 0
    for hunk in hunks:
        # A removal stands after its line of the new text, so it moves only what follows.
        if hunk.new_count and hunk.new <= line < hunk.new + hunk.new_count:
            return 0
        if line < hunk.new + (hunk.new_count == 0):
            break
        shift += hunk.old_count - hunk.new_count
    return line + shift
