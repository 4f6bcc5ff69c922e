"""Sections of files whose structure is headings, keys or tags instead of declarations."""

from clew.parsing.sections.dispatch import sections_of

__all__ = ["sections_of"]
