"""Real trees and real repositories for the workspace tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from clew.workspace import Walk

_IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")


def git(directory: Path, *arguments: str) -> str:
    command = ["git", *_IDENTITY, "-C", os.fspath(directory), *arguments]
    return os.fsdecode(subprocess.run(command, check=True, capture_output=True).stdout)


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def repository(root: Path, files: Mapping[str, str | bytes] | None = None, *, commit: bool = False) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "-b", "main")
    write(root, files or {})
    if commit:
        git(root, "add", "-A", "-f")
        git(root, "commit", "-q", "-m", "all")
    return root


def paths(found: Walk) -> list[str]:
    return [file.path for file in found.files]


def listed_by_git(root: Path) -> list[str]:
    """What git lists, without what was deleted, links and repositories that are no submodules."""
    names = set(git(root, "ls-files", "-z", "-co", "--exclude-standard").split("\0")) - {""}
    return sorted(name for name in names if (root / name).is_file() and not (root / name).is_symlink())
