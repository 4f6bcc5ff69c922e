"""What tests say of the code under test as queries: descriptions and long names of tests outside the folder.

The file under test is told by the test file's name, so only a name that one source file has counts.
"""

from __future__ import annotations

import re
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

from folder import Folder, parts
from manifest import Source

from clew.languages import language_of
from clew.records import FileFlag
from clew.workspace import path_flags

MAX_QUERIES = 5  # a repository
_MAX_SAME_FILE = 2
_MAX_BYTES = 500_000
_MIN_WORDS, _MAX_WORDS = 5, 25
_RARE_SHARE = 0.1  # of the source files: a word in more of them does not say which file is meant
_AFFIX = re.compile(r"^(?:test[_-]?|tests[_-])|(?:[._-]?(?:tests?|spec|specs|suite|testcase))+$", re.I)
_DESCRIPTION = re.compile(
    r"\b(?:it|test|context|specify|scenario|TEST_CASE|SECTION|property|should)(?:\.\w+)?\s*\(?\s*(?:\n\s*)?"
    r"(?:\"([^\"\\\n]{15,160})\"|'([^'\\\n]{15,160})'|`([^`$\n]{15,160})`)"
    r"|fun\s+`([^`\n]{15,160})`|^\s*\"([^\"\\\n]{15,160})\"\s+(?:in|should)\b",
    re.M,
)
_FUNCTION = re.compile(
    r"(?:^|\s)(?:def|func|fun|fn|void|function|Task|val)\s+((?:test|it|should|when|can|does|throws|returns)\w{12,}"
    r"|Test\w{12,}|[A-Z]\w*_(?:Should|When|Returns|Throws|With)\w+)\s*[(:=]",
    re.I,
)
_LEAD = re.compile(r"^(?:test|tests|it|should|when it)\b\s*", re.I)


def trial_queries(source: Source, checkout: Path, folder: Folder) -> list[dict[str, Any]]:
    """Up to five, the order a hash. A word of it must say which file: in that file, and in few others."""
    stems: dict[str, list[str]] = {}
    for path in sorted(folder.sources):
        stems.setdefault(_plain(Path(path).name.partition(".")[0]), []).append(path)
    found: dict[str, tuple[str, str]] = {}
    for file in sorted(checkout.rglob("*")):
        relative = file.relative_to(checkout).as_posix()
        if not file.is_file() or file.is_symlink() or source.inside(relative) or not _is_test(relative):
            continue
        under_test = stems.get(_plain(_AFFIX.sub("", file.stem.partition(".spec")[0].partition(".test")[0])), [])
        if len(under_test) != 1 or file.stat().st_size > _MAX_BYTES:
            continue
        for text in _descriptions(file.read_text(encoding="utf-8", errors="replace")):
            if _telling(text, under_test[0], folder):
                found.setdefault(text, (under_test[0], relative))
    out: list[dict[str, Any]] = []
    taken: Counter[str] = Counter()
    for text in sorted(found, key=lambda each: sha256(f"{source.name} {each}".encode()).hexdigest()):
        gold, test = found[text]
        if taken[gold] < _MAX_SAME_FILE and len(out) < MAX_QUERIES:
            taken[gold] += 1
            label = source.label(gold)
            out.append({"repo": source.name, "query": text, "category": "test", "relevant": [label], "from": test})
    return out


def _is_test(path: str) -> bool:
    return bool(language_of(path)) and bool(path_flags(path) & FileFlag.TEST)


def _plain(stem: str) -> str:
    return re.sub(r"[^a-z0-9]", "", stem.lower())


def _descriptions(text: str) -> list[str]:
    """Descriptions of tests, and function names of tests as words."""
    out = ["".join(groups) for groups in _DESCRIPTION.findall(text)]
    out += [" ".join(parts(name)) for name in _FUNCTION.findall(text)]
    plain = [_LEAD.sub("", _LEAD.sub("", " ".join(each.split()))).strip(" .:,") for each in out]
    return [each for each in plain if _MIN_WORDS <= len(each.split()) <= _MAX_WORDS and _reads(each)]


def _reads(text: str) -> bool:
    letters = sum(character.isascii() and character.isalpha() for character in text)
    return letters >= 0.7 * len(text) and not re.search(r"[{}%<>\\#]|\$\w|https?:", text)


def _telling(text: str, path: str, folder: Folder) -> bool:
    limit = max(2, _RARE_SHARE * len(folder.sources))
    words = {part for word in text.split() for part in parts(word) if len(part) >= 4}
    return any(word in folder.words[path] and folder.files_of_word[word] <= limit for word in words)
