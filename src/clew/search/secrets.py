"""Mask what looks like a key in shown text: an answer goes into other people's context windows."""

from __future__ import annotations

import re

MASK = "[masked]"

# Forms that issuers document; the tail is what identifies the holder.
_TOKENS = re.compile(
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{30,255}\b|\bgithub_pat_[A-Za-z0-9_]{40,255}\b|\bglpat-[A-Za-z0-9_-]{20,64}\b"
    r"|\bsk-(?:[a-z]+-)*[A-Za-z0-9_-]{20,200}\b|\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,128}\b"
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,200}|\bAIza[0-9A-Za-z_-]{35}\b|\bnpm_[A-Za-z0-9]{36}\b|\bpypi-[A-Za-z0-9_-]{50,}"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
)
_PRIVATE_KEY = re.compile(
    r"(-----BEGIN (?:[A-Z ]{1,30} )?PRIVATE KEY-----)(?:(?!-----END).){1,20000}", re.DOTALL
)
# A long literal that is assigned to a name that says it is secret.
_ASSIGNED = re.compile(
    r"(?i)((?:api[_-]?key|secret(?:[_-]?key)?|access[_-]?token|auth[_-]?token|private[_-]?key|passw(?:or)?d)"
    r"[\"']?\s{0,4}(?:=|:|=>|:=)\s{0,4}[\"'])([^\"'\s]{8,200})(?=[\"'])"
)
_PLACEHOLDER = re.compile(r"(?i)^(?:<.*>|\$\{?.*|%.*%|\{\{.*|x{4,}.*|\*{4,}.*|.*(?:example|changeme|placeholder|dummy|your[_-]).*)$")
_VARIED = re.compile(r"(?=.*[A-Za-z])(?=.*\d)|[^\w-]")


def mask(text: str) -> tuple[str, int]:
    """The text with key-like literals masked, and how many there were. Line breaks stay. O(length)."""
    count = 0

    def hide(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return MASK

    def hide_key(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return match[1] + MASK + "\n" * match[0].count("\n")

    def hide_value(match: re.Match[str]) -> str:
        nonlocal count
        if MASK in match[2] or _PLACEHOLDER.match(match[2]) or not _VARIED.match(match[2]):
            return match[0]
        count += 1
        return match[1] + MASK

    text = _PRIVATE_KEY.sub(hide_key, text)
    text = _TOKENS.sub(hide, text)
    return _ASSIGNED.sub(hide_value, text), count
