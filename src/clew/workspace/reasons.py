"""Why a file or directory is left out. These texts are what users read and what reports count by."""

from __future__ import annotations

IGNORED_BY_GIT = "ignored by git"
IGNORED_BY_GITIGNORE = "ignored by .gitignore"
IGNORED_BY_DEFAULT = "ignored by default"
IGNORED_BY_CLEWIGNORE = "ignored by .clewignore"
IGNORED_BY_USER = "ignored by the user's ignore file"
EXCLUDED = "excluded"
LINKED_WORKTREE = "linked worktree"
NESTED_REPOSITORY = "nested repository"
NO_SUBMODULE_FILES = "submodule not initialised"
SECRET = "secret"  # noqa: S105 - a reason's name
AGENT_INSTRUCTIONS = "agent instructions"
BINARY = "binary"
MINIFIED = "minified"
TOO_LARGE = "too large"
SYMLINK = "symlink"
SPECIAL = "not a regular file"
UNREADABLE = "unreadable"
NOT_UTF8 = "name is not UTF-8"
