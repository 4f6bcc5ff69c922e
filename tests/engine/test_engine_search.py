"""What an answer is, whatever is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_tools import clew_run, engine, functions, indexed, paths, place_of, places, static_model, texts, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew import Engine, NoIndexError, UsageError, to_json
from clew.search.budget import count_tokens

TREE = {
    "src/cart.py": "class Cart:\n    def total(self):\n        '''Sum of all.'''\n        return sum(self.prices)\n",
    "src/user.ts": "export function loadUser(id: number) {\n  return users[id];\n}\n",
    "src/util/text.go": "package util\n\n// Title is a heading.\nfunc Title(text string) string {\n\treturn text\n}\n",
    "tests/test_cart.py": "def test_total():\n    assert Cart().total() == 0\n",
    "docs/guide.md": "# Guide\n\nHow the total of a cart is computed.\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    base = tmp_path_factory.mktemp("shop")
    root = base / "project"
    root.mkdir()
    with indexed(root, TREE, embedder=static_model(base / "model")) as opened:
        yield opened


def test_the_text_of_a_place_is_that_of_its_lines(shop: Engine) -> None:
    found = places(shop.search("total cart user title", limit=20, places=10))
    assert len(found) >= 5
    for place in found:
        lines = (shop.root / place.path).read_text(encoding="utf-8").split("\n")
        assert place.text == "\n".join(lines[place.start_line - 1 : place.end_line]).rstrip("\n")


def test_ranks_count_from_one_and_no_file_comes_twice(shop: Engine) -> None:
    hits = shop.search("total of the cart", limit=20).hits
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert len({hit.path for hit in hits}) == len(hits)


def test_the_same_question_gives_the_same_answer(shop: Engine) -> None:
    with engine(shop.root, embedder=shop.settings.embedder) as other:
        assert other.search("total cart") == shop.search("total cart")


def test_filters_hold_for_every_hit(shop: Engine) -> None:
    assert {hit.language for hit in shop.search("total", languages=["python"], limit=20).hits} == {"python"}
    assert {place.kind for place in places(shop.search("total", kinds=["method"]))} == {"method"}
    assert paths(shop.search("text", paths=["src/util"])) == ["src/util/text.go"]
    assert paths(shop.search("total", tests="only")) == ["tests/test_cart.py"]
    assert "tests/test_cart.py" not in paths(shop.search("total", tests="without", limit=20))


def test_limit_and_places_bound_the_answer(shop: Engine) -> None:
    answer = shop.search("total cart", limit=2, places=1)
    assert len(answer.hits) == 2
    assert all(len(hit.places) == 1 for hit in answer.hits)


def test_an_answer_without_text_holds_lines_only(shop: Engine) -> None:
    document = to_json(shop.search("total", text=False))
    assert all("text" not in place for hit in document["hits"] for place in hit["places"])


def test_an_explained_answer_shows_signals_and_others_do_not(shop: Engine) -> None:
    assert "signals" in to_json(shop.search("total", explain=True))["hits"][0]
    assert "signals" not in to_json(shop.search("total"))["hits"][0]


def test_similar_code_does_not_include_the_place_itself(shop: Engine) -> None:
    answer = shop.similar("src/cart.py:2")
    assert answer.hits
    own = [place for place in places(answer) if place.path == "src/cart.py"]
    assert not any(place.start_line <= 2 <= place.end_line for place in own)


@pytest.mark.parametrize("location", ["src/cart.py", "src/cart.py:0", "src/cart.py:99999", "nope.py:1", ":1", "../x:1"])
def test_a_location_that_leads_nowhere_is_a_usage_error(shop: Engine, location: str) -> None:
    with pytest.raises(UsageError):
        shop.similar(location)


@pytest.mark.parametrize(
    "options",
    [{"limit": 0}, {"places": 0}, {"budget": 0}, {"limit": -1}, {"kinds": ["nonsense"]}, {"filter": "path =="},
     {"tests": "sometimes"}, {"paths": ["../.."]}, {"languages": ["klingon"]}],
)  # fmt: skip
def test_an_option_that_cannot_be_used_is_a_usage_error(shop: Engine, options: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        shop.search("total", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("query", ["", " ", "\n\t"])
def test_an_empty_question_is_a_usage_error(shop: Engine, query: str) -> None:
    with pytest.raises(UsageError):
        shop.search(query)


def test_a_question_about_nothing_in_the_tree_is_an_empty_answer_by_text(root: Path) -> None:
    with indexed(root, {"a.py": functions("alpha")}) as opened:
        assert opened.search("zyxwvut").hits == ()


@given(query=st.text(min_size=1, max_size=200).filter(lambda text: text.strip()))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_a_question(shop: Engine, query: str) -> None:
    json.dumps(to_json(shop.search(query)), ensure_ascii=True)


@given(budget=st.integers(1, 400), places_wanted=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_no_answer_exceeds_its_budget(shop: Engine, budget: int, places_wanted: int) -> None:
    answer = shop.search("total of the cart user title", limit=20, places=places_wanted, budget=budget)
    assert answer.tokens <= budget
    assert sum(count_tokens(place.text or "") for place in places(answer)) <= budget


def test_a_very_long_question_is_answered_in_time(shop: Engine) -> None:
    assert paths(shop.search("total cart " * 20_000))[0] in TREE


def test_a_search_without_an_index_says_how_to_make_one(root: Path) -> None:
    write(root, {"a.py": functions("alpha")})
    with engine(root) as opened, pytest.raises(NoIndexError) as raised:
        opened.search("alpha")
    assert "clew index" in raised.value.hint
    assert not (root / ".clew").exists()


def test_the_command_never_indexes_without_consent(root: Path) -> None:
    write(root, {"a.py": functions("alpha")})
    done = clew_run(root, "alpha")
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (1, "no_index")
    assert not (root / ".clew").exists()
    done = clew_run(root, "alpha", "--index")
    assert [hit["path"] for hit in json.loads(done.stdout)["hits"]] == ["a.py"]


def test_the_document_of_a_search_has_the_promised_fields(shop: Engine) -> None:
    document = to_json(shop.search("total"))
    assert set(document) == {"query", "root", "generation", "freshness", "hits", "notes", "tokens"}
    assert set(document["freshness"]) == {"state", "changed_files", "message"}
    assert set(document["hits"][0]) == {"rank", "path", "language", "score", "places", "stale", "decisions"}
    assert set(document["hits"][0]["places"][0]) == {
        "start_line", "end_line", "symbol", "kind", "text", "truncated",
    }  # fmt: skip


def test_status_counts_what_is_indexed(shop: Engine) -> None:
    status = shop.status()
    assert (status.exists, status.files, status.stale, status.error) == (True, 5, False, None)
    assert status.languages == {"go": 1, "markdown": 1, "python": 2, "typescript": 1}
    assert (status.embedder or "").startswith("static:tiny")


def test_the_status_of_a_folder_without_an_index_knows_nothing_and_fails_not(root: Path) -> None:
    with engine(root) as opened:
        status = opened.status()
    assert (status.exists, status.files, status.generation, status.error) == (False, None, None, None)


def test_a_symbol_of_the_question_decides_the_place(shop: Engine) -> None:
    place = place_of(shop.search("Cart.total"), "src/cart.py")
    assert place.symbol == "Cart.total"
    assert "return sum" in texts(shop.search("Cart.total"))
