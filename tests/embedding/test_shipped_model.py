"""The model that comes with clew."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clew.embedding import Embedder, load_embedder
from clew.embedding.loading import SHIPPED

MAX_BYTES = 16_000_000
# Runs with every socket refused and an empty home directory: what is imported later cannot reach the network either.
_OFFLINE = """
import socket, sys
def refuse(*arguments, **options):
    raise OSError("no network")
socket.socket = socket.create_connection = socket.getaddrinfo = refuse
from clew import Engine
with Engine.open(sys.argv[1]) as engine:
    engine.index()
    answer = engine.search("encrypt a password")
    print(answer.hits[0].path, engine.status().embedder, *answer.notes)
"""


@pytest.fixture(scope="module")
def shipped() -> Embedder:
    found = load_embedder("default")
    assert found is not None
    return found


def test_it_fits_in_the_wheel() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < MAX_BYTES


def test_its_licence_and_origin_lie_beside_it() -> None:
    assert "Apache License" in (SHIPPED / "LICENSE").read_text(encoding="utf-8")
    assert "all-MiniLM-L6-v2" in (SHIPPED / "NOTICE").read_text(encoding="utf-8")


@pytest.mark.parametrize("written", ["getUserById", "get_user_by_id", "GetUserByID", "get-user-by-id"])
def test_a_name_is_the_same_text_as_its_words(shipped: Embedder, written: str) -> None:
    name, words = shipped.embed_documents([written, "get user by id"])
    assert np.dot(name, words) > 0.999


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("remove duplicates from a list", "def unique(items):\n    return list(dict.fromkeys(items))"),
        ("wait longer after each failed attempt", "def backoff(retries):\n    time.sleep(2 ** retries)"),
        (
            "parse command line options",
            "def main(argv):\n    argparse.ArgumentParser().parse_args(argv)",
        ),
        ("open a database connection", "def connect(url):\n    return psycopg2.connect(url)"),
    ],
)
def test_a_question_is_nearest_to_the_code_that_answers_it(shipped: Embedder, question: str, right: str) -> None:
    others = [
        "def area(width, height):\n    return width * height",
        "class Window(QMainWindow):\n    def paintEvent(self, event): ...",
        "def render(template, context):\n    return env.get_template(template).render(context)",
        "def sha256(path):\n    return hashlib.sha256(path.read_bytes()).hexdigest()",
    ]
    scores = np.dot(shipped.embed_documents([right, *others]), shipped.embed_query(question))
    assert scores.argmax() == 0


def test_it_indexes_and_searches_without_a_network_and_with_an_empty_home(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "accounts.py").write_text(
        "def encrypt_credentials(secret):\n    return bcrypt.hashpw(secret, bcrypt.gensalt())\n", encoding="utf-8"
    )
    (project / "shapes.py").write_text("def area(width, height):\n    return width * height\n", encoding="utf-8")
    home = tmp_path / "home"
    home.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", _OFFLINE, str(project)],
        capture_output=True, text=True, encoding="utf-8", check=False,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(SHIPPED).parents[2])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("accounts.py static:clew-code:256:")
