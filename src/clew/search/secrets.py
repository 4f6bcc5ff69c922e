"""Mask what looks like a key in shown text: an answer goes into other people's context windows.

Keys are known by the form that their issuer gives them, by the name that they are assigned to, or by the
place in a URL or connection string. Every repetition is bounded or possessive and begins only where a word
begins, so hostile text takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

MASK = "[masked]"

# Forms that issuers document; the tail is what identifies the holder.
_ISSUED = (
    r"(?:AKIA|ASIA)[0-9A-Z]{16}",  # AWS
    r"gh[pousr]_[A-Za-z0-9]{30,255}+",
    r"github_pat_[A-Za-z0-9_]{40,255}+",
    r"gl(?:pat|dt|rt|ptt|ft|soat|agent|cbt)-[A-Za-z0-9_.-]{20,100}+",
    r"sk-(?:ant-[a-z]{3,8}\d\d-|proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,255}+",  # Anthropic, OpenAI and kin
    r"gsk_[A-Za-z0-9]{40,80}+|xai-[A-Za-z0-9]{60,100}+|pplx-[A-Za-z0-9]{40,60}+|hf_[A-Za-z0-9]{30,40}+",
    r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,128}+|whsec_[A-Za-z0-9+/=]{24,100}+",  # Stripe
    r"xox[abeoprs]-[A-Za-z0-9-]{10,200}+|xapp-\d-[A-Za-z0-9-]{20,200}+",  # Slack
    r"AIza[0-9A-Za-z_-]{35}|GOCSPX-[A-Za-z0-9_-]{24,32}+|ya29\.[A-Za-z0-9_-]{20,500}+",  # Google
    r"npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,500}+|rubygems_[0-9a-f]{48}",
    r"SK[0-9a-f]{32}|SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}+|key-[0-9a-f]{32}",  # Twilio, SendGrid, Mailgun
    r"do[opr]_v1_[0-9a-f]{64}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|dckr_pat_[A-Za-z0-9_-]{20,60}+",
    r"hv[sb]\.[A-Za-z0-9_-]{20,300}+|dapi[0-9a-f]{32}|gls?a_[A-Za-z0-9_]{32,60}+|lin_api_[A-Za-z0-9]{40}",
    r"AGE-SECRET-KEY-1[0-9A-Z]{58}|\d{8,10}:AA[A-Za-z0-9_-]{33}",  # age, Telegram
    r"eyJ[A-Za-z0-9_-]{10,}+\.eyJ[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{10,}+",  # JSON Web Token
)
_TOKENS = re.compile(rf"(?<![A-Za-z0-9_-])(?:{'|'.join(_ISSUED)})(?![A-Za-z0-9])")
# The secret part of a longer form is its last group.
_SLACK_HOOK = re.compile(r"(hooks\.slack\.com/services/T[A-Z0-9]{6,14}/B[A-Z0-9]{6,14}/)([A-Za-z0-9]{16,40}+)")
_ACCOUNT_KEY = re.compile(r"(?i)\b((?:Account|SharedAccess)(?:Key|Signature)=)([A-Za-z0-9+/%]{40,200}+={0,2})")
_URL_PASSWORD = re.compile(
    r"(\b[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s:/@\"'`<>{}$]{0,64}:)([^\s/@\"'`<>{}$\[\]()\\]{3,128}+)(?=@[\w\[])"
)
_STRING_PASSWORD = re.compile(r"(?i)(;\s{0,2}(?:password|pwd)\s?=\s?)([^;\"'`\s<>{}$\[\]]{4,128}+)(?=[;\"'`])")
_HEADER = re.compile(r"(?i)(\b(?:bearer|basic)\s)([A-Za-z0-9._~+/-]{16,500}+={0,2})")

# Names whose value is a secret; the value of a weaker name has to look random.
_STRONG = (
    r"api[_-]?key|api[_-]?secret|client[_-]?secret|app[_-]?secret|secret(?:[_-]?access)?[_-]?key(?:[_-]?base)?|secret"
    r"|(?:access|auth|refresh|bearer|api)[_-]?token|(?:private|signing|encryption|account)[_-]?key"
    r"|passw(?:or)?d|passphrase|pwd"
)
_WEAK = r"token|credentials?|auth"
# `name: Type = "value"`, `"name": "value"`, `name => 'value'`, `name := "value"`.
_ASSIGNED = re.compile(
    rf"(?i)((?:(?P<strong>{_STRONG})|{_WEAK})[\"']?\s{{0,4}}"
    r"(?:\??:\s{0,4}[\w.\[\]|]{1,40}+\s{0,4}=|=>|:=|=|:)\s{0,4}(?P<quote>[\"'`]))"
    r"(?P<value>[^\"'`\s\\]{8,200}+)(?=(?P=quote))"
)
# A line of a settings file: no quotes, and nothing else on the line but a comment.
_SETTING = re.compile(
    rf"(?im)^([ \t]{{0,40}}(?:export[ \t]|-[ \t])?[\w.-]{{0,60}}(?:{_STRONG}|{_WEAK})[ \t]{{0,8}}[=:][ \t]{{0,8}})"
    r"(?P<value>[A-Za-z0-9+/_=!@#$%^&*~.-]{12,200}+)(?=[ \t]{0,20}(?:[ \t][#;]|\r?$))"
)
_PLACEHOLDER = re.compile(
    r"(?i)example|changeme|change[_-]me|placeholder|dummy|your[_-]|redacted|^<|^\$|^%[\w(]|\{\{|x{4}|\*{3}|\.\.\."
)
_NOT_PASSWORDS = frozenset(("pass", "password", "passwd", "pwd", "secret", "token", "user", "username", "port"))
# What is written in words: `users.password.label`, `min-length-8`; and what no password holds: a rule, a call, a path.
_WORDS = re.compile(r"(?:[A-Za-z]*\d{0,4}[._/-])+[A-Za-z]*\d{0,4}|/.*|\./.*|\w+\(.*\)|.*(?:[|\[\]{}<>,:;]).*")
_LETTER_AND_DIGIT = re.compile(r"[A-Za-z].*\d|\d.*[A-Za-z]")
_SYMBOL = re.compile(r"[!@#$%^&]\w")
_CHANGES = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_FEWEST_CHANGES = 3  # from letter to digit or back: three are rare in a name, random base64 of 20 has six
_FEWEST_DISTINCT = 6  # characters in a real key's tail; `xxxx` and `000000` have fewer

_MARKER = re.compile(r"-----(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_TEXT = re.compile(r"[A-Za-z0-9+/=]{40,}+")  # PEM lines have 64 or 76, the shortest whole key 64
# Lines of a key whose end is missing: quotes and breaks of a source literal between, headers, a last line cut short.
_KEY_START = re.compile(
    r"(?:[^\w+/=]{0,40}+(?:n?[A-Za-z0-9+/=]{40,}+|(?:Proc-Type|DEK-Info|Version|Comment):[^\n]{0,200}))++"
    r"(?:[^\w+/=]{0,40}+[A-Za-z0-9+/]{1,39}+(?:={1,2}|\Z))?"
)
_KEY_LINE = re.compile(r"[^\w+/=]{0,40}[A-Za-z0-9+/=]{40,}+[^\w+/=]{0,10}n?[^\w+/=]{0,10}")
_KEY_LAST_LINE = re.compile(r"[^\w+/=]{0,40}[A-Za-z0-9+/=]{1,}+[^\w+/=]{0,10}n?[^\w+/=]{0,10}")


def mask(text: str) -> tuple[str, int]:
    """The text with key-like literals masked, and how many there were. Line breaks stay. O(length)."""
    text, count = _mask_private_keys(text)
    low = text.lower()
    for hints, pattern, is_secret in _RULES:
        if any(hint in low for hint in hints):
            text, found = _mask_matches(pattern, is_secret, text)
            count += found
    return text, count


def _mask_matches(
    pattern: re.Pattern[str], is_secret: Callable[[re.Match[str], str], bool], text: str
) -> tuple[str, int]:
    """Mask the last group of each match that is a secret, or all of it when there are no groups."""
    count = 0

    def hide(match: re.Match[str]) -> str:
        nonlocal count
        group = pattern.groups
        if not is_secret(match, match[group]):
            return match[0]
        count += 1
        return match[0][: match.start(group) - match.start()] + MASK

    return pattern.sub(hide, text), count


def _is_issued(_: re.Match[str], value: str) -> bool:
    tail = value[-20:]
    if _PLACEHOLDER.search(value) or len(set(tail)) < _FEWEST_DISTINCT:
        return False
    # `sk-` also begins names in style sheets; a key is not written in words.
    return not value.startswith("sk-") or (_LETTER_AND_DIGIT.search(value) is not None and not _WORDS.fullmatch(value))


def _is_password(_: re.Match[str], value: str) -> bool:
    return value.casefold() not in _NOT_PASSWORDS and not _PLACEHOLDER.search(value)


def _is_assigned(match: re.Match[str], value: str) -> bool:
    if _PLACEHOLDER.search(value) or _WORDS.fullmatch(value) or MASK in value:
        return False
    if match["strong"] is None:
        return _looks_random(value)
    return _LETTER_AND_DIGIT.search(value) is not None or _SYMBOL.search(value) is not None


def _is_bare(_: re.Match[str], value: str) -> bool:
    return _looks_random(value) and not _PLACEHOLDER.search(value) and not _WORDS.fullmatch(value)


def _looks_random(value: str) -> bool:
    padded = value.endswith("=") and _LETTER_AND_DIGIT.search(value) is not None
    return padded or (len(value) >= 16 and len(_CHANGES.findall(value)) >= _FEWEST_CHANGES)


_NAME_HINTS = ("key", "secret", "token", "passw", "passphrase", "pwd", "credential", "auth")
# What must occur in the lower-cased text for a pattern to match at all: most code has none of it, and looking
# for a word is a hundred times faster than trying the pattern. An empty hint always occurs.
_RULES: tuple[tuple[tuple[str, ...], re.Pattern[str], Callable[[re.Match[str], str], bool]], ...] = (
    (("",), _TOKENS, _is_issued),
    (("hooks.slack.com/",), _SLACK_HOOK, _is_issued),
    (("accountkey=", "sharedaccess"), _ACCOUNT_KEY, _is_issued),
    (("://",), _URL_PASSWORD, _is_password),
    (("password", "pwd"), _STRING_PASSWORD, _is_password),
    (("bearer", "basic"), _HEADER, _is_bare),
    (_NAME_HINTS, _ASSIGNED, _is_assigned),
    (_NAME_HINTS, _SETTING, _is_bare),
)


def _mask_private_keys(text: str) -> tuple[str, int]:
    out: list[str] = []
    kept = count = 0
    for start, end in _private_keys(text):
        out += (text[kept:start], MASK, "\n" * text.count("\n", start, end))
        kept = end
        count += 1
    return "".join((*out, text[kept:])), count


def _private_keys(text: str) -> Iterator[tuple[int, int]]:
    """Spans of key text. A chunk may begin or end within a key, so either marker alone is enough."""
    markers = list(_MARKER.finditer(text))
    for place, marker in enumerate(markers):
        begins = marker[1] == "BEGIN"
        following = markers[place + 1] if place + 1 < len(markers) else None
        if begins:
            stop = following.start() if following else len(text)
            closed = following is not None and following[1] == "END"
            end = stop if closed and _mostly_key(text[marker.end() : stop]) else _end_of_key(text, marker.end(), stop)
            if end > marker.end():
                yield marker.end(), end
        elif place == 0 or markers[place - 1][1] == "END":
            start = _start_of_key(text, markers[place - 1].end() if place else 0, marker.start())
            if start < marker.start():
                yield start, marker.start()


def _mostly_key(between: str) -> bool:
    """Markers that stand in code that handles keys have code between them."""
    return 2 * sum(len(run) for run in _KEY_TEXT.findall(between)) >= len(between) > 0


def _end_of_key(text: str, start: int, stop: int) -> int:
    found = _KEY_START.match(text, start, stop)
    return found.end() if found else start


def _start_of_key(text: str, start: int, stop: int) -> int:
    """Where the lines of key text begin that lead up to an end marker; `stop` when there are none."""
    line_end = text.rfind("\n", start, stop)
    first, form = stop, _KEY_LAST_LINE
    while line_end >= 0:
        line_start = max(text.rfind("\n", start, line_end) + 1, start)
        if not form.fullmatch(text, line_start, line_end):
            break
        first, form = line_start, _KEY_LINE
        line_end = line_start - 1 if line_start > start else -1
    return first if _KEY_TEXT.search(text, first, stop) else stop
