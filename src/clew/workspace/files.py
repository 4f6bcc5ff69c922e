"""The one walker: every feature that needs the project's files gets them here.

Inside git the set is what `git ls-files -co --exclude-standard` says plus initialised submodules,
outside git what the ignore files leave; minus `.clewignore`, secrets, agent instructions, binary
formats, links and oversized files. Everything left out is counted under its reason.

Names that are not UTF-8 cannot be stored or shown, so such files are left out and counted.
"""

from __future__ import annotations

import os
import stat
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from clew.errors import RootError
from clew.records import MAX_FILE_BYTES, SourceFile
from clew.workspace import gates, reasons
from clew.workspace.git import GitError
from clew.workspace.ignore import IgnoreRules, Layer, as_bytes_text, deciding_layer, read_rules, rules_from_patterns
from clew.workspace.kinds import path_flags, path_reason
from clew.workspace.watch import NEVER, Watch, directory_stamp, is_racy, to_file_stat, watched_file

IGNORE_NAME = ".clewignore"

# Our own and git's data, at any depth: an index or a repository inside the tree is not source.
_INTERNAL = frozenset((".clew", ".git"))
# Left out with all below, but their coming to life must be noticed.
_WATCHED_REASONS = frozenset((reasons.NESTED_REPOSITORY, reasons.LINKED_WORKTREE, reasons.NO_SUBMODULE_FILES))
# Directories that the note on left-out ones spells out.
_NAMED_IN_NOTE = 5
# Nanoseconds. A walk this short is repeated when the tree was changed in the very tick of the walk; after a
# longer one the watch says "changed" once, and the next query pays instead.
_SHORT_WALK = 500_000_000
# Seconds until the clock that stamps files has moved on.
_NEXT_TICK = 0.025


@dataclass(frozen=True, slots=True)
class Walk:
    """The files of a root, sorted by path, and an account of the rest.

    `skipped` counts what was left out by reason; a directory left out as a whole counts once and is
    named in `skipped_dirs`. `notes` are lines for the user. `watch` is for `watch_changed`.
    """

    files: tuple[SourceFile, ...]
    skipped: Mapping[str, int]
    skipped_dirs: tuple[str, ...]
    watch: Watch
    notes: tuple[str, ...]


def walk(
    root: Path,
    *,
    exclude: Sequence[str] = (),
    max_bytes: int = MAX_FILE_BYTES,
    user_ignore: Path | None = None,
) -> Walk:
    """Select the files of a root. RootError when the root cannot be listed.

    `exclude` holds patterns in gitignore syntax, relative to the root. `user_ignore` is an ignore file
    that applies to every root. Cost: one listing of every directory that is not ignored, one `stat` per
    file, and inside git three processes and one for each round of unlisted directories.
    """
    selection = _Selection(
        exclude=rules_from_patterns(exclude),
        max_bytes=max_bytes,
        user_ignore=os.fspath(user_ignore.absolute()) if user_ignore is not None else None,
    )
    started = time.time_ns()
    found, settled = _Walker(os.fspath(root), selection).run()
    if settled or time.time_ns() - started > _SHORT_WALK:
        return found
    time.sleep(_NEXT_TICK)
    return _Walker(os.fspath(root), selection).run()[0]


@dataclass(frozen=True, slots=True)
class _Selection:
    exclude: IgnoreRules
    max_bytes: int
    user_ignore: str | None


@dataclass(slots=True)
class _Account:
    """What was left out, as it comes in."""

    reasons: Counter[str] = field(default_factory=Counter)
    directories: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def leave_out_directory(self, path: str, reason: str) -> None:
        self.reasons[reason] += 1
        self.directories.append(path)


@dataclass(frozen=True, slots=True)
class _Place:
    """A directory to list: its stamp was taken before, so a change while it is listed shows."""

    path: str
    stamp: int
    layers: tuple[Layer, ...]  # of .clewignore files


class _Walker:
    def __init__(self, root: str, selection: _Selection) -> None:
        self._root = root
        self._selection = selection
        self._started = time.time_ns()
        self._account = _Account()
        self._files: list[SourceFile] = []
        self._stamps: list[tuple[str, int]] = []
        self._consulted: dict[str, None] = {}
        self._deferred: dict[str, _Place] = {}
        self._gate = gates.open_gate(root)

    def run(self) -> tuple[Walk, bool]:
        """The walk, and whether its watch can be trusted: nothing changed in the same tick."""
        places = [_Place("", self._root_stamp(), self._user_layers())]
        while places:
            while places:
                places += self._visit(places.pop())
            places = self._settle()
        self._gate.finish()
        return self._result()

    def _root_stamp(self) -> int:
        try:
            return directory_stamp(os.lstat(self._root))
        except (OSError, ValueError) as error:
            raise _unusable_root(self._root, error) from None

    def _user_layers(self) -> tuple[Layer, ...]:
        path = self._selection.user_ignore
        return self._read_layer(path, "", reasons.IGNORED_BY_USER, follow_links=True) if path is not None else ()

    def _read_layer(self, path: str, directory: str, reason: str, *, follow_links: bool) -> tuple[Layer, ...]:
        self._consulted[path] = None
        rules, problem = read_rules(path, follow_links=follow_links)
        if problem:
            self._account.notes.append(problem)
        base = as_bytes_text(directory + "/" if directory else "")
        return (Layer(rules, reason, base),) if rules else ()

    def _visit(self, place: _Place) -> list[_Place]:
        """List one directory, select its files and return the directories below it."""
        absolute = os.path.join(self._root, place.path) if place.path else self._root
        try:
            with os.scandir(absolute) as listing:
                entries = list(listing)
        except OSError as error:
            if not place.path:
                raise _unusable_root(self._root, error) from None
            self._consulted[absolute] = None
            self._account.leave_out_directory(place.path, reasons.UNREADABLE)
            return []
        self._stamps.append((place.path, place.stamp))
        present = {entry.name for entry in entries}
        reason = self._gate.enter(place.path, present)
        if reason is not None:
            self._account.leave_out_directory(place.path, reason)
            return []
        return self._visit_entries(place, absolute, entries, present)

    def _visit_entries(
        self, place: _Place, absolute: str, entries: list[os.DirEntry[str]], present: set[str]
    ) -> list[_Place]:
        if ".gitignore" in present:
            self._consulted[os.path.join(absolute, ".gitignore")] = None
        layers = place.layers
        if IGNORE_NAME in present:
            path = os.path.join(absolute, IGNORE_NAME)
            layers += self._read_layer(path, place.path, reasons.IGNORED_BY_CLEWIGNORE, follow_links=False)
        prefix = place.path + "/" if place.path else ""
        below: list[_Place] = []
        for entry in entries:
            path = prefix + entry.name
            if entry.name in _INTERNAL:
                continue
            if entry.is_dir(follow_symlinks=False):
                below += self._judge_directory(entry, path, layers)
                continue
            reason = self._take_file(entry, path, layers)
            if reason is not None:
                self._account.reasons[reason] += 1
        return below

    def _judge_directory(self, entry: os.DirEntry[str], path: str, layers: tuple[Layer, ...]) -> list[_Place]:
        reason, kept = self._rules_reason(path, entry.name, True, layers)
        if reason is None:
            reason = self._gate.directory(path, entry.name)
        if kept and reason == reasons.IGNORED_BY_DEFAULT:
            reason = None
        try:
            place = _Place(path, directory_stamp(_status(entry)), layers)
        except OSError:
            reason, place = reasons.UNREADABLE, _Place(path, NEVER, layers)
        if reason is None:
            return [place]
        if reason == gates.DEFERRED:
            self._deferred[path] = place
            return []
        self._leave_out_directory(place, reason)
        return []

    def _leave_out_directory(self, place: _Place, reason: str) -> None:
        if reason in _WATCHED_REASONS:
            self._stamps.append((place.path, place.stamp))
        self._account.leave_out_directory(place.path, reason)

    def _settle(self) -> list[_Place]:
        places: list[_Place] = []
        for path, reason in self._answers():
            place = self._deferred.pop(path)
            if reason is None:
                places.append(place)
            else:
                self._leave_out_directory(place, reason)
        return places

    def _answers(self) -> list[tuple[str, str | None]]:
        if not self._deferred:
            return []
        try:
            return self._gate.settle()
        except GitError as error:
            # The file set is complete; only a new file in a directory without any would go unnoticed.
            self._account.notes.append(f"git could not say which directories it ignores ({error})")
            self._gate.provisional = True
            self._deferred.clear()
            return []

    def _take_file(self, entry: os.DirEntry[str], path: str, layers: tuple[Layer, ...]) -> str | None:
        """Take the file, or say why not."""
        name = entry.name
        reason = self._gate.file(path, name)
        if reason is not None:
            return reason
        if entry.is_symlink():
            return reasons.SYMLINK
        reason = self._rules_reason(path, name, False, layers)[0] or path_reason(path)
        if reason is not None:
            return reason
        try:
            status = _status(entry)
        except FileNotFoundError:
            return None
        except OSError:
            return reasons.UNREADABLE
        if not stat.S_ISREG(status.st_mode):
            return reasons.SPECIAL
        if status.st_size > self._selection.max_bytes:
            return reasons.TOO_LARGE
        self._files.append(SourceFile(path, to_file_stat(status), path_flags(path)))
        return None

    def _rules_reason(
        self, path: str, name: str, is_directory: bool, layers: tuple[Layer, ...]
    ) -> tuple[str | None, bool]:
        """Why our own rules leave the entry out, and whether a negated rule asks for it."""
        if not name.isascii() and not _is_utf8(name):
            return reasons.NOT_UTF8, False
        selection = self._selection
        if not layers and not selection.exclude:
            return None, False
        bytes_path, bytes_name = as_bytes_text(path), as_bytes_text(name)
        if selection.exclude and selection.exclude.verdict(bytes_path, bytes_name, is_directory):
            return reasons.EXCLUDED, False
        layer, verdict = deciding_layer(layers, bytes_path, bytes_name, is_directory)
        if layer is not None and verdict:
            return layer.reason, False
        return None, verdict is False

    def _result(self) -> tuple[Walk, bool]:
        ended = time.time_ns()
        account, gate = self._account, self._gate
        consulted = {**self._consulted, **dict.fromkeys(gate.consulted)}
        watched = [(self._relative(path), watched_file(path, self._started, ended)) for path in consulted]
        stamps = [(path, NEVER if is_racy(stamp, self._started, ended) else stamp) for path, stamp in self._stamps]
        if gate.provisional:
            stamps.append(("", NEVER))
        settled = all(stamp != NEVER for _, stamp in stamps) and all(
            known is None or known.mtime_ns != NEVER for _, known in watched
        )
        left_out = tuple(sorted(account.directories))
        found = Walk(
            files=tuple(sorted(self._files, key=lambda file: file.path)),
            skipped=MappingProxyType(dict(sorted(account.reasons.items()))),
            skipped_dirs=left_out,
            watch=Watch(tuple(sorted(stamps)), tuple(sorted(watched, key=lambda pair: pair[0])), gate.without_git),
            notes=(*gate.notes, *account.notes, *_left_out_note(left_out)),
        )
        return found, settled or gate.provisional

    def _relative(self, path: str) -> str:
        inside = os.path.join(self._root, "")
        return path[len(inside) :] if path.startswith(inside) else path


def _unusable_root(root: str, error: Exception) -> RootError:
    reason = getattr(error, "strerror", None) or str(error)
    return RootError(f"the root {root} cannot be listed: {reason}", hint="give a readable directory with --root")


def _status(entry: os.DirEntry[str]) -> os.stat_result:
    """What later comparisons with `lstat` and `fstat` will see. Links are not followed.

    Not `DirEntry.stat`: on Windows it has no inode, and sizes and times from the listing that may be behind the
    file's own. Elsewhere it is the same system call.
    """
    return os.lstat(entry.path)


def _left_out_note(directories: Sequence[str]) -> tuple[str, ...]:
    """Those nearest the root are named: what is missing in an answer is most likely one of them."""
    if not directories:
        return ()
    named = sorted(directories, key=lambda path: (path.count("/"), path))[:_NAMED_IN_NOTE]
    more = len(directories) - len(named)
    return (f"left out as a whole: {', '.join(named)}" + (f" and {more} more" if more else ""),)


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
