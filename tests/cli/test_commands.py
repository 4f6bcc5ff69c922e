"""The commands end to end: a real repository and the real engine, where it matters in a process of their own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RunClew = Callable[..., "subprocess.CompletedProcess[str]"]
OnTerminal = Callable[..., tuple[int, str, str]]

CART = '''"""Shopping cart."""

TAX_RATE = 0.2


class Cart:
    def apply_discount_rules(self, rules):
        """Apply every discount rule to the cart, in order."""
        for rule in rules:
            rule.apply(self)

    def total_with_tax(self):
        return self.net() * (1 + TAX_RATE)
'''
TEST = """from cart import Cart


def test_discount_rules_are_applied_in_order():
    Cart().apply_discount_rules([])
"""
SERVER = """package server

// ListenForever accepts connections until the context ends.
func ListenForever(address string) error {
\treturn accept(address)
}
"""


FILES = {
    "shop/cart.py": CART,
    "tests/test_cart.py": TEST,
    "server/server.go": SERVER,
    "shop2/other.py": "def unrelated_helper():\n    return None\n",
}


def written(root: Path) -> Path:
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of the test's own, without an index."""
    return written(tmp_path / "repository")


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Path:
    """An indexed repository that all tests share: for reading only."""
    root = written(tmp_path_factory.mktemp("shared") / "repository")
    command = [sys.executable, "-m", "clew", "index", "--quiet"]
    subprocess.run(command, cwd=root, env=environment, stdout=subprocess.DEVNULL, check=True)
    return root


def document(done: subprocess.CompletedProcess[str]) -> Any:
    """The one JSON document on stdout."""
    return json.loads(done.stdout)


def paths(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stdout
    return [hit["path"] for hit in document(done)["hits"]]


def test_index_reports_the_contract(repository: Path, clew_run: RunClew) -> None:
    done = clew_run("index", cwd=repository)
    report = document(done)
    assert done.returncode == 0
    contract = {
        "root",
        "generation",
        "files",
        "chunks",
        "definitions",
        "embedded",
        "skipped_reasons",
        "failures",
        "seconds",
    }
    assert contract <= set(report)
    assert set(report["files"]) == {"indexed", "unchanged", "removed", "skipped", "failed"}
    assert (report["files"]["indexed"], report["files"]["failed"]) == (4, 0)
    assert report["root"] == str(repository)
    assert report["definitions"] >= 5


def test_a_second_index_does_nothing(indexed: Path, clew_call: RunClew) -> None:
    report = document(clew_call("index", cwd=indexed))
    assert (report["files"]["indexed"], report["files"]["unchanged"], report["embedded"]) == (0, 4, 0)


def test_a_full_index_reads_every_file_again(repository: Path, clew_call: RunClew) -> None:
    clew_call("index", cwd=repository)
    assert document(clew_call("index", "--full", cwd=repository))["files"]["indexed"] == 4


def test_progress_in_a_pipe_is_lines_on_stderr_and_quiet_silences_it(repository: Path, clew_run: RunClew) -> None:
    done = clew_run("index", cwd=repository)
    assert "100%" in done.stderr
    assert not re.search(r"[\x1b\r]", done.stderr)
    assert clew_run("index", "--full", "--quiet", cwd=repository).stderr == ""


def test_a_dry_run_writes_nothing(repository: Path, clew_call: RunClew) -> None:
    before = sorted(repository.rglob("*"))
    estimate = document(clew_call("index", "--dry-run", cwd=repository))
    assert (estimate["files"], estimate["changed_files"]) == (4, 4)
    assert {"root", "bytes", "estimated_chunks", "large", "skipped_reasons"} <= set(estimate)
    assert sorted(repository.rglob("*")) == before


def test_search_answers_the_contract(indexed: Path, clew_run: RunClew) -> None:
    done = clew_run("how", "are", "discount", "rules", "applied", cwd=indexed)
    answer = document(done)
    assert done.returncode == 0
    assert set(answer) == {"query", "root", "generation", "freshness", "hits", "notes", "tokens"}
    assert answer["query"] == "how are discount rules applied"
    assert set(answer["freshness"]) == {"state", "changed_files", "message"}
    assert answer["freshness"]["state"] in ("fresh", "refreshed")
    hit = answer["hits"][0]
    assert set(hit) == {"rank", "path", "language", "score", "places", "stale", "decisions"}
    assert (hit["rank"], hit["path"], hit["language"]) == (1, "shop/cart.py", "python")
    place = hit["places"][0]
    assert {"start_line", "end_line", "symbol", "kind", "text", "truncated"} <= set(place)
    assert place["symbol"] == "Cart.apply_discount_rules"
    assert (place["start_line"], place["end_line"]) == (7, 10)


def test_search_works_from_a_subfolder_and_with_an_explicit_root(
    indexed: Path, clew_call: RunClew, tmp_path: Path
) -> None:
    assert paths(clew_call("ListenForever", cwd=indexed / "shop"))[0] == "server/server.go"
    assert paths(clew_call("--root", str(indexed), "ListenForever", cwd=tmp_path))[0] == "server/server.go"
    assert paths(clew_call("ListenForever", cwd=tmp_path, env={"CLEW_ROOT": str(indexed)}))[0] == "server/server.go"


def test_nothing_found_is_an_empty_list_and_no_failure(indexed: Path, clew_call: RunClew) -> None:
    assert paths(clew_call("zzzqqqxxyy", cwd=indexed)) == []


def test_filters_restrict_the_answer(indexed: Path, clew_call: RunClew) -> None:
    words = ("search", "cart discount rules unrelated helper listen")
    assert set(paths(clew_call(*words, "--path", "shop", cwd=indexed))) == {"shop/cart.py"}
    assert set(paths(clew_call(*words, "--lang", "go", cwd=indexed))) <= {"server/server.go"}
    assert "tests/test_cart.py" not in paths(clew_call(*words, "--tests", "without", cwd=indexed))
    assert set(paths(clew_call(*words, "--tests", "only", cwd=indexed))) == {"tests/test_cart.py"}
    assert len(paths(clew_call(*words, "-n", "1", cwd=indexed))) == 1


def test_one_place_per_file_and_no_text_when_asked(indexed: Path, clew_call: RunClew) -> None:
    answer = document(clew_call("cart total tax rules", "--places", "1", "--no-text", cwd=indexed))
    for hit in answer["hits"]:
        (place,) = hit["places"]
        assert "text" not in place


def test_explain_shows_signals(indexed: Path, clew_call: RunClew) -> None:
    assert document(clew_call("cart total", "--explain", cwd=indexed))["hits"][0]["signals"]


@pytest.mark.parametrize(
    "flags", [["--filter", "((("], ["--lang", "klingon"], ["--kind", "func"], ["--tests", "no"], ["--budget", "x"]]
)
def test_a_wrong_option_value_is_usage_with_one_document(indexed: Path, clew_call: RunClew, flags: list[str]) -> None:
    done = clew_call("q", *flags, cwd=indexed)
    assert done.returncode == 2
    assert document(done)["error"]["code"] == "usage"


def test_similar_finds_code_like_a_place(indexed: Path, clew_call: RunClew) -> None:
    answer = document(clew_call("similar", "shop/cart.py:8", cwd=indexed))
    assert set(answer) == {"query", "root", "generation", "freshness", "hits", "notes", "tokens"}


@pytest.mark.parametrize("location", ["nowhere.py:1", "shop/cart.py", "shop/cart.py:x", "../../etc/passwd:1"])
def test_similar_to_a_place_that_does_not_exist_is_an_error(indexed: Path, clew_call: RunClew, location: str) -> None:
    done = clew_call("similar", location, cwd=indexed)
    assert done.returncode in (1, 2)
    assert document(done)["error"]["code"] != "internal"


def test_without_an_index_and_a_terminal_search_refuses_and_names_the_command(
    repository: Path, clew_run: RunClew
) -> None:
    for argv in (["cart"], ["similar", "shop/cart.py:8"]):
        done = clew_run(*argv, cwd=repository)
        assert done.returncode == 1
        error = document(done)["error"]
        assert error["code"] == "no_index"
        assert error["message"] == f"{repository} has no index yet"
        assert error["hint"] == "make one with: clew index, or let the search do it with --index"
    assert not (repository / ".clew").exists()


def test_the_flag_or_the_setting_gives_consent_to_index(repository: Path, clew_run: RunClew) -> None:
    done = clew_run("ListenForever", "--index", cwd=repository)
    assert paths(done)[0] == "server/server.go"
    assert f"indexing {repository} (4 files)" in done.stderr
    second = repository.parent / "second"
    repository.rename(second)
    subprocess.run(["rm", "-r", str(second / ".clew")], check=True)
    assert paths(clew_run("ListenForever", cwd=second, env={"CLEW_AUTO_INDEX": "1"}))[0] == "server/server.go"


def test_an_index_outside_of_the_tree_leaves_the_tree_alone(
    repository: Path, clew_call: RunClew, tmp_path: Path
) -> None:
    env = {"CLEW_INDEX_DIR": str(tmp_path / "indexes")}
    assert paths(clew_call("ListenForever", "--index", cwd=repository, env=env))[0] == "server/server.go"
    assert not (repository / ".clew").exists()


def test_status_before_and_after_indexing(repository: Path, clew_call: RunClew) -> None:
    before = document(clew_call("status", cwd=repository))
    assert (before["exists"], before["files"], before["stale"]) == (False, None, None)
    assert not (repository / ".clew").exists()
    clew_call("index", cwd=repository)
    after = document(clew_call("status", cwd=repository))
    assert (after["exists"], after["files"], after["stale"], after["error"]) == (True, 4, False, None)
    assert after["languages"] == {"python": 3, "go": 1}
    (repository / "shop" / "cart.py").write_text("x = 1\n", encoding="utf-8")
    changed = document(clew_call("status", cwd=repository))
    assert (changed["stale"], changed["changed_files"]) == (True, 1)


def test_index_and_status_name_what_is_left_out_as_a_whole(repository: Path, clew_call: RunClew) -> None:
    (repository / ".gitignore").write_text("server/\n", encoding="utf-8")
    for command in ("index", "status"):
        assert "left out as a whole: server" in document(clew_call(command, cwd=repository))["notes"]
        assert "note: left out as a whole: server" in clew_call(command, "--no-json", cwd=repository).stdout


def test_a_damaged_index_is_told_apart_and_full_repairs_it(repository: Path, clew_call: RunClew) -> None:
    clew_call("index", cwd=repository)
    for file in (repository / ".clew").rglob("*.db"):
        file.write_bytes(b"not a database, and long enough to be looked at" * 200)
    done = clew_call("cart", cwd=repository)
    assert done.returncode == 1
    error = document(done)["error"]
    assert error["code"] == "index_damaged"
    assert "--full" in error["hint"]
    checks = clew_call("doctor", cwd=repository)
    assert checks.returncode == 1
    assert "broken" in [check["state"] for check in document(checks)["checks"] if check["name"].startswith("index")]
    assert document(clew_call("status", cwd=repository))["error"]
    assert clew_call("index", "--full", cwd=repository).returncode == 0
    assert paths(clew_call("ListenForever", cwd=repository))[0] == "server/server.go"


def test_settings_show_value_and_origin(repository: Path, clew_call: RunClew) -> None:
    (repository / "clew.toml").write_text('exclude = ["gen/"]\n', encoding="utf-8")
    done = clew_call("settings", cwd=repository, env={"CLEW_LIMIT": "7"})
    assert done.returncode == 0
    table = document(done)["settings"]
    assert table["exclude"] == {"value": ["gen/"], "origin": "project clew.toml"}
    assert table["limit"] == {"value": 7, "origin": "environment CLEW_LIMIT"}
    assert table["places"] == {"value": 2, "origin": "default"}


def test_settings_need_no_repository(clew_call: RunClew, tmp_path: Path) -> None:
    assert document(clew_call("settings", cwd=tmp_path))["settings"]["limit"]["value"] == 10


def test_a_bad_setting_is_usage_for_every_command(repository: Path, clew_call: RunClew) -> None:
    (repository / "clew.toml").write_text("limt = 1\n", encoding="utf-8")
    for argv in (["q"], ["index"], ["status"], ["settings"]):
        done = clew_call(*argv, cwd=repository)
        assert done.returncode == 2
        assert document(done)["error"]["code"] == "settings"


def test_the_limit_of_the_settings_holds_unless_a_flag_says_otherwise(indexed: Path, clew_call: RunClew) -> None:
    env = {"CLEW_LIMIT": "1"}
    assert len(paths(clew_call("cart discount rules", cwd=indexed, env=env))) == 1
    assert len(paths(clew_call("cart discount rules", "-n", "2", cwd=indexed, env=env))) == 2


def test_doctor_reports_checks_and_creates_nothing(repository: Path, clew_call: RunClew) -> None:
    before = sorted(repository.rglob("*"))
    done = clew_call("doctor", cwd=repository)
    checks = document(done)["checks"]
    assert done.returncode == 0, [check for check in checks if check["state"] == "broken"]
    assert {"name", "state", "detail", "fix"} == set(checks[0])
    assert sorted(repository.rglob("*")) == before


def test_the_home_directory_is_no_root_unless_forced(clew_call: RunClew, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    env = {"HOME": str(tmp_path)}
    for argv in (["q"], ["index"], ["status"]):
        done = clew_call(*argv, "--root", str(tmp_path), env=env)
        assert done.returncode == 1
        assert document(done)["error"]["code"] == "root"
    assert clew_call("index", "--root", str(tmp_path), "--force", env=env).returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="file names that are not UTF-8")
def test_a_file_name_that_is_not_utf8_does_not_break_an_answer(repository: Path, clew_call: RunClew) -> None:
    name = os.fsencode(repository) + b"/caf\xe9.py"
    with open(name, "w", encoding="utf-8") as file:
        file.write("def brew_coffee_slowly():\n    return 1\n")
    done = clew_call("brew_coffee_slowly", "--index", cwd=repository)
    assert done.returncode == 0
    json.loads(done.stdout)
    assert clew_call("brew_coffee_slowly", "--no-json", cwd=repository).returncode == 0


def test_an_answer_as_text_in_a_pipe_has_no_colour(indexed: Path, clew_run: RunClew) -> None:
    done = clew_run("apply", "discount", "rules", "--no-json", cwd=indexed)
    assert done.stdout.startswith("1  shop/cart.py:7-10  Cart.apply_discount_rules  method\n")
    assert "\x1b" not in done.stdout
    assert "7  def apply_discount_rules(self, rules):" in done.stdout


def test_a_search_on_a_terminal_says_that_it_indexes_and_answers(repository: Path, clew_terminal: OnTerminal) -> None:
    status, out, err = clew_terminal("ListenForever", cwd=repository)
    assert status == 0
    assert f"indexing {repository} (4 files)" in err
    assert "\r" in err
    plain = re.sub(r"\x1b\[[\d;]*m", "", out)
    assert plain.startswith("1  server/server.go:")
    assert "\x1b[" in out


def test_json_on_a_terminal_never_indexes_by_itself(repository: Path, clew_terminal: OnTerminal) -> None:
    status, out, _ = clew_terminal("ListenForever", "--json", cwd=repository)
    assert status == 1
    assert json.loads(out)["error"]["code"] == "no_index"


def test_every_command_has_a_form_for_people(indexed: Path, clew_call: RunClew) -> None:
    for argv in (
        ["index"],
        ["index", "--dry-run"],
        ["status"],
        ["settings"],
        ["doctor"],
        ["similar", "shop/cart.py:8"],
    ):
        done = clew_call(*argv, "--no-json", cwd=indexed)
        assert done.returncode == 0, (argv, done.stdout)
        assert done.stdout.strip()
        assert not done.stdout.startswith("{")
        assert "\x1b" not in done.stdout


def test_colour_can_be_had_in_a_pipe_and_refused_on_a_terminal(
    indexed: Path, clew_call: RunClew, clew_terminal: OnTerminal
) -> None:
    assert "\x1b[" in clew_call("status", "--no-json", "--color", "always", cwd=indexed).stdout
    assert "\x1b[" not in clew_terminal("status", cwd=indexed, env={"NO_COLOR": "1"})[1]


def test_a_reader_that_leaves_ends_the_command_quietly(indexed: Path, environment: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "clew", "cart"],
            cwd=indexed, env=environment, stdout=stdout, stderr=subprocess.PIPE, encoding="utf-8", check=False,
        )  # fmt: skip
    assert done.returncode == 0
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_an_interrupt_ends_indexing_with_130_and_without_a_traceback(
    repository: Path, environment: dict[str, str], clew_run: RunClew
) -> None:
    for number in range(100):
        (repository / "shop" / f"part{number}.py").write_text(CART * 5, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "clew", "cart", "--index"],
        cwd=repository, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert "indexing" in process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the whole group
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(out)["error"]["code"] == "interrupted"
    assert "Traceback" not in err
    assert clew_run("index", "--quiet", cwd=repository).returncode == 0


def test_the_debug_variable_is_no_setting(indexed: Path, clew_call: RunClew) -> None:
    assert clew_call("cart", cwd=indexed, env={"CLEW_DEBUG": "1"}).returncode == 0
