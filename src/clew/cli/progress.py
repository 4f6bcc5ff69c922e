"""Progress on stderr: a repainted line on a terminal, one line per 10 % elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Self, TextIO

from clew.cli.style import cut

BAR_WIDTH = 24  # columns
REPAINT_SECONDS = 0.1  # faster than the eye reads numbers, slow enough to cost nothing
STEP_PERCENT = 10


class Progress:
    """Call it with (stage, done, total); a total of 0 means unknown. Use as a context manager, so that it tidies up."""

    def __init__(
        self,
        stream: TextIO,
        *,
        repaint: bool,
        columns: Callable[[], int] = lambda: 80,
        unicode: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = stream
        self._repaint = repaint
        self._columns = columns
        self._cells = "█░" if unicode else "#."
        self._clock = clock
        self._stage = ""
        self._started = self._painted = 0.0
        self._step = -1
        self._dirty = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._clear()

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = self._clock()
        if stage != self._stage:
            self._stage, self._started, self._painted, self._step = stage, now, float("-inf"), -1
        if self._repaint:
            self._paint(done, total, now)
        else:
            self._print_step(done, total)

    def _paint(self, done: int, total: int, now: float) -> None:
        finished = 0 < total <= done
        if now - self._painted < REPAINT_SECONDS and not finished:
            return
        self._painted = now
        self._write("\r" + cut(self._line(done, total, now), self._columns() - 1) + "\x1b[K")
        self._dirty = True

    def _line(self, done: int, total: int, now: float) -> str:
        seconds = f"{now - self._started:.0f} s"
        if total <= 0:
            return f"{self._stage:<10} {done:,}  {seconds}"
        share = min(1.0, max(0.0, done / total))
        filled = round(share * BAR_WIDTH)
        bar = self._cells[0] * filled + self._cells[1] * (BAR_WIDTH - filled)
        return f"{self._stage:<10} {bar} {share:4.0%}  {done:,}/{total:,}  {seconds}"

    def _print_step(self, done: int, total: int) -> None:
        if total <= 0:
            if self._step < 0:
                self._step = 0
                self._write(f"{self._stage}\n")
            return
        step = min(100, done * 100 // total) // STEP_PERCENT
        if step > self._step and (step > 0 or done > 0):
            self._step = step
            self._write(f"{self._stage} {step * STEP_PERCENT}% ({done:,}/{total:,})\n")

    def _clear(self) -> None:
        if self._dirty:
            self._write("\r\x1b[K")
            self._dirty = False

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # whoever watched has gone; the work goes on
            self._repaint = self._dirty = False


def progress_for(stream: TextIO | None, environ: Mapping[str, str], columns: Callable[[], int]) -> Progress | None:
    """The progress that suits a stream, None when there is nowhere to show it."""
    if stream is None:
        return None
    encoding = (getattr(stream, "encoding", "") or "").lower().replace("-", "")
    repaint = stream.isatty() and environ.get("TERM") != "dumb"
    return Progress(stream, repaint=repaint, columns=columns, unicode=encoding.startswith("utf"))
