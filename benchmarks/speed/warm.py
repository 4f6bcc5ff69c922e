"""In a process of its own: open an index and answer many queries, as an editor or an MCP server does.

python warm.py TREE QUERIES COUNT [--poll]     settings come from the environment; prints one JSON document
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

from series import cycled, read_queries, resident_peak

from clew import Engine
from clew.workspace import events


def main(tree: str, queries: str, count: str, *flags: str) -> None:
    if "--poll" in flags:
        events.MAX_WATCHES = 0  # no directory may be watched, so every query compares stats
    asked = cycled(read_queries(Path(queries)), int(count))
    started = perf_counter()
    engine = Engine.open(tree)
    opened = perf_counter()
    # The first query opens the index and the second sets up change events: start-up, reported apart.
    starting = [_timed(engine, query)[0] for query in asked[-2:]]
    answers = [_timed(engine, query) for query in asked]
    engine.close()
    print(
        json.dumps(
            {
                "open_ms": (opened - started) * 1000,
                "first_ms": starting[0],
                "second_ms": starting[1],
                "ms": [each for each, _ in answers],
                "states": Counter(state for _, state in answers),
                "peak": resident_peak(),
            }
        )
    )


def _timed(engine: Engine, query: str) -> tuple[float, str]:
    started = perf_counter()
    answer = engine.search(query, limit=10)
    return (perf_counter() - started) * 1000, answer.freshness.state


if __name__ == "__main__":
    main(*sys.argv[1:])
