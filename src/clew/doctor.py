"""Checks every link of the chain, from Python to the index. Reads only: creates, repairs and downloads nothing."""

from __future__ import annotations

import importlib
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from clew.errors import ClewError, RootError
from clew.records import Check
from clew.settings import OTHER_VARIABLES, SETTINGS, Settings, load_settings

PYTHON_MINIMUM = (3, 11)
SQLITE_MINIMUM = (3, 35)  # March 2021: RETURNING and reliable WAL recovery
GIT_SECONDS = 10.0
# Import name and what `pip install` calls it.
PACKAGES = (
    ("numpy", "numpy"),
    ("tree_sitter", "tree-sitter"),
    ("Stemmer", "PyStemmer"),
    ("msgpack", "msgpack"),
    ("filelock", "filelock"),
)


def diagnose(
    root: Path | str | None = None, *, force: bool = False, environ: Mapping[str, str] | None = None
) -> list[Check]:
    """Every check, in the order of the chain: a broken early link explains the later ones.

    Never raises; costs a second or two, most of it for loading all grammars.
    """
    env = os.environ if environ is None else environ
    checks = [
        *_guarded("python", _python),
        *_guarded("clew", _version),
        *_guarded("packages", _packages),
        *_guarded("sqlite", _sqlite),
        *_guarded("git", _git),
        *_guarded("grammars", _grammars),
    ]
    root_checks = _guarded("root", lambda: _root(root, force))
    found = Path(root_checks[0].detail) if root_checks[0].state == "ok" else None
    settings_checks = _guarded("settings", lambda: _settings(found, env))
    checks += [*root_checks, *settings_checks]
    if any(check.state == "broken" for check in settings_checks):
        return checks
    settings = load_settings(found, environ=env)
    checks += _guarded("model", lambda: _model(settings, found))
    if found is not None:
        checks += _guarded("lock", lambda: _lock(found, settings))
        checks += _guarded("index", lambda: _index(found, settings, force))
    return checks


def find_root_or_none(root: Path | str | None, *, force: bool = False) -> Path | None:
    """The root, or None where there is none and none was named. Raises RootError for a named one that cannot serve."""
    from clew.workspace import find_root

    try:
        return find_root(explicit=None if root is None else Path(root), force=force)[0]
    except RootError:
        if root is not None or os.environ.get("CLEW_ROOT"):
            raise
        return None


def _guarded(name: str, check: Callable[[], Sequence[Check]]) -> Sequence[Check]:
    """The checks, or one that says why they could not be made: the doctor itself must not fall ill."""
    try:
        return check()
    except ClewError as error:
        return [Check(name, "broken", error.message, error.hint)]
    except Exception as error:  # whatever is wrong is what the doctor is there to say
        text = " ".join(str(error).split())[:300]
        return [Check(name, "broken", f"could not be checked: {type(error).__name__}: {text}", "please report it")]


def _python() -> list[Check]:
    detail = f"{platform.python_implementation()} {platform.python_version()} at {sys.executable}"
    if sys.version_info[:2] < PYTHON_MINIMUM:
        return [Check("python", "broken", detail, f"install Python {_dotted(PYTHON_MINIMUM)} or newer")]
    return [Check("python", "ok", detail)]


def _version() -> list[Check]:
    from clew import __version__

    return [Check("clew", "ok", f"{__version__} at {Path(__file__).parent}")]


def _packages() -> list[Check]:
    broken = []
    versions = []
    for module, package in PACKAGES:
        try:
            versions.append(f"{package} {_package_version(importlib.import_module(module), package)}")
        except Exception as error:  # a half-installed extension module raises more than ImportError
            broken.append(
                Check("packages", "broken", f"{package}: {error}", f"pip install --force-reinstall {package}")
            )
    return broken or [Check("packages", "ok", ", ".join(versions))]


def _package_version(module: object, package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:  # put on the path by hand
        return str(getattr(module, "__version__", "of unknown version"))


def _sqlite() -> list[Check]:
    if sqlite3.sqlite_version_info[:2] >= SQLITE_MINIMUM:
        return [Check("sqlite", "ok", sqlite3.sqlite_version)]
    detail = f"{sqlite3.sqlite_version} is older than {_dotted(SQLITE_MINIMUM)}"
    return [Check("sqlite", "broken", detail, "use a Python that comes with a newer SQLite")]


def _git() -> list[Check]:
    git = shutil.which("git")
    if git is None:
        detail = "not found: ignore files are still followed, submodules and git's own excludes are not"
        return [Check("git", "advisory", detail, "install git")]
    try:
        done = subprocess.run(
            [git, "--version"],
            check=False,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=GIT_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return [Check("git", "advisory", f"{git} does not run: {error}", "install git anew")]
    if done.returncode != 0:
        return [Check("git", "advisory", f"{git} fails: {done.stderr.strip()[:200]}", "install git anew")]
    return [Check("git", "ok", f"{done.stdout.strip()} at {git}")]


def _grammars() -> list[Check]:
    """Missing grammars cost symbols, not files, so they are advice; all of them are one line and one command."""
    from clew.languages import registry

    packs = registry.packs()
    missing, unfit = [], []
    for pack in packs:
        if (error := registry.check(pack)) is None:
            continue
        if registry.parser_for(pack.name) is None:
            missing.append(pack)
        else:
            unfit.append(Check("grammars", "advisory", error.partition(": pip")[0], _install([pack.requirement])))
    loaded = sum(1 for pack in packs if pack.grammar) - len(missing) - len(unfit)
    checks = [Check("grammars", "ok", f"{loaded} languages with a grammar and fitting queries")]
    if missing:
        names = ", ".join(pack.name for pack in missing)
        detail = f"no grammar for {names}: their files are searched as text, without symbols"
        checks.append(Check("grammars", "advisory", detail, _install([pack.requirement for pack in missing])))
    return [*checks, *unfit]


def _install(requirements: Sequence[str]) -> str:
    return "pip install " + " ".join(f"'{requirement}'" for requirement in dict.fromkeys(requirements))


def _root(root: Path | str | None, force: bool) -> list[Check]:
    found = find_root_or_none(root, force=force)
    if found is None:
        return [Check("root", "advisory", "the home directory or above it: no index to check", "name one with --root")]
    return [Check("root", "ok", str(found))]


def _settings(root: Path | None, environ: Mapping[str, str]) -> list[Check]:
    """What differs from the defaults. The environment leaves no trace in a repository, so it is worth advice."""
    settings = load_settings(root, environ=environ)
    checks = []
    for setting in SETTINGS:
        origin = settings.origins[setting.name]
        detail = f"{setting.name} = {getattr(settings, setting.name)!r} ({origin})"
        if origin.startswith("environment"):
            checks.append(Check("settings", "advisory", detail, f"unset {setting.variable} if that is not intended"))
        elif origin != "default":
            checks.append(Check("settings", "ok", detail))
    for variable in sorted(OTHER_VARIABLES):
        if environ.get(variable):
            fix = f"unset {variable} if that is not intended"
            checks.append(Check("settings", "advisory", f"{variable} = {environ[variable]!r} (environment)", fix))
    return checks or [Check("settings", "ok", "all as built in")]


def _model(settings: Settings, root: Path | None) -> list[Check]:
    if settings.embedder == "none":
        return [Check("model", "ok", "none, as set: search is by words and symbols")]
    from clew.embedding import load_embedder

    embedder = load_embedder(settings.embedder, root=root)
    if embedder is None:
        detail = "no built-in model in this installation: search is by words and symbols"
        return [Check("model", "advisory", detail, "set `embedder` to the folder of a model, or to none")]
    return [Check("model", "ok", f"{embedder.identity}, {embedder.dimension} dimensions")]


def _lock(root: Path, settings: Settings) -> list[Check]:
    from clew.index.layout import index_directory
    from clew.index.lock import holder, is_locked

    directory = index_directory(root, settings.index_dir)
    if not is_locked(directory):
        return [Check("lock", "ok", "nobody is writing the index")]
    pid = holder(directory)
    who = f"process {pid}" if pid else "another process"
    return [Check("lock", "advisory", f"{who} is writing the index", "wait until it is done; searches work meanwhile")]


def _index(root: Path, settings: Settings, force: bool) -> Sequence[Check]:
    from clew.engine import Engine

    with Engine.open(root, settings, force=force) as engine:
        return engine.index_health()


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
