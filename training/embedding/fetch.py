"""Download the packages of `sources.toml` with the registries' own clients and record what came.

    python fetch.py --downloads DIR [--registry npm] [--repositories DIR]

Run it again to go on where it stopped: what is there and fits the manifest is left alone. An archive whose hash
differs from the manifest's is refused. Debian needs `deb-src` in the package sources. Git repositories are read
from `--repositories` (bare directories named owner+name) where they lie there, else cloned.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from email.parser import HeaderParser
from pathlib import Path

from archives import git, git_members, members
from catalogue import REGISTRIES, Fetched, Source, read_manifest, sha256, sources, write_manifest
from licences import of_debian, of_prose, permissive

from clew.languages import language_of

_BATCH = {"pypi": 15, "npm": 15, "debian": 40, "git": 1}  # packages a client call: each call reads its lists anew
_CLIENT_SECONDS = 1800
# Wheels only: building an sdist's metadata would run its code. One interpreter and platform for all, so that the
# manifest's hashes hold on every machine.
_PIP = (
    "-m pip download --quiet --no-deps --only-binary :all: --implementation cp --python-version 3.11 --abi cp311"
    " --abi abi3 --abi none --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64"
    " --platform manylinux1_x86_64"
).split()
_LICENCE_FILE = re.compile(r"(?:^|/)(?:mit-)?(?:licen[cs]e|copying|unlicense)[^/]*$", re.I)
Files = dict[str, list[Path]]  # downloaded files by package name


def _run(command: list[str], directory: Path) -> str:
    done = subprocess.run(command, cwd=directory, capture_output=True, timeout=_CLIENT_SECONDS, check=False)
    if done.returncode:
        print(done.stderr.decode("utf-8", "replace").strip()[-300:], file=sys.stderr)
    return done.stdout.decode("utf-8", "replace")


def _pypi(batch: list[Source], directory: Path) -> Files:
    _run([sys.executable, *_PIP, *(f"{each.name}=={each.version}" for each in batch)], directory)
    found: Files = {}
    for wheel in directory.glob("*.whl"):
        for each in batch:
            if _canonical(wheel.name.split("-")[0]) == _canonical(each.name):
                found[each.name] = [wheel]
    return found


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _npm(batch: list[Source], directory: Path) -> Files:
    specs = [f"{each.name}@{each.version}" for each in batch]
    reported = _run(["npm", "pack", "--json", "--silent", "--ignore-scripts", *specs], directory)
    try:
        packed = json.loads(reported or "[]")
    except ValueError:
        return {}
    entries = packed.values() if isinstance(packed, dict) else packed
    return {each["name"]: [directory / each["filename"]] for each in entries}


def _debian(batch: list[Source], directory: Path) -> Files:
    specs = [f"{each.name}={each.version}" for each in batch]
    _run(["apt-get", "source", "--download-only", "--only-source", "-qq", *specs], directory)
    found: Files = {}
    for description in directory.glob("*.dsc"):
        text = description.read_text(encoding="utf-8", errors="replace")
        name = re.search(r"^Source: (\S+)", text, re.M)
        sums = re.search(r"^Checksums-Sha256:\n((?: .*\n)+)", text, re.M)
        if name and sums:
            files = [directory / line.split()[2] for line in sums[1].splitlines() if not line.endswith(".asc")]
            found[name[1]] = [path for path in files if path.is_file()]
    return found


_CLIENTS: dict[str, Callable[[list[Source], Path], Files]] = {"pypi": _pypi, "npm": _npm, "debian": _debian}


def _is_code(path: str) -> bool:
    return language_of(path) not in ("", "text", "json", "yaml", "xml", "toml", "markdown", "html", "css")


def _describe(source: Source, files: list[Path]) -> Fetched:
    """Licence and file counts, from what the archives say themselves."""
    notices: dict[str, str] = {}
    languages: Counter[str] = Counter()

    def wanted(path: str) -> bool:
        if _is_code(path):
            languages[language_of(path)] += 1
        shallow = path.count("/") <= 2 and (bool(_LICENCE_FILE.search(path)) or path.endswith("dist-info/METADATA"))
        return shallow or path in ("package.json", "debian/copyright")

    for path, content in members(files, wanted):
        notices[path] = content.decode("utf-8", "replace")
    return Fetched(
        registry=source.registry,
        name=source.name,
        version=source.version,
        licence=_licence(source.registry, notices) or source.licence,
        sha256={path.name: sha256(path) for path in files},
        bytes=sum(path.stat().st_size for path in files),
        files=dict(languages.most_common()),
    )


def _licence(registry: str, notices: dict[str, str]) -> str:
    if registry == "debian" and "debian/copyright" in notices:
        return of_debian(notices["debian/copyright"])[0]
    stated = ""
    if registry == "npm" and "package.json" in notices:
        written = json.loads(notices["package.json"]).get("license", "")
        stated = written if isinstance(written, str) else str(written.get("type", ""))
    for path, text in notices.items():
        if path.endswith("/METADATA"):
            head = HeaderParser().parsestr(text)
            stated = head.get("License-Expression", "") or head.get("License", "")
            classifiers = [each for each in head.get_all("Classifier", []) if each.startswith("License ::")]
            if not permissive(stated):
                stated = of_prose(" ".join(classifiers)) or of_prose(stated)
    shallow = sorted((path for path in notices if _LICENCE_FILE.search(path)), key=lambda path: path.count("/"))
    return permissive(stated) or (of_prose(notices[shallow[0]]) if shallow and not stated else "")


def _repository(source: Source, downloads: Path, repositories: Path | None) -> Fetched | None:
    directory = repository(source, downloads, repositories)
    if directory is None:
        directory = downloads / source.key
        _run(["git", "clone", "--quiet", "--bare", f"https://github.com/{source.name}.git", str(directory)], downloads)
    try:
        tree = git(directory, "rev-parse", f"{source.version}^{{tree}}").decode().strip()
    except (subprocess.CalledProcessError, FileNotFoundError):
        return None
    stated = git_members(
        directory, source.version, lambda path: path.count("/") <= 1 and bool(_LICENCE_FILE.search(path))
    )
    notices = {path: text.decode("utf-8", "replace") for path, text in stated}
    shallow = [text for path, text in notices.items() if "/" not in path] or list(notices.values())
    listed = git(directory, "ls-tree", "-r", "--name-only", source.version).decode("utf-8", "replace").split("\n")
    languages = Counter(language_of(path) for path in listed if _is_code(path))
    found = [of_prose(text) for text in shallow]
    licence = " AND ".join(dict.fromkeys(filter(None, found))) or source.licence
    return Fetched("git", source.name, source.version, licence, {"tree": tree}, 0, dict(languages.most_common()))


def repository(source: Source, downloads: Path, repositories: Path | None) -> Path | None:
    """The bare directory of a git source, in the folder of repositories or among the downloads."""
    places = [downloads / source.key]
    if repositories is not None:
        folder = repositories / source.name.replace("/", "+")
        places += [folder / "repo" / ".git", folder / "repo", folder]
    return next((place for place in places if (place / "HEAD").is_file()), None)


def _keep(source: Source, files: list[Path], downloads: Path, known: Fetched | None) -> Fetched | None:
    if not files:
        print(f"{source.key} {source.version}: not served", file=sys.stderr)
        return None
    entry = _describe(source, files)
    if known is not None and known.version == source.version and known.sha256 != entry.sha256:
        print(f"{source.key}: not what the manifest has, refused", file=sys.stderr)
        return None
    folder = downloads / source.key
    folder.mkdir(exist_ok=True)
    for path in files:
        shutil.move(path, folder / path.name)
    return entry


def _present(source: Source, downloads: Path, known: Fetched | None) -> bool:
    if known is None or known.version != source.version:
        return False
    return all((downloads / source.key / name).is_file() for name in known.sha256)


def fetch(wanted: list[Source], downloads: Path, repositories: Path | None) -> None:
    """Download what is missing, a batch at a time; the manifest is written after each."""
    manifest = read_manifest()
    for registry in REGISTRIES:
        todo = [s for s in wanted if s.registry == registry and not _present(s, downloads, manifest.get(s.key))]
        size = _BATCH[registry]
        for start in range(0, len(todo), size):
            entries = _batch(todo[start : start + size], downloads, repositories, manifest)
            manifest = read_manifest() | {entry.key: entry for entry in entries}
            write_manifest(manifest)
            print(f"{registry}: {min(start + size, len(todo))}/{len(todo)}", flush=True)


def _batch(
    batch: list[Source], downloads: Path, repositories: Path | None, manifest: dict[str, Fetched]
) -> list[Fetched]:
    if batch[0].registry == "git":
        entries = [_repository(each, downloads, repositories) for each in batch]
        return [entry for entry in entries if entry is not None]
    client = _CLIENTS[batch[0].registry]
    kept = [_describe(each, files) for each in batch if (files := _downloaded(each, downloads))]
    batch = [each for each in batch if not _downloaded(each, downloads)]
    if not batch:
        return kept
    with tempfile.TemporaryDirectory(dir=downloads) as folder:
        found = client(batch, Path(folder))
        # One name that is not served fails the whole call of some clients: the rest is asked for one by one.
        for each in batch if len(batch) > 1 else []:
            if each.name not in found:
                found |= client([each], Path(folder))
        for each in batch:
            entry = _keep(each, found.get(each.name, []), downloads, manifest.get(each.key))
            kept += [entry] if entry is not None else []
    return kept


def _downloaded(source: Source, downloads: Path) -> list[Path]:
    """The archives of this very version from an earlier run that ended before its manifest was written."""
    names = [path for path in (downloads / source.key).glob("*") if path.is_file()]
    plain = source.version.partition(":")[2] or source.version
    return sorted(names) if any(plain.split("-")[0] in path.name for path in names) else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--downloads", type=Path, required=True)
    parser.add_argument("--registry", choices=REGISTRIES, action="append", help="only these; repeatable")
    parser.add_argument("--repositories", type=Path, help="bare git directories named owner+name")
    options = parser.parse_args()
    options.downloads.mkdir(parents=True, exist_ok=True)
    wanted = [each for each in sources() if each.registry in (options.registry or REGISTRIES)]
    fetch(wanted, options.downloads.resolve(), options.repositories)


if __name__ == "__main__":
    main()
