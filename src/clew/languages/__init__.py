"""Languages are data: one folder each with `pack.toml`, `definitions.scm` and, for the graph, `calls.scm` and `imports.scm`."""

from clew.languages.registry import Pack, check, language_of, pack, packs, parser_for, query_for

__all__ = ["Pack", "check", "language_of", "pack", "packs", "parser_for", "query_for"]
