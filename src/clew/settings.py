"""Settings: flags > environment (CLEW_*) > project file > user file > defaults.

Each field of `Settings` is declared once, with its help and its limits; validation, `clew settings`
and the reference page all read that declaration through `SETTINGS`. Every value knows its origin.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from clew.errors import DEBUG_VARIABLE, SettingsError
from clew.records import MAX_FILE_BYTES, MOST_ASKED

PREFIX = "CLEW_"
# Read elsewhere (find_root, the command line) and so no typing errors here.
OTHER_VARIABLES = frozenset({"CLEW_ROOT", DEBUG_VARIABLE})
# For tests, benchmarks and CI scripts, which pass their own switches through the environment.
OTHER_PREFIXES = ("CLEW_TEST_", "CLEW_BENCH_", "CLEW_CI_")

PROJECT_FILE = "clew.toml"
PYPROJECT = "pyproject.toml"
USER_FILE = "config.toml"
# Bytes. A settings file is a few hundred; the largest pyproject.toml in the wild are about 100 kB.
MAX_SETTINGS_FILE = 1_000_000

EMBEDDER_NAMES = ("default", "none")
ONNX_PREFIX = "onnx:"  # of an embedder; what follows is the name of a model, or a path
_MODELS = ("embedder", "rerank")  # settings whose value is an embedder
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the settings table. `zero` says what 0 means where it is outside the range."""

    name: str
    type: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    zero: str = ""

    @property
    def variable(self) -> str:
        return PREFIX + self.name.upper()

    @property
    def allowed(self) -> str:
        """The allowed values in words, e.g. `0 (one per core), or 1 to 256`."""
        if self.choices:
            return ", ".join(self.choices)
        if self.minimum is not None and self.maximum is not None:
            span = f"{self.minimum:,.10g} to {self.maximum:,.10g}"
            return f"0 ({self.zero}), or {span}" if self.zero else span
        words = {"bool": "true or false", "list": "a list; in the environment separated by commas"}
        return words.get(self.type, "any text")


def _option(
    default: Any,
    help: str,
    *,
    choices: tuple[str, ...] = (),
    minimum: float | None = None,
    maximum: float | None = None,
    zero: str = "",
) -> Any:
    limits = {"help": help, "choices": choices, "minimum": minimum, "maximum": maximum, "zero": zero}
    return field(default=default, metadata=limits)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user can choose. `SETTINGS` describes each field; `origins` says where its value came from.

    Raises SettingsError for a value of the wrong type or outside its range.
    """

    index_dir: str = _option("", "Folder outside the tree for indexes, one subfolder per root; empty: <root>/.clew.")
    exclude: tuple[str, ...] = _option((), "Patterns, as in .gitignore, of files to leave out of the index.")
    max_file_bytes: int = _option(
        MAX_FILE_BYTES,
        "Largest file that is indexed, in bytes.",
        minimum=1_000,
        maximum=5_000_000,  # a larger file is data; the tail of one is a single chunk, see parsing.chunks.MAX_CHUNKS
    )
    include_generated: bool = _option(False, "Index files that say they are generated.")
    embedder: str = _option(
        "default",
        "What turns text into vectors: default (the built-in model), none, the folder of a model, or a transformer:"
        " onnx:all-MiniLM-L6-v2, onnx:ORGANISATION/NAME, onnx:./FOLDER.",
    )
    embedder_threads: int = _option(0, "Threads of a transformer.", minimum=1, maximum=256, zero="one per core")
    rerank: str = _option("", "A second embedder that orders the first files of an answer again; empty: none.")
    rerank_seconds: float = _option(
        2.0, "The longest that this may add to a search, in seconds.", minimum=0.05, maximum=600
    )
    store: str = _option("local", "Where chunks are kept.", choices=("local",))
    auto_index: bool = _option(False, "Let a search build a missing index without asking, also off a terminal.")
    workers: int = _option(0, "Processes that parse files.", minimum=1, maximum=256, zero="one per core")
    parse_seconds: float = _option(5.0, "Time limit for parsing one file, in seconds.", minimum=0.1, maximum=600)
    chunk_tokens: int = _option(
        0, "Longest chunk, in tokens; a change rebuilds the index.", minimum=32, maximum=4096, zero="built-in"
    )
    limit: int = _option(10, "Files in an answer.", minimum=1, maximum=MOST_ASKED["limit"])
    places: int = _option(2, "Places shown per file.", minimum=1, maximum=MOST_ASKED["places"])
    refresh_seconds: float = _option(
        2.0,
        "A search first catches up with changed files if that is expected to take less than this, in seconds.",
        minimum=0,
        maximum=3600,
    )
    synonyms: bool = _option(True, "Let a question also find abbreviations and other forms of its words.")
    mask_secrets: bool = _option(True, "Hide key literals in the text of answers.")
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        origins = dict(self.origins)
        for setting in SETTINGS:
            value = getattr(self, setting.name)
            origin = origins.setdefault(setting.name, "default" if value == setting.default else "argument")
            object.__setattr__(self, setting.name, validated(setting, value, origin))
        object.__setattr__(self, "origins", origins)

    def values(self) -> dict[str, Any]:
        """Name to value, in the order of the table, without origins."""
        return {setting.name: getattr(self, setting.name) for setting in SETTINGS}


def _table() -> tuple[Setting, ...]:
    types = {"str": "str", "tuple[str, ...]": "list", "int": "int", "float": "float", "bool": "bool"}
    return tuple(
        Setting(f.name, types[str(f.type)], f.default, **f.metadata)
        for f in dataclasses.fields(Settings)
        if f.name != "origins"
    )


SETTINGS: tuple[Setting, ...] = _table()
BY_NAME: Mapping[str, Setting] = MappingProxyType({setting.name: setting for setting in SETTINGS})


def load_settings(
    root: Path | None,
    overrides: Mapping[str, Any] = MappingProxyType({}),
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Collect the settings for `root`; the strongest source of each value wins, lists are not merged.

    `overrides` are flags: a value is of the setting's own type, or text as in the environment.
    Raises SettingsError naming the setting, the value, where it came from and what is allowed.
    Reads at most three small files; without a settings file no TOML parser is loaded.
    """
    env = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}

    def layer(found: Mapping[str, Any], origin: str, base: Path | None, trusted: bool = True) -> None:
        for name, value in found.items():
            setting = known(name, origin)
            if not trusted:
                _refuse_from_project(setting, value, origin, root)
            values[name] = _absolute(setting, validated(setting, value, origin), base)
            origins[name] = origin

    user = user_file(env)
    layer(_read_table(user, f"user file {user}"), f"user file {user}", user.parent)
    if root is not None:
        layer(_pyproject_table(root), f"project {PYPROJECT}", root, trusted=False)
        layer(_project_table(root), f"project {PROJECT_FILE}", root, trusted=False)
    for name, text in _environment(env).items():
        origin = f"environment {BY_NAME[name].variable}"
        layer({name: parsed(BY_NAME[name], text, origin)}, origin, None)
    for name, value in overrides.items():
        setting = known(name, "flag")
        layer({name: parsed(setting, value, "flag") if isinstance(value, str) else value}, "flag", None)
    return Settings(**values, origins=origins)


def user_file(environ: Mapping[str, str]) -> Path:
    """The user's settings file, whether it exists or not.

    Spelled out rather than by `platformdirs`, whose import takes as long as all of `clew --help`.
    """
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    if sys.platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming") / "clew" / USER_FILE
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "clew" / USER_FILE
    configured = Path(environ.get("XDG_CONFIG_HOME", ""))
    # The XDG specification says that a relative path must be ignored.
    folder = configured if configured.is_absolute() else home / ".config"
    return folder / "clew" / USER_FILE


def known(name: str, origin: str) -> Setting:
    """The setting of this name, or a SettingsError with the nearest one."""
    if name in BY_NAME:
        return BY_NAME[name]
    raise SettingsError(f"unknown setting '{name}' ({origin})", hint=_nearest(name, BY_NAME))


def parsed(setting: Setting, text: str, origin: str) -> Any:
    """A value from text, as flags and the environment give it."""
    text = text.strip()
    if setting.type == "str":
        return text
    if setting.type == "list":
        return tuple(part.strip() for part in text.replace("\n", ",").split(",") if part.strip())
    if setting.type == "bool":
        if text.lower() not in _TRUE | _FALSE:
            raise _bad(setting, text, origin)
        return text.lower() in _TRUE
    try:
        return int(text) if setting.type == "int" else float(text)
    except ValueError:
        raise _bad(setting, text, origin) from None


def validated(setting: Setting, value: Any, origin: str) -> Any:
    """The value in the setting's own type and range, or a SettingsError."""
    if setting.type == "list":
        if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
            raise _bad(setting, value, origin)
        return tuple(value)
    if setting.type in ("str", "bool"):
        fits = isinstance(value, str if setting.type == "str" else bool)
        if not fits or "\0" in str(value) or (setting.choices and value not in setting.choices):
            raise _bad(setting, value, origin)
        return value
    numbers = int if setting.type == "int" else (int, float)
    if isinstance(value, bool) or not isinstance(value, numbers) or not _in_range(setting, value):
        raise _bad(setting, value, origin)
    return int(value) if setting.type == "int" else float(value)


def _in_range(setting: Setting, value: float) -> bool:
    if setting.zero and value == 0:
        return True
    low, high = setting.minimum, setting.maximum
    return (low is None or value >= low) and (high is None or value <= high)


def _bad(setting: Setting, value: object, origin: str) -> SettingsError:
    shown = repr(value)
    shown = shown if len(shown) <= 80 else shown[:77] + "..."
    return SettingsError(f"{setting.name} = {shown} ({origin}) is not allowed", hint=f"allowed: {setting.allowed}")


def _nearest(name: str, names: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f"did you mean '{near[0]}'?" if near else "`clew settings` lists all of them"


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Setting name to text. An empty variable counts as not set, as the shell idiom `NAME= command` means."""
    found: dict[str, str] = {}
    for variable, text in sorted(environ.items()):
        if not variable.startswith(PREFIX) or variable in OTHER_VARIABLES or variable.startswith(OTHER_PREFIXES):
            continue
        name = variable.removeprefix(PREFIX).lower()
        if name not in BY_NAME or variable != BY_NAME[name].variable:
            variables = [setting.variable for setting in SETTINGS] + sorted(OTHER_VARIABLES)
            raise SettingsError(f"unknown environment variable {variable}", hint=_nearest(variable, variables))
        if text.strip():
            found[name] = text
    return found


def _project_table(root: Path) -> Mapping[str, Any]:
    path = root / PROJECT_FILE
    if os.path.lexists(path) and not _inside(path, root):
        raise SettingsError(f"{PROJECT_FILE} is a link that leads outside the repository", hint="replace it by a file")
    return _read_table(path, f"project {PROJECT_FILE}")


def _pyproject_table(root: Path) -> Mapping[str, Any]:
    """`[tool.clew]`. The file belongs to others: where it is broken or odd, it only matters if it speaks of clew."""
    path = root / PYPROJECT
    if not _inside(path, root):
        return {}
    data = _read_bytes(path, f"project {PYPROJECT}")
    if b"clew" not in data:  # also spares the TOML parser in almost every repository
        return {}
    try:
        tool = _toml(data, f"project {PYPROJECT}").get("tool", {})
    except SettingsError:
        if b"tool.clew" in data:
            raise
        return {}
    table = tool.get("clew", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise SettingsError(f"tool.clew in {PYPROJECT} is not a table", hint="write [tool.clew] and one setting a line")
    return table


def _read_table(path: Path, origin: str) -> Mapping[str, Any]:
    data = _read_bytes(path, origin)
    return _toml(data, origin) if data.strip() else {}


def _read_bytes(path: Path, origin: str) -> bytes:
    """The file's bytes, empty when there is none. Never waits on a pipe or a device."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            data = file.read(MAX_SETTINGS_FILE + 1)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise SettingsError(f"cannot read the {origin}: {error.strerror}", hint="check its permissions") from None
    if len(data) > MAX_SETTINGS_FILE:
        if path.name == PYPROJECT:
            return b""
        raise SettingsError(f"the {origin} is larger than {MAX_SETTINGS_FILE:,} bytes", hint="shorten it")
    return data


def _toml(data: bytes, origin: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # bad UTF-8, bad TOML, tables nested a thousand deep
        reason = str(error) if isinstance(error, tomllib.TOMLDecodeError) else type(error).__name__
        raise SettingsError(f"the {origin} is not valid TOML: {reason}", hint="correct the file") from None


def _inside(path: Path, root: Path) -> bool:
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a loop of links
        return False


def _refuse_from_project(setting: Setting, value: object, origin: str, root: Path | None) -> None:
    """A repository that somebody else wrote must not choose where clew writes or reads outside of it."""
    if setting.name == "index_dir":
        raise SettingsError(
            f"index_dir cannot be set by a repository ({origin}): it would decide where clew writes on this machine",
            hint="set CLEW_INDEX_DIR or put it into your user file",
        )
    if setting.name not in _MODELS or not isinstance(value, str) or _names_model(value) or root is None:
        return
    # A network is a program for a native library, so none that came with a repository is run.
    foreign = Path(value).is_absolute() or value.startswith(("~", ONNX_PREFIX)) or "\\" in value
    if not foreign and "\0" not in value and _inside(root / value, root):
        return
    raise SettingsError(
        f"{setting.name} = {value!r} ({origin}) leads outside the repository or to an ONNX file",
        hint="a repository may name default, none, onnx:NAME, or a folder inside itself;"
        f" set {setting.variable} for any other",
    )


def is_model_path(text: str) -> bool:
    """Whether what follows `onnx:` is a path and not the name of a model: it begins with `/`, `.`, `~` or a drive."""
    return text.startswith(("/", ".", "~")) or "\\" in text or ":" in text


def _names_model(value: str) -> bool:
    """Whether this is no path but a name, or empty."""
    if value.startswith(ONNX_PREFIX):
        return not is_model_path(value[len(ONNX_PREFIX) :])
    return value in ("", *EMBEDDER_NAMES)


def _absolute(setting: Setting, value: Any, base: Path | None) -> Any:
    """Paths mean the folder of the file they stand in, or the working directory for flags and the environment."""
    if setting.name not in ("index_dir", *_MODELS) or not value:
        return value
    if setting.name in _MODELS and _names_model(value):
        return value
    if setting.name in _MODELS and value.startswith(ONNX_PREFIX):
        return ONNX_PREFIX + os.path.abspath(os.path.join(base or "", os.path.expanduser(value[len(ONNX_PREFIX) :])))  # noqa: PTH100, PTH111
    # os.path, because it never raises: not for a missing home, not for a loop of links.
    return os.path.abspath(os.path.join(base or "", os.path.expanduser(value)))  # noqa: PTH100, PTH111
