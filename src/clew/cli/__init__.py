"""The command line: parse, call the engine, print."""

from __future__ import annotations

from clew.cli.app import main

__all__ = ["main"]
