"""The parser process: `python -P -m clew.parsing.worker`, batches in on stdin, results out on stdout.

Processes, because py-tree-sitter holds the interpreter lock while it parses; processes of our own,
because a grammar that loops in C can only be stopped by killing its process. Frames are msgpack
with a length before them, so nothing that a file provokes can become code in the parent.
"""

from __future__ import annotations

import signal
import struct
import sys
from dataclasses import astuple
from typing import IO, Any

import msgpack

from clew.parsing.file import ParsedFile, Terms, add_terms, parse_file
from clew.parsing.limits import Limits
from clew.parsing.tokens import Tokenizer
from clew.records import Chunk, Definition, FileFlag, FileStat

_LENGTH = struct.Struct("<I")
# Beyond the parser's own limit, which a grammar that loops inside one step never reaches.
HANG_SECONDS = 10.0


def write_frame(stream: IO[bytes], message: Any) -> None:
    data = msgpack.packb(message, use_bin_type=True, unicode_errors="surrogateescape")
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Any:
    """The next message, or None at the end of the stream."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        return None
    return msgpack.unpackb(data, raw=False, unicode_errors="surrogateescape", strict_map_key=False)


def pack_file(parsed: ParsedFile) -> list[Any]:
    return [
        parsed.path,
        astuple(parsed.stat) if parsed.stat else None,
        parsed.content_hash,
        parsed.language,
        int(parsed.flags),
        parsed.strategy,
        parsed.lines,
        parsed.text,
        [astuple(each) for each in parsed.definitions],
        [astuple(each) for each in parsed.chunks],
        parsed.skipped,
        parsed.error,
        parsed.failed,
    ]


def unpack_file(message: list[Any]) -> ParsedFile:
    path, stat, digest, language, flags, strategy, lines, text, definitions, chunks, skipped, error, failed = message
    return ParsedFile(
        path=path,
        stat=FileStat(*stat) if stat else None,
        content_hash=digest,
        language=language,
        flags=FileFlag(flags),
        strategy=strategy,
        lines=lines,
        text=text,
        definitions=tuple(Definition(*each) for each in definitions),
        chunks=tuple(Chunk(*each) for each in chunks),
        skipped=skipped,
        error=error,
        failed=failed,
    )


def _run_batch(request: dict[str, Any], tokenizer: Tokenizer, out: IO[bytes]) -> None:
    limits = Limits(**request["limits"])
    terms = Terms()
    files, rows = [], 0
    for index, path in enumerate(request["paths"]):
        write_frame(out, ["start", index])
        _alarm(limits.parse_seconds + HANG_SECONDS)
        parsed = parse_file(request["root"], path, limits)
        if parsed.text:
            add_terms(terms, parsed, index, rows, tokenizer)
        rows += len(parsed.chunks)
        files.append(pack_file(parsed))
    _alarm(0)
    postings = {name: [each.tobytes() for each in arrays] for name, arrays in terms.postings.items()}
    write_frame(out, ["done", files, list(terms.vocabulary), postings])


def _alarm(seconds: float) -> None:
    """Have the system end this process if it does not come back; the parent watches too, where there are no alarms."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def main() -> None:
    # Ctrl-C goes to the whole group; the parent decides and closes our input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, out = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print must not break a frame
    tokenizer = Tokenizer()
    while (request := read_frame(source)) is not None:
        try:
            _run_batch(request, tokenizer, out)
        except BrokenPipeError:
            return


if __name__ == "__main__":
    main()
