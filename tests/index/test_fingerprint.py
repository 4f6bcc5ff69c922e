from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.index.fingerprint import differences, fingerprint

SETTINGS: dict[str, Any] = {"embedder": "none", "store": "local", "chunk_bytes": 1600, "include_generated": False}


def test_the_same_settings_give_the_same_fingerprint() -> None:
    assert fingerprint(**SETTINGS) == fingerprint(**SETTINGS)
    assert differences(fingerprint(**SETTINGS), fingerprint(**SETTINGS)) == []


@pytest.mark.parametrize(
    ("setting", "value", "named"),
    [
        ("embedder", "static:1", "embedder: none -> static:1"),
        ("store", "milvus", "store: local -> milvus"),
        ("chunk_bytes", 800, "chunk_bytes: 1600 -> 800"),
        ("include_generated", True, "include_generated: false -> true"),
    ],
)
def test_a_changed_setting_is_named_with_both_values(setting: str, value: object, named: str) -> None:
    wanted = fingerprint(**{**SETTINGS, setting: value})
    assert differences(fingerprint(**SETTINGS), wanted) == [named]


def test_every_value_is_text_so_that_it_comes_back_from_json_as_it_went() -> None:
    assert all(isinstance(value, str) for value in fingerprint(**SETTINGS).values())


def test_a_field_that_an_older_index_does_not_have_is_unknown() -> None:
    stored = fingerprint(**SETTINGS)
    del stored["pipeline"]
    assert differences(stored, fingerprint(**SETTINGS)) == [
        f"pipeline: unknown -> {fingerprint(**SETTINGS)['pipeline']}"
    ]


def test_a_stored_value_of_another_type_differs() -> None:
    stored: dict[str, object] = {**fingerprint(**SETTINGS), "schema": 1}
    assert len(differences(stored, fingerprint(**SETTINGS))) == 1


@pytest.mark.parametrize("name", ["extra.toml", "go/pack.toml", "go/definitions.scm"])
def test_a_change_of_any_language_file_changes_the_fingerprint(tmp_path: Path, name: str) -> None:
    package = tmp_path / "clew"
    shutil.copytree(Path(clew.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    with open(package / "languages" / name, "a", encoding="utf-8") as stream:
        stream.write("\n# one more line\n")
    code = (
        "from clew.index.fingerprint import fingerprint;"
        "print(fingerprint(embedder='', store='', chunk_bytes=1, include_generated=False)['languages'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, encoding="utf-8", cwd=tmp_path
    )
    assert done.stdout.strip() not in ("", fingerprint(**SETTINGS)["languages"])
