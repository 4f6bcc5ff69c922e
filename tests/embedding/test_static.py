from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.embedding import StaticEmbedder, StaticOptions, open_static, write_static_model
from clew.embedding.static_files import _checksum
from clew.errors import ModelError

FILES = ("model.json", "vocabulary.txt", "table.npy", "scales.npy", "weights.npy")


def rewrite_manifest(directory: Path, **changes: object) -> None:
    """A manifest that is whole but not what the loader may accept."""
    path = directory / "model.json"
    manifest = {**json.loads(path.read_text(encoding="utf-8")), **changes}
    manifest["checksum"] = _checksum(manifest)
    path.write_text(json.dumps(manifest), encoding="utf-8")


def test_an_identifier_meets_the_words_it_is_made_of(embedder: StaticEmbedder) -> None:
    camel, snake, words = embedder.embed_documents(["getUserById", "get_user_by_id", "get user by id"])
    assert np.array_equal(camel, snake)
    assert np.array_equal(camel, words)


def test_a_text_is_nearer_to_what_shares_its_words(embedder: StaticEmbedder) -> None:
    near, far = embedder.embed_documents(["def retryRequest(timeout): ...", "class ConfigFile: name"])
    query = embedder.embed_query("retry a request after a timeout")
    assert query @ near > query @ far + 0.2


def test_vectors_have_length_one_and_an_empty_text_is_zeros(embedder: StaticEmbedder) -> None:
    vectors = embedder.embed_documents(["get user", "", "  ()!", "read"])
    assert vectors.dtype == np.float32
    assert vectors.shape == (4, embedder.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 0, 0, 1], atol=1e-6)


def test_no_texts_give_no_rows(embedder: StaticEmbedder) -> None:
    assert embedder.embed_documents([]).shape == (0, embedder.dimension)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(), max_size=6))
def test_a_vector_does_not_depend_on_its_batch(embedder: StaticEmbedder, texts: list[str]) -> None:
    together = embedder.embed_documents(texts)
    for text, vector in zip(texts, together, strict=True):
        assert np.array_equal(embedder.embed_documents([text])[0], vector)


def test_a_repeated_word_counts_once_when_pieces_are_distinct(embedder: StaticEmbedder) -> None:
    once, twice = embedder.embed_documents(["get user", "get user user user"])
    assert np.array_equal(once, twice)


def test_a_repeated_word_counts_more_when_pieces_are_counted(
    tmp_path: Path, vocabulary: list[str], vectors: np.ndarray
) -> None:
    write_static_model(
        tmp_path, name="c", vocabulary=vocabulary, vectors=vectors, options=StaticOptions(distinct=False)
    )
    embedder = open_static(tmp_path)
    user, once, often = embedder.embed_documents(["user", "get user", "get user user user"])
    assert user @ often > user @ once


def test_the_table_is_rounded_by_less_than_a_percent(
    embedder: StaticEmbedder, vocabulary: list[str], vectors: np.ndarray
) -> None:
    exact = vectors[vocabulary.index("get")] + vectors[vocabulary.index("user")]
    assert embedder.embed_query("get user") @ exact / np.linalg.norm(exact) > 0.999


def test_weights_say_what_a_piece_counts(tmp_path: Path, vocabulary: list[str], vectors: np.ndarray) -> None:
    weights = np.ones(len(vocabulary), dtype=np.float32)
    weights[vocabulary.index("get")] = 0
    write_static_model(
        tmp_path, name="w", vocabulary=vocabulary, vectors=vectors, query_weights=weights, weights=weights[::-1]
    )
    embedder = open_static(tmp_path)
    assert np.array_equal(embedder.embed_query("get user"), embedder.embed_query("user"))
    assert not np.allclose(*embedder.embed_documents(["get user", "user"]))


def test_queries_use_the_document_weights_when_there_are_no_others(embedder: StaticEmbedder) -> None:
    assert np.array_equal(embedder.embed_query("parse config"), embedder.embed_documents(["parse config"])[0])


def test_two_processes_compute_the_same_bits(model: Path, embedder: StaticEmbedder) -> None:
    text = "parseConfigFile retries a request; получить 用户"
    code = (
        "import sys, pathlib; from clew.embedding import open_static\n"
        "e = open_static(pathlib.Path(sys.argv[1])); vectors = e.embed_documents([sys.argv[2]])\n"
        "print(e.identity, vectors.tobytes().hex())"
    )
    run = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code, str(model), text],
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert run.stdout.split() == [embedder.identity, embedder.embed_documents([text]).tobytes().hex()]


def test_the_identity_names_kind_name_dimension_and_content(
    tmp_path: Path, vocabulary: list[str], vectors: np.ndarray
) -> None:
    identities = []
    for folder, change in (("a", 0.0), ("b", 0.0), ("c", 0.5)):
        changed = vectors.copy()
        changed[0, 0] += change
        write_static_model(tmp_path / folder, name="small", vocabulary=vocabulary, vectors=changed)
        identities.append(open_static(tmp_path / folder).identity)
    assert identities[0].startswith("static:small:32:")
    assert identities[0] == identities[1]
    assert identities[0] != identities[2]


def test_options_are_part_of_the_identity(tmp_path: Path, vocabulary: list[str], vectors: np.ndarray) -> None:
    for folder, distinct in (("a", True), ("b", False)):
        options = StaticOptions(distinct=distinct)
        write_static_model(tmp_path / folder, name="s", vocabulary=vocabulary, vectors=vectors, options=options)
    assert open_static(tmp_path / "a").identity != open_static(tmp_path / "b").identity


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_byte_anywhere_is_noticed(model: Path, flip: Callable[[Path, int], None], name: str) -> None:
    path = model / name
    size = path.stat().st_size
    for offset in {0, size // 3, size // 2, size - 2}:
        whole = path.read_bytes()
        flip(path, offset)
        with pytest.raises(ModelError, match=name) as caught:
            open_static(model)
        assert caught.value.hint
        path.write_bytes(whole)


def test_every_character_of_the_manifest_is_covered(model: Path) -> None:
    path = model / "model.json"
    whole = path.read_text(encoding="utf-8")
    identity = open_static(model).identity
    for i, char in enumerate(whole):
        if char.isspace():
            continue
        path.write_text(whole[:i] + ("1" if char != "1" else "2") + whole[i + 1 :], encoding="utf-8")
        with pytest.raises(ModelError):
            open_static(model)
    path.write_text(whole, encoding="utf-8")
    assert open_static(model).identity == identity


@pytest.mark.parametrize("name", FILES)
def test_a_truncated_file_is_named(model: Path, name: str) -> None:
    path = model / name
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ModelError, match=name):
        open_static(model)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(model: Path, name: str) -> None:
    (model / name).unlink()
    with pytest.raises(ModelError, match=name):
        open_static(model)


def test_a_folder_in_a_files_place_is_an_error_in_one_line(model: Path) -> None:
    (model / "table.npy").unlink()
    (model / "table.npy").mkdir()
    with pytest.raises(ModelError, match=r"table\.npy") as caught:
        open_static(model)
    assert "\n" not in caught.value.message


def test_a_newer_format_is_told_from_damage(model: Path) -> None:
    rewrite_manifest(model, version=2)
    with pytest.raises(ModelError, match="format version 2"):
        open_static(model)


@pytest.mark.parametrize(
    "changes",
    [
        {"dimension": 0},
        {"dimension": 10**9},
        {"dimension": True},
        {"pieces": -1},
        {"name": "../../etc"},
        {"licence": None},
        {"options": {"continuation": "##"}},
        {"options": {"continuation": 3, "distinct": True}},
        {"files": {}},
        {"files": {"../../secret": {"bytes": 1, "sha256": ""}}},
    ],
)
def test_a_whole_manifest_with_a_value_that_is_not_allowed_is_refused(model: Path, changes: dict[str, object]) -> None:
    rewrite_manifest(model, **changes)
    with pytest.raises(ModelError, match=r"model\.json"):
        open_static(model)


def test_a_table_of_another_shape_is_refused(model: Path) -> None:
    rewrite_manifest(model, dimension=16)
    with pytest.raises(ModelError, match=r"table\.npy.*instead of"):
        open_static(model)


def test_an_array_of_objects_is_never_unpickled(model: Path) -> None:
    stream = io.BytesIO()
    np.save(stream, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    data = stream.getvalue()
    (model / "scales.npy").write_bytes(data)
    files = json.loads((model / "model.json").read_text(encoding="utf-8"))["files"]
    files["scales.npy"] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    rewrite_manifest(model, files=files)
    with pytest.raises(ModelError, match=r"scales\.npy"):
        open_static(model)


def test_deeply_nested_json_is_an_error_in_one_line(model: Path) -> None:
    (model / "model.json").write_text("[" * 60_000, encoding="utf-8")
    with pytest.raises(ModelError, match=r"model\.json"):
        open_static(model)


@pytest.mark.parametrize("bad", ["", "two words", "line\nbreak", "get"])
def test_the_writer_refuses_pieces_that_cannot_be_stored(tmp_path: Path, bad: str) -> None:
    with pytest.raises(ValueError, match="pieces"):
        write_static_model(tmp_path, name="x", vocabulary=["get", bad], vectors=np.ones((2, 4), dtype=np.float32))


def test_the_writer_refuses_values_that_are_no_numbers(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no number"):
        write_static_model(tmp_path, name="x", vocabulary=["a"], vectors=np.full((1, 4), np.nan, dtype=np.float32))


def test_writing_again_replaces_the_model(model: Path, vocabulary: list[str], vectors: np.ndarray) -> None:
    write_static_model(model, name="other", vocabulary=vocabulary[:5], vectors=vectors[:5])
    assert open_static(model).identity.startswith("static:other:32:")
