"""Which root, which files, and what kind each of them is."""

from clew.workspace.files import Walk, walk
from clew.workspace.git import git_environment, git_executable
from clew.workspace.kinds import judge_content, path_flags
from clew.workspace.root import find_root, find_root_or_none, resolve_inside
from clew.workspace.watch import (
    Watch,
    stat_file,
    stat_tuples,
    to_file_stat,
    watch_changed,
    watch_from_json,
    watch_to_json,
)

__all__ = [
    "Walk",
    "Watch",
    "find_root",
    "find_root_or_none",
    "git_environment",
    "git_executable",
    "judge_content",
    "path_flags",
    "resolve_inside",
    "stat_file",
    "stat_tuples",
    "to_file_stat",
    "walk",
    "watch_changed",
    "watch_from_json",
    "watch_to_json",
]
