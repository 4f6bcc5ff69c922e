"""Checks every link of the chain, from Python to the index. Reads only: creates, repairs and downloads nothing."""

from __future__ import annotations

import importlib
import os
import platform
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from clew.errors import ClewError
from clew.records import Check
from clew.settings import OTHER_VARIABLES, SETTINGS, Settings, load_settings
from clew.workspace import find_root_or_none, git_environment, git_executable

_T = TypeVar("_T")

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

    `environ` stands for the environment that clew's own variables are looked up in. Never raises; costs a
    second or two, most of it for loading all grammars.
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
    found = _attempt("root", lambda: find_root_or_none(_path(root), force=force, environ=env))
    checks += [found] if isinstance(found, Check) else _root(found)
    place = None if isinstance(found, Check) else found
    settings = _attempt("settings", lambda: load_settings(place, environ=env))
    if isinstance(settings, Check):
        return [*checks, settings]
    checks += _guarded("settings", lambda: _settings(settings, env))
    checks += _guarded("model", lambda: _model(settings, place))
    if place is not None:
        checks += _guarded("index", lambda: _index(place, settings, force))
    return checks


def _guarded(name: str, check: Callable[[], Sequence[Check]]) -> Sequence[Check]:
    made = _attempt(name, check)
    return [made] if isinstance(made, Check) else made


def _attempt(name: str, make: Callable[[], _T]) -> _T | Check:
    """What `make` gives, or the check that says why it could not: the doctor itself must not fall ill."""
    try:
        return make()
    except ClewError as error:
        return Check(name, "broken", error.message, error.hint)
    except Exception as error:  # whatever is wrong is what the doctor is there to say
        text = " ".join(str(error).split())[:300]
        return Check(name, "broken", f"could not be checked: {type(error).__name__}: {text}", "please report it")


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
    git = git_executable()
    if git is None:
        detail = "not found: ignore files are still followed, submodules and git's own excludes are not"
        return [Check("git", "advisory", detail, "install git")]
    try:
        done = subprocess.run(
            [git, "--version"],
            env=git_environment(),
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

    found = [(pack.name, registry.check(pack)) for pack in registry.packs()]
    loaded = sum(fitness.state == "ok" for _, fitness in found)
    checks = [Check("grammars", "ok", f"{loaded} languages with a grammar and fitting queries")]
    missing = [(name, fitness.requirement) for name, fitness in found if fitness.state == "missing"]
    if missing:
        names = ", ".join(name for name, _ in missing)
        detail = f"no grammar for {names}: their files are searched as text, without symbols"
        checks.append(Check("grammars", "advisory", detail, _install([requirement for _, requirement in missing])))
    unfit = [fitness for _, fitness in found if fitness.state == "unfit"]
    return [*checks, *(Check("grammars", "advisory", each.detail, _install([each.requirement])) for each in unfit)]


def _install(requirements: Sequence[str]) -> str:
    return "pip install " + " ".join(f"'{requirement}'" for requirement in dict.fromkeys(requirements))


def _path(root: Path | str | None) -> Path | None:
    return None if root is None else Path(root)


def _root(found: Path | None) -> list[Check]:
    if found is None:
        return [Check("root", "advisory", "the home directory or above it: no index to check", "name one with --root")]
    return [Check("root", "ok", str(found))]


def _settings(settings: Settings, environ: Mapping[str, str]) -> list[Check]:
    """What differs from the defaults. The environment leaves no trace in a repository, so it is worth advice."""
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


def _index(root: Path, settings: Settings, force: bool) -> Sequence[Check]:
    from clew.engine import Engine

    with Engine.open(root, settings, force=force) as engine:
        return engine.index_health()


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
