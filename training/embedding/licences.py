"""Which licences the training data may have, and how packages say which one they have.

Copyleft code is left out although a model is no copy of it: nobody should have to argue about that.
"""

from __future__ import annotations

import re

# Spellings, lower case, to the name used in the manifest. What is not here is refused.
_PERMISSIVE = {
    "Apache-2.0": "apache apache2 apache-2 apache-2.0 apache-2.0-with-llvm-exception asl-2.0 asl2 apache2.0",
    "MIT": "mit expat mit/x11 x11 mit-license mit-cmu hpnd historical mit-0 mit-style mit-like mit-old-style mit-1",
    "BSD-3-Clause": "bsd bsd3 bsd-3 bsd-3-clause new-bsd bsd-like bsd-style bsd-3-clauses new modified-bsd 3-bsd bsd3c"
    " bsd-3-clause-clear bsd-modified bsd-3-clause-google bsd-google bsd-4-clause-uc edl-1.0 bsd-3clause bsd-c3 go"
    " bsd-go openexr bsd-by-lc-ne",
    "BSD-2-Clause": "bsd2 bsd-2 bsd-2-clause simplified-bsd bsd-2-clauses freebsd bsd-2clause",
    "ISC": "isc isc-license",
    "Zlib": "zlib zlib/libpng libpng libpng-2.0",
    "PSF-2.0": "psf psf-2 psf-2.0 python-2.0 python python-2.0.1",
    "BSL-1.0": "bsl-1.0 boost boost-1.0 bsl bsl-1",
    "PostgreSQL": "postgresql",
    "Unlicense": "unlicense",
    "CC0-1.0": "cc0 cc0-1.0",
    "public-domain": "public-domain pd public public-domain-sqlite",
    "MPL-2.0": "mpl-2.0 mpl2 mpl-2",
    "Ruby": "ruby ruby's",
    "TCL": "tcl tcl/tk",
    "0BSD": "0bsd bsd-0-clause",
    "NCSA": "ncsa uiuc uoi-ncsa",
    "curl": "curl",
    "WTFPL": "wtfpl wtfpl-2",
    "FTL": "ftl",
    "W3C": "w3c",
    "ICU": "icu unicode unicode-dfs-2016",
    "Artistic-2.0": "artistic-2.0 artistic-2",
    "BlueOak-1.0.0": "blueoak-1.0.0",
    "OLDAP": "openldap-2.8 oldap-2.8",
}
_NAME = {spelling: name for name, spellings in _PERMISSIVE.items() for spelling in spellings.split()}
_COPYLEFT = re.compile(r"\b(?:[al]?gpl|agpl|lgpl|gfdl|eupl|cc-by-sa|epl|cddl|sspl|busl|cecill)", re.I)
# Trove classifiers and free prose of `License:` fields, and the texts of licence files.
_PROSE = (
    (re.compile(r"affero|lesser general|library general|general public licen[cs]e|\b[al]?gpl", re.I), ""),
    (re.compile(r"mozilla public licen[cs]e.{0,20}2\.0|\bmpl", re.I | re.S), "MPL-2.0"),
    (re.compile(r"apache(?: software)? licen[cs]e|\bapache[ -]?2", re.I), "Apache-2.0"),
    (re.compile(r"permission is hereby granted, free of charge|\bMIT\b|\bexpat\b", re.I), "MIT"),
    (re.compile(r"neither the names? of|\bBSD\b|3-clause", re.I), "BSD-3-Clause"),
    (re.compile(r"redistributions of source code must retain", re.I), "BSD-2-Clause"),
    (re.compile(r"permission to use, copy, modify, and(?:/or)? distribute|\bISC\b", re.I), "ISC"),
    (re.compile(r"python software foundation", re.I), "PSF-2.0"),
    (re.compile(r"altered source versions must be plainly marked", re.I), "Zlib"),
    (re.compile(r"boost software licen[cs]e", re.I), "BSL-1.0"),
    (re.compile(r"\bunlicense\b|free and unencumbered", re.I), "Unlicense"),
)
_COPYLEFT_NOTICE = re.compile(rb"general public licen[cs]e|SPDX-License-Identifier:[^\n]{0,20}\b[AL]?GPL", re.I)


def permissive(expression: str) -> str:
    """The licence's name if the expression allows use under a permissive licence, else "".

    Of alternatives (`GPL-2 or MIT`) one suffices, of a sum (`MIT and BSD`) all must do.
    """
    text = re.sub(r"[()]", " ", expression).strip()
    for choice in re.split(r"\s+or\s+|\s*\|\s*|(?<=[\w.])/(?=[A-Z])", text, flags=re.I):
        parts = [_plain(part) for part in re.split(r"\s+and\s+|,\s*|;\s*", choice, flags=re.I) if part.strip()]
        if parts and all(parts):
            return " AND ".join(dict.fromkeys(parts))
    return ""


def _plain(name: str) -> str:
    key = re.sub(r"[\s_]+(?:licen[cs]e|with\b.*)$", "", name.strip().lower().rstrip("+."))
    key = re.sub(r"\s+", "-", key)
    if key in _NAME:
        return _NAME[key]
    if _COPYLEFT.search(key):
        return ""
    head = re.match(r"(?:bsd-[234]-clause|bsd|mit|expat|apache-2|isc|zlib|psf|boost|public-domain|unlicense)\b", key)
    return _NAME.get(head[0], "") if head else ""


def of_prose(text: str) -> str:
    """The licence that a licence file or a free description states; "" for copyleft and for none known."""
    for pattern, name in _PROSE:
        if pattern.search(text):
            return name
    return ""


def copyleft_notice(head: bytes) -> bool:
    """Whether the first bytes of a file put it under the GPL or its kin."""
    return _COPYLEFT_NOTICE.search(re.sub(rb"[\s*#/;-]+", b" ", head[:3000])) is not None


def of_debian(copyright_file: str) -> tuple[str, list[tuple[str, str]]]:
    """Read `debian/copyright`: the licence of `Files: *` and (glob, licence) of every other stanza.

    A licence of "" is one that is refused. Files that are not machine-readable are read as prose.
    """
    if not re.match(r"\s*Format", copyright_file):
        return of_prose(copyright_file), []
    main, others = "", []
    for stanza in re.split(r"\n\s*\n", copyright_file):
        files = re.search(r"^Files:\s*((?:.*)(?:\n[ \t].*)*)", stanza, re.M)
        licence = re.search(r"^License:[ \t]*(.*(?:\n[ \t].*)?)", stanza, re.M)
        if not files or not licence:
            continue
        short, _, text = licence[1].partition("\n")
        name = permissive(short) or ("" if _COPYLEFT.search(short) else of_prose(short + text))
        for glob in files[1].split():
            if glob == "*":
                main = name
            else:
                others.append((glob, name))
    if not main and others:  # some packages name the upstream folder instead of `*`
        rest = [name for glob, name in others if not glob.startswith("debian/")]
        main = rest[0] if rest and all(rest) else ""
    return main, others
