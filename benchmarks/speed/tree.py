"""A copy of the tree under measurement, and changes to it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

# A line that is harmless anywhere in a file of this kind, but in a string.
COMMENTS = {
    **dict.fromkeys((".go", ".js", ".ts", ".java", ".c", ".h", ".cc", ".cpp", ".cs", ".rs", ".kt", ".swift"), "//"),
    **dict.fromkeys((".py", ".rb", ".sh", ".ex", ".yaml", ".yml", ".toml"), "#"),
    **dict.fromkeys((".lua", ".hs", ".sql"), "--"),
}
_KEPT_NAMES = {".gitignore", ".gitattributes", ".clewignore"}
_IDENTITY = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost", "-c", "core.hooksPath=/dev/null")


def copy_tree(source: Path, target: Path, suffixes: Sequence[str]) -> None:
    """Copy with time stamps; with `suffixes` only such files (and ignore files). Never hard links: files are edited."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        out = {".clew"} & set(names)
        if not suffixes:
            return out
        kept = tuple(suffixes)
        return out | {
            name
            for name in names
            if not name.endswith(kept) and name not in _KEPT_NAMES and not Path(folder, name).is_dir()
        }

    shutil.copytree(source, target, symlinks=True, ignore=left_out)


def make_repository(tree: Path) -> None:
    """Make the copy a git repository with everything committed, as users have it."""
    for command in (["init", "-q"], ["add", "-A"], [*_IDENTITY, "commit", "-q", "--no-verify", "-m", "everything"]):
        subprocess.run(["git", "-C", str(tree), *command], check=True, capture_output=True)


def sample_tree(tree: Path, paths: Sequence[str], target: Path) -> None:
    """One small file of each suffix, for warming up grammars and bytecode."""
    chosen: dict[str, str] = {}
    for path in sorted(paths, key=lambda path: (tree / path).stat().st_size, reverse=True):
        if (tree / path).stat().st_size < 20_000:
            chosen.setdefault(Path(path).suffix, path)
    target.mkdir()
    for path in chosen.values():
        shutil.copy(tree / path, target / path.replace("/", "_"))


def evenly(items: Sequence[str], count: int) -> list[str]:
    """`count` items from all over a sequence, or all of it."""
    return [items[at * len(items) // count] for at in range(count)] if count < len(items) else list(items)


def editable(paths: Sequence[str]) -> list[str]:
    return [path for path in sorted(paths) if Path(path).suffix in COMMENTS]


def touch(tree: Path, paths: Sequence[str]) -> None:
    """A new time stamp, the same content."""
    for path in paths:
        os.utime(tree / path)


def edit(tree: Path, paths: Sequence[str], mark: str) -> None:
    """Put a new comment line into the middle of each file, so that everything after it moves down a line."""
    for number, path in enumerate(paths):
        lines = (tree / path).read_bytes().splitlines(keepends=True)
        line = f"{COMMENTS[Path(path).suffix]} speed benchmark {mark} {number}\n"
        lines.insert(len(lines) // 2, line.encode("ascii"))
        (tree / path).write_bytes(b"".join(lines))
