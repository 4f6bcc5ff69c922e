from __future__ import annotations

import io
import re
from itertools import count

from clew.cli.progress import Progress, progress_for


def line_progress() -> tuple[io.StringIO, Progress]:
    stream = io.StringIO()
    return stream, Progress(stream, repaint=False)


def test_a_pipe_gets_one_line_per_ten_percent() -> None:
    stream, progress = line_progress()
    for done in range(1, 1001):
        progress("parse", done, 1000)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "parse 0% (1/1,000)"
    assert [line.split()[1] for line in lines[1:]] == [f"{percent}%" for percent in range(10, 101, 10)]
    assert lines[-1] == "parse 100% (1,000/1,000)"


def test_a_pipe_sees_each_stage_and_no_control_characters() -> None:
    stream, progress = line_progress()
    progress("walk", 5, 0)
    progress("walk", 9, 0)
    progress("parse", 3, 3)
    progress("write", 1, 1)
    assert stream.getvalue() == "walk\nparse 100% (3/3)\nwrite 100% (1/1)\n"


def test_a_terminal_line_is_repainted_and_cleared_at_the_end() -> None:
    stream = io.StringIO()
    ticks = count()
    with Progress(stream, repaint=True, clock=lambda: float(next(ticks))) as progress:
        progress("parse", 1, 2)
        progress("parse", 2, 2)
    text = stream.getvalue()
    assert "\n" not in text
    assert " 50%  1/2" in text
    assert "100%  2/2" in text
    assert text.endswith("\r\x1b[K")


def test_a_terminal_is_not_flooded() -> None:
    stream = io.StringIO()
    ticks = count()
    progress = Progress(stream, repaint=True, clock=lambda: next(ticks) / 1000)
    for done in range(1000):  # a second, by the clock
        progress("parse", done, 1000)
    assert 5 <= stream.getvalue().count("\r") <= 11


def test_the_repainted_line_is_narrower_than_the_terminal() -> None:
    stream = io.StringIO()
    Progress(stream, repaint=True, columns=lambda: 30)("a stage with a long name", 1, 2)
    (line,) = re.findall("\r(.*)\x1b", stream.getvalue())
    assert len(line) <= 29


def test_wrong_numbers_do_no_harm() -> None:
    stream = io.StringIO()
    progress = Progress(stream, repaint=True)
    progress("parse", 7, 3)
    progress("write", -1, 3)
    progress("done", 0, 0)
    assert "100%" in stream.getvalue()


def test_a_watcher_that_has_gone_does_not_stop_the_work() -> None:
    stream = io.StringIO()
    stream.close()
    with Progress(stream, repaint=True) as progress:
        progress("parse", 1, 2)


def test_without_stderr_there_is_no_progress() -> None:
    assert progress_for(None, {}, lambda: 80) is None
    assert progress_for(io.StringIO(), {}, lambda: 80) is not None
