"""Which directory is the root, and which paths lie inside it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from clew.errors import RootError, UsageError

ROOT_VARIABLE = "CLEW_ROOT"

_MARKERS = (".clew", ".git")


def find_root(
    start: Path | None = None,
    *,
    explicit: Path | None = None,
    force: bool = False,
    environ: Mapping[str, str] | None = None,
) -> tuple[Path, str]:
    """The root with the reason for it: explicit, then the environment, then the nearest `.clew` or `.git` upward.

    Links are resolved. Without a marker the starting directory itself is the root. RootError when it
    does not exist, is no directory, or is the home directory or above it (unless `force`).
    """
    if explicit is not None:
        return _checked(_directory(explicit), force), "explicit"
    named = _named(environ)
    if named:
        directory = _directory(_expanded(named), origin=f" (from {ROOT_VARIABLE})")
        return _checked(directory, force), f"environment {ROOT_VARIABLE}"
    here = _directory(start if start is not None else _working_directory(), or_parent=True)
    for directory in (here, *here.parents):
        if not force and is_too_wide(directory):
            break  # a dotfiles repository in the home directory does not claim what lies below it
        for marker in _MARKERS:
            if _has_marker(directory, marker):
                return directory, f"nearest {marker}"
    return _checked(here, force), "working directory"


def find_root_or_none(
    explicit: Path | None = None, *, force: bool = False, environ: Mapping[str, str] | None = None
) -> Path | None:
    """The root, or None where there is none and none was named. RootError for a named one that cannot serve."""
    try:
        return find_root(explicit=explicit, force=force, environ=environ)[0]
    except RootError:
        if explicit is not None or _named(environ):
            raise
        return None


def is_too_wide(directory: Path) -> bool:
    """Whether this resolved directory is the home directory, lies above it, or is a file system's top."""
    if directory == directory.parent:
        return True
    place = os.path.normcase(directory)
    return any(home == place or home.startswith(place + os.sep) for home in _homes())


def resolve_inside(root: Path, text: str) -> str:
    """A user's path, relative to the root or absolute, as a POSIX path relative to the root ('' is the root).

    The path need not exist. Links are resolved, since stored paths never lead through one.
    UsageError when it ends up outside the root.
    """
    try:
        base = os.path.realpath(root)
        target = os.path.realpath(os.path.join(base, text))
        inside = os.path.normcase(os.path.commonpath((base, target))) == os.path.normcase(base)
    except (OSError, ValueError):  # a NUL byte, another drive, a loop of links
        inside = False
    if not inside:
        raise UsageError(
            f"the path {text!r} is outside the root {root}", hint="give a path inside the root, or another --root"
        )
    relative = os.path.relpath(target, base)
    return "" if relative == os.curdir else Path(relative).as_posix()


def _named(environ: Mapping[str, str] | None) -> str | None:
    return (os.environ if environ is None else environ).get(ROOT_VARIABLE)


def _homes() -> set[str]:
    homes = {_expanded("~")}
    try:
        import pwd  # not on Windows

        homes.add(Path(pwd.getpwuid(os.getuid()).pw_dir))
    except (ImportError, KeyError):
        pass
    return {os.path.normcase(os.path.realpath(home)) for home in homes if home.is_absolute()}


def _expanded(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # no home directory is known
        return Path(text)


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except OSError:
        raise RootError("the working directory no longer exists", hint="change to another directory") from None


def _directory(path: Path, *, origin: str = "", or_parent: bool = False) -> Path:
    try:
        resolved = path.resolve(strict=True)
        if resolved.is_dir():
            return resolved
        if or_parent:
            return resolved.parent
        reason = "is not a directory"
    except FileNotFoundError:
        reason = "does not exist"
    except (OSError, RuntimeError, ValueError) as error:
        reason = f"cannot be used ({getattr(error, 'strerror', None) or error})"
    raise RootError(f"the root {path}{origin} {reason}", hint="give an existing directory with --root")


def _checked(directory: Path, force: bool) -> Path:
    if force or not is_too_wide(directory):
        return directory
    raise RootError(
        f"{directory} is the home directory or above it, which is not indexed as one project",
        hint="change into a project, name one with --root DIR, or add --force to index it anyway",
    )


def _has_marker(directory: Path, marker: str) -> bool:
    try:
        # `.git` is a file in worktrees and submodules; a file `.clew` is something else's.
        path = directory / marker
        return path.is_dir() or (marker == ".git" and path.is_file())
    except OSError:
        return False
