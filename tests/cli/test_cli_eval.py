"""`clew eval` as users run it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.cli.arguments import parse
from clew.errors import UsageError

RunClew = Callable[..., "subprocess.CompletedProcess[str]"]

FILES = {
    "cart.py": "def apply_discount(cart):\n    return cart\n\n\ndef total_price(cart):\n    return sum(cart)\n",
    "mail.py": "def send_invoice(address):\n    return address\n",
}
QUERIES = [
    {"query": "where is a discount applied", "relevant": ["cart.py"], "category": "semantic"},
    {"query": "total_price", "relevant": [{"path": "cart.py", "start_line": 5, "end_line": 6}], "secondary": []},
    {"query": "send invoice", "relevant": ["cart.py"]},
    {"query": "logo", "relevant": ["logo.svg"]},
]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Path:
    """An indexed repository with its labelled queries: for reading only."""
    root = tmp_path_factory.mktemp("eval") / "shop"
    root.mkdir()
    for path, text in FILES.items():
        (root / path).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    from clew import Engine, Settings

    with Engine.open(root, Settings(embedder="none")) as engine:
        engine.index()
    (root.parent / "queries.json").write_text(json.dumps(QUERIES), encoding="utf-8")
    return root


ENV = {"CLEW_EMBEDDER": "none"}


def document(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


def test_the_document_has_what_the_contract_names(shop: Path, clew_run: RunClew) -> None:
    done = clew_run("eval", "../queries.json", "--hits", cwd=shop, env=ENV)
    assert (done.returncode, done.stderr) == (0, "")
    found = document(done)
    assert {"queries", "ndcg@10", "mrr@10", "hit@1", "recall@5", "recall@10", "per_query"} <= set(found)
    assert {"query", "rank", "hits"} <= set(found["per_query"][0])
    assert (found["queries"], found["scored"]) == (4, 3)
    assert [row["rank"] for row in found["per_query"][:2]] == [1, 1]
    assert found["per_query"][0]["hits"][0]["path"] == "cart.py"


def test_as_text_the_worst_query_comes_first_and_what_was_not_looked_at_is_named(
    shop: Path, clew_call: RunClew
) -> None:
    out = clew_call("eval", "../queries.json", "--no-json", cwd=shop, env=ENV).stdout
    assert out.startswith("4 queries, 3 of them scored: ")
    assert "could not look" in out and "logo.svg: no such file" in out
    assert out.index("send invoice") > out.index("worst first")
    assert "total_price" not in out
    assert "total_price" in clew_call("eval", "../queries.json", "--no-json", "--all", cwd=shop, env=ENV).stdout
    assert all(len(line) <= 120 for line in out.splitlines())


def test_two_settings_are_compared_query_by_query(shop: Path, clew_call: RunClew) -> None:
    argv = ("eval", "../queries.json", "--compare", "places=1", "--compare", "embedder=none")
    found = document(clew_call(*argv, cwd=shop, env=ENV))["comparison"]
    assert (found["queries"], found["after"]) == (3, "places=1, embedder=none")
    assert set(found["measures"]["ndcg@10"]) == {
        "before", "after", "difference", "interval", "p", "effect", "better", "worse", "equal",
    }  # fmt: skip
    text = clew_call(*argv, "--no-json", cwd=shop, env=ENV).stdout
    assert "compared on 3 queries: current settings → places=1" in text


def test_an_earlier_report_is_compared_with(shop: Path, clew_call: RunClew, tmp_path: Path) -> None:
    report = tmp_path / "before.json"
    report.write_text(clew_call("eval", "../queries.json", cwd=shop, env=ENV).stdout, encoding="utf-8")
    found = document(clew_call("eval", "../queries.json", "--compare-with", str(report), cwd=shop, env=ENV))
    assert found["comparison"]["changed"] == []


def test_settings_that_need_another_index_are_refused_unless_they_have_one(
    shop: Path, clew_call: RunClew, tmp_path: Path
) -> None:
    refused = clew_call("eval", "../queries.json", "--compare", "chunk_tokens=100", cwd=shop, env=ENV)
    assert (refused.returncode, document(refused)["error"]["code"]) == (2, "usage")
    assert "index_dir=FOLDER --index" in document(refused)["error"]["hint"]
    argv = ("--compare", "chunk_tokens=100", "--compare", f"index_dir={tmp_path}")
    missing = clew_call("eval", "../queries.json", *argv, cwd=shop, env=ENV)
    assert document(missing)["error"]["code"] == "no_index"
    assert clew_call("eval", "../queries.json", *argv, "--index", cwd=shop, env=ENV).returncode == 0


def test_an_index_is_made_only_when_that_is_asked_for(clew_call: RunClew, tmp_path: Path) -> None:
    root = tmp_path / "fresh"
    root.mkdir()
    (root / "a.py").write_text("def needle():\n    pass\n", encoding="utf-8")
    labels = tmp_path / "labels.json"
    labels.write_text('[{"query": "needle", "relevant": ["a.py"]}]', encoding="utf-8")
    argv = ("eval", str(labels), "--root", str(root))
    done = clew_call(*argv, env=ENV)
    assert (done.returncode, document(done)["error"]["code"]) == (1, "no_index")
    assert not (root / ".clew").exists()
    assert document(clew_call(*argv, "--index", env=ENV))["hit@1"] == 1.0


@pytest.mark.parametrize(
    "argv",
    [
        ["eval", "missing.json"], ["eval", "."], ["eval", "cart.py"], ["eval"], ["eval", "a.json", "b.json"],
        ["eval", "../queries.json", "--compare", "places"], ["eval", "../queries.json", "--compare", "nonsense=1"],
        ["eval", "../queries.json", "--compare", "places=0"], ["eval", "../queries.json", "--compare-with", "cart.py"],
        ["eval", "../queries.json", "--compare", "places=1", "--compare-with", "r.json"], ["eval", "x", "--limit", "0"],
    ],
)  # fmt: skip
def test_a_wrong_call_is_one_line_of_usage(shop: Path, clew_call: RunClew, argv: list[str]) -> None:
    done = clew_call(*argv, cwd=shop, env=ENV)
    assert done.returncode == 2
    error = document(done)["error"]
    assert error["code"] in ("usage", "settings") and "\n" not in error["message"]


def test_eval_of_a_file_is_parsed_and_the_word_can_still_be_searched() -> None:
    call = parse(["eval", "q.json", "-n", "20", "--hits", "--compare", "a=b=c"])
    assert (call.command, call.options.file, call.options.limit, call.options.hits) == ("eval", "q.json", 20, True)
    assert call.options.compare == [("a", "b=c")]
    assert parse(["search", "eval"]).options.query == "eval"
    with pytest.raises(UsageError):
        parse(["eval"])
