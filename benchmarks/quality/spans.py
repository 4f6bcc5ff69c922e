"""Which lines the commits of commits-dev changed: python benchmarks/quality/spans.py DATA GITDIRS OUT.json

Finds each commit by its subject in the history after the pinned revision, takes the lines that it changed in
the gold files, and maps them to the pinned revision, which is what is indexed. Lines that did not exist there
yet are dropped; where nothing remains, and where the subject is not found or not unique for those files, the
query is left out. GITDIRS holds OWNER+NAME/repo git directories. Needs no checkout.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.M)


class Hunk(NamedTuple):
    """First line and number of lines, before and after. A count of 0 stands behind that line."""

    old: int
    old_count: int
    new: int
    new_count: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("gitdirs", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    specs = json.loads((arguments.data / "nl-dev" / "repos.json").read_text(encoding="utf-8"))
    rows = json.loads((arguments.data / "commits-dev.json").read_text(encoding="utf-8"))
    found = []
    for spec in specs:
        git = arguments.gitdirs / spec["used_source"].replace("/", "+") / "repo"
        mine = [row for row in rows if row["repo"] == spec["name"]]
        if mine and git.is_dir():
            found += _of_repository(git, spec, mine)
    arguments.out.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print(f"{len(found)} of {len(rows)} queries, {len({row['repo'] for row in found})} repositories")
    return 0


def _of_repository(git: Path, spec: dict[str, Any], rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    pinned, root = spec["used_revision"], spec["root"] or ""
    subjects: dict[str, list[str]] = {}
    for line in _git(git, "log", "--all", "--no-merges", "--format=%H%x00%s", f"^{pinned}").splitlines():
        commit, _, subject = line.partition("\0")
        subjects.setdefault(subject, []).append(commit)
    out = []
    for row in rows:
        commits = [c for subject, ids in subjects.items() if row["query"] in subject for c in ids]
        for commit in commits[:20]:  # cherry-picks repeat a subject; the first that touches the gold files counts
            spans = [span for path in row["relevant"] for span in _spans(git, commit, pinned, root, path)]
            if spans:
                out.append({"repo": spec["name"], "query": row["query"], "commit": commit, "spans": spans})
                break
    return out


def _spans(git: Path, commit: str, pinned: str, root: str, path: str) -> list[dict[str, Any]]:
    full = f"{root}/{path}" if root else path
    changed = _hunks(_git(git, "diff", "-U0", "--no-ext-diff", f"{commit}^", commit, "--", full))
    moved = _hunks(_git(git, "diff", "-U0", "--no-ext-diff", pinned, f"{commit}^", "--", full))
    mapped = [each for hunk in changed if (each := _mapped(hunk, moved))]
    return [{"path": path, "start_line": low, "end_line": high} for low, high in mapped]


def _hunks(diff: str) -> list[Hunk]:
    return [Hunk(*(int(each) if each is not None else 1 for each in match.groups())) for match in _HUNK.finditer(diff)]


def _mapped(hunk: Hunk, moved: Sequence[Hunk]) -> tuple[int, int] | None:
    """The old lines of a hunk in an earlier state of the file; None where they are new there.

    An insertion stands for the line before it and the line after it.
    """
    first, last = (hunk.old, hunk.old + hunk.old_count - 1) if hunk.old_count else (max(1, hunk.old), hunk.old + 1)
    kept = [
        line
        for line in range(first, last + 1)
        if not any(each.new <= line < each.new + each.new_count for each in moved)
    ]
    if not kept:
        return None
    low, high = (line + _shift(line, moved) for line in (kept[0], kept[-1]))
    return low, high


def _shift(line: int, moved: Sequence[Hunk]) -> int:
    """How many lines the hunks above added to the earlier file, less those they removed from it."""
    ends = ((each.new + max(0, each.new_count - 1), each) for each in moved)
    return sum(each.old_count - each.new_count for end, each in ends if end < line)


def _git(git: Path, *words: str) -> str:
    command = ["git", f"--git-dir={git}", *words]
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False).stdout


if __name__ == "__main__":
    sys.exit(main())
