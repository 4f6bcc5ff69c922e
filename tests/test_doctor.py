from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clew.doctor import diagnose
from clew.engine import Engine
from clew.index.lock import writer_lock
from clew.records import Check
from clew.settings import Settings


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, and a home without settings."""
    for name in [name for name in os.environ if name.startswith("CLEW_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    made = tmp_path / "repo"
    made.mkdir()
    (made / "home").mkdir()
    subprocess.run(["git", "init", "-q", str(made)], check=True)
    (made / "cart.py").write_text("def total():\n    return 1\n", encoding="utf-8")
    return made


def named(checks: list[Check], name: str) -> list[Check]:
    return [check for check in checks if check.name == name]


def states(checks: list[Check], name: str) -> list[str]:
    return [check.state for check in named(checks, name)]


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Every path below; of files also size and modification time."""
    return {str(path): _stamp(path) for path in sorted(folder.rglob("*"))}


def _stamp(path: Path) -> tuple[int, int]:
    # SQLite puts a -shm file beside a database while it reads, so a folder's own time may move.
    return (0, 0) if path.is_dir() else (path.stat().st_size, path.stat().st_mtime_ns)


def test_a_healthy_installation_has_nothing_broken(root: Path) -> None:
    checks = diagnose(root)
    assert [check for check in checks if check.state == "broken"] == []
    names = [check.name for check in checks]
    assert names[:6] == ["python", "clew", "packages", "sqlite", "git", "grammars"]
    assert {"root", "settings", "model", "index"} <= set(names)


def test_every_check_that_is_not_ok_says_what_to_do(root: Path) -> None:
    for check in diagnose(root):
        assert check.state in ("ok", "advisory", "broken")
        assert check.detail
        assert "\n" not in check.detail + check.fix
        assert check.state == "ok" or check.fix


def test_the_doctor_creates_and_changes_nothing(root: Path) -> None:
    before = tree(root.parent)
    diagnose(root)
    assert tree(root.parent) == before


def test_an_environment_variable_that_overrides_is_advice(root: Path) -> None:
    (check,) = named(diagnose(root, environ={"HOME": "/nowhere", "CLEW_LIMIT": "5"}), "settings")
    assert check.state == "advisory"
    assert check.detail == "limit = 5 (environment CLEW_LIMIT)"
    assert "CLEW_LIMIT" in check.fix


def test_a_value_of_a_project_file_is_shown_with_its_origin(root: Path) -> None:
    (root / "clew.toml").write_text("places = 3\n", encoding="utf-8")
    (check,) = named(diagnose(root), "settings")
    assert (check.state, check.detail) == ("ok", "places = 3 (project clew.toml)")


def test_a_bad_setting_is_broken_and_the_other_checks_still_run(root: Path) -> None:
    (root / "clew.toml").write_text("plces = 3\n", encoding="utf-8")
    checks = diagnose(root)
    (check,) = named(checks, "settings")
    assert check.state == "broken"
    assert check.fix == "did you mean 'places'?"
    assert states(checks, "python") == ["ok"]


def test_a_root_that_does_not_exist_is_broken(root: Path) -> None:
    checks = diagnose(root / "missing")
    assert states(checks, "root") == ["broken"]
    assert named(checks, "index") == []


def test_outside_of_a_repository_there_is_no_index_to_check(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    monkeypatch.chdir(outside)
    checks = diagnose()
    assert "broken" not in states(checks, "root")


def test_without_git_the_doctor_advises_to_install_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(root))
    (check,) = named(diagnose(root), "git")
    assert (check.state, check.fix) == ("advisory", "install git")


@pytest.mark.skipif(os.name == "nt", reason="a program by its mode bits")
def test_a_git_of_the_checkout_is_not_run_also_with_the_working_directory_on_the_path(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "git").write_text("#!/bin/sh\necho 'git version 0'; : > ran\n", encoding="utf-8")
    (root / "git").chmod(0o755)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", ".")
    (check,) = named(diagnose(root), "git")
    assert (check.state, check.fix) == ("advisory", "install git")
    assert not (root / "ran").exists()


def test_the_root_comes_from_the_given_environment(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_ROOT", str(root / "missing"))
    (check,) = named(diagnose(environ={"HOME": "/nowhere", "CLEW_ROOT": str(root)}), "root")
    assert (check.state, check.detail) == ("ok", str(root))
    (check,) = named(diagnose(environ={"HOME": "/nowhere", "CLEW_ROOT": str(root / "none")}), "root")
    assert check.state == "broken"


def test_what_cannot_be_a_root_is_a_broken_check_and_no_exception(root: Path) -> None:
    for odd in ("a\0b", "x" * 10_000, 3):
        assert states(diagnose(odd), "root") == ["broken"]  # type: ignore[arg-type]


def test_a_model_that_is_none_by_choice_is_no_fault(root: Path) -> None:
    (check,) = named(diagnose(root, environ={"HOME": "/nowhere", "CLEW_EMBEDDER": "none"}), "model")
    assert check.state == "ok"


def test_a_model_that_cannot_be_loaded_is_broken(root: Path) -> None:
    (check,) = named(diagnose(root, environ={"HOME": "/nowhere", "CLEW_EMBEDDER": str(root)}), "model")
    assert check.state == "broken"
    assert check.fix


def test_missing_grammars_are_advice_with_one_command_that_installs_them() -> None:
    code = (
        "import sys; sys.modules['tree_sitter_go'] = sys.modules['tree_sitter_rust'] = None;"  # as if not installed
        "from clew.doctor import diagnose;"
        "[print(check.state, check.detail, check.fix) for check in diagnose('/nowhere') if check.name == 'grammars']"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    (line,) = [line for line in done.stdout.splitlines() if "no grammar" in line]
    assert line.startswith("advisory no grammar for go, rust:")
    assert line.count("pip install") == 1
    assert "tree-sitter-go" in line and "tree-sitter-rust" in line
    assert "ok" in done.stdout


def test_a_grammar_that_does_not_fit_is_advice_of_its_own_and_not_counted_as_loaded() -> None:
    code = (
        "import sys; {}from clew.doctor import diagnose;"
        "[print(check.detail, check.fix) for check in diagnose('/nowhere') if check.name == 'grammars']"
    )
    whole, other = (
        subprocess.run(
            [sys.executable, "-c", code.format(swap)], capture_output=True, encoding="utf-8", check=True
        ).stdout.splitlines()
        for swap in ("", "import tree_sitter_css; sys.modules['tree_sitter_lua'] = tree_sitter_css; ")
    )
    (line,) = [line for line in other if "does not fit" in line]
    assert "for lua" in line and "pip install 'tree-sitter-lua" in line
    assert int(other[0].split()[0]) == int(whole[0].split()[0]) - 1


def test_a_process_that_writes_the_index_is_named(root: Path) -> None:
    with Engine.open(root) as engine:
        engine.index()
        with writer_lock(engine.index_path, 0):
            (check,) = named(diagnose(root), "lock")
    assert check.state == "advisory"
    assert str(os.getpid()) in check.detail


def test_the_doctor_leaves_an_index_as_it_is(root: Path) -> None:
    with Engine.open(root) as engine:
        engine.index()
    before = tree(root)
    assert states(diagnose(root), "index") == ["ok"]
    assert tree(root) == before


def test_an_index_made_with_other_settings_is_advice_that_names_the_field(root: Path) -> None:
    with Engine.open(root, Settings(include_generated=True)) as engine:
        engine.index()
    (check,) = named(diagnose(root), "fingerprint")
    assert check.state == "advisory"
    assert "include_generated" in check.detail
