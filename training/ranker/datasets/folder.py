"""What the engine would index of a checkout's folder, parsed once: files, definitions and who mentions what."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from commits import is_source

from clew.languages import language_of
from clew.parsing.file import parse_file
from clew.parsing.limits import Limits
from clew.records import Definition
from clew.workspace import walk

LIMITS = Limits(parse_seconds=4.0)
NAMED_KINDS = frozenset(
    "function method constructor macro class struct interface trait enum object type module".split()
)
TYPE_KINDS = frozenset("class struct interface trait enum object type module".split())
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*[?!]?")
_WORD = re.compile(r"[a-z0-9]+")
_HEADERS = (".h", ".hh", ".hpp", ".hxx")
_REAL_MODULES = frozenset(("elixir", "ruby", "haskell"))  # elsewhere a package or a line that declares a file
_MIN_NAME = 4  # characters; shorter names are words of every other sentence
_RUN = 5  # words
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(slots=True)
class Folder:
    """`once` maps a name to its only definition and file, names that several definitions have left out."""

    indexed: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    once: dict[str, tuple[str, Definition]] = field(default_factory=dict)
    mentions: Counter[str] = field(default_factory=Counter)  # source files that have the identifier
    words: dict[str, frozenset[str]] = field(default_factory=dict)  # of a source file: the parts of its identifiers
    files_of_word: Counter[str] = field(default_factory=Counter)
    texts: dict[str, str] = field(default_factory=dict)  # of a source file: its words, lower case, one space between
    languages: dict[str, str] = field(default_factory=dict)

    def says(self, path: str, sentence: str) -> bool:
        """Whether the file has a run of `_RUN` words of the sentence, or the whole of it."""
        words = _WORD.findall(sentence.lower())
        runs = [" ".join(words[at : at + _RUN]) for at in range(max(1, len(words) - _RUN + 1))]
        return any(run in self.texts[path] for run in runs)


def read_folder(root: Path) -> Folder:
    """Walk and parse as the engine does. Seconds for hundreds of files."""
    folder = Folder()
    seen: dict[str, list[tuple[str, Definition]]] = {}
    for file in walk(root).files:
        found = parse_file(str(root), file.path, LIMITS)
        if found.failed or found.skipped:
            continue
        folder.indexed.add(file.path)
        if not found.language or not is_source(file.path):
            continue
        folder.sources.add(file.path)
        text = zlib.decompress(found.text).decode("utf-8", "replace")
        identifiers = set(_IDENTIFIER.findall(text))
        folder.mentions.update(identifiers)
        folder.words[file.path] = frozenset(part for name in identifiers for part in parts(name))
        folder.files_of_word.update(folder.words[file.path])
        for definition in found.definitions:
            if definition.kind != "section":
                seen.setdefault(definition.name, []).append((file.path, definition))
        folder.texts[file.path] = " ".join(_WORD.findall(text.lower()))
    folder.languages = {path: language_of(path) for path in folder.sources}
    folder.once = {name: place for name, found in seen.items() if (place := _only(found)) and _askable(place, folder)}
    return folder


def _only(found: list[tuple[str, Definition]]) -> tuple[str, Definition] | None:
    """The one definition; of C functions that a header declares, the one with the body."""
    if len(found) > 1 and all(definition.kind == "function" for _, definition in found):
        found = [place for place in found if not place[0].endswith(_HEADERS)]
    return found[0] if len(found) == 1 else None


def _askable(place: tuple[str, Definition], folder: Folder) -> bool:
    path, definition = place
    if definition.kind == "module" and folder.languages[path] not in _REAL_MODULES:
        return False
    return definition.kind in NAMED_KINDS and len(definition.name) >= _MIN_NAME and "." not in definition.name


def parts(name: str) -> list[str]:
    """`getUserById` as get, user, by, id."""
    return [part.lower() for part in _PART.findall(name)]
