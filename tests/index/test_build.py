"""An index run over a real tree: what is stored, what is not stored again, what a failure leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.embedding import StaticEmbedder, open_static, write_static_model
from clew.index import layout
from clew.index.build import BuildRequest, build
from clew.index.catalog import Catalog
from clew.index.fingerprint import fingerprint
from clew.index.store import StoreReader
from clew.index.stores import open_store
from clew.parsing.limits import CHUNK_BYTES, Limits
from clew.workspace import Walk, walk

TREE = {
    "a.py": "def alpha():\n    return 1\n\n\ndef beta():\n    return 2\n",
    "b.py": "def gamma():\n    return alpha()\n",
    "docs/c.md": "# Title\n\nabout gamma\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "tree", TREE)
    return tmp_path / "tree"


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode("utf-8") if isinstance(text, str) else text)


def request(root: Path, **changes: Any) -> BuildRequest:
    directory = root.parent / "index"
    layout.prepare(directory)
    made = fingerprint(embedder="none", store="local", chunk_bytes=CHUNK_BYTES, include_generated=False)
    plain = BuildRequest(root, directory, made, {}, Limits(), lambda: walk(root), workers=1)
    return replace(plain, **changes)


class Opened:
    """What a reader finds in the current build."""

    def __init__(self, root: Path) -> None:
        path = layout.current(root.parent / "index")
        assert path is not None
        self.path = path
        self.catalog = Catalog.open(path / "catalog.db")
        self.meta = self.catalog.meta()
        self.reader: StoreReader = open_store(path).reader(self.meta["manifest"])

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.reader.close()
        self.catalog.close()

    def ids(self) -> dict[str, int]:
        return {file.path: file.id for file in self.catalog.files()}

    def found(self, term: str) -> list[str]:
        names = {file_id: path for path, file_id in self.ids().items()}
        return [names[file_id] for file_id in self.reader.search_text("file_body", {term: 1.0}, 10).ids.tolist()]


def test_a_first_run_stores_every_file_as_generation_one(root: Path) -> None:
    report = build(request(root))
    assert (report.generation, report.files.indexed, report.files.unchanged, report.failures) == (1, 3, 0, ())
    with Opened(root) as opened:
        assert opened.catalog.totals() == {"files": 3, "chunks": report.chunks, "definitions": report.definitions}
        counts = opened.reader.counts()
        assert (counts.files, counts.chunks) == (3, report.chunks)
        assert opened.found("gamma") == ["docs/c.md", "b.py"] or opened.found("gamma") == ["b.py", "docs/c.md"]
        assert opened.catalog.text(opened.ids()["a.py"]).decode() == TREE["a.py"]
        opened.catalog.verify()


def test_a_second_run_changes_nothing_stored(root: Path) -> None:
    build(request(root))
    with Opened(root) as opened:
        before = (opened.path, opened.ids(), opened.meta["manifest"])
    report = build(request(root))
    assert (report.generation, report.files.indexed, report.files.unchanged) == (1, 0, 3)
    with Opened(root) as opened:
        assert (opened.path, opened.ids(), opened.meta["manifest"]) == before


def test_a_changed_file_is_stored_anew_and_the_others_stay(root: Path) -> None:
    build(request(root))
    with Opened(root) as opened:
        before = opened.ids()
    write(root, {"b.py": "def delta(): ...\n"})
    report = build(request(root))
    assert (report.generation, report.files.indexed, report.files.unchanged) == (2, 1, 2)
    with Opened(root) as opened:
        assert {path for path, file_id in opened.ids().items() if file_id == before[path]} == {"a.py", "docs/c.md"}
        assert (opened.found("delta"), opened.found("gamma")) == (["b.py"], ["docs/c.md"])


def test_a_touched_file_with_the_same_content_is_not_stored_again(root: Path) -> None:
    build(request(root))
    with Opened(root) as opened:
        before = opened.ids()
    write(root, {"b.py": TREE["b.py"]})
    report = build(request(root))
    assert (report.generation, report.files.indexed, report.files.unchanged) == (1, 0, 3)
    with Opened(root) as opened:
        assert opened.ids() == before


def test_a_removed_file_is_found_no_more(root: Path) -> None:
    build(request(root))
    (root / "b.py").unlink()
    report = build(request(root))
    assert (report.generation, report.files.removed) == (2, 1)
    with Opened(root) as opened:
        assert "b.py" not in opened.ids()
        assert opened.found("gamma") == ["docs/c.md"]
        assert opened.reader.counts().files == 2


def test_files_that_are_left_out_are_counted_with_their_reason(root: Path) -> None:
    write(root, {"bin.py": b"\x00\x01\xff" * 100, "gen.go": "// Code generated by x. DO NOT EDIT.\npackage a\n"})
    report = build(request(root))
    assert {reason: report.skipped_reasons[reason] for reason in ("binary", "generated")} == {
        "binary": 1,
        "generated": 1,
    }
    assert report.files.skipped == sum(report.skipped_reasons.values())
    assert (report.files.indexed, build(request(root)).files.unchanged) == (3, 3)


def test_a_file_that_becomes_binary_is_found_no_more(root: Path) -> None:
    build(request(root))
    write(root, {"b.py": b"\x00\x01\xff" * 100})
    report = build(request(root))
    assert report.skipped_reasons["binary"] == 1
    with Opened(root) as opened:
        assert opened.found("gamma") == ["docs/c.md"]


def vanishing(root: Path, path: str) -> Callable[[], Walk]:
    """A walk after which a file goes away before it is read."""

    def walked() -> Walk:
        found = walk(root)
        (root / path).unlink()
        return found

    return walked


def test_a_file_that_cannot_be_read_fails_alone_and_is_tried_again(root: Path) -> None:
    report = build(request(root, walk=vanishing(root, "b.py")))
    assert (report.files.indexed, report.files.failed) == (2, 1)
    assert [failure.path for failure in report.failures] == ["b.py"]
    write(root, {"b.py": TREE["b.py"]})
    assert build(request(root)).files.indexed == 1
    with Opened(root) as opened:
        assert "b.py" in opened.found("gamma")


def test_a_file_that_cannot_be_read_any_more_keeps_its_old_content(root: Path) -> None:
    build(request(root))
    write(root, {"b.py": "def delta(): ...\n"})
    assert build(request(root, walk=vanishing(root, "b.py"))).files.failed == 1
    with Opened(root) as opened:
        assert "b.py" in opened.found("gamma")


def test_another_fingerprint_rebuilds_beside_the_old_index_and_names_the_field(root: Path) -> None:
    build(request(root))
    with Opened(root) as old:
        changed = {**request(root).fingerprint, "chunk_bytes": "7"}
        report = build(request(root, fingerprint=changed))
        assert any("chunk_bytes: 1600 -> 7" in note for note in report.notes)
        assert report.files.indexed == 3
        assert old.found("gamma")  # a reader of the old one goes on
        with Opened(root) as new:
            assert new.path != old.path
    assert [entry.name for entry in (root.parent / "index").glob("index-*")] == [new.path.name]


def test_a_full_run_starts_anew(root: Path) -> None:
    build(request(root))
    with Opened(root) as opened:
        before = opened.path
    report = build(request(root, full=True))
    assert (report.files.indexed, report.files.unchanged) == (3, 0)
    with Opened(root) as opened:
        assert opened.path != before


@pytest.mark.parametrize("damaged", ["catalog.db", "segments", "current"])
def test_a_damaged_index_is_rebuilt_with_a_note(root: Path, damaged: str) -> None:
    build(request(root))
    with Opened(root) as opened:
        path = opened.path
    targets = [path.parent / "current"] if damaged == "current" else [path / damaged]
    for target in targets if damaged != "segments" else [each for each in targets[0].rglob("*") if each.is_file()]:
        target.write_bytes(b"not what it was")
    report = build(request(root))
    assert any("it is damaged" in note for note in report.notes)
    assert report.files.indexed == 3
    with Opened(root) as opened:
        assert opened.found("beta") == ["a.py"]


class Stopped(Exception):
    pass


def stop(stage: str, done: int, total: int) -> None:
    raise Stopped


def test_a_run_that_is_stopped_leaves_the_old_generation(root: Path) -> None:
    build(request(root))
    with Opened(root) as opened:
        before = (opened.ids(), opened.meta)
    write(root, {"b.py": "def delta(): ...\n"})
    with pytest.raises(Stopped):
        build(request(root, progress=stop))
    with Opened(root) as opened:
        assert (opened.ids(), opened.meta) == before
        assert "b.py" in opened.found("gamma")
    assert build(request(root)).files.indexed == 1


def test_a_first_run_that_is_stopped_leaves_no_index_and_the_next_one_clears_up(root: Path) -> None:
    with pytest.raises(Stopped):
        build(request(root, progress=stop))
    assert layout.current(root.parent / "index") is None
    assert build(request(root)).generation == 1
    with Opened(root) as opened:
        assert list((root.parent / "index").glob("index-*")) == [opened.path]


def test_progress_ends_at_the_number_of_files(root: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    build(request(root, progress=lambda *each: seen.append(each)))
    assert all(done <= total == 3 for _, done, total in seen)
    assert ("parsing", 3, 3) in seen and seen[-1][0] == "writing"


def test_an_empty_tree_gives_an_empty_generation(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    report = build(request(tmp_path / "tree"))
    assert (report.generation, report.files.indexed, report.chunks) == (1, 0, 0)
    with Opened(tmp_path / "tree") as opened:
        assert opened.found("gamma") == []


@pytest.fixture
def embedder(tmp_path: Path) -> StaticEmbedder:
    words = ["alpha", "beta", "gamma", "delta", "return", "def", "1", "2", *"abcdefghijklmnopqrstuvwxyz"]
    vectors = np.random.default_rng(7).standard_normal((len(words), 16)).astype(np.float32)
    write_static_model(tmp_path / "model", name="small", vocabulary=words, vectors=vectors, licence="Apache-2.0")
    return open_static(tmp_path / "model")


def test_every_chunk_is_embedded_once(root: Path, embedder: StaticEmbedder) -> None:
    report = build(request(root, embedder=embedder))
    assert report.embedded == report.chunks
    assert build(request(root, embedder=embedder)).embedded == 0
    with Opened(root) as opened:
        assert opened.reader.counts().vectors == report.chunks
        chunk = opened.reader.search_vectors(embedder.embed_query("alpha"), 1)
        assert len(chunk.ids) == 1


def test_a_rename_and_a_rebuild_embed_nothing(root: Path, embedder: StaticEmbedder) -> None:
    build(request(root, embedder=embedder))
    (root / "a.py").rename(root / "z.py")
    assert build(request(root, embedder=embedder)).embedded == 0
    assert build(request(root, embedder=embedder, full=True)).embedded == 0


def test_an_edit_of_one_function_embeds_its_chunk_only(root: Path, embedder: StaticEmbedder) -> None:
    build(request(root, embedder=embedder))
    write(root, {"a.py": TREE["a.py"].replace("return 2", "return 22")})
    assert build(request(root, embedder=embedder)).embedded == 1


def test_files_without_a_single_word_are_stored(root: Path) -> None:
    write(root, {f"empty/f{number}.py": "" for number in range(40)} | {"p.json": "{}", "x.js": "}\n"})
    assert build(request(root)).files.indexed == 3 + 42
    write(root, {"later.py": "((\n"})
    assert build(request(root)).files.indexed == 1
