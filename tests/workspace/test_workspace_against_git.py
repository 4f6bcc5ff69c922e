"""The law of the walker: its file set is git's, with git and, from the same ignore files, without."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workspace_trees import git, listed_by_git, paths, repository, write

from clew.workspace import walk
from clew.workspace.ignore import IgnoreRules, as_bytes_text

# More by hand: CLEW_TEST_EXAMPLES=500. A walk in a tree that was just made waits for the clock, 25 ms.
EXAMPLES = int(os.environ.get("CLEW_TEST_EXAMPLES", "25"))
SLOW = settings(deadline=None, suppress_health_check=list(HealthCheck))

NAMES = ["a", "b", "foo", "foox", "x.c", ".x", "a b", "é", "#a", "!b", "[a", "a*", "zz "]
PIECES = [
    *("a", "b", "foo", "*", "?", "**", "/", "**/", "/**", "*.c", ".x", "[ab]", "[!a]", "[^a-f]", "[]a]", "[[:alpha:]]"),
    *("[[:foo:]]", "[a", "[\\]]", "[a-]", "[é]", "\\", "\\*", "\\ ", " ", "!", "#", "é", "***", "\\/", "]", "[/]", "["),
]  # fmt: skip

names = st.sampled_from(NAMES)
file_paths = st.lists(names, min_size=1, max_size=4).map("/".join)
patterns = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join),
    st.tuples(st.sampled_from(["", "!", "/", "!/"]), file_paths, st.sampled_from(["", "/", "/*", "/**", " "])).map(
        "".join
    ),
)


@st.composite
def ignore_files(draw: st.DrawFn) -> bytes:
    lines = draw(st.lists(patterns, min_size=1, max_size=4))
    mark = b"\xef\xbb\xbf" if draw(st.booleans()) else b""
    return mark + draw(st.sampled_from(["\n", "\r\n"])).join(lines).encode()


@contextmanager
def without_git_program() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "")
        yield


def make_tree(root: Path, files: list[str]) -> None:
    """Create what can be created: a name that is a file cannot be a directory too."""
    for name in files:
        path = root / name
        if not path.exists() and all(parent.is_dir() or not parent.exists() for parent in path.parents):
            write(root, {name: ""})


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return repository(tmp_path_factory.mktemp("judge"))


@settings(SLOW, max_examples=EXAMPLES * 3)
@given(data=ignore_files(), candidates=st.lists(file_paths, min_size=5, max_size=25, unique=True))
def test_every_pattern_means_what_it_means_to_git(judge: Path, data: bytes, candidates: list[str]) -> None:
    (judge / ".gitignore").write_bytes(data)
    rules = IgnoreRules(data)
    assert {path: our_verdict(rules, path) for path in candidates} == git_verdicts(judge, candidates)


CORNERS = [
    *("a?b", "?", "a[/]b", "a[!x]b", "a*b", "*", "**", "a/**", "/**", "**/", "**//", "**/b", "a/**/b", "foo**/bar"),
    *("a**b", "a/**b", "**\\/b", "a\\", "[a", "[", "[]-a]", "[b-a]", "[a-]", "[[:alpha:]]", "[[:nope:]]", "[\\]]"),
    *("!a", "\\!a", "\\#a", "#a", "a ", "a\\ ", "a\t", "a/", "/a", "/a/b", "//a", "/", "!", "a/b/", "*.b", ".b", "é"),
    *("??", "/a?b", "x?a/b", "/?", "a/?/b", "/a[^x]b"),
]  # fmt: skip


@pytest.mark.parametrize("pattern", CORNERS)
def test_odd_patterns_mean_what_they_mean_to_git(judge: Path, pattern: str) -> None:
    candidates = ["a", "a/b", "a/x/b", "x/a", "x/a/b", "axb", "ab", "b", "-", "]", "a ", "!a", "#a", "x.b", ".b", "é"]
    candidates += ["foobar", "foox/bar", "foox/y/bar", "foo/bar", "a/b/c", "a\t", "[a", "a\\", "1", "a/é", "foo/x/bar"]
    (judge / ".gitignore").write_text(pattern + "\n", encoding="utf-8")
    rules = IgnoreRules((judge / ".gitignore").read_bytes())
    assert {path: our_verdict(rules, path) for path in candidates} == git_verdicts(judge, candidates)


def git_verdicts(root: Path, candidates: list[str]) -> dict[str, bool]:
    asked = b"".join(os.fsencode(path) + b"\0" for path in candidates)
    command = ["git", "-C", os.fspath(root), "check-ignore", "--no-index", "-z", "-v", "-n", "--stdin"]
    done = subprocess.run(command, input=asked, capture_output=True)
    fields = os.fsdecode(done.stdout).split("\0")
    return {
        path: bool(source) and not pattern.startswith("!")
        for source, pattern, path in zip(fields[::4], fields[2::4], fields[3::4], strict=False)
    }


def our_verdict(rules: IgnoreRules, path: str) -> bool:
    """A path is ignored when it or a directory above it is."""
    parts = path.split("/")
    for length in range(1, len(parts) + 1):
        part = as_bytes_text("/".join(parts[:length]))
        if rules.verdict(part, as_bytes_text(parts[length - 1]), length < len(parts)):
            return True
    return False


@settings(SLOW, max_examples=EXAMPLES)
@given(
    files=st.lists(file_paths, min_size=3, max_size=15),
    nested=st.lists(st.tuples(st.lists(names, max_size=2).map("/".join), ignore_files()), max_size=3),
    exclude=st.one_of(st.just(b""), ignore_files()),
    user=st.one_of(st.just(b""), ignore_files()),
    tracked=st.integers(0, 3),
    below=st.booleans(),
)
def test_the_file_set_is_gits(
    files: list[str], nested: list[tuple[str, bytes]], exclude: bytes, user: bytes, tracked: int, below: bool
) -> None:
    with tempfile.TemporaryDirectory() as place:
        top = repository(Path(place, "top"))
        make_tree(top, files)
        for directory, data in nested:
            if (top / directory).is_dir():
                (top / directory / ".gitignore").write_bytes(data)
        (top / ".git" / "info" / "exclude").write_bytes(exclude)
        excludes = Path(place, "excludes")
        excludes.write_bytes(user)
        git(top, "config", "core.excludesFile", str(excludes))
        for name in files[:tracked]:
            if (top / name).is_file():
                git(top, "--literal-pathspecs", "add", "-f", "--", name)
        if tracked and (top / files[0]).is_file():
            (top / files[0]).unlink()
        directories = sorted(entry for entry in top.iterdir() if entry.is_dir() and entry.name != ".git")
        root = directories[0] if below and directories else top
        expected = listed_by_git(root)
        if expected or root == top:
            assert paths(walk(root)) == expected


@settings(SLOW, max_examples=EXAMPLES)
@given(
    files=st.lists(file_paths, min_size=3, max_size=15),
    nested=st.lists(st.tuples(st.lists(names, max_size=2).map("/".join), ignore_files()), max_size=3),
    exclude=st.one_of(st.just(b""), ignore_files()),
)
def test_without_git_the_same_ignore_files_give_gits_file_set(
    files: list[str], nested: list[tuple[str, bytes]], exclude: bytes
) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = repository(Path(place, "top"))
        make_tree(root, files)
        for directory, data in nested:
            if (root / directory).is_dir():
                (root / directory / ".gitignore").write_bytes(data)
        (root / ".git" / "info" / "exclude").write_bytes(exclude)
        expected = listed_by_git(root)
        with without_git_program():
            assert paths(walk(root)) == expected
        if not exclude:
            (root / ".git").rename(Path(place, "away"))
            assert paths(walk(root)) == expected
