"""Where results, notes and errors go: one document on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from clew.cli.progress import Progress, progress_for
from clew.cli.style import Painter, safe, wants_colour

# Characters of ours that an ASCII terminal cannot show.
_PLAIN = str.maketrans({"…": "...", "·": "-", "─": "-", "█": "#", "░": ".", "→": "->"})
DEFAULT_COLUMNS = 120  # where there is no terminal, or it does not say
MAX_COLUMNS = 160  # longer lines are hard to read


class Output:
    """How this run talks. `json` decides the form of results and of failures."""

    def __init__(
        self,
        *,
        json: bool | None = None,
        quiet: bool = False,
        colour: str = "auto",
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.environ = os.environ if environ is None else environ
        self.stdout = sys.stdout
        self.stderr = sys.stderr
        self.terminal = is_terminal(self.stdout)
        self.json = not self.terminal if json is None else json
        self.quiet = quiet
        self.paint = Painter(wants_colour(colour, self.terminal, self.environ) and not self.json)
        self._paint_err = Painter(wants_colour(colour, is_terminal(self.stderr), self.environ))

    @property
    def interactive(self) -> bool:
        """Whether a person reads the answer: a terminal that was not asked for JSON."""
        return self.terminal and not self.json

    @property
    def columns(self) -> int:
        for stream in (self.stdout, self.stderr):
            try:
                columns = os.get_terminal_size(stream.fileno()).columns if stream else 0
            except (OSError, ValueError):
                continue
            if columns:
                return min(columns, MAX_COLUMNS)
        return DEFAULT_COLUMNS

    def document(self, value: Any) -> None:
        """Print one JSON document, in UTF-8 whatever the locale is."""
        layout: dict[str, Any] = {"indent": 2} if self.terminal else {"separators": (",", ":")}
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, **layout)
        # A lone surrogate (a file name that is not UTF-8) becomes \udcXX, which is its JSON escape as well.
        self._bytes(text.encode("utf-8", "backslashreplace") + b"\n")

    def lines(self, lines: list[str]) -> None:
        """Print text for a person."""
        if lines:
            self._text(self.stdout, "\n".join(lines) + "\n")

    def note(self, text: str, *, always: bool = False) -> None:
        """One line on stderr; `--quiet` drops it unless it says what is done to the user's disk."""
        if always or not self.quiet:
            self._text(self.stderr, f"clew: {safe(text)}\n")

    def error(self, code: str, message: str, hint: str) -> None:
        """A failure: a document in JSON mode, else one or two lines on stderr."""
        if self.json:
            self.document({"error": {"code": code, "message": message, "hint": hint}})
            return
        label = self._paint_err("bad", "clew:")
        self._text(self.stderr, f"{label} {safe(message)}\n" + (f"  {safe(hint)}\n" if hint else ""))

    def progress(self) -> Progress | None:
        return None if self.quiet else progress_for(self.stderr, self.environ, lambda: self.columns)

    def flush(self) -> None:
        if self.stdout is not None:
            self.stdout.flush()

    def _bytes(self, data: bytes) -> None:
        if self.stdout is None:  # started with stdout closed
            return
        self.stdout.flush()
        buffer = getattr(self.stdout, "buffer", None)
        if buffer is None:
            self.stdout.write(data.decode("utf-8"))
        else:
            buffer.write(data)

    def _text(self, stream: TextIO | None, text: str) -> None:
        if stream is None:
            return
        encoding = getattr(stream, "encoding", None) or "utf-8"
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            text = text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
        try:
            stream.write(text)
            stream.flush()
        except (OSError, ValueError):
            if stream is self.stdout:
                raise  # the answer was lost; on stderr nothing was


def is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False
