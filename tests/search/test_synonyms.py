"""Other words for the words of a question: found by each other, at little weight."""

from __future__ import annotations

import pytest
from search_index import Indexed, IndexTree

from clew.index.store import Where
from clew.parsing.tokens import Tokenizer
from clew.search.answer import Wanted, answer
from clew.search.query import analyse
from clew.search.synonyms import WEIGHT, families, with_synonyms

TOKENIZER = Tokenizer()
RELATIVES = families(TOKENIZER)


@pytest.fixture(scope="module")
def indexed(index_tree: IndexTree) -> Indexed:
    return index_tree(
        {
            "cfg.py": "def read_cfg():\n    return open('app')\n",
            "auth.py": "def login():\n    return authenticate()\n",
            "main.py": "def run():\n    return 1\n",
        }
    )


def paths(indexed: Indexed, text: str, *, synonyms: bool = True) -> list[str]:
    wanted = Wanted(synonyms=synonyms)
    return [hit.path for hit in answer(text, indexed.catalog, indexed.reader, TOKENIZER, Where(), wanted).hits]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("configuration", "cfg"),
        ("initialise", "init"),
        ("colour", "color"),
        ("authentication", "auth"),
        ("msg", "messag"),
    ],
)
def test_members_of_a_family_find_each_other(said: str, found: str) -> None:
    (term,) = TOKENIZER(said)
    assert found in RELATIVES[term]


def test_no_term_is_its_own_relative() -> None:
    assert all(term not in others for term, others in RELATIVES.items())


def test_what_was_said_keeps_its_weight() -> None:
    terms = with_synonyms({"config": 1.25, "cfg": 1.0}, RELATIVES)
    assert (terms["config"], terms["cfg"]) == (1.25, 1.0)
    assert terms["conf"] == WEIGHT * 1.25


def test_a_question_finds_an_abbreviation(indexed: Indexed) -> None:
    assert paths(indexed, "where is the configuration")[0] == "cfg.py"
    assert paths(indexed, "where is the configuration", synonyms=False) == []


def test_switched_off_the_query_is_the_users_own() -> None:
    assert analyse("how does auth work", TOKENIZER, synonyms=False).terms == {"auth": 1.0, "work": 1.0}


@pytest.mark.parametrize("text", ["config", "src/config.py", "KeyError: config", "KeyError: no config in db"])
def test_a_name_a_path_or_an_error_is_meant_to_the_letter(text: str) -> None:
    assert analyse(text, TOKENIZER).terms == analyse(text, TOKENIZER, synonyms=False).terms
