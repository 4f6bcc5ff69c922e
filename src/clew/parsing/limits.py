"""What parsing may spend. Apart from the parser, so that a query need not load it."""

from __future__ import annotations

from dataclasses import dataclass

from clew.records import MAX_FILE_BYTES

# About 400 tokens at 4 bytes each. On the development sets (nl-dev, commits-dev, NDCG@10 and tokens an
# answer): 1000 bytes 0.868, 0.724, 2544; 1600 bytes 0.870, 0.728, 3247; 2400 bytes 0.867, 0.725, 3851.
CHUNK_BYTES = 1600


@dataclass(frozen=True, slots=True)
class Limits:
    """What a worker may spend on a file. `parse_seconds` 0: no syntax tree at all."""

    max_bytes: int = MAX_FILE_BYTES
    parse_seconds: float = 5.0
    chunk_bytes: int = CHUNK_BYTES
    include_generated: bool = False
