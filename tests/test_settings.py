from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import SettingsError
from clew.settings import BY_NAME, SETTINGS, Settings, load_settings, parsed, user_file


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "repo"
    made.mkdir()
    return made


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment whose user file lies in the test's own folder."""
    return {"HOME": str(tmp_path / "home"), "APPDATA": str(tmp_path / "home")}


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def error_of(root: Path | None, environ: Mapping[str, str], **overrides: object) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        load_settings(root, overrides, environ)
    return caught.value


def test_without_any_source_every_value_is_the_default_and_says_so(root: Path, home: dict[str, str]) -> None:
    settings = load_settings(root, {}, home)
    assert settings == Settings()
    assert set(settings.origins.values()) == {"default"}


def test_every_field_has_a_row_with_help_and_allowed_values() -> None:
    assert [setting.name for setting in SETTINGS] == list(Settings().values())
    for setting in SETTINGS:
        assert setting.help.endswith(".")
        assert setting.allowed
        assert setting.variable == f"CLEW_{setting.name.upper()}"


def test_each_source_beats_the_weaker_ones(root: Path, home: dict[str, str]) -> None:
    seen = [load_settings(root, {}, home).limit]
    write(user_file(home), "limit = 11\n")
    seen.append(load_settings(root, {}, home).limit)
    write(root / "pyproject.toml", "[tool.clew]\nlimit = 12\n")
    seen.append(load_settings(root, {}, home).limit)
    write(root / "clew.toml", "limit = 13\n")
    seen.append(load_settings(root, {}, home).limit)
    home["CLEW_LIMIT"] = "14"
    seen.append(load_settings(root, {}, home).limit)
    seen.append(load_settings(root, {"limit": 15}, home).limit)
    assert seen == [10, 11, 12, 13, 14, 15]


def test_every_value_knows_where_it_came_from(root: Path, home: dict[str, str]) -> None:
    write(user_file(home), "limit = 11\n")
    write(root / "pyproject.toml", "[tool.clew]\nplaces = 3\n")
    write(root / "clew.toml", 'exclude = ["a/"]\n')
    home["CLEW_WORKERS"] = "2"
    origins = load_settings(root, {"store": "local"}, home).origins
    assert origins["limit"] == f"user file {user_file(home)}"
    assert origins["places"] == "project pyproject.toml"
    assert origins["exclude"] == "project clew.toml"
    assert origins["workers"] == "environment CLEW_WORKERS"
    assert origins["store"] == "flag"
    assert origins["embedder"] == "default"


def test_text_of_the_environment_becomes_the_type_of_the_setting(home: dict[str, str]) -> None:
    home |= {"CLEW_EXCLUDE": "a/, *.min.js\nb", "CLEW_AUTO_INDEX": "Yes", "CLEW_PARSE_SECONDS": "2.5"}
    home |= {"CLEW_MASK_SECRETS": "off", "CLEW_WORKERS": "0"}
    settings = load_settings(None, {}, home)
    assert settings.exclude == ("a/", "*.min.js", "b")
    assert settings.auto_index is True
    assert settings.mask_secrets is False
    assert settings.parse_seconds == 2.5
    assert settings.workers == 0


def test_an_empty_variable_counts_as_not_set(home: dict[str, str]) -> None:
    settings = load_settings(None, {}, home | {"CLEW_LIMIT": ""})
    assert settings.limit == 10
    assert settings.origins["limit"] == "default"


def test_variables_that_are_read_elsewhere_are_not_unknown(home: dict[str, str]) -> None:
    others = {"CLEW_ROOT": "/x", "CLEW_DEBUG": "1", "CLEW_BENCH_CACHE": "/y", "CLEWISH": "z"}
    assert load_settings(None, {}, home | others) == Settings()


def test_an_unknown_variable_is_an_error_with_the_nearest_name(home: dict[str, str]) -> None:
    error = error_of(None, home | {"CLEW_EXCLUDES": "a"})
    assert "CLEW_EXCLUDES" in error.message
    assert error.hint == "did you mean 'CLEW_EXCLUDE'?"
    assert error.exit_status == 2


def test_an_unknown_key_is_an_error_with_file_and_nearest_name(root: Path, home: dict[str, str]) -> None:
    write(root / "clew.toml", "max_file_byte = 5000\n")
    error = error_of(root, home)
    assert error.message == "unknown setting 'max_file_byte' (project clew.toml)"
    assert error.hint == "did you mean 'max_file_bytes'?"


@pytest.mark.parametrize(
    "line",
    [
        "limit = 0", "limit = 1001", "limit = true", 'limit = "10"', "limit = 2.5", "exclude = 'a'", "exclude = [1]",
        "store = 'cloud'", "auto_index = 1", "parse_seconds = nan", "parse_seconds = inf", "parse_seconds = 0",
        "chunk_tokens = 3", "workers = -1", "embedder = 3", 'embedder = "a\\u0000b"', "[limit]\nx = 1",
    ],
)  # fmt: skip
def test_a_bad_value_names_key_value_origin_and_what_is_allowed(root: Path, home: dict[str, str], line: str) -> None:
    write(root / "clew.toml", line + "\n")
    name = line.strip("[").split(" ")[0].split("]")[0]
    if name == "embedder":
        write(root / "clew.toml", "")
        write(user_file(home), line + "\n")
    error = error_of(root, home)
    assert error.message.startswith(f"{name} = ")
    assert "(project clew.toml)" in error.message or "(user file" in error.message
    assert error.hint == f"allowed: {BY_NAME[name].allowed}"
    assert "\n" not in error.message


@pytest.mark.parametrize("text", ["ten", "1e3", "", "0x10", "9" * 5000])
def test_a_number_that_is_none_is_refused_also_as_text(home: dict[str, str], text: str) -> None:
    error = error_of(None, home, limit=text)
    assert "limit = " in error.message
    assert len(error.message) < 200


def test_a_setting_may_be_zero_where_zero_has_a_meaning() -> None:
    assert Settings(chunk_tokens=0, workers=0, refresh_seconds=0).chunk_tokens == 0


def test_settings_made_by_hand_are_checked_and_know_it() -> None:
    assert Settings(limit=5).origins["limit"] == "argument"
    with pytest.raises(SettingsError):
        Settings(places=0)


def test_a_list_is_kept_as_a_tuple_so_that_settings_stay_hashable() -> None:
    settings = Settings(exclude=["a", "b"])  # type: ignore[arg-type]
    assert settings.exclude == ("a", "b")
    assert isinstance(hash(settings), int)


def test_settings_travel_to_worker_processes() -> None:
    settings = Settings(limit=7)
    copy = pickle.loads(pickle.dumps(settings))
    assert copy == settings
    assert copy.origins == settings.origins


def test_a_repository_cannot_choose_where_the_index_is_written(root: Path, home: dict[str, str]) -> None:
    write(root / "clew.toml", 'index_dir = "/tmp/elsewhere"\n')
    error = error_of(root, home)
    assert "cannot be set by a repository" in error.message
    assert "CLEW_INDEX_DIR" in error.hint
    write(root / "clew.toml", "")
    write(root / "pyproject.toml", '[tool.clew]\nindex_dir = "inside"\n')
    assert "pyproject.toml" in error_of(root, home).message


@pytest.mark.parametrize("value", ["/etc", "../model", "a/../../model", "~/model", "C:\\m"])
def test_a_repository_cannot_name_a_model_outside_itself(root: Path, home: dict[str, str], value: str) -> None:
    write(root / "clew.toml", f"embedder = '{value}'\n")
    assert "leads outside the repository" in error_of(root, home).message


def test_a_repository_cannot_reach_a_model_outside_through_a_link(root: Path, home: dict[str, str]) -> None:
    (root / "model").symlink_to(root.parent)
    write(root / "clew.toml", 'embedder = "model/secret"\n')
    assert "leads outside the repository" in error_of(root, home).message


def test_a_repository_may_name_a_model_inside_itself_or_none(root: Path, home: dict[str, str]) -> None:
    write(root / "clew.toml", 'embedder = "tools/model"\n')
    assert load_settings(root, {}, home).embedder == str(root / "tools" / "model")
    write(root / "clew.toml", 'embedder = "none"\n')
    assert load_settings(root, {}, home).embedder == "none"


@pytest.mark.parametrize("name", ["embedder", "rerank"])
@pytest.mark.parametrize("value", ["onnx:./model", "onnx:/etc/model", "onnx:~/model", "onnx:C:\\m", "onnx:../m.onnx"])
def test_a_repository_cannot_have_a_network_run(root: Path, home: dict[str, str], name: str, value: str) -> None:
    write(root / "clew.toml", f"{name} = '{value}'\n")
    assert "or to an ONNX file" in error_of(root, home).message


@pytest.mark.parametrize("value", ["onnx:all-MiniLM-L6-v2", "onnx:someone/model"])
def test_a_repository_may_name_a_transformer_of_the_machine(root: Path, home: dict[str, str], value: str) -> None:
    write(root / "clew.toml", f"embedder = '{value}'\nrerank = '{value}'\n")
    found = load_settings(root, {}, home)
    assert (found.embedder, found.rerank) == (value, value)


@pytest.mark.parametrize("name", ["embedder", "rerank"])
def test_the_path_of_a_transformer_means_the_folder_of_its_file(home: dict[str, str], name: str) -> None:
    file = user_file(home)
    file.parent.mkdir(parents=True)
    write(file, f"{name} = 'onnx:./model'\n")
    assert getattr(load_settings(None, {}, home), name) == f"onnx:{file.parent / 'model'}"


def test_a_path_in_the_user_file_is_relative_to_that_file(home: dict[str, str]) -> None:
    write(user_file(home), 'index_dir = "indexes"\n')
    assert load_settings(None, {}, home).index_dir == str(user_file(home).parent / "indexes")


def test_a_path_in_the_environment_is_relative_to_the_working_directory(home: dict[str, str]) -> None:
    assert load_settings(None, {}, home | {"CLEW_INDEX_DIR": "x"}).index_dir == os.path.abspath("x")


def test_broken_toml_is_one_line_that_names_the_file(root: Path, home: dict[str, str]) -> None:
    write(root / "clew.toml", "limit = = 3\n")
    error = error_of(root, home)
    assert error.message.startswith("the project clew.toml is not valid TOML")
    assert "\n" not in error.message


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"a = " + b"[" * 100_000, b"x" * 1_000_001])
def test_a_hostile_project_file_is_a_clear_error(root: Path, home: dict[str, str], data: bytes) -> None:
    (root / "clew.toml").write_bytes(data)
    error = error_of(root, home)
    assert "clew.toml" in error.message
    assert len(error.message) < 300


def test_a_byte_order_mark_is_accepted(root: Path, home: dict[str, str]) -> None:
    (root / "clew.toml").write_bytes(b"\xef\xbb\xbflimit = 4\n")
    assert load_settings(root, {}, home).limit == 4


def test_a_broken_pyproject_that_does_not_speak_of_clew_is_not_our_business(root: Path, home: dict[str, str]) -> None:
    write(root / "pyproject.toml", "<<<<<<< HEAD\nname = 'clewless'\n")
    assert load_settings(root, {}, home) == Settings()


def test_a_broken_pyproject_with_our_table_is_an_error(root: Path, home: dict[str, str]) -> None:
    write(root / "pyproject.toml", "<<<<<<< HEAD\n[tool.clew]\nlimit = 3\n")
    assert "pyproject.toml is not valid TOML" in error_of(root, home).message


def test_a_project_file_that_links_outside_is_refused_and_not_read(root: Path, home: dict[str, str]) -> None:
    write(root.parent / "secret.toml", "password = 1\n")
    (root / "clew.toml").symlink_to(root.parent / "secret.toml")
    error = error_of(root, home)
    assert "leads outside" in error.message
    assert "password" not in error.message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_or_a_folder_in_place_of_the_project_file_is_no_file(root: Path, home: dict[str, str]) -> None:
    os.mkfifo(root / "clew.toml")
    (root / "pyproject.toml").mkdir()
    assert load_settings(root, {}, home) == Settings()


def test_the_user_file_follows_the_xdg_variable_only_when_it_is_absolute(tmp_path: Path) -> None:
    if sys.platform in ("win32", "darwin"):
        pytest.skip("XDG is for Linux")
    home = {"HOME": str(tmp_path)}
    assert user_file(home) == tmp_path / ".config" / "clew" / "config.toml"
    assert user_file(home | {"XDG_CONFIG_HOME": "relative"}) == tmp_path / ".config" / "clew" / "config.toml"
    assert user_file(home | {"XDG_CONFIG_HOME": "/etc/xdg"}) == Path("/etc/xdg/clew/config.toml")


def test_without_settings_files_no_toml_parser_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from clew.settings import load_settings;"
        f"load_settings(pathlib.Path({str(tmp_path)!r}), environ={{'HOME': {str(tmp_path)!r}}});"
        "print([name for name in ('tomllib', 'difflib', 'platformdirs') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"


@given(st.sampled_from(SETTINGS), st.text(max_size=20))
def test_any_text_gives_a_value_that_is_allowed_or_a_settings_error(setting: object, text: str) -> None:
    name = setting.name  # type: ignore[attr-defined]
    try:
        settings = load_settings(None, {name: text}, {"HOME": "/nowhere"})
    except SettingsError as error:
        assert name in error.message
        return
    assert getattr(Settings(**{name: getattr(settings, name)}), name) == getattr(settings, name)


@given(st.integers(min_value=1, max_value=1000))
def test_a_number_reads_back_as_it_was_written(limit: int) -> None:
    assert parsed(BY_NAME["limit"], f" {limit} ", "flag") == limit
