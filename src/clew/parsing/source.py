"""A file's bytes as UTF-8 text with the line numbers of an editor."""

from __future__ import annotations

import codecs
import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate

# Longest first: the UTF-32-LE mark begins with the UTF-16-LE one.
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8-bom"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Bytes: enough to see the alternation of NULs in UTF-16 past a licence header in another script.
_UTF16_SAMPLE = 8192
# Bytes at either end of a file in which an encoding may be declared (Python: two lines; vim: five lines).
_DECLARATION_WINDOW = 2048
_MODELINES = 5
# Python, Ruby, Emacs and XML all write some form of `coding: NAME` or `encoding="NAME"`; CSS writes @charset.
_DECLARATION = re.compile(rb"(?:coding[ \t]*[:=]|@?charset[ \t=]+)[ \t]*[\"']?([A-Za-z0-9][\w.-]{1,39})")
_MODELINE = re.compile(rb"\b(?:vim?|ex):.*?\b(?:fileencoding|fenc)=([A-Za-z0-9][\w-]{1,39})")
_EMACS_LINE_ENDS = ("-unix", "-dos", "-mac")
# A declared name is untrusted: codecs that only translate characters, no escapes, no compression.
# The value is the superset that the web decodes the name with, so vendor characters survive.
_SAFE_CODECS = {
    "iso8859-1": "latin-1", "shift_jis": "cp932", "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949",
    "gb18030": "gb18030", "cp932": "cp932", "cp949": "cp949", "euc_jp": "euc_jp",
    "big5": "cp950", "cp950": "cp950", "big5hkscs": "big5hkscs", "koi8-r": "koi8-r", "koi8-u": "koi8-u",
    "mac-roman": "mac-roman", "mac-cyrillic": "mac-cyrillic", "tis-620": "tis-620",
    **{f"iso8859-{part}": f"iso8859-{part}" for part in range(2, 17) if part != 12},
    **{f"cp{page}": f"cp{page}" for page in (437, 850, 852, 855, 866, 874, *range(1250, 1259))},
}  # fmt: skip


def _cp1252_table() -> str:
    """Windows-1252 with its five unassigned bytes as the control characters of Latin-1, as on the web."""
    return "".join(bytes([value]).decode("cp1252", "ignore") or chr(value) for value in range(256))


_CP1252 = _cp1252_table()
# `surrogateescape` marks an undecodable byte as U+DC00 + byte.
_ESCAPED_TO_CP1252 = {0xDC00 + value: _CP1252[value] for value in range(128, 256)}


@dataclass(frozen=True, slots=True)
class Source:
    """A file as text.

    `text` is UTF-8 without byte order mark and NUL, newlines as in the file. `line_starts` holds the
    byte offset of each line: there is always a first line, and none after a final newline.
    """

    text: bytes
    encoding: str
    line_starts: array[int] = field(compare=False, repr=False)


def decode(data: bytes) -> Source:
    """Turn a file's bytes into text; any bytes give a text. O(bytes), without a loop per byte.

    UTF-8 that decodes strictly is kept as it is; then byte order marks, UTF-16 by its NULs, a declared
    encoding, and Windows-1252. A NUL becomes a space, a character that cannot be decoded a question mark.
    """
    text, encoding = _to_utf8(data)
    text = text.replace(b"\0", b" ")
    return Source(text, encoding, _line_starts(text))


def line_of(source: Source, byte: int) -> int:
    """The 1-based line of a byte offset; the end of the text is on the last line. O(log lines)."""
    return max(1, bisect_right(source.line_starts, byte))


def for_parser(source: Source) -> bytes:
    """The text with each lone CR as LF: grammars that know only LF then count lines as we do. Same length."""
    text = source.text
    if text.count(b"\r") == text.count(b"\r\n"):
        return text
    return re.sub(rb"\r(?!\n)", b"\n", text)


def _line_starts(text: bytes) -> array[int]:
    # bytes.splitlines ends lines at LF, CRLF and CR only, unlike its namesake on str.
    starts = array("I", accumulate(map(len, text.splitlines(keepends=True)), initial=0))
    if len(starts) > 1:
        starts.pop()
    return starts


def _to_utf8(data: bytes) -> tuple[bytes, str]:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            marked = _after_mark(data[len(mark) :], encoding)
            if marked is not None:
                return marked, encoding
    if b"\0" in data:
        wide = _utf16_without_mark(data)
        if wide is not None:
            return wide
    if _is_utf8(data):
        return data, "utf-8"
    return _legacy(data)


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _after_mark(data: bytes, encoding: str) -> bytes | None:
    if encoding == "utf-8-bom":
        return data if _is_utf8(data) else _mend_utf8(data)
    if encoding.startswith("utf-16"):
        return _from_utf16(data, encoding)
    try:
        return _clean(data.decode(encoding))
    except UnicodeDecodeError:
        return None  # the mark of UTF-32-LE is also UTF-16-LE text that begins with a NUL


def _from_utf16(data: bytes, encoding: str) -> bytes:
    """Half a character at the end is dropped, half of a surrogate pair becomes a question mark."""
    return _clean(data[: len(data) & ~1].decode(encoding, "surrogatepass"))


def _clean(text: str) -> bytes:
    return text.replace("\ufffd", "?").encode("utf-8", "replace")


def _utf16_without_mark(data: bytes) -> tuple[bytes, str] | None:
    """Code is mostly ASCII, so in UTF-16 every other byte is often NUL, and hardly any of the others."""
    sample = data[:_UTF16_SAMPLE]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    most, least = max(even, odd), min(even, odd)
    if most * 20 < len(sample) or least * 20 > most:  # a tenth of the 2-byte units: spaces of a Cyrillic text
        return None
    whole = data[: len(data) & ~1]
    try:
        return _clean(whole.decode(encoding)), encoding
    except UnicodeDecodeError:
        return None


def _legacy(data: bytes) -> tuple[bytes, str]:
    declared = _declared_codec(data)
    if declared is not None:
        return _clean(data.decode(declared, "replace")), declared
    if _mostly_utf8(data):
        return _mend_utf8(data), "utf-8+cp1252"
    text = codecs.charmap_decode(data, "strict", _CP1252)[0]
    return _clean(text), "cp1252" if re.search(rb"[\x80-\x9f]", data) else "latin-1"


def _mostly_utf8(data: bytes) -> bool:
    """Whether more characters are good UTF-8 beyond ASCII than bytes are not UTF-8 at all."""
    good = data.decode("utf-8", "ignore")
    ascii_bytes = len(data.translate(None, bytes(range(128, 256))))
    return len(good) - ascii_bytes > len(data) - len(good.encode("utf-8"))


def _mend_utf8(data: bytes) -> bytes:
    """Keep what is UTF-8 and read the other bytes as Windows-1252: files pasted together from both exist."""
    return data.decode("utf-8", "surrogateescape").translate(_ESCAPED_TO_CP1252).encode("utf-8")


def _declared_codec(data: bytes) -> str | None:
    head = data[:_DECLARATION_WINDOW].splitlines()[:_MODELINES]
    tail = data[-_DECLARATION_WINDOW:].splitlines()[-_MODELINES:]
    declared = [_DECLARATION.search(line) for line in head[:2]]
    declared += [_MODELINE.search(line) for line in (*head, *tail)]
    for found in declared:
        codec = _safe_codec(found[1].decode("ascii")) if found else None
        if codec is not None:
            return codec
    return None


def _safe_codec(name: str) -> str | None:
    name = name.lower()
    for ending in _EMACS_LINE_ENDS:
        name = name.removesuffix(ending)
    try:
        return _SAFE_CODECS.get(codecs.lookup(name).name)
    except LookupError:
        return None
