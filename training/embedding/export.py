"""Quantise a trained table to int8: python training/embedding/export.py RUN.npz WORK FOLDER [--name NAME]

Writes the folder that `clew.embedding.open_static` reads, loads it again and prints its size. Beside
the model go LICENSE and NOTICE, since the table starts from vectors of all-MiniLM-L6-v2.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import numpy as np

from clew.embedding import open_static, write_static_model

MAX_BYTES = 16_000_000
_LICENSE = Path(__file__).resolve().parents[2] / "LICENSE"
_NOTICE = """\
The vectors of this model were trained by the clew project, from a start derived from
sentence-transformers/all-MiniLM-L6-v2: the vector that model gives each piece of the vocabulary,
reduced by principal component analysis. all-MiniLM-L6-v2 is licensed under the Apache License,
Version 2.0; a copy is in LICENSE. The vectors were changed: reduced, trained further on pairs of
questions and code, and rounded to 8 bits.

The names, versions, licences and hashes of the packages it was trained on are in
training/embedding/manifest.json of the source repository. No text of them is in this folder.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--name", default="clew-code")
    parser.add_argument("--start", action="store_true", help="the table before training: plain distillation")
    arguments = parser.parse_args()
    export(arguments.run, arguments.work, arguments.folder, arguments.name, start=arguments.start)
    size = sum(path.stat().st_size for path in arguments.folder.iterdir())
    embedder = open_static(arguments.folder)
    print(f"{arguments.folder}: {size} bytes, {embedder.identity}")
    if size > MAX_BYTES:
        raise SystemExit(f"more than {MAX_BYTES} bytes")
    return 0


def export(run: Path, work: Path, folder: Path, name: str, *, start: bool = False) -> None:
    """Write the model of a training run. The same run gives the same bytes."""
    vocabulary = (work / "vocabulary.txt").read_text(encoding="utf-8").split("\n")[:-1]
    with np.load(run, allow_pickle=False) as data:
        table = np.asarray(data["start" if start else "table"], np.float32)
        weights = np.asarray(data["query_weights"], np.float32)
        options, pairs = str(data["options"]), int(data["pairs"])
    # A common factor changes no direction; near 1 the numbers read better.
    table = table / np.median(np.linalg.norm(table, axis=1))
    write_static_model(
        folder,
        name=name,
        vocabulary=vocabulary,
        vectors=table,
        query_weights=None if start or (weights == 1).all() else weights,
        licence="Apache-2.0",
        about=f"static code embedding, trained on {pairs} pairs with {options}; see docs/model.md",
    )
    shutil.copyfile(_LICENSE, folder / "LICENSE")
    (folder / "NOTICE").write_text(_NOTICE, encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
