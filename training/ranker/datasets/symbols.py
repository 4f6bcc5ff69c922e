"""Names as queries: types and functions that one file of the folder defines and others use.

Those that more files mention than the median come first: people ask for what they have seen.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import Any

from folder import TYPE_KINDS, Folder
from manifest import Source

from clew.records import Definition

MAX_QUERIES = 5  # a repository
_MAX_TYPES = 3
_MIN_FILES = 3  # a name that nothing else mentions is found by any search
_SEPARATORS = {"rust": "::", "cpp": "::", "ruby": "::", "php": "::"}
_GENERAL = frozenset("main init setup test tests index default constructor module config options error result".split())


def symbol_queries(source: Source, folder: Folder) -> list[dict[str, Any]]:
    """Up to five, one a file, in an order that is a hash; every second one with its container's name in front."""
    spelled = Counter(name.lower() for name in folder.mentions)
    eligible = [
        name
        for name in folder.once
        if name.lower() not in _GENERAL
        and name[0] != "_"
        and not name.startswith("test")
        and spelled[name.lower()] == 1
    ]
    counts = sorted(folder.mentions[name] for name in eligible if folder.mentions[name] >= _MIN_FILES)
    known = counts[len(counts) // 2] if counts else 0
    order = {name: sha256(f"{source.name} {name}".encode()).hexdigest() for name in eligible}
    out: list[dict[str, Any]] = []
    files: set[str] = set()
    types = others = 0
    for name in sorted(eligible, key=lambda each: (folder.mentions[each] < known, order[each])):
        path, definition = folder.once[name]
        is_type = definition.kind in TYPE_KINDS
        if path in files or (types if is_type else others) >= (_MAX_TYPES if is_type else MAX_QUERIES - _MAX_TYPES):
            continue
        types, others = types + is_type, others + (not is_type)
        files.add(path)
        query = _qualified(definition, folder.languages[path]) if len(out) % 2 else name
        gold = lines(source, path, definition)
        out.append({"repo": source.name, "query": query, "category": "symbol", "relevant": [gold]})
    return out


def _qualified(definition: Definition, language: str) -> str:
    """The last two parts of the qualified name, as people write it in the language."""
    return _SEPARATORS.get(language, ".").join(definition.symbol.split(".")[-2:])


def lines(source: Source, path: str, definition: Definition) -> dict[str, Any]:
    """A label: the file with the definition's lines."""
    return {"path": source.label(path), "start_line": definition.start_line, "end_line": definition.end_line}
