"""semble's chunks for queries: python semble_chunks.py JOBS.json OUT.json MODEL [ALPHA], run by semble's own Python.

JOBS is a list of {"root", "queries"}; OUT is a list, in the same order, of per query [path, start, end, text]
of its best DEPTH chunks. MODEL is a model2vec folder. ALPHA is semble's weight of vectors, 0 for none.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

DEPTH = 100  # chunks; ten files and more, most of them with two


def main() -> None:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ["SEMBLE_CACHE_LOCATION"] = tempfile.mkdtemp(prefix="semble-")  # no earlier index is used
    from semble import SembleIndex

    jobs = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    alpha = float(sys.argv[4]) if len(sys.argv) > 4 else None
    out = []
    for job in jobs:
        index = SembleIndex.from_path(job["root"], model_path=sys.argv[3])
        for query in job["queries"]:
            hits = index.search(query, top_k=DEPTH, alpha=alpha)
            chunks = [
                (hit.chunk.file_path, hit.chunk.start_line, hit.chunk.end_line, hit.chunk.content) for hit in hits
            ]
            out.append(chunks)
    Path(sys.argv[2]).write_text(json.dumps(out), encoding="utf-8")


if __name__ == "__main__":
    main()
