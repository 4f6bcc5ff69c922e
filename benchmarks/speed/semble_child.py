"""In semble's interpreter: index a tree with its library and answer many queries.

python semble_child.py TREE MODEL QUERIES COUNT SAMPLE     prints one JSON document

The model is loaded and the grammars are unpacked (by indexing SAMPLE) before the clock starts.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

from series import cycled, read_queries


def main(tree: str, model: str, queries: str, count: str, sample: str) -> None:
    from semble import SembleIndex  # type: ignore[import-not-found]

    asked = cycled(read_queries(Path(queries)), int(count))
    SembleIndex.from_path(sample, model_path=model)
    started = perf_counter()
    index = SembleIndex.from_path(tree, model_path=model)
    seconds = perf_counter() - started
    starting = [_timed(index, query) for query in asked[-2:]]
    print(
        json.dumps(
            {
                "version": version("semble"),
                "index_seconds": seconds,
                "files": index.stats.indexed_files,
                "chunks": index.stats.total_chunks,
                "first_ms": starting[0],
                "ms": [_timed(index, query) for query in asked],
            }
        )
    )


def _timed(index: object, query: str) -> float:
    started = perf_counter()
    index.search(query, top_k=10)  # type: ignore[attr-defined]
    return (perf_counter() - started) * 1000


if __name__ == "__main__":  # semble's own worker processes import this file again
    main(*sys.argv[1:])
