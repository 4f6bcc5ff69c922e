"""Train the static model: python training/embedding/train.py PAIRS WORK OUT.npz [options]

A text's vector is the sum of its distinct pieces' vectors (queries: each times a learned weight),
scaled to length 1. Symmetric InfoNCE with the other documents of the batch as negatives; pairs of
the same question are no negatives of each other. In half of the batches the documents' own names
are masked, so that the bodies are learned as well. The table starts from all-MiniLM-L6-v2's vectors
of the pieces, reduced to the dimension by PCA.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import encoded
import numpy as np
import numpy.typing as npt
import scipy.sparse  # type: ignore[import-untyped]
import torch
from encoded import Encoded, Ragged, joined
from minilm import cached
from texts import SOURCES

Float32s = npt.NDArray[np.float32]
_SOURCE_NAME = SOURCES.index("name")
# Smoothed inverse frequency (Arora et al. 2017): a piece of frequency p starts with the length a / (a + p).
_SIF = 1e-3


@dataclass(frozen=True, slots=True)
class Options:
    """What decides a training run."""

    seed: int = 1
    dimension: int = 256
    epochs: float = 4.0
    batch: int = 1024
    temperature: float = 0.05
    rate: float = 5e-3
    masked: float = 0.5
    dropout: float = 0.1
    query_weights: bool = False
    group: int = 1  # pairs of one package that stand together in a batch: harder negatives
    same_language: bool = False  # batches of one language
    name_share: float = 1.0  # the part of the pairs of this source that an epoch takes
    section_share: float = 1.0
    commit_share: float = 1.0
    random_start: bool = False


class Model(torch.nn.Module):
    """The table [V, D], and what each piece counts in a query [V] (in a document its length says that)."""

    def __init__(self, start: Float32s, query_weights: bool) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(torch.from_numpy(start))
        self.query_weights = torch.nn.Parameter(torch.ones(len(start)), requires_grad=query_weights)

    def forward(self, queries: Ragged, documents: Ragged) -> tuple[torch.Tensor, torch.Tensor]:
        """Unit vectors of the queries and of the documents."""
        sums = _Sums.apply(self.table, self.query_weights, queries, documents)  # type: ignore[no-untyped-call]
        units = torch.nn.functional.normalize(sums, dim=1)
        return units[: len(queries)], units[len(queries) :]


class _Sums(torch.autograd.Function):
    """Rows of a table summed by one sparse matrix: a tenth of the time of `embedding_bag`'s backward pass."""

    @staticmethod
    def forward(
        context: Any, table: torch.Tensor, weights: torch.Tensor, queries: Ragged, documents: Ragged
    ) -> torch.Tensor:
        both = joined(queries, documents)
        values = np.ones(len(both.flat), np.float32)
        values[: len(queries.flat)] = weights.detach().numpy()[queries.flat]
        matrix = scipy.sparse.csr_matrix((values, both.flat, both.offsets), shape=(len(both), len(table)))
        context.save_for_backward(table)
        context.matrix, context.queries = matrix, queries
        return torch.from_numpy(matrix @ table.detach().numpy())

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None, None, None]:
        (table,) = context.saved_tensors
        rows = gradient.numpy()
        spread = torch.from_numpy(context.matrix.T @ rows)
        if not context.needs_input_grad[1]:
            return spread, None, None, None
        queries: Ragged = context.queries
        row_of = np.repeat(np.arange(len(queries)), np.diff(queries.offsets))
        products = np.einsum("ij,ij->i", rows[row_of], table.detach().numpy()[queries.flat])
        weights = np.bincount(queries.flat, products, minlength=len(table)).astype(np.float32)
        return spread, torch.from_numpy(weights), None, None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    defaults = asdict(Options())
    for name, value in defaults.items():
        if isinstance(value, bool):
            parser.add_argument(f"--{name.replace('_', '-')}", action="store_true")
        else:
            parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    options = Options(**{name: getattr(arguments, name) for name in defaults})
    vocabulary = read_vocabulary(arguments.work)
    data = encoded.load(arguments.pairs / "train", vocabulary, arguments.work / "train.npz")
    held = encoded.load(arguments.pairs / "heldout", vocabulary, arguments.work / "heldout.npz")
    start = starting_table(vocabulary, data, options, arguments.work)
    model = train(data, held, start, options)
    np.savez(
        arguments.out, table=model.table.detach().numpy(), query_weights=model.query_weights.detach().numpy(),
        start=start, options=np.array(json.dumps(asdict(options))), pairs=np.array(len(data)),
    )  # fmt: skip
    return 0


def read_vocabulary(work: Path) -> list[str]:
    return (work / "vocabulary.txt").read_text(encoding="utf-8").split("\n")[:-1]


def starting_table(vocabulary: list[str], data: Encoded, options: Options, work: Path) -> Float32s:
    """MiniLM's vector of each piece as a text, without the mean, in the first principal directions."""
    generator = np.random.default_rng(options.seed)
    if options.random_start:
        return generator.normal(0, options.dimension**-0.5, (len(vocabulary), options.dimension)).astype(np.float32)
    vectors = cached(work.parent / "minilm-pieces.npz", [piece.removeprefix("##") for piece in vocabulary])
    counts = np.bincount(data.documents.flat, minlength=len(vocabulary)).astype(np.float64)
    centred = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    reduced = centred @ directions[:, ::-1][:, : options.dimension]
    lengths = _SIF / (_SIF + counts / counts.sum())
    reduced *= (lengths / np.linalg.norm(reduced, axis=1))[:, None]
    return np.ascontiguousarray(reduced, np.float32)


def train(data: Encoded, held: Encoded, start: Float32s, options: Options) -> Model:
    """Deterministic for the same seed, data and thread count."""
    torch.manual_seed(options.seed)
    generator = np.random.default_rng(options.seed)
    model = Model(start.copy(), options.query_weights)
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.Adam(parameters, lr=options.rate, fused=True)
    steps = int(_epoch_size(data, options) * options.epochs // options.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: max(0.0, 1 - step / steps))
    begun, losses = time.monotonic(), []
    for step, rows in zip(range(steps), _batches(data, options, generator), strict=False):
        loss = _loss(model, data, rows, options, generator)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
        losses.append(float(loss.detach()))
        if (step + 1) % 250 == 0 or step + 1 == steps:
            print(
                f"step {step + 1}/{steps} loss {np.mean(losses[-250:]):.4f} {time.monotonic() - begun:.0f} s; "
                f"held out {quick_mrr(model, held, False):.4f} masked {quick_mrr(model, held, True):.4f}",
                flush=True,
            )
    return model


def quick_mrr(model: Model, held: Encoded, masked: bool, size: int = 2000) -> float:
    """MRR over one mixed pool of held-out doc comments; for watching, not for reporting."""
    rows = np.flatnonzero(held.sources == 0)
    rows = np.random.default_rng(0).permutation(rows)[:size]
    with torch.no_grad():
        queries, documents = model(held.queries.take(rows), (held.masked if masked else held.documents).take(rows))
        scores = queries @ documents.T
        ranks = (scores >= scores.diagonal()[:, None]).sum(1)
    return float((1 / ranks).mean())


def _loss(
    model: Model, data: Encoded, rows: npt.NDArray[np.int64], options: Options, generator: np.random.Generator
) -> torch.Tensor:
    masked = generator.random() < options.masked
    # A name as the query and the name in the document would teach nothing.
    hide = np.full(len(rows), masked) | (data.sources[rows] == _SOURCE_NAME)
    documents = _documents(data, rows, hide)
    query, document = model(
        _dropped(data.queries.take(rows), options.dropout, generator), _dropped(documents, options.dropout, generator)
    )
    same = data.questions[rows][:, None] == data.questions[rows][None, :]
    np.fill_diagonal(same, False)
    return info_nce(query, document, torch.from_numpy(same), options.temperature)


def info_nce(query: torch.Tensor, document: torch.Tensor, same: torch.Tensor, temperature: float) -> torch.Tensor:
    """Both ways at once: one matrix of exponentials serves rows and columns. `same` marks what is no negative."""
    # The cosines are at most 1, so with half the greatest exponent taken off nothing overflows.
    scores = (query @ document.T - 0.5) / temperature
    powers = scores.exp().masked_fill(same, 0)
    return (powers.sum(1).log().mean() + powers.sum(0).log().mean()) / 2 - scores.diagonal().mean()


def _documents(data: Encoded, rows: npt.NDArray[np.int64], hide: npt.NDArray[np.bool_]) -> Ragged:
    """Documents, masked where `hide` says so, in the order of `rows`."""
    if hide.all():
        return data.masked.take(rows)
    if not hide.any():
        return data.documents.take(rows)
    both = joined(data.documents.take(rows), data.masked.take(rows))
    return both.take(np.arange(len(rows)) + hide * len(rows))


def _dropped(rows: Ragged, share: float, generator: np.random.Generator) -> Ragged:
    """Each id is left out with this probability; a row that would be empty stays whole."""
    if share <= 0:
        return rows
    keep = generator.random(len(rows.flat)) >= share
    kept = np.add.reduceat(keep, rows.offsets[:-1], dtype=np.int64)
    keep |= np.repeat(kept == 0, np.diff(rows.offsets))
    lengths = np.add.reduceat(keep, rows.offsets[:-1], dtype=np.int64)
    return Ragged(rows.flat[keep], np.concatenate(([0], np.cumsum(lengths))))


def _shares(data: Encoded, options: Options) -> Float32s:
    by_source = (1.0, options.name_share, options.section_share, options.commit_share)  # in the order of SOURCES
    return np.array(by_source, np.float32)[data.sources]


def _epoch_size(data: Encoded, options: Options) -> int:
    return int(_shares(data, options).sum())


def _batches(data: Encoded, options: Options, generator: np.random.Generator) -> Iterator[npt.NDArray[np.int64]]:
    """Endless batches of pairs, shuffled anew for each epoch."""
    shares = _shares(data, options)
    while True:
        rows = np.flatnonzero(generator.random(len(data)) < shares - np.floor(shares))
        rows = np.concatenate((rows, np.repeat(np.arange(len(data)), np.floor(shares).astype(np.int64))))
        order = _order(rows, data, options, generator)
        for start in range(0, len(order) - options.batch + 1, options.batch):
            yield order[start : start + options.batch]


def _order(
    rows: npt.NDArray[np.int64], data: Encoded, options: Options, generator: np.random.Generator
) -> npt.NDArray[np.int64]:
    """The rows shuffled, as far as `group` and `same_language` let them."""
    rows = generator.permutation(rows)
    if options.group > 1:
        rows = _in_runs(rows, data.packages, options.group, generator)
    if options.same_language:
        rows = _in_runs(rows, data.languages, options.batch, generator)
    return rows


def _in_runs(
    rows: npt.NDArray[np.int64], keys: npt.NDArray[np.int32], size: int, generator: np.random.Generator
) -> npt.NDArray[np.int64]:
    """The rows sorted by key, cut into runs of a size, the runs shuffled."""
    rows = rows[np.argsort(keys[rows], kind="stable")]
    runs = [rows[start : start + size] for start in range(0, len(rows), size)]
    short = [run for run in runs if len(run) < size]
    whole = [run for run in runs if len(run) == size]
    return np.concatenate([*(whole[i] for i in generator.permutation(len(whole))), *short])


if __name__ == "__main__":
    raise SystemExit(main())
