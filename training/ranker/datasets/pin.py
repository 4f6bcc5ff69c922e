"""Choose the pinned revision of listed repositories that have none, and print the list's entries anew.

    python training/ranker/datasets/pin.py REPOSITORIES > new.toml

The revision is the newest on the main line that has `WANTED` commits fit for queries after it.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from itertools import islice
from pathlib import Path

from commits import qualifying
from manifest import Source, directory, git, sources

WANTED = 45  # twice what is taken, because some change files that did not exist yet
_LOG_COMMITS = 4_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path)
    arguments = parser.parse_args()
    for source in sources():
        print(_entry(source if source.revision else pinned(directory(arguments.repositories, source), source)))
    return 0


def pinned(place: Path, source: Source) -> Source:
    until = source.until or git(place, "rev-parse", "HEAD").strip()
    after = list(islice(qualifying(place, source, f"-n{_LOG_COMMITS}", until), WANTED))
    before = f"--before={after[-1].date - 1}"
    revision = git(place, "rev-list", "-1", "--first-parent", before, until).strip()
    print(f"{source.name}: {len(after)} commits", file=sys.stderr)
    return dataclasses.replace(source, revision=revision, until=until)


def _entry(source: Source) -> str:
    table = f'["{source.name}"]' if "." in source.name else f"[{source.name}]"
    rows = [f'{key} = "{value}"' for key, value in dataclasses.asdict(source).items() if key != "name" and value]
    return "\n".join([table, *rows, ""])


if __name__ == "__main__":
    sys.exit(main())
