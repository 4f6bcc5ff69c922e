"""Word order: how much of the query stands in a chunk as it was written.

BM25 counts words wherever they are; a pasted error message, a quoted phrase or a line of code is known by
words that follow each other. What a program fills in at run time (names, numbers, paths) follows nothing
that is in the source, so pairs of words that no candidate holds are left out of the reckoning.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.index.catalog import Catalog
from clew.index.store import CHUNK_BITS, Float32s, Int64s, TextHits
from clew.search.query import Query

# Chunks looked at. 20 more gain nothing for questions; the place that raises an error may lie deeper.
DEPTH = 40
ERROR_DEPTH = 100
# Bytes inflated to reach them, a file's text up to its last such chunk: about 4 ms a megabyte.
INFLATED = 500_000
ERROR_INFLATED = 3_000_000
MAX_PAIRS = 120  # of a query; a message is hardly longer, a stack trace is
MAX_BYTES = 4_000  # of one chunk: a few are whole files without structure
# A chunk that holds most of the query is looked at before one that holds few words often: weight of the share.
COVER_WEIGHT = 5.0
# A row of rare pairs says nothing up to the first number (a question shares as many with its answer by chance)
# and everything from the second on. A pair counts whole from this rarity on: one chunk in twelve has it.
RUN_FROM, RUN_FULL = 2.0, 6.0
RARE = 2.0

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Phrases:
    """One row per chunk in `ids`, every value 0..1 and 0 where nothing was found.

    `pairs`: share of the query's adjacent word pairs, by rarity among the chunks, that the chunk holds.
    `run`: the longest unbroken row of such pairs, absolute: 1 is a verbatim piece of the query.
    `quoted`: share of the query's quoted phrases that the chunk holds word by word.
    """

    ids: Int64s
    pairs: Float32s
    run: Float32s
    quoted: Float32s


NOTHING = Phrases(np.empty(0, np.int64), *(np.empty(0, np.float32),) * 3)


def phrases(catalog: Catalog, query: Query, body: TextHits) -> Phrases:
    """Compare the best chunks with the query's word order; `body` are the text recall's. Processor time on
    271,000 chunks: 2.3 ms for a question (at most 3.3), 8.6 for a pasted error message (13); nothing for a word."""
    asked = words(query.text.encode())[: MAX_PAIRS + 1]
    if len(asked) < 2 or not len(body.ids):
        return NOTHING
    is_error = query.kind == "error"
    ids = _worth_reading(body)[: ERROR_DEPTH if is_error else DEPTH]
    places = [divmod(each, 1 << CHUNK_BITS) for each in ids.tolist()]
    texts = catalog.chunk_texts(places, ERROR_INFLATED if is_error else INFLATED)
    found = [words(text[:MAX_BYTES]) for text in texts]
    held = _held(asked, found)
    rarity = _rarity(held)
    total = float(rarity.sum())
    # Not `@`: it reports flags of the processor that BLAS may leave set although every number is finite.
    pairs = np.dot(held.astype(np.float32), rarity) / np.float32(total or 1.0)
    run = (_longest(held, np.minimum(rarity / RARE, 1)) - RUN_FROM) / (RUN_FULL - RUN_FROM)
    return Phrases(ids, pairs.astype(np.float32), np.clip(run, 0, 1).astype(np.float32), _quoted(query.quoted, found))


_WORD_BYTES = bytes(
    ord(chr(each).lower()) if each >= 128 or chr(each).isalnum() or chr(each) == "_" else ord(" ")
    for each in range(128)
) + bytes(range(128, 256))  # fmt: skip
_ESCAPES = ((b"\\n", b" "), (b"\\t", b" "))  # as the source of a text of several lines has them


def words(text: bytes) -> list[bytes]:
    """Lower-case words in order; whatever stands between them is one gap. O(length)."""
    if b"\\" in text:
        for written, meant in _ESCAPES:
            text = text.replace(written, meant)
    return text.translate(_WORD_BYTES).split()


def _worth_reading(body: TextHits) -> Int64s:
    top = float(body.scores[0]) or 1.0
    worth = COVER_WEIGHT * body.coverage + body.scores / np.float32(top)
    return body.ids[np.argsort(-np.round(worth, 5), kind="stable")]


def _held(asked: Sequence[bytes], found: Sequence[Sequence[bytes]]) -> Flags:
    """Which chunk holds which adjacent pair of the query's words: (chunks, pairs)."""
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(asked), 1)}
    base = len(vocabulary) + 1
    query = np.array([vocabulary[word] for word in asked], np.int64)
    wanted, columns = np.unique(query[:-1] * base + query[1:], return_inverse=True)
    lengths = np.array([len(each) + 1 for each in found])  # a gap after each chunk: no pair across
    stream = itertools.chain.from_iterable((*each, b"") for each in found)
    numbers = np.fromiter(map(vocabulary.get, stream, itertools.repeat(0)), np.int64, int(lengths.sum()))
    places = np.flatnonzero((numbers[:-1] > 0) & (numbers[1:] > 0))
    codes = numbers[places] * base + numbers[places + 1]
    slots = np.minimum(np.searchsorted(wanted, codes), len(wanted) - 1)
    meant = wanted[slots] == codes
    rows = np.searchsorted(np.cumsum(lengths), places[meant], side="right")
    held = np.zeros((len(found), len(wanted)), bool)
    held[rows, slots[meant]] = True
    return held[:, columns]


def _rarity(held: Flags) -> Float32s:
    """Weight of each pair: as BM25's for words; 0 for what no chunk holds."""
    holders = held.sum(axis=0)
    weights = np.log1p((len(held) - holders + 0.5) / (holders + 0.5))
    return np.where(holders > 0, weights, 0.0).astype(np.float32)


def _longest(held: Flags, weights: Float32s) -> Float32s:
    """The heaviest unbroken row of pairs of each chunk."""
    best = np.zeros(len(held), np.float32)
    current = np.zeros(len(held), np.float32)
    for column, weight in enumerate(weights):
        current = np.where(held[:, column], current + weight, np.float32(0))
        np.maximum(best, current, out=best)
    return best


def _quoted(quoted: Sequence[str], found: Sequence[Sequence[bytes]]) -> Float32s:
    wanted = [b" %b " % b" ".join(words(each.encode())) for each in quoted]
    if not wanted:
        return np.zeros(len(found), np.float32)
    lines = [b" %b " % b" ".join(each) for each in found]
    return np.array([sum(each in line for each in wanted) / len(wanted) for line in lines], np.float32)
