from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from clew.embedding import load_embedder, open_model2vec
from clew.errors import MissingExtraError, ModelError

TOKENS = ["[UNK]", "get", "user", "by", "id", "read", "config"]
INSTALLED = importlib.util.find_spec("tokenizers") is not None and importlib.util.find_spec("safetensors") is not None
needs_extra = pytest.mark.skipif(not INSTALLED, reason="needs the extra model2vec")


def vectors(rows: int = len(TOKENS)) -> np.ndarray:
    return np.random.default_rng(3).standard_normal((rows, 16)).astype(np.float32)


def write(directory: Path, tensors: Mapping[str, np.ndarray] | None = None, **config: object) -> Path:
    tokenizers = pytest.importorskip("tokenizers")
    numpy_safetensors = pytest.importorskip("safetensors.numpy")
    directory.mkdir(exist_ok=True)
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({token: i for i, token in enumerate(TOKENS)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.enable_padding()
    tokenizer.save(str(directory / "tokenizer.json"))
    numpy_safetensors.save_file(dict(tensors or {"embeddings": vectors()}), str(directory / "model.safetensors"))
    (directory / "config.json").write_text(json.dumps({"normalize": True, **config}), encoding="utf-8")
    return directory


def unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / np.linalg.norm(vector))


def test_without_the_extra_the_error_is_the_install_command(tmp_path: Path) -> None:
    if INSTALLED:
        pytest.skip("the extra is installed")
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(MissingExtraError) as caught:
        load_embedder(str(tmp_path))
    assert caught.value.hint == "pip install 'clew[model2vec]'"


def test_a_text_is_the_mean_of_its_tokens_scaled_to_length_one(tmp_path: Path) -> None:
    embedder = open_model2vec(write(tmp_path))
    table = vectors()
    assert np.allclose(embedder.embed_query("Get user user"), unit(table[1] + 2 * table[2]), atol=1e-6)


def test_unknown_tokens_and_padding_count_nothing(tmp_path: Path) -> None:
    embedder = open_model2vec(write(tmp_path))
    long, short, unknown, empty = embedder.embed_documents(["get user by id", "get zzz", "zzz", ""])
    assert np.allclose(short, unit(vectors()[1]), atol=1e-6)
    assert not unknown.any()
    assert not empty.any()
    assert np.isclose(np.linalg.norm(long), 1)


def test_mapping_and_weights_of_a_reduced_vocabulary_are_used(tmp_path: Path) -> None:
    mapping = np.array([0, 1, 1, 2, 2, 0, 1], dtype=np.int64)
    weights = np.linspace(0.5, 2, len(TOKENS)).astype(np.float32)
    embedder = open_model2vec(write(tmp_path, {"embeddings": vectors(3), "weights": weights, "mapping": mapping}))
    expected = weights[1] * vectors(3)[1] + weights[3] * vectors(3)[2]
    assert np.allclose(embedder.embed_query("get by"), unit(expected), atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.int8])
def test_quantised_tables_are_read(tmp_path: Path, dtype: type) -> None:
    table: np.ndarray = (vectors() * 20).astype(dtype)
    embedder = open_model2vec(write(tmp_path, {"embeddings": table}))
    assert np.allclose(embedder.embed_query("read"), unit(table[5].astype(np.float32)), atol=1e-6)


def test_tables_written_by_sentence_transformers_are_read(tmp_path: Path) -> None:
    embedder = open_model2vec(write(tmp_path, {"embedding.weight": vectors()}))
    assert embedder.dimension == 16


def test_tokens_after_the_limit_of_the_configuration_are_left_out(tmp_path: Path) -> None:
    embedder = open_model2vec(write(tmp_path, max_length=2))
    assert np.allclose(embedder.embed_query("by id user"), embedder.embed_query("by id"), atol=1e-6)


def test_lone_surrogates_do_not_stop_a_run(tmp_path: Path) -> None:
    embedder = open_model2vec(write(tmp_path))
    assert np.allclose(embedder.embed_query("get \udc80"), embedder.embed_query("get"), atol=1e-6)


def test_the_identity_follows_the_weights_and_not_the_folder(tmp_path: Path) -> None:
    same = [open_model2vec(write(tmp_path / name)).identity for name in "ab"]
    other = open_model2vec(write(tmp_path / "c", {"embeddings": vectors() * 2})).identity
    assert same[0] == same[1] != other
    assert same[0].startswith("model2vec:16:")


def test_a_model2vec_folder_is_recognised(tmp_path: Path) -> None:
    embedder = load_embedder(str(write(tmp_path)))
    assert embedder is not None
    assert embedder.identity.startswith("model2vec:")


@needs_extra
@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_damaged_model2vec_file_is_named_in_one_line(
    tmp_path: Path, flip: Callable[[Path, int], None], name: str
) -> None:
    write(tmp_path)
    flip(tmp_path / name, 0)
    with pytest.raises(ModelError, match=name) as caught:
        open_model2vec(tmp_path)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    "tensors",
    [
        {"other": vectors()},
        {"embeddings": vectors()[0]},
        {"embeddings": vectors(3)},
        {"embeddings": np.full((len(TOKENS), 4), np.nan, dtype=np.float32)},
        {"embeddings": vectors(), "weights": np.ones(2, dtype=np.float32)},
        {"embeddings": vectors(2), "mapping": np.full(len(TOKENS), 9)},
        {"embeddings": vectors(2), "mapping": np.full(len(TOKENS), -1)},
    ],
)
def test_tensors_that_do_not_fit_the_tokenizer_are_refused(tmp_path: Path, tensors: dict[str, np.ndarray]) -> None:
    with pytest.raises(ModelError, match=r"model\.safetensors"):
        open_model2vec(write(tmp_path, tensors))


@pytest.mark.parametrize("limit", [0, "many", True])
def test_a_token_limit_that_is_no_positive_number_is_refused(tmp_path: Path, limit: object) -> None:
    with pytest.raises(ModelError, match=r"config\.json"):
        open_model2vec(write(tmp_path, max_length=limit))
