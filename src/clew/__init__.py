"""clew: a local code-context engine. `Engine` is the one façade; records turn into JSON by `to_json`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from clew.errors import (
    BusyIndexError,
    ClewError,
    DamagedIndexError,
    MissingExtraError,
    ModelError,
    NoIndexError,
    RootError,
    SettingsError,
    UnusableIndexError,
    UsageError,
)
from clew.records import (
    Answer,
    Check,
    Failure,
    FileCounts,
    Freshness,
    Hit,
    IndexEstimate,
    IndexReport,
    Place,
    Status,
    to_json,
)

if TYPE_CHECKING:
    from clew.engine import Engine
    from clew.settings import Settings, load_settings

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "BusyIndexError",
    "Check",
    "ClewError",
    "DamagedIndexError",
    "Engine",
    "Failure",
    "FileCounts",
    "Freshness",
    "Hit",
    "IndexEstimate",
    "IndexReport",
    "MissingExtraError",
    "ModelError",
    "NoIndexError",
    "Place",
    "RootError",
    "Settings",
    "SettingsError",
    "Status",
    "UnusableIndexError",
    "UsageError",
    "__version__",
    "load_settings",
    "to_json",
]

# Loaded on first use: `clew --help` must not wait for numpy.
_LAZY = {"Engine": "clew.engine", "Settings": "clew.settings", "load_settings": "clew.settings"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'clew' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
