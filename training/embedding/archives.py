"""Read packages as they lie on disk: wheels, tarballs, Debian sources and bare git directories.

Nothing is run and nothing of an archive is trusted: only regular files with plain relative paths come out.
"""

from __future__ import annotations

import re
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

MAX_FILE_BYTES = 2_000_000  # as the engine's own limit for a file
_TAR = re.compile(r"\.(?:tgz|tar\.(?:gz|bz2|xz|lzma))$")
_DEBIAN_TAR = re.compile(r"\.debian\.tar\.\w+$")
Wanted = Callable[[str], bool]


def members(files: list[Path], wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    """Path and content of the wanted files of a package's archives. O(size of the archives)."""
    for path in files:
        if path.suffix in (".whl", ".zip"):
            yield from _zip(path, wanted)
        elif _TAR.search(path.name):
            yield from _tar(path, wanted, "" if _DEBIAN_TAR.search(path.name) else "/")


def _safe(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return bool(parts) and not name.startswith("/") and ".." not in parts and "\\" not in name and "\0" not in name


def _zip(path: Path, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            inside = not entry.is_dir() and entry.file_size <= MAX_FILE_BYTES and _safe(entry.filename)
            if inside and wanted(entry.filename):
                yield entry.filename, archive.read(entry)


def _tar(path: Path, wanted: Wanted, top: str) -> Iterator[tuple[str, bytes]]:
    """Most tarballs hold one folder that names the version (`package/`, `zlib-1.2/`): it is cut off."""
    with tarfile.open(path, "r|*", encoding="utf-8", errors="replace") as archive:
        for entry in archive:
            if not entry.isreg() or entry.size > MAX_FILE_BYTES:
                continue
            name = entry.name.removeprefix("./")
            if top:
                name = name.partition(top)[2] or name
            if not _safe(name) or not wanted(name):
                continue
            stream = archive.extractfile(entry)
            if stream is not None:
                yield name, stream.read()


def git(directory: Path, *arguments: str) -> bytes:
    """Run a reading git command in a bare directory; CalledProcessError when it fails."""
    command = ["git", f"--git-dir={directory}", *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout


def git_members(directory: Path, commit: str, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    """Path and content of the wanted files of a commit, in the order of its tree."""
    listed = []
    for line in git(directory, "ls-tree", "-r", "-z", "-l", commit).split(b"\0"):
        head, _, name = line.partition(b"\t")
        mode, _, blob, size = head.split() if head else (b"", b"", b"", b"0")
        path = name.decode("utf-8", "replace")
        if mode.startswith(b"100") and size.isdigit() and int(size) <= MAX_FILE_BYTES and _safe(path) and wanted(path):
            listed.append((path, blob))
    for (path, _), content in zip(listed, git_blobs(directory, [blob for _, blob in listed]), strict=True):
        yield path, content


def git_blobs(directory: Path, names: list[bytes]) -> Iterator[bytes]:
    """Contents by object name, through one `git cat-file`; empty for what is missing."""
    command = ["git", f"--git-dir={directory}", "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        for name in names:
            process.stdin.write(name + b"\n")
            process.stdin.flush()
            head = process.stdout.readline().split()
            if len(head) != 3:
                yield b""
                continue
            content = process.stdout.read(int(head[2]))
            process.stdout.read(1)
            yield content
        process.stdin.close()
