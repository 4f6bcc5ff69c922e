"""The files that git lists, with those of initialised submodules."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Collection, Iterable

from clew.workspace import git, reasons

# Not an answer yet: the walker calls `settle` when nothing else is left.
DEFERRED = "deferred"

# Levels of submodules in submodules; real ones have two or three.
_MAX_SUBMODULE_DEPTH = 20
# Names of left-out repositories that a note spells out.
_NAMED_IN_NOTE = 3


class RootIgnored(git.GitError):
    """The repository around the root ignores it as a whole: whoever names it as the root wants it all the same.

    `consulted` is what that judgement rests on.
    """

    def __init__(self, message: str, consulted: list[str]) -> None:
        super().__init__(message)
        self.consulted = consulted


class GitGate:
    """The files that git lists, with those of initialised submodules."""

    def __init__(self, root: str) -> None:
        self.consulted: list[str] = []
        self.notes: list[str] = []
        self.without_git = False
        self.provisional = False
        self._root = root
        self._listed: set[str] = set()
        self._parents: set[str] = {""}
        self._nested: set[str] = set()
        self._unknown: list[str] = []
        self._left_out: list[str] = []
        self._uninitialised: list[str] = []
        # Directory of each repository, relative to the root, with the submodules its index knows (once asked for).
        self._repositories: dict[str, set[str] | None] = {"": None}
        repository = git.find_repository(root)
        files, excludes = git.configuration(root)
        self.consulted += [*files, excludes]
        self._watch_repository(repository)
        self._watch_way_down(repository)
        self._add_names("", git.list_names(root))
        self._check_root(repository)

    def enter(self, directory: str, entries: Collection[str]) -> str | None:
        return None

    def file(self, path: str, name: str) -> str | None:
        return None if _key(path) in self._listed else reasons.IGNORED_BY_GIT

    def directory(self, path: str, name: str) -> str | None:
        key = _key(path)
        if key in self._listed and path in self._gitlinks(path):
            return self._open_submodule(path)
        if key in self._parents:
            return None
        if key in self._nested:
            return self._leave_out_repository(path)
        # Empty, or with ignored files only: a new file in it must be noticed, unless git ignores it as a whole.
        self._unknown.append(path)
        return DEFERRED

    def settle(self) -> list[tuple[str, str | None]]:
        by_repository: dict[str, list[str]] = {}
        for path in self._unknown:
            by_repository.setdefault(self._repository_of(path), []).append(path)
        self._unknown = []
        answers: list[tuple[str, str | None]] = []
        for repository, paths in by_repository.items():
            start = len(repository) + 1 if repository else 0
            directory = os.path.join(self._root, repository) if repository else self._root
            ignored = git.ignored_among(directory, [path[start:] for path in paths])
            answers += [(path, reasons.IGNORED_BY_GIT if path[start:] in ignored else None) for path in paths]
        return answers

    def finish(self) -> None:
        if self._uninitialised:
            self.notes.append(
                f"{_named(self._uninitialised, 'submodule is', 'submodules are')} not initialised and not indexed; "
                "run: git submodule update --init --recursive"
            )
        if self._left_out:
            self.notes.append(
                f"{_named(self._left_out, 'repository', 'repositories')} inside this one left out, "
                "as git does; index them by themselves with --root"
            )

    def _add_names(self, directory: str, found: Iterable[str]) -> None:
        prefix = directory + "/" if directory else ""
        parents = self._parents
        for name in found:
            path = _key(prefix + name)
            if name.endswith("/"):
                path = path[:-1]
                self._nested.add(path)
            else:
                self._listed.add(path)
            parent = path.rpartition("/")[0]
            while parent not in parents:
                parents.add(parent)
                parent = parent.rpartition("/")[0]

    def _watch_repository(self, repository: git.Repository) -> None:
        self.consulted += [repository.index, repository.exclude, *repository.config_files]

    def _watch_way_down(self, repository: git.Repository) -> None:
        """Rules above the root hold inside it, and a repository made on the way would take over."""
        if not repository.prefix:
            return
        for place in git.directories_between(self._root, repository.top):
            self.consulted.append(os.path.join(place, ".gitignore"))
            if place != repository.top:
                self.consulted.append(os.path.join(place, ".git"))

    def _check_root(self, repository: git.Repository) -> None:
        inner = repository.prefix.rstrip("/")
        if not inner or not git.ignored_among(repository.top, [inner]):
            return
        if not self._listed:
            raise RootIgnored(f"{repository.top} ignores this folder", self.consulted)
        self.notes.append(f"{repository.top} ignores this folder, so only tracked files in it are indexed")

    def _repository_of(self, path: str) -> str:
        place = path.rpartition("/")[0]
        while place not in self._repositories:
            place = place.rpartition("/")[0]
        return place

    def _gitlinks(self, path: str) -> set[str]:
        repository = self._repository_of(path)
        known = self._repositories[repository]
        if known is None:
            prefix = repository + "/" if repository else ""
            try:
                links = git.list_gitlinks(os.path.join(self._root, repository))
            except git.GitError as error:
                self.notes.append(f"git could not list the submodules ({error}); they are not indexed")
                links = set()
            known = {prefix + link for link in links}
            self._repositories[repository] = known
        return known

    def _open_submodule(self, path: str) -> str | None:
        directory = os.path.join(self._root, path)
        # Without its own `.git`, git would answer for the repository around it.
        if not os.path.lexists(os.path.join(directory, ".git")):
            self._uninitialised.append(path)
            return reasons.NO_SUBMODULE_FILES
        try:
            if self._depth(path) > _MAX_SUBMODULE_DEPTH:
                raise git.GitError("submodules are nested too deeply")
            repository = git.find_repository(directory)
            if repository.prefix:
                raise git.GitError("its .git is not usable")
            found = git.list_names(directory)
        except git.GitError as error:
            self.notes.append(f"submodule {path} could not be read and is not indexed: {error}")
            return reasons.NO_SUBMODULE_FILES
        self._repositories[path] = None
        self._watch_repository(repository)
        self._add_names(path, found)
        return None

    def _depth(self, path: str) -> int:
        depth = 0
        while path:
            path = path.rpartition("/")[0]
            depth += path in self._repositories
        return depth

    def _leave_out_repository(self, path: str) -> str:
        if git.is_linked_worktree(os.path.join(self._root, path)):
            return reasons.LINKED_WORKTREE
        self._left_out.append(path)
        return reasons.NESTED_REPOSITORY


def _key(path: str) -> str:
    """What a name from git and one from the file system are compared by.

    On macOS git composes the accents that the file system may give apart, and on both file systems
    below a name's case may differ between the index and the disk.
    """
    if sys.platform == "darwin":
        return unicodedata.normalize("NFC", path).casefold()
    return path.casefold() if sys.platform == "win32" else path


def _named(paths: list[str], one: str, many: str) -> str:
    shown = ", ".join(sorted(paths)[:_NAMED_IN_NOTE])
    more = "" if len(paths) <= _NAMED_IN_NOTE else ", ..."
    return f"1 {one} ({shown})" if len(paths) == 1 else f"{len(paths)} {many} ({shown}{more})"
