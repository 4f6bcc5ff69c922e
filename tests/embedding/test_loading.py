from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clew.embedding import StaticEmbedder, load_embedder
from clew.embedding.loading import SHIPPED
from clew.errors import ModelError, UsageError


@pytest.mark.parametrize("spec", [None, "", "  ", "none"])
def test_no_embedder_is_a_choice(spec: str | None) -> None:
    assert load_embedder(spec) is None


def test_the_default_is_the_shipped_model_or_none_at_all() -> None:
    embedder = load_embedder("default")
    assert (embedder is not None) == SHIPPED.is_dir()


def test_a_relative_path_is_taken_from_the_root(model: Path, embedder: StaticEmbedder) -> None:
    loaded = load_embedder("model", root=model.parent)
    assert loaded is not None
    assert loaded.identity == embedder.identity


def test_a_folder_may_be_renamed_without_becoming_another_model(model: Path, embedder: StaticEmbedder) -> None:
    moved = model.with_name("moved")
    shutil.move(model, moved)
    loaded = load_embedder(str(moved))
    assert loaded is not None
    assert loaded.identity == embedder.identity


@pytest.mark.parametrize("spec", ["minilm", "no/such/folder", "a\0b", "x" * 5000, "~nobody-here/model"])
def test_anything_else_is_a_usage_error_that_says_what_is_accepted(spec: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        load_embedder(spec, root=tmp_path)
    assert "'default', 'none'" in caught.value.hint
    assert len(caught.value.message) < 300
    assert "\n" not in caught.value.message


def test_a_folder_without_a_model_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="holds no embedding model") as caught:
        load_embedder(str(tmp_path))
    assert "model2vec" in caught.value.hint
