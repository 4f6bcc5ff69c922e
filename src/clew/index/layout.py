"""Where an index lives and how a rebuilt one takes the place of the old.

<index directory>/.gitignore        "*": an index is never committed
<index directory>/current           name of the directory in use, replaced atomically
<index directory>/index-XXXX/       catalog.db and segments/ of one build
<index directory>/vectors.db        vector cache, kept through rebuilds
<index directory>/writer.lock, writer.pid
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
from pathlib import Path

from clew.errors import DamagedIndexError, RootError

FOLDER = ".clew"
_CURRENT = "current"
_NAME = re.compile(r"index-[0-9a-f]{8}")
_NAME_MOST = 64  # characters; a longer pointer is not ours


def index_directory(root: Path, outside: str = "") -> Path:
    """`<root>/.clew`, or under `outside` a directory keyed by the root's absolute path."""
    if not outside:
        return root / FOLDER
    key = hashlib.sha256(os.fsencode(str(root))).hexdigest()[:12]
    return Path(outside).expanduser() / f"{root.name or 'root'}-{key}"


def prepare(directory: Path) -> None:
    """Create the index directory with its ignore file; RootError when it cannot be written."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        ignore = directory / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")
    except OSError as error:
        raise RootError(
            f"cannot write the index directory {directory}: {error.strerror}",
            hint="set CLEW_INDEX_DIR to a directory you can write to",
        ) from None


def current(directory: Path) -> Path | None:
    """The directory of the index in use; None when there is none. DamagedIndexError for a foreign pointer."""
    try:
        with open(directory / _CURRENT, encoding="ascii", errors="replace") as stream:
            name = stream.read(_NAME_MOST).strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DamagedIndexError(
            f"the index pointer {directory / _CURRENT} cannot be read: {error.strerror}", hint="clew index --full"
        ) from None
    if not _NAME.fullmatch(name):
        raise DamagedIndexError(
            f"{directory / _CURRENT} does not name an index", hint="rebuild it with: clew index --full"
        )
    return directory / name


def new_build(directory: Path) -> Path:
    """A fresh directory beside the current one."""
    path = directory / f"index-{secrets.token_hex(4)}"
    path.mkdir()
    return path


def publish(directory: Path, build: Path) -> None:
    """Make a finished build the current one, atomically."""
    pointer = directory / f"{_CURRENT}.new"
    with open(pointer, "w", encoding="ascii") as stream:
        stream.write(build.name)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(pointer, directory / _CURRENT)


def remove_others(directory: Path, keep: Path | None) -> None:
    """Remove builds that are not in use; only under the writer lock. Readers keep their open files."""
    for entry in directory.iterdir():
        if _NAME.fullmatch(entry.name) and entry != keep and entry.is_dir() and not entry.is_symlink():
            with contextlib.suppress(OSError):  # Windows keeps mapped files; the next writer tries again
                shutil.rmtree(entry)
