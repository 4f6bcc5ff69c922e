"""Languages are data: one folder each with `pack.toml` and `definitions.scm`, names only in `extra.toml`."""

from clew.languages.registry import Fitness, Pack, check, language_of, pack, packs, parser_for, query_for, readable

__all__ = ["Fitness", "Pack", "check", "language_of", "pack", "packs", "parser_for", "query_for", "readable"]
