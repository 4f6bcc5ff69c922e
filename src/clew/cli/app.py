"""The entry point: turns a command line into an exit status, and every failure into one clear line."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

from clew.cli.arguments import COMMANDS, Call, help_text, parse
from clew.cli.output import Output
from clew.errors import DEBUG_VARIABLE, ClewError, UsageError, debugging

INTERRUPTED = 130  # 128 + SIGINT, as shells count


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns 0 ok, 1 failure, 2 usage, 130 interrupted; prints no traceback without CLEW_DEBUG."""
    words = list(sys.argv[1:] if argv is None else argv)
    out = _first_output(words)
    try:
        return _guarded(words, out)
    except BrokenPipeError:
        _silence_stdout()
        return 0
    except KeyboardInterrupt:  # a second Ctrl-C, while the first was being reported
        return INTERRUPTED
    except OSError as error:  # the error itself could not be written: a full disk behind stdout
        print(f"clew: cannot write the result: {error.strerror}", file=sys.stderr)
        _silence_stdout()
        return 1


def _guarded(words: Sequence[str], out: Output) -> int:
    try:
        call = parse(words)
        out = _output(call)
        result = _run(call, out)
        out.flush()
        return result
    except BrokenPipeError:
        raise
    except ClewError as error:
        return _fail(out, error.exit_status, error.code, error.message, error.hint)
    except KeyboardInterrupt:
        return _fail(out, INTERRUPTED, "interrupted", "interrupted", "")
    except OSError as error:
        _traceback()
        where = f": {os.fsdecode(error.filename)}" if isinstance(error.filename, (str, bytes)) else ""
        return _fail(out, 1, "system", f"{error.strerror or type(error).__name__}{where}", "")
    except Exception as error:  # the promise of one line holds for our own mistakes too
        _traceback()
        text = " ".join(str(error).split())[:300]
        message = f"internal error: {type(error).__name__}" + (f": {text}" if text else "")
        return _fail(out, 1, "internal", message, f"{DEBUG_VARIABLE}=1 shows where; please report it")


def _run(call: Call, out: Output) -> int:
    if call.command == "version":
        from clew import __version__

        out.lines([f"clew {__version__}"])
        return 0
    if call.command == "help":
        return _help(call, out)
    from clew.cli.commands import COMMANDS as RUN

    return RUN[call.command](call.options, out)


def _help(call: Call, out: Output) -> int:
    if call.options.bare and out.json:
        raise UsageError("there is no question and no command", hint="see `clew --help`")
    out.lines(help_text(call.options.topic).rstrip().splitlines())
    return 0


def _first_output(words: Sequence[str]) -> Output:
    """The output before the flags are understood: a usage error must already come in the form that was asked for."""
    flags = words[: words.index("--")] if "--" in words else words
    if "--json" in flags:
        return Output(json=True)
    return Output(json=False if "--no-json" in flags else None)


def _output(call: Call) -> Output:
    options = call.options
    if call.command not in COMMANDS or call.command == "help":
        return Output()
    return Output(json=options.json, quiet=options.quiet, colour=options.color)


def _fail(out: Output, status: int, code: str, message: str, hint: str) -> int:
    out.error(code, message, hint)
    out.flush()
    return status


def _traceback() -> None:
    if debugging():
        import traceback

        traceback.print_exc()


def _silence_stdout() -> None:
    """Nobody reads stdout any more; without this the interpreter complains when it flushes at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
