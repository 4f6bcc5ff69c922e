"""What `.gitignore` files leave, where git is not there to ask."""

from __future__ import annotations

import os
from collections.abc import Collection

from clew.workspace import git, names, reasons
from clew.workspace.ignore import Layer, as_bytes_text, deciding_layer, read_rules


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
        for place in (root, *git.directories_between(root, top)):
            # One that is there is no usable repository now; `HEAD` comes when it is made one.
            marker = os.path.join(place, ".git")
            self.consulted.append(os.path.join(marker, "HEAD") if os.path.lexists(marker) else marker)

    def enter(self, directory: str, entries: Collection[str]) -> str | None:
        parent = directory.rpartition("/")[0]
        layers = self._layers[parent] if directory else tuple(self._outer)
        if ".git" in entries and (directory or self._with_defaults):
            if directory and self._is_copy(directory):
                return reasons.LINKED_WORKTREE
            layers += self._exclude_layer(os.path.join(self._root, directory), directory)
        if ".gitignore" in entries:
            layers += self._read_layer(os.path.join(self._root, directory, ".gitignore"), directory)
        self._layers[directory] = layers
        if not self._with_defaults:
            return None
        if directory and names.ENVIRONMENT_MARK in entries:
            return reasons.IGNORED_BY_DEFAULT
        if not directory or any(
            entry in names.MANIFEST_NAMES or entry.endswith(names.MANIFEST_SUFFIXES) for entry in entries
        ):
            self._output_places.add(directory)
        return None

    def file(self, path: str, name: str) -> str | None:
        return reasons.IGNORED_BY_GITIGNORE if self._verdict(path, name, False) else None

    def directory(self, path: str, name: str) -> str | None:
        verdict = self._verdict(path, name, True)
        if verdict is None and self._with_defaults and self._is_tool_made(path, name):
            return reasons.IGNORED_BY_DEFAULT
        return reasons.IGNORED_BY_GITIGNORE if verdict else None

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

    def _read_layer(
        self, path: str, directory: str, *, lead: str = "", follow_links: bool = False
    ) -> tuple[Layer, ...]:
        rules, problem = read_rules(path, follow_links=follow_links)
        if problem:
            self.notes.append(problem)
        if not rules:
            return ()
        base = as_bytes_text(directory + "/" if directory else "")
        return (Layer(rules, reasons.IGNORED_BY_GITIGNORE, base, as_bytes_text(lead)),)

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
        # A repair of the repository, or of its settings, is seen by these.
        self.consulted += [os.path.join(git.git_directory(top) or top, name) for name in ("index", "config")]
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
