from __future__ import annotations

import pytest

from clew.errors import DEBUG_VARIABLE, debugging


@pytest.mark.parametrize(("value", "expected"), [("1", True), ("yes", True), ("0", True), ("", False), (None, False)])
def test_any_text_in_the_debug_variable_shows_faults_in_full(
    monkeypatch: pytest.MonkeyPatch, value: str | None, expected: bool
) -> None:
    monkeypatch.delenv(DEBUG_VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(DEBUG_VARIABLE, value)
    assert debugging() is expected
