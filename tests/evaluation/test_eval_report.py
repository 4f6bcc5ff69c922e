"""Labelled queries against a real index, and what the report says of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import Engine, NoIndexError, Settings, UsageError
from clew.evaluation import Gold, LabelledQuery, comparison, document, load_report
from clew.evaluation.report import MEASURES

TREE = {
    "cart.py": "def apply_discount(cart):\n    return cart\n\n\ndef total_price(cart):\n    return sum(cart)\n",
    "mail.py": "def send_invoice(address):\n    return address\n",
    "login.py": "def check_password(user):\n    return user\n",
    "logo.bin": "\0\0\0",
    "notes/ideas.txt": "invoice by post\n",
}


def query(text: str, *gold: str | Gold, category: str = "") -> LabelledQuery:
    return LabelledQuery(text, tuple(Gold(g) if isinstance(g, str) else g for g in gold), category=category)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root = tmp_path_factory.mktemp("eval") / "shop"
    for path, text in TREE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    with Engine.open(root, Settings(embedder="none", index_dir=str(root.parent / "indexes"))) as opened:
        opened.index()
        yield opened


def test_the_first_right_file_gives_full_marks(engine: Engine) -> None:
    found = document(engine.evaluate([query("apply discount", "cart.py")]))
    assert [found[name] for name in MEASURES] == [1.0] * 5
    assert (found["queries"], found["scored"], found["per_query"][0]["rank"]) == (1, 1, 1)


def test_a_miss_has_no_rank_and_lowers_the_mean(engine: Engine) -> None:
    found = document(engine.evaluate([query("apply discount", "cart.py"), query("discount", "login.py")]))
    assert [row["rank"] for row in found["per_query"]] == [1, None]
    assert found["ndcg@10"] == 0.5
    assert found["not_indexed"] == []


def test_a_label_that_is_not_indexed_is_reported_and_no_miss(engine: Engine) -> None:
    found = document(engine.evaluate([query("discount", "cart.py", "gone.py"), query("logo", "logo.bin")]))
    assert (found["queries"], found["scored"], found["recall@10"]) == (2, 1, 1.0)
    assert found["not_indexed"] == [
        {"path": "gone.py", "reason": "no such file", "queries": 1},
        {"path": "logo.bin", "reason": "binary", "queries": 1},
    ]
    assert found["per_query"][1]["ndcg@10"] is None
    assert found["per_query"][0]["not_indexed"] == ["gone.py"]


def test_a_folder_and_lines_past_the_end_cannot_be_found_either(engine: Engine) -> None:
    found = document(engine.evaluate([query("discount", "cart.py", "notes", Gold("mail.py", 90, 95))]))
    assert [each["reason"] for each in found["not_indexed"]] == ["has only 2 lines", "a folder"]


def test_when_no_label_is_indexed_nothing_is_measured(engine: Engine) -> None:
    with pytest.raises(UsageError, match=r"none of the labelled files is in the index, e\.g\. gone\.py: no such file"):
        engine.evaluate([query("discount", "gone.py")])


def test_labelled_lines_must_be_among_those_shown(engine: Engine) -> None:
    right, wrong = Gold("cart.py", 5, 6), Gold("cart.py", 1, 2)
    found = document(engine.evaluate([query("total_price", right), query("total_price", wrong)]))
    assert [row["rank"] for row in found["per_query"]] == [1, None]


def test_hits_come_when_asked_for_and_are_marked(engine: Engine) -> None:
    report = engine.evaluate([LabelledQuery("send invoice", (Gold("mail.py"),), (Gold("notes/ideas.txt"),))])
    assert document(report)["per_query"][0]["hits"] == []
    hits = document(report, hits=True)["per_query"][0]["hits"]
    assert [(hit["rank"], hit["path"], hit["label"]) for hit in hits[:2]] == [
        (1, "mail.py", "relevant"),
        (2, "notes/ideas.txt", "secondary"),
    ]
    assert hits[0]["places"][0] == {
        "path": "mail.py", "start_line": 1, "end_line": 2, "symbol": "send_invoice", "kind": "function",
    }  # fmt: skip


def test_a_larger_limit_finds_ranks_further_down_and_changes_no_measure(engine: Engine) -> None:
    queries = [query("invoice cart user", "login.py"), query("invoice", "notes/ideas.txt")]
    few, many = (document(engine.evaluate(queries, limit=limit)) for limit in (10, 50))
    assert {name: few[name] for name in MEASURES} == {name: many[name] for name in MEASURES}
    assert document(engine.evaluate(queries, limit=1))["limit"] == 1


def test_categories_have_figures_of_their_own(engine: Engine) -> None:
    queries = [query("discount", "cart.py", category="symbol"), query("discount", "login.py", category="semantic")]
    groups = document(engine.evaluate(queries))["by_category"]
    assert {name: group["hit@1"] for name, group in groups.items()} == {"semantic": 0.0, "symbol": 1.0}


def test_a_changed_file_is_indexed_before_labels_are_looked_up(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    with Engine.open(tmp_path, Settings(embedder="none")) as engine:
        engine.index()
        (tmp_path / "b.py").write_text("def find_needle():\n    pass\n", encoding="utf-8")
        assert document(engine.evaluate([query("find_needle", "b.py")]))["hit@1"] == 1.0


def test_without_an_index_none_is_made(tmp_path: Path) -> None:
    with Engine.open(tmp_path, Settings(embedder="none")) as engine:
        with pytest.raises(NoIndexError):
            engine.evaluate([query("x", "a.py")])
        assert not engine.exists()


def test_the_document_is_json_and_can_be_compared_with_later(engine: Engine, tmp_path: Path) -> None:
    queries = [query("discount", "cart.py"), query("discount", "login.py"), query("gone", "gone.py")]
    found = document(engine.evaluate(queries))
    (tmp_path / "report.json").write_text(json.dumps(found), encoding="utf-8")
    compared = comparison(load_report(tmp_path / "report.json"), found, "before", "after")
    assert (compared["queries"], compared["left_out"], compared["changed"]) == (2, 1, [])
    assert compared["measures"]["ndcg@10"]["p"] == 1.0


def row(text: str, value: float | None, rank: int | None = 1) -> dict[str, object]:
    return {"query": text, "rank": rank, **dict.fromkeys(MEASURES, value)}


def test_the_greatest_loss_comes_first_and_repeated_queries_keep_their_order() -> None:
    before = {"per_query": [row("a", 1.0), row("b", 0.5, 2), row("a", 0.0, None)]}
    after = {"per_query": [row("b", 1.0), row("a", 0.25, 4), row("a", 0.0, None)]}
    found = comparison(before, after, "x", "y")
    assert [(each["query"], each["before"], each["after"]) for each in found["changed"]] == [("a", 1, 4), ("b", 2, 1)]
    assert found["measures"]["ndcg@10"]["difference"] == pytest.approx((1.25 - 1.5) / 3, abs=1e-4)


def test_reports_without_a_common_query_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match="no labelled query in common"):
        comparison({"per_query": [row("a", 1.0)]}, {"per_query": [row("b", 1.0)]}, "x", "y")


@pytest.mark.parametrize(
    "content",
    [
        "[]", "{}", '{"per_query": 1}', '{"per_query": [1]}', '{"per_query": [{"query": "q"}, {}]}',
        '{"per_query": [{"query": "q", "rank": "1"}]}',
        '{"per_query": [{"query": "q", "rank": 1, "ndcg@10": 1, "mrr@10": 1, "hit@1": 2, "recall@5": 0}]}',
    ],
)  # fmt: skip
def test_what_is_no_report_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "r.json").write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match="is not a report of clew eval"):
        load_report(tmp_path / "r.json")


def test_the_reference_names_every_field_of_the_document(engine: Engine) -> None:
    reference = Path(__file__).parents[2].joinpath("docs", "reference.md").read_text(encoding="utf-8")
    section = reference.partition("### Evaluation document")[2].partition("\n#")[0]
    assert [
        name for name in document(engine.evaluate([query("discount", "cart.py")])) if f"`{name}`" not in section
    ] == []
