"""The errors that users meet: each names the input, the reason and the next step."""

from __future__ import annotations

import os

DEBUG_VARIABLE = "CLEW_DEBUG"


def debugging() -> bool:
    """Whether faults are shown in full, with tracebacks and with what parser processes say: CLEW_DEBUG has any text."""
    return bool(os.environ.get(DEBUG_VARIABLE))


class ClewError(Exception):
    """Base of every error that clew raises on purpose.

    `code` is stable and machine-readable, `hint` says what to do next and
    `exit_status` is what the command line returns (1 failure, 2 usage).
    """

    code = "failure"
    exit_status = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(ClewError):
    """The request itself is wrong: an unknown option value, a bad filter, a path outside the root."""

    code = "usage"
    exit_status = 2


class SettingsError(UsageError):
    """A setting is unknown or its value cannot be used."""

    code = "settings"


class RootError(ClewError):
    """No usable root: none found, not a directory, or the home directory or `/` without force."""

    code = "root"


class NoIndexError(ClewError):
    """There is no index for this root."""

    code = "no_index"


class DamagedIndexError(ClewError):
    """The index exists but cannot be read: a flipped byte, a truncated file, a foreign file."""

    code = "index_damaged"


class BusyIndexError(ClewError):
    """Another process is writing the index; the message names its pid."""

    code = "index_busy"


class UnusableIndexError(ClewError):
    """The index cannot be used now for a reason outside it: a full disk, missing rights, an I/O error."""

    code = "index_unusable"


class ModelError(ClewError):
    """An embedding model cannot be loaded, is damaged, or does not fit the index."""

    code = "model"


class MissingExtraError(ClewError):
    """A feature needs an optional dependency; the hint is the install command."""

    code = "missing_extra"

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs the extra '{extra}', which is not installed",
            hint=f"pip install 'clew[{extra}]'",
        )
