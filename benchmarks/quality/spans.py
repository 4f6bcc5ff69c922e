"""Which lines the commits of commits-dev changed: python benchmarks/quality/spans.py DATA GITDIRS OUT.json

Finds each commit by its subject in the history after the pinned revision, takes the lines that it changed in
the gold files, and maps them to the pinned revision, which is what is indexed. Lines that did not exist there
yet are dropped; where nothing remains, and where the subject is not found or not unique for those files, the
query is left out. GITDIRS holds OWNER+NAME/repo git directories. Needs no checkout.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from history import PINNED, changed_spans, git


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
        place = arguments.gitdirs / spec["used_source"].replace("/", "+") / "repo"
        mine = [row for row in rows if row["repo"] == spec["name"]]
        if mine and place.is_dir():
            found += _of_repository(place, spec, mine)
    arguments.out.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print(f"{len(found)} of {len(rows)} queries, {len({row['repo'] for row in found})} repositories")
    return 0


def _of_repository(place: Path, spec: dict[str, Any], rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    pinned, root = spec["used_revision"], spec["root"] or ""
    subjects: dict[str, list[str]] = {}
    for line in git(place, "log", "--all", "--no-merges", "--format=%H%x00%s", f"^{pinned}").splitlines():
        commit, _, subject = line.partition("\0")
        subjects.setdefault(subject, []).append(commit)
    out = []
    for row in rows:
        commits = [c for subject, ids in subjects.items() if row["query"] in subject for c in ids]
        for commit in commits[:20]:  # cherry-picks repeat a subject; the first that touches the gold files counts
            spans = [span for path in row["relevant"] for span in _spans(place, commit, pinned, root, path)]
            if spans:
                out.append({"repo": spec["name"], "query": row["query"], "commit": commit, "spans": spans})
                break
    return out


def _spans(place: Path, commit: str, pinned: str, root: str, path: str) -> list[dict[str, Any]]:
    found = changed_spans(place, pinned, commit, f"{root}/{path}" if root else path)
    return [
        {"path": path, "start_line": each.start_line, "end_line": each.end_line} for each in found if each.at == PINNED
    ]


if __name__ == "__main__":
    sys.exit(main())
