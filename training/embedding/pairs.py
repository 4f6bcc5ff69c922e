"""Extract pairs from the downloaded packages into `DIR/raw/<split>/<package>.jsonl`.

    python pairs.py --downloads DIR --output DIR [--repositories DIR] [--processes 2] [--only KEY ...]

A package that has its file already is left alone. `dedupe.py` then makes the training files from these. The
repositories under `[excluded]` of `sources.toml` go to `raw/excluded`: nothing that equals them may be trained on.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import random
import re
import sys
import tempfile
import tomllib
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from archives import git, git_members, members
from catalogue import HERE, Source, read_manifest, sources
from commits import commit_pairs
from extraction import Pair, file_pairs, is_document, own, parsed, question, wanted
from fetch import repository
from licences import copyleft_notice, of_debian

MAX_DOC_PAIRS = 9_000  # a package; beyond that one project's words would weigh too much
MIN_NAME_PAIRS, NAME_SHARE = 800, 0.3
# Files of a package; of larger ones a share chosen by their paths. Many packages teach more than much of one.
MAX_FILES = {"pypi": 150, "npm": 100, "debian": 300, "git": 600}
_VERSION = re.compile(r"^\W*(?:v|version |release )?\d+\.\d+", re.I)  # headings of a change log in disguise
_CODE_NAME = re.compile(r"`([A-Za-z_][\w.:#]*)(?:\(\))?`|\b([a-z]+(?:_[a-z0-9]+)+|[A-Za-z]*[a-z][A-Z]\w*)\b(?:\(\))?")


@dataclass(frozen=True, slots=True)
class Job:
    source: Source
    files: tuple[Path, ...]  # archives, or the bare directory of a repository
    output: Path
    code_files: int = 0


def extract(job: Job) -> tuple[str, int]:
    """Write one package's pairs; gives its key and their number."""
    pairs = list(_package_pairs(job))
    partial = job.output.with_suffix(".part")
    with partial.open("w", encoding="utf-8") as stream:
        for pair in pairs:
            stream.write(json.dumps(pair.to_json(), ensure_ascii=False) + "\n")
    os.replace(partial, job.output)
    return job.source.key, len(pairs)


def _package_pairs(job: Job) -> Iterator[Pair]:
    docs: list[Pair] = []
    names: list[Pair] = []
    readmes: list[str] = []
    package = job.source.key
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, content in _contents(job):
            if is_document(path):
                readmes.append(content.decode("utf-8", "replace"))
                continue
            for pair in _file(root, path, content, package):
                (docs if pair.source == "doc" else names).append(pair)
    yield from _sample(docs, MAX_DOC_PAIRS, package)
    yield from _sample(names, max(MIN_NAME_PAIRS, int(NAME_SHARE * min(len(docs), MAX_DOC_PAIRS))), package)
    yield from _section_pairs(readmes, docs + names)
    if job.source.registry == "git" and job.source.split != "excluded":
        yield from commit_pairs(job.files[0], job.source.version, package)


def _contents(job: Job) -> Iterator[tuple[str, bytes]]:
    most = MAX_FILES[job.source.registry]
    share = int(2**32 * most / max(job.code_files, most))
    kept = wanted if job.source.split != "excluded" else own
    refused = _refused_globs(list(job.files)) if job.source.registry == "debian" else []
    refused_path = re.compile("|".join(map(fnmatch.translate, refused)) or r"(?!)")

    def taken(path: str) -> bool:
        return zlib.crc32(path.encode()) <= share and kept(path) and not refused_path.match(path)

    if job.source.registry == "git":
        found = git_members(job.files[0], job.source.version, taken)
    else:
        found = members(list(job.files), taken)
    yield from ((path, content) for path, content in found if not copyleft_notice(content))


def _refused_globs(files: list[Path]) -> list[str]:
    """Files of a Debian package under another licence than one of ours."""
    for _, content in members(files, lambda path: path == "debian/copyright"):
        _, stanzas = of_debian(content.decode("utf-8", "replace"))
        return [glob for glob, licence in stanzas if not licence]
    return []


def _file(root: Path, path: str, content: bytes, package: str) -> list[Pair]:
    place = root / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    except OSError:
        return []
    found = parsed(root, path)
    place.unlink()
    return list(file_pairs(found, package)) if found is not None else []


def _sample(pairs: list[Pair], most: int, seed: str) -> list[Pair]:
    if len(pairs) <= most:
        return pairs
    chosen = sorted(random.Random(seed).sample(range(len(pairs)), most))  # noqa: S311
    return [pairs[position] for position in chosen]


def _section_pairs(documents: Iterable[str], pairs: list[Pair]) -> Iterator[Pair]:
    """A section's heading and first paragraph with the one definition of the package that it names."""
    by_name: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_name.setdefault(pair.name, []).append(pair)
    for document in documents:
        for heading, paragraph in _sections(document):
            if _VERSION.search(heading):
                continue
            named = [one or other for one, other in _CODE_NAME.findall(f"{heading} {paragraph}")]
            found = {
                name: by_name[name] for name in (re.split(r"[.:#]", each)[-1] for each in named) if name in by_name
            }
            unique = [candidates[0] for name, candidates in found.items() if len(candidates) == 1 and len(name) > 3]
            if len(unique) != 1:
                continue
            query = question(f"{heading}. {paragraph}" if paragraph else heading)
            if query:
                yield replace(unique[0], query=query, source="section")


def _sections(document: str) -> Iterator[tuple[str, str]]:
    document = re.sub(r"(?ms)^(```|~~~).*?^\1[^\n]*$", "", document)
    for part in re.split(r"(?m)^#{1,5}[ \t]+", document)[1:]:
        heading, _, rest = part.partition("\n")
        paragraphs = [each for each in re.split(r"\n\s*\n", rest) if each.strip()]
        first = paragraphs[0] if paragraphs and not paragraphs[0].lstrip().startswith(("|", "<", "!", "[", "-")) else ""
        yield _plain(heading), _plain(first)


def _plain(text: str) -> str:
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"</?\w[^>]*>|[*]{1,3}", " ", text).split()).rstrip(" #.")


def jobs(downloads: Path, output: Path, repositories: Path | None) -> Iterator[Job]:
    """What is still to extract."""
    manifest = read_manifest()
    for source in (*sources(), *excluded(downloads, repositories)):
        entry = manifest.get(source.key)
        target = output / source.split / f"{source.key}.jsonl"
        if target.exists() or (source.split != "excluded" and (entry is None or not entry.licence)):
            continue
        files: tuple[Path, ...] = ()
        if source.registry == "git":
            directory = repository(source, downloads, repositories)
            files = (directory,) if directory is not None else ()
        elif entry is not None:
            files = tuple(downloads / source.key / name for name in sorted(entry.sha256))
        if files:
            yield Job(source, files, target, sum(entry.files.values()) if entry is not None else 0)


def excluded(downloads: Path, repositories: Path | None) -> Iterator[Source]:
    """The repositories that answers are measured on, where they can be had."""
    listed = tomllib.loads((HERE / "sources.toml").read_text(encoding="utf-8"))
    names = listed.get("excluded", {}).get("repositories", [])
    for name in names:
        directory = repository(Source("git", name, "HEAD"), downloads, repositories)
        if directory is not None:
            commit = git(directory, "rev-parse", "HEAD").decode().strip()
            yield Source("git", name, commit, split="excluded")


def _chosen(job: Job, only: list[str] | None) -> bool:
    return not only or job.source.key in only


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--downloads", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--repositories", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", nargs="*", help="keys such as npm+lodash")
    options = parser.parse_args()
    raw = options.output / "raw"
    for split in ("train", "heldout", "excluded"):
        (raw / split).mkdir(parents=True, exist_ok=True)
    todo = [job for job in jobs(options.downloads, raw, options.repositories) if _chosen(job, options.only)]
    # What decides what may be trained on comes first, then all in no order, so that half a run is a fair half.
    todo.sort(key=lambda job: (job.source.split == "train", zlib.crc32(job.source.key.encode())))
    with ProcessPoolExecutor(options.processes) as pool:
        running = {pool.submit(extract, job): job for job in todo}
        for done, future in enumerate(as_completed(running), 1):
            try:
                key, count = future.result()
            except Exception as problem:  # one bad archive must not stop the others
                print(f"{running[future].source.key}: {type(problem).__name__}: {problem}", file=sys.stderr)
                continue
            print(f"{done}/{len(todo)} {key} {count}", flush=True)


if __name__ == "__main__":
    main()
