"""Which files of a tree belong to the project: git's answer, or the ignore files' where there is no git.

A gate is asked about every entry that the walker meets. It never lists a directory itself.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from clew.workspace import git
from clew.workspace.git_gate import DEFERRED, GitGate, RootIgnored
from clew.workspace.ignore_gate import IgnoreFileGate

__all__ = ["DEFERRED", "Gate", "open_gate"]


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
    except RootIgnored as error:
        gate = IgnoreFileGate(root, None)
        gate.consulted += error.consulted
        gate.notes.append(f"{error}; treated as a folder without git")
        return gate
    except git.GitError as error:
        return _without_an_answer(root, top, error)


def _without_an_answer(root: str, top: str, error: git.GitError) -> Gate:
    if "not a git repository" in str(error):
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
