"""Queries and series of figures. Imports nothing beyond the standard library: semble's interpreter runs it too."""

from __future__ import annotations

import math
import os
import resource
from collections.abc import Sequence
from pathlib import Path


def read_queries(path: Path) -> list[str]:
    """One query a line; blank lines and lines that begin with # do not count."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def cycled(queries: Sequence[str], count: int) -> list[str]:
    return [queries[at % len(queries)] for at in range(count)]


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` of all do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]


def resident_peak() -> int:
    """Bytes that this process held at most."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if os.uname().sysname == "Darwin" else 1024)
