"""Readers beside a writer, and a writer that is killed: the long versions of the tests, with their figures.

    python benchmarks/robustness/run.py [--seconds 30] [--kills 20] [--out results.json]

Each answer is checked: all its files must show the same generation of the tree. Exit 1 when one does not,
when a search fails or takes longer than a second, or when an index is not repaired after a kill.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "engine"))

from engine_load import contents, counts, kill_rounds, readers_and_writer  # noqa: E402 - the path above makes them importable
from engine_tools import engine  # noqa: E402

from clew import ClewError, __version__  # noqa: E402

SLOWEST = 1.0  # seconds: what a reader may take at most while the writer works, on two busy cores


def concurrency(root: Path, seconds: float, files: int, readers: int) -> dict[str, Any]:
    """Figures of readers beside a writer; `problems` says what went wrong."""
    readings, runs = readers_and_writer(root, seconds, files, readers)
    problems = [error for reading in readings for error in reading.errors]
    for reading in readings:
        if reading.slowest > SLOWEST:
            problems.append(f"a search took {reading.slowest:.2f} s")
        if len(reading.marks) < 2:
            problems.append("a reader saw only one generation")
    marks: dict[int, str] = {}
    for reading in readings:
        for generation, mark in reading.marks.items():
            if marks.setdefault(generation, mark) != mark:
                problems.append(f"generation {generation} had two contents")
    return {
        "seconds": seconds,
        "readers": readers,
        "index_runs": runs,
        "answers": sum(reading.answers for reading in readings),
        "generations_seen": len(marks),
        "slowest_search_seconds": round(max(reading.slowest for reading in readings), 3),
        "problems": problems,
    }


def kills(root: Path, rounds: int, files: int, seed: int) -> dict[str, Any]:
    """Figures of a writer that is killed at random moments."""
    done, problems = [], []
    try:
        for each in kill_rounds(root, rounds, files, seed):
            done.append(each)
            shown = "the old generation" if each.old else "the new generation"
            print(f"  after {each.after:.2f} s, {'struck' if each.struck else 'too late'}: {shown}", flush=True)
        with engine(root) as repaired, engine(root, index_dir=str(root.parent / "fresh")) as fresh:
            fresh.index()
            if counts(repaired) != counts(fresh) or contents(repaired) != contents(fresh):
                problems.append("the repaired index differs from a fresh one")
    except (AssertionError, ClewError) as error:
        problems.append(f"round {len(done) + 1}: {type(error).__name__}: {error}")
    return {
        "seed": seed,
        "killed": sum(each.struck for each in done),
        "finished_before": sum(not each.struck for each in done),
        "old_generation_served": sum(each.old for each in done),
        "problems": problems,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30.0, help="how long the readers search")
    parser.add_argument("--readers", type=int, default=2)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="write the figures there as JSON")
    options = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))  # the processes it starts find clew likewise
    results: dict[str, Any] = {"clew": __version__, "python": platform.python_version(), "cores": os.cpu_count()}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("concurrency", "kills"):
            (Path(folder) / name / "project").mkdir(parents=True)
        print(f"{options.readers} readers and a writer for {options.seconds:g} s")
        places = [Path(folder) / name / "project" for name in ("concurrency", "kills")]
        results["concurrency"] = concurrency(places[0], options.seconds, options.files, options.readers)
        print(f"{options.kills} kills of the writer")
        results["kills"] = kills(places[1], options.kills, options.files, options.seed)
    text = json.dumps(results, indent=2)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")
    return int(bool(results["concurrency"]["problems"] or results["kills"]["problems"]))


if __name__ == "__main__":
    sys.exit(main())
