"""Check the listed repositories out of bare git directories.

    python training/ranker/datasets/checkout.py REPOSITORIES CHECKOUTS

REPOSITORIES holds bare directories `owner+name` with history up to `until`; each lands in CHECKOUTS/NAME at its
pinned revision. `git archive` is not used: it leaves out what `.gitattributes` marks export-ignore.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from manifest import Source, directory, environment, sources


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("checkouts", type=Path)
    arguments = parser.parse_args()
    arguments.checkouts.mkdir(parents=True, exist_ok=True)
    failed = [
        each.repository for each in sources() if not checked_out(arguments.repositories, arguments.checkouts, each)
    ]
    print("missing:", *failed or ["none"])
    return 1 if failed else 0


def checked_out(repositories: Path, checkouts: Path, source: Source) -> bool:
    """Whether the tree is there, after making it when it was not or was of another revision."""
    out, stamp = checkouts / source.name, checkouts / f".{source.name}.revision"
    if out.is_dir() and stamp.is_file() and stamp.read_text(encoding="utf-8") == source.revision:
        return True
    place = directory(repositories, source)
    if not place.is_dir():
        return False
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    index = checkouts / f".{source.name}.index"
    git = ["git", f"--git-dir={place.resolve()}", "-c", "core.bare=false", "-c", "core.symlinks=false"]
    try:
        run = {"env": environment(GIT_INDEX_FILE=str(index.resolve())), "cwd": out}
        subprocess.run([*git, "read-tree", source.revision], check=True, **run)  # type: ignore[call-overload]
        # Large files may be absent from a snapshot: what can be had is enough.
        subprocess.run([*git, f"--work-tree={out.resolve()}", "checkout-index", "-a", "-f", "-q"], **run)  # type: ignore[call-overload]
    except subprocess.CalledProcessError:
        out.rmdir()
        return False
    finally:
        index.unlink(missing_ok=True)
    stamp.write_text(source.revision, encoding="utf-8")
    return True


if __name__ == "__main__":
    sys.exit(main())
