"""Which files of a tree belong to the project: git's answer, or the ignore files' where there is no git.

A gate is asked about every entry that the walker meets. It never lists a directory itself.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Collection, Iterable
from typing import Protocol

from clew.workspace import git, names
from clew.workspace.ignore import Layer, as_bytes_text, deciding_layer, read_rules

IGNORED_BY_GIT = "ignored by git"
IGNORED_BY_GITIGNORE = "ignored by .gitignore"
IGNORED_BY_DEFAULT = "ignored by default"
LINKED_WORKTREE = "linked worktree"
NESTED_REPOSITORY = "nested repository"
NO_SUBMODULE_FILES = "submodule not initialised"
# Not an answer yet: the walker calls `settle` when nothing else is left.
DEFERRED = "deferred"

# Levels of submodules in submodules; real ones have two or three.
_MAX_SUBMODULE_DEPTH = 20
# Names of left-out repositories that a note spells out.
_NAMED_IN_NOTE = 3


class Gate(Protocol):
    """Answers are None (it belongs) or the reason why it does not."""

    # Absolute paths whose change changes the answers, whether they exist or not.
    consulted: list[str]
    # What the user should know: never silent.
    notes: list[str]
    # Git should have been asked and is not there.
    without_git: bool
    # The answer came from a passing failure, so it must not be taken for fresh.
    provisional: bool

    def enter(self, directory: str, entries: Collection[str]) -> str | None:
        """Called once when a directory has been listed, before any question about its entries."""

    def file(self, path: str, name: str) -> str | None: ...

    def directory(self, path: str, name: str) -> str | None: ...

    def settle(self) -> list[tuple[str, str | None]]:
        """Answers for all deferred directories."""

    def finish(self) -> None:
        """Called once at the end; completes the notes."""


def open_gate(root: str) -> Gate:
    """Git's answer when the root lies in a repository that git accepts, else that of the ignore files."""
    top = git.enclosing_repository(root)
    if top is None:
        return IgnoreFileGate(root, None)
    try:
        return GitGate(root)
    except git.GitError as error:
        if isinstance(error, RootIgnored) or "not a git repository" in str(error):
            gate = IgnoreFileGate(root, None)
            gate.notes.append(f"{error}; treated as a folder without git")
            return gate
        gate = IgnoreFileGate(root, top)
        gate.notes.append(
            f"git could not be asked ({error}); ignore files were read instead, "
            "so tracked files that they match are left out"
        )
        gate.without_git = git.git_executable() is None
        gate.provisional = error.transient
        return gate


class RootIgnored(git.GitError):
    """The repository around the root ignores it as a whole: whoever names it as the root wants it all the same."""


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
        return None if _key(path) in self._listed else IGNORED_BY_GIT

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
            answers += [(path, IGNORED_BY_GIT if path[start:] in ignored else None) for path in paths]
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
        place = self._root
        for _ in repository.prefix.rstrip("/").split("/"):
            place = os.path.dirname(place)
            self.consulted.append(os.path.join(place, ".gitignore"))
            if place != git.enclosing_repository(place):
                self.consulted.append(os.path.join(place, ".git"))

    def _check_root(self, repository: git.Repository) -> None:
        inner = repository.prefix.rstrip("/")
        if not inner or not git.ignored_among(repository.top, [inner]):
            return
        if not self._listed:
            raise RootIgnored(f"{repository.top} ignores this folder")
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
            known = {prefix + link for link in git.list_gitlinks(os.path.join(self._root, repository))}
            self._repositories[repository] = known
        return known

    def _open_submodule(self, path: str) -> str | None:
        directory = os.path.join(self._root, path)
        # Without its own `.git`, git would answer for the repository around it.
        if not os.path.lexists(os.path.join(directory, ".git")):
            self._uninitialised.append(path)
            return NO_SUBMODULE_FILES
        try:
            if self._depth(path) > _MAX_SUBMODULE_DEPTH:
                raise git.GitError("submodules are nested too deeply")
            repository = git.find_repository(directory)
            if repository.prefix:
                raise git.GitError("its .git is not usable")
            found = git.list_names(directory)
        except git.GitError as error:
            self.notes.append(f"submodule {path} could not be read and is not indexed: {error}")
            return NO_SUBMODULE_FILES
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
            return LINKED_WORKTREE
        self._left_out.append(path)
        return NESTED_REPOSITORY


class IgnoreFileGate:
    """What `.gitignore` files leave, and outside git a list of directories that tools make.

    `top` is the repository around the root when git itself cannot answer for it: then the rules above
    the root, `info/exclude` and the user's excludes file hold too, and the list does not.
    """

    def __init__(self, root: str, top: str | None) -> None:
        self.consulted: list[str] = []
        self.notes: list[str] = []
        self.without_git = False
        self.provisional = False
        self._root = root
        self._with_defaults = top is None
        self._outer: list[Layer] = []
        self._layers: dict[str, tuple[Layer, ...]] = {}
        self._output_places: set[str] = set()
        if top is not None:
            self._read_outer_rules(top)
        place = root
        while place != (parent := os.path.dirname(place)) and place != top:
            place = parent
            if place != top:
                self.consulted.append(os.path.join(place, ".git"))

    def enter(self, directory: str, entries: Collection[str]) -> str | None:
        parent = directory.rpartition("/")[0]
        layers = self._layers[parent] if directory else tuple(self._outer)
        if ".git" in entries and (directory or self._with_defaults):
            if directory and self._is_copy(directory):
                return LINKED_WORKTREE
            layers += self._exclude_layer(os.path.join(self._root, directory), directory)
        if ".gitignore" in entries:
            layers += self._read_layer(os.path.join(self._root, directory, ".gitignore"), directory)
        self._layers[directory] = layers
        if not self._with_defaults:
            return None
        if directory and names.ENVIRONMENT_MARK in entries:
            return IGNORED_BY_DEFAULT
        if not directory or any(
            entry in names.MANIFEST_NAMES or entry.endswith(names.MANIFEST_SUFFIXES) for entry in entries
        ):
            self._output_places.add(directory)
        return None

    def file(self, path: str, name: str) -> str | None:
        return IGNORED_BY_GITIGNORE if self._verdict(path, name, False) else None

    def directory(self, path: str, name: str) -> str | None:
        verdict = self._verdict(path, name, True)
        if verdict is None and self._with_defaults and self._is_tool_made(path, name):
            return IGNORED_BY_DEFAULT
        return IGNORED_BY_GITIGNORE if verdict else None

    def settle(self) -> list[tuple[str, str | None]]:
        return []

    def finish(self) -> None:
        return None

    def _verdict(self, path: str, name: str, is_directory: bool) -> bool | None:
        layers = self._layers[path.rpartition("/")[0]]
        if not layers:
            return None
        return deciding_layer(layers, as_bytes_text(path), as_bytes_text(name), is_directory)[1]

    def _is_tool_made(self, path: str, name: str) -> bool:
        if name in names.DEFAULT_IGNORED_DIRECTORIES or name.endswith(names.DEFAULT_IGNORED_DIRECTORY_SUFFIXES):
            return True
        return name in names.BUILD_DIRECTORIES and path.rpartition("/")[0] in self._output_places

    def _read_layer(self, path: str, directory: str, *, lead: str = "", follow_links: bool = False) -> tuple[Layer, ...]:
        rules, problem = read_rules(path, follow_links=follow_links)
        if problem:
            self.notes.append(problem)
        if not rules:
            return ()
        base = as_bytes_text(directory + "/" if directory else "")
        return (Layer(rules, IGNORED_BY_GITIGNORE, base, as_bytes_text(lead)),)

    def _exclude_layer(self, checkout: str, directory: str, *, lead: str = "") -> tuple[Layer, ...]:
        common = git.common_directory(checkout)
        if common is None:
            return ()
        path = os.path.join(common, "info", "exclude")
        self.consulted.append(path)
        return self._read_layer(path, directory, lead=lead, follow_links=True)

    def _read_outer_rules(self, top: str) -> None:
        inner = os.path.relpath(self._root, top).replace(os.sep, "/")
        steps = [] if inner == "." else inner.split("/")
        lead = "".join(step + "/" for step in steps)
        excludes = git.default_excludes_file()
        self.consulted += [excludes, *git.user_configuration_files()]
        self._outer += self._read_layer(excludes, "", lead=lead, follow_links=True)
        self._outer += self._exclude_layer(top, "", lead=lead)
        for number in range(len(steps)):
            place = os.path.join(top, *steps[:number])
            path = os.path.join(place, ".gitignore")
            self.consulted.append(path)
            self._outer += self._read_layer(path, "", lead="".join(step + "/" for step in steps[number:]))

    def _is_copy(self, directory: str) -> bool:
        """Whether this is a linked worktree of a checkout that lies inside the root too."""
        checkout = os.path.join(self._root, directory)
        common = git.common_directory(checkout) if git.is_linked_worktree(checkout) else None
        if common is None:
            return False
        root = os.path.realpath(self._root)
        return os.path.realpath(common).startswith(os.path.join(root, ""))


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
