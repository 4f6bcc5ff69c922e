"""Asking git, without a shell and without letting the repository run anything.

A repository is untrusted: its own configuration can name programs that git starts even for a
listing (`core.fsmonitor`, hooks), so those are switched off. Variables that point git at another
repository (set inside hooks) are removed; those that only configure it are kept.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

# Seconds. A listing of the Linux kernel with a cold cache takes a few; a hung network drive never ends.
GIT_TIMEOUT = 60.0

_KEPT_VARIABLES = re.compile(
    r"GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|CEILING_DIRECTORIES"
    r"|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH)"
)
_SAFE_OPTIONS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_SETTINGS = {
    "GIT_NO_LAZY_FETCH": "1",  # a partial clone must not go to the network
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",  # the index is not to be rewritten
    "LC_ALL": "C",  # messages are read
}
_GITLINK_MODE = b"160000 "


class GitError(Exception):
    """Git could not answer; the text says why in one line. `transient`: asking again may work."""

    def __init__(self, message: str, *, transient: bool = False) -> None:
        super().__init__(message)
        self.transient = transient


@dataclass(frozen=True, slots=True)
class Repository:
    """Where git keeps what decides about this directory's file set. All paths are absolute."""

    directory: str
    top: str
    prefix: str  # the way from `top` to `directory`, with a final slash; empty at the top
    index: str
    exclude: str
    config_files: tuple[str, ...]


def git_executable() -> str | None:
    """The git on PATH. Relative entries of PATH are passed over: they would let a checkout bring its own git."""
    trusted = (place for place in os.get_exec_path() if Path(place).is_absolute())
    found = shutil.which("git", path=os.pathsep.join(trusted))
    return found if found and Path(found).is_absolute() else None  # Windows looks in the working directory first


def git_environment() -> dict[str, str]:
    """The environment that git is started with: the caller's, without what points git at another repository."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith("GIT_") or _KEPT_VARIABLES.fullmatch(name.upper())
    }
    return kept | _SETTINGS


def _run(directory: str, arguments: Sequence[str], *, data: bytes = b"", good: Iterable[int] = (0,)) -> bytes:
    import subprocess  # here: a query that only checks freshness starts no process, and the import costs 5 ms

    executable = git_executable()
    if executable is None:
        raise GitError("git is not installed")
    command = [executable, *_SAFE_OPTIONS, *arguments]
    try:
        done = subprocess.run(
            command, cwd=directory, env=git_environment(), input=data, capture_output=True, timeout=GIT_TIMEOUT
        )
    except subprocess.TimeoutExpired:
        raise GitError(f"git {arguments[0]} took longer than {GIT_TIMEOUT:.0f} s", transient=True) from None
    except (OSError, ValueError) as error:
        raise GitError(f"git could not be started ({error})", transient=True) from None
    if done.returncode not in good:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(lines[0] if lines else f"git {arguments[0]} ended with status {done.returncode}")
    return done.stdout


def _split_names(output: bytes) -> list[str]:
    return os.fsdecode(output).split("\0")[:-1]


def find_repository(directory: str) -> Repository:
    """The repository around a directory. GitError when there is none that git accepts. One process."""
    wanted = ("index", "info/exclude", "config", "config.worktree")
    places = [option for name in wanted for option in ("--git-path", name)]
    output = _run(directory, ["rev-parse", "--show-toplevel", "--show-prefix", *places])
    lines = os.fsdecode(output).removesuffix("\n").split("\n")
    if len(lines) != 2 + len(wanted):
        raise GitError("the repository's path holds a line break")
    top, prefix, *paths = lines
    index, exclude, config, worktree_config = (os.path.join(directory, path) for path in paths)
    return Repository(directory, os.path.normpath(top), prefix, index, exclude, (config, worktree_config))


def list_names(directory: str) -> list[str]:
    """Tracked files and those that are untracked and not ignored, relative to the directory.

    Deleted files are still in it; a submodule is one name; a repository that is no submodule ends in a slash.
    """
    return _split_names(_run(directory, ["ls-files", "-z", "-c", "-o", "--exclude-standard"]))


def list_gitlinks(directory: str) -> set[str]:
    """The submodules that the index knows, initialised or not."""
    staged = _run(directory, ["ls-files", "-z", "-s"]).split(b"\0")
    return {os.fsdecode(line.partition(b"\t")[2]) for line in staged if line.startswith(_GITLINK_MODE)}


def ignored_among(directory: str, paths: Sequence[str]) -> set[str]:
    """Which of these existing paths git ignores. One process, whatever their number."""
    # With "./" before it, a directory called `:(top)` is not taken for a pattern.
    data = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
    output = _run(directory, ["check-ignore", "-z", "--stdin"], data=data, good=(0, 1))
    return {name.removeprefix("./") for name in _split_names(output)}


def configuration(directory: str) -> tuple[tuple[str, ...], str]:
    """The configuration files that apply, and the user's excludes file (git's default place when not set)."""
    files: dict[str, None] = {}
    excludes = ""
    fields = _split_names(_run(directory, ["config", "-z", "--list", "--show-origin"]))
    for origin, entry in zip(fields[::2], fields[1::2], strict=False):
        if origin.startswith("file:"):
            files[os.path.join(directory, origin.removeprefix("file:"))] = None
        key, _, value = entry.partition("\n")
        if key == "core.excludesfile":
            excludes = value
    for path in user_configuration_files():
        files[path] = None
    if not excludes:
        return tuple(files), default_excludes_file()
    return tuple(files), os.path.join(directory, Path(excludes).expanduser())


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull)


def _config_home() -> str:
    return os.environ.get("XDG_CONFIG_HOME") or os.fspath(_home() / ".config")


def default_excludes_file() -> str:
    return os.path.join(_config_home(), "git", "ignore")


def user_configuration_files() -> tuple[str, ...]:
    """Where the user's settings are or could appear."""
    if os.environ.get("GIT_CONFIG_GLOBAL"):
        return (os.environ["GIT_CONFIG_GLOBAL"],)
    return os.fspath(_home() / ".gitconfig"), os.path.join(_config_home(), "git", "config")


def enclosing_repository(directory: str) -> str | None:
    """The nearest directory upward that has a `.git`, directory or file. No process."""
    here = Path(directory)
    return next((str(place) for place in (here, *here.parents) if os.path.lexists(place / ".git")), None)


def directories_between(directory: str, top: str | None) -> list[str]:
    """The directories above one, up to and with `top` (or the file system's)."""
    above: list[str] = []
    if directory == top:
        return above
    for parent in Path(directory).parents:
        above.append(str(parent))
        if str(parent) == top:
            break
    return above


def git_directory(top: str) -> str | None:
    """What a checkout's `.git` is or points to. None when it is neither; no process."""
    marker = Path(top, ".git")
    if marker.is_dir():
        return str(marker)
    pointer = _read_line(marker)
    if not pointer.startswith("gitdir:"):
        return None
    return os.path.normpath(os.path.join(top, pointer.removeprefix("gitdir:").strip()))


def is_linked_worktree(top: str) -> bool:
    found = None if Path(top, ".git").is_dir() else git_directory(top)
    return found is not None and Path(found).parent.name == "worktrees"


def common_directory(top: str) -> str | None:
    """The `.git` directory that a checkout shares with its worktrees: `info/exclude` is there."""
    found = git_directory(top)
    if found is None:
        return None
    shared = _read_line(Path(found, "commondir"))
    return os.path.normpath(os.path.join(found, shared)) if shared else found


def _read_line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return os.fsdecode(file.read(8192)).partition("\n")[0].rstrip("\r").replace("\0", "")
    except OSError:
        return ""
