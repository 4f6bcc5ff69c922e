"""Where an index lives and how a rebuilt one takes the place of the old.

<index directory>/.gitignore        "*": an index is never committed
<index directory>/current           name of the directory in use, replaced atomically
<index directory>/index-XXXX/       catalog.db and segments/ of one build
<index directory>/vectors.db        vector cache, kept through rebuilds
<index directory>/writer.lock, writer.pid
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import shutil
import stat
from pathlib import Path

from clew.errors import DamagedIndexError, RootError

FOLDER = ".clew"
VECTORS = "vectors.db"
_CURRENT = "current"
_NAME = re.compile(r"index-[0-9a-f]{8}")
_MAX_BYTES = 64  # of a small file, a name or a number: a longer one is not ours


def index_directory(root: Path, outside: str = "") -> Path:
    """`<root>/.clew`, or under `outside` a directory keyed by the root's absolute path."""
    if not outside:
        return root / FOLDER
    key = hashlib.sha256(os.fsencode(str(root))).hexdigest()[:12]
    return Path(outside).expanduser() / f"{root.name or 'root'}-{key}"


def prepare(directory: Path) -> None:
    """Create the index directory with its ignore file; RootError when it cannot be written."""
    _refuse_link(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        # Not through a temporary file: nobody holds the lock yet.
        with contextlib.suppress(FileExistsError), open(make_way(directory / ".gitignore"), "x", encoding="ascii") as f:
            f.write("*\n")
    except OSError as error:
        raise unwritable(directory, error) from None


def _refuse_link(directory: Path) -> None:
    """A clone may bring a link: it would decide where clew reads and writes, and what it removes."""
    if directory.is_symlink():
        raise RootError(
            f"the index directory {directory} is a link, which clew does not follow",
            hint="remove the link, or set CLEW_INDEX_DIR to where the index should be",
        )


def unwritable(directory: Path, error: OSError) -> RootError:
    return RootError(
        f"cannot write the index directory {directory}: {error.strerror or error}",
        hint="set CLEW_INDEX_DIR to a directory you can write to",
    )


def make_way(path: Path) -> Path:
    """Remove what is no regular file from a place of ours: an index may come with a hostile clone, and a link
    in it may lead anywhere."""
    with contextlib.suppress(FileNotFoundError):
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            shutil.rmtree(path)
        elif not stat.S_ISREG(mode):
            path.unlink()
    return path


def read_small(path: Path) -> str:
    """A small file of ours; OSError for anything but a regular file. Follows no link and waits for no pipe."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(path, flags), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return stream.read(_MAX_BYTES).decode("ascii", "replace")


def write_small(path: Path, text: str) -> None:
    """Replace a small file of ours atomically and durably, whatever is in its place. One writer at a time."""
    temporary = path.with_name(f"{path.name}.new")
    make_way(temporary).unlink(missing_ok=True)
    with open(temporary, "x", encoding="ascii") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(temporary, make_way(path))


def current(directory: Path) -> Path | None:
    """The directory of the index in use; None when there is none. DamagedIndexError for a foreign pointer."""
    _refuse_link(directory)
    try:
        name = read_small(directory / _CURRENT).strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DamagedIndexError(
            f"the index pointer {directory / _CURRENT} cannot be read: {error.strerror}", hint="clew index --full"
        ) from None
    if not _NAME.fullmatch(name):
        raise DamagedIndexError(
            f"{directory / _CURRENT} does not name an index", hint="rebuild it with: clew index --full"
        )
    build = directory / name
    if build.is_symlink() or not build.is_dir():
        raise DamagedIndexError(f"the index {build} is not there", hint="rebuild it with: clew index --full")
    return build


def new_build(directory: Path) -> Path:
    """A fresh directory beside the current one."""
    path = directory / f"index-{secrets.token_hex(4)}"
    path.mkdir()
    return path


def publish(directory: Path, build: Path) -> None:
    """Make a finished build the current one, atomically."""
    write_small(directory / _CURRENT, build.name)


def remove_others(directory: Path, keep: Path | None) -> None:
    """Remove builds that are not in use; only under the writer lock. Readers keep their open files."""
    for entry in directory.iterdir():
        if _NAME.fullmatch(entry.name) and entry != keep and entry.is_dir() and not entry.is_symlink():
            discard(entry)


def discard(build: Path) -> None:
    """Remove a build. What Windows keeps because it is mapped goes with the next writer."""
    with contextlib.suppress(OSError):
        shutil.rmtree(build)
