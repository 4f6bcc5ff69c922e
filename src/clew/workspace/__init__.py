"""Which root, which files, and what kind each of them is."""

from clew.workspace.files import (
    DEFAULT_MAX_BYTES,
    IGNORE_NAME,
    Walk,
    Watch,
    file_stats,
    stat_file,
    stat_tuples,
    walk,
    watch_changed,
    watch_from_json,
    watch_to_json,
)
from clew.workspace.kinds import (
    is_agent_file,
    is_binary_name,
    is_generated_name,
    is_secret,
    judge_content,
    path_flags,
    wide_encoding,
)
from clew.workspace.root import ROOT_VARIABLE, find_root, is_too_wide, resolve_inside
from clew.workspace.watch import to_file_stat

__all__ = [
    "DEFAULT_MAX_BYTES",
    "IGNORE_NAME",
    "ROOT_VARIABLE",
    "Walk",
    "Watch",
    "file_stats",
    "find_root",
    "is_agent_file",
    "is_binary_name",
    "is_generated_name",
    "is_secret",
    "is_too_wide",
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
    "wide_encoding",
]
