"""Speed on a large tree: python benchmarks/speed/run.py TREE [--suffix .go] [--semble PYTHON MODEL] [--json]

Works on a copy of TREE in a temporary folder, which is removed at the end; the index lies there too.
Measured: cold index, refresh without changes and after touching and editing files, the `clew` query as
a whole process, many queries in one process, size and memory. With `--semble` its library indexes and
searches the same copy in turn with clew, in its own interpreter. POSIX only; memory of workers needs /proc.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tree as trees
from process import ChildError, Ran, environment, run
from report import broken_bounds, summarise, table
from series import cycled, read_queries

import clew
from clew.workspace import walk

HERE = Path(__file__).parent
REPEATS_OF_CHANGES = 3
LEAST_CHANGED = 0.8  # of edited files that must be indexed again: generated and minified ones are read and left out
SETTLE_SECONDS = 0.1  # file systems stamp in ticks of up to 10 ms; a file written just now proves nothing


@dataclass(slots=True)
class Bench:
    """The copy, where things lie, and the figures as they come in."""

    options: argparse.Namespace
    folder: Path
    paths: list[str] = field(default_factory=list)
    runs: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def tree(self) -> Path:
        return self.folder / "tree"

    @property
    def sample(self) -> Path:
        return self.folder / "sample"

    @property
    def indexes(self) -> Path:
        return self.folder / "indexes"

    def environment(self) -> dict[str, str]:
        chosen = {"CLEW_EMBEDDER": self.options.embedder} if self.options.embedder else {}
        if self.options.generated:
            chosen["CLEW_INCLUDE_GENERATED"] = "true"
        source = str(Path(clew.__file__).parents[1])
        return environment(
            {
                **chosen,
                "CLEW_INDEX_DIR": str(self.indexes),
                "XDG_CONFIG_HOME": str(self.folder / "config"),
                "PYTHONPATH": os.pathsep.join((source, str(HERE))),
            }
        )

    def clew(self, *words: str, tree: Path | None = None, sampled: bool = False) -> Ran:
        command = [sys.executable, "-m", "clew", *words, "--json", "--quiet", "--root", str(tree or self.tree)]
        return run(command, self.environment(), sampled=sampled)

    def keep(self, name: str, figures: Any) -> None:
        self.runs.setdefault(name, []).append(figures)


def main() -> int:
    options = _options()
    if not options.tree.is_dir():
        sys.exit(f"no such folder: {options.tree}")
    if os.getloadavg()[0] > 0.3:
        _say(f"the machine is busy (load {os.getloadavg()[0]:.1f}): figures will be too high")
    with tempfile.TemporaryDirectory(prefix="clew-speed-", dir=options.temp) as folder:
        try:
            results = measure(Bench(options, Path(folder)))
        except ChildError as error:
            sys.exit(f"failed: {error}")
    print(table(results))
    if options.json:
        options.json.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    broken = broken_bounds(results) if options.check else []
    for line in broken:
        print(f"out of bounds: {line}", file=sys.stderr)
    return 1 if broken else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--suffix", action="append", default=[], help="copy only such files, e.g. .go (repeatable)")
    parser.add_argument("--git", action="store_true", help="make the copy a git repository")
    parser.add_argument("--semble", nargs=2, metavar=("PYTHON", "MODEL"), help="take turns with semble")
    parser.add_argument("--rounds", type=int, default=1, help="cold indexes and warm runs (1)")
    parser.add_argument("--queries", type=int, default=260, help="queries of a warm run (260)")
    parser.add_argument("--cold-queries", type=int, default=20, help="query processes a round (20)")
    parser.add_argument("--refreshes", type=int, default=5, help="refreshes without changes (5)")
    parser.add_argument("--changes", type=int, default=100, help="files to touch and to edit (100)")
    parser.add_argument("--poll", action="store_true", help="also run warm queries without change events")
    parser.add_argument("--embedder", default="", help="clew's embedder: default, none or a folder")
    parser.add_argument("--generated", action="store_true", help="index generated files too, as semble does")
    parser.add_argument("--query-file", type=Path, default=HERE / "queries.txt")
    parser.add_argument("--temp", type=Path, help="where the copy goes (the system's temporary folder)")
    parser.add_argument("--json", type=Path, nargs="?", const=HERE / "results.json", metavar="FILE")
    parser.add_argument("--check", action="store_true", help="exit 1 when a bound of the large tree is exceeded")
    return parser.parse_args()


def measure(bench: Bench) -> dict[str, Any]:
    options = bench.options
    results: dict[str, Any] = {"machine": _machine(), "tree": _prepare(bench)}
    turns: list[Callable[[Bench, int], None]] = [_clew_turn]
    if options.semble:
        turns.append(_semble_turn)
    for number in range(options.rounds):
        for turn in turns if number % 2 == 0 else reversed(turns):
            turn(bench, number)
    _refreshes(bench)
    results["load_at_end"] = round(os.getloadavg()[0], 2)
    return summarise(results, bench.runs)


def _machine() -> dict[str, Any]:
    return {
        "date": time.strftime("%Y-%m-%d"),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "processor": _processor(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "clew": clew.__version__,
        "load_at_start": round(os.getloadavg()[0], 2),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _prepare(bench: Bench) -> dict[str, Any]:
    """Copy the tree, and run everything once on a few files: bytecode is compiled and in the page cache."""
    options = bench.options
    _say(f"copying {options.tree.name}")
    trees.copy_tree(options.tree, bench.tree, options.suffix)
    if options.git:
        trees.make_repository(bench.tree)
    files = walk(bench.tree).files
    if not files:
        raise ChildError("the copy holds no files to index")
    bench.paths = [file.path for file in files]
    trees.sample_tree(bench.tree, bench.paths, bench.sample)
    time.sleep(SETTLE_SECONDS)
    bench.clew("index", tree=bench.sample)
    bench.clew("search", "warm up", tree=bench.sample)
    return {
        "name": options.tree.name,
        "suffixes": options.suffix,
        "git": options.git,
        "generated": options.generated,
        "files": len(files),
        "bytes": sum(file.stat.size for file in files),
    }


def _clew_turn(bench: Bench, number: int) -> None:
    options = bench.options
    shutil.rmtree(bench.indexes, ignore_errors=True)
    _say(f"clew: cold index, round {number + 1}")
    ran = bench.clew("index", sampled=True)
    bench.keep("cold_index", _indexed(ran))
    bench.keep("index_size", _sizes(bench.indexes))
    bench.keep("embedder", bench.clew("status").document()["embedder"])
    _say("clew: queries as whole processes")
    queries = read_queries(options.query_file)
    for query in trees.evenly(cycled(queries, max(options.cold_queries, len(queries))), options.cold_queries):
        bench.keep("cold_query", _asked(bench, query))
    for name, flags in (("warm", ()), ("warm_polled", ("--poll",)))[: 2 if options.poll else 1]:
        _say(f"clew: {options.queries} queries in one process {' '.join(flags)}")
        command = [sys.executable, str(HERE / "warm.py"), str(bench.tree), str(options.query_file)]
        bench.keep(name, run([*command, str(options.queries), *flags], bench.environment()).document())


def _semble_turn(bench: Bench, number: int) -> None:
    options = bench.options
    python, model = options.semble
    _say(f"semble: index and queries, round {number + 1}")
    cache = bench.folder / f"semble-cache-{number}"
    cache.mkdir()
    env = environment({"HF_HUB_OFFLINE": "1", "SEMBLE_CACHE_LOCATION": str(cache), "PYTHONPATH": str(HERE)})
    env.setdefault("SEMBLE_GRAMMARS_CACHE_DIR", str(bench.folder / "semble-grammars"))
    command = [python, str(HERE / "semble_child.py"), str(bench.tree), str(Path(model).absolute())]
    ran = run([*command, str(options.query_file), str(options.queries), str(bench.sample)], env, sampled=True)
    bench.keep("semble", {**ran.document(), **_memory(ran), "workers": os.environ.get("SEMBLE_INDEX_WORKERS", "")})
    shutil.rmtree(cache, ignore_errors=True)


def _refreshes(bench: Bench) -> None:
    """`clew index` and the search as whole processes after no, some and many changes."""
    options = bench.options
    changed = trees.evenly(trees.editable(bench.paths), options.changes)
    _say("clew: refreshes")
    for _ in range(options.refreshes):
        _refresh(bench, "refresh_unchanged", 0)
    for number in range(REPEATS_OF_CHANGES):
        trees.touch(bench.tree, changed)
        _refresh(bench, "refresh_touched", 0)
        trees.edit(bench.tree, changed, f"index {number}")
        _refresh(bench, "refresh_edited", len(changed))
        trees.edit(bench.tree, changed[:1], f"one {number}")
        bench.keep("query_after_one_edit", _settled_question(bench))
        trees.edit(bench.tree, changed, f"query {number}")
        bench.keep("query_after_edits", _settled_question(bench))
    bench.keep("index_size_at_end", _sizes(bench.indexes))


def _refresh(bench: Bench, name: str, changed: int) -> None:
    """One refresh. ChildError when it indexed other files than those that changed: then it measured something else."""
    time.sleep(SETTLE_SECONDS)
    figures = _indexed(bench.clew("index", sampled=True))
    indexed = figures["files"]["indexed"]
    if indexed > changed or indexed < changed * LEAST_CHANGED:
        raise ChildError(f"{name.replace('_', ' ')} indexed {indexed} files, not {changed}")
    bench.keep(name, figures)


def _settled_question(bench: Bench) -> dict[str, Any]:
    time.sleep(SETTLE_SECONDS)
    return _asked(bench, "speed benchmark")


def _asked(bench: Bench, query: str) -> dict[str, Any]:
    ran = bench.clew("search", "--", query) if query.startswith("-") else bench.clew("search", query)
    state = ran.document()["freshness"]["state"]
    return {"query": query, "seconds": ran.seconds, "cpu_seconds": ran.cpu_seconds, "peak": ran.largest, "state": state}


def _indexed(ran: Ran) -> dict[str, Any]:
    report = ran.document()
    return {
        "seconds": ran.seconds,
        "engine_seconds": report["seconds"],
        "cpu_seconds": ran.cpu_seconds,
        **_memory(ran),
        "files": report["files"],
        "chunks": report["chunks"],
        "definitions": report["definitions"],
        "embedded": report["embedded"],
    }


def _memory(ran: Ran) -> dict[str, Any]:
    return {"peak": max(ran.peak or 0, ran.largest), "processes": ran.processes, "largest_process": ran.largest}


def _sizes(indexes: Path) -> dict[str, int]:
    """Bytes on disk of the tree's index (not the warm-up's), and how they divide."""
    parts: Counter[str] = Counter()
    for path in indexes.glob("tree-*/**/*"):
        if path.is_file():
            name = "segments" if "segments" in path.parts else path.name.split("-")[0]
            parts[name] += path.stat().st_size
    return {"total": sum(parts.values()), **dict(parts.most_common())}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
