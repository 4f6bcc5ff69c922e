"""Faults that users reported against tools of this kind: what they did, and the right result."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from engine_tools import (
    COMMAND,
    Content,
    clew_run,
    engine,
    functions,
    git,
    indexed,
    paths,
    place_of,
    places,
    repository,
    static_model,
    stored,
    texts,
    write,
)

from clew import ClewError, ModelError
from clew.search.budget import count_tokens

# Stale answers


def test_a_deleted_file_is_gone_from_the_next_search_and_from_the_counts(root: Path) -> None:
    with indexed(root, {"a.py": "def gone(): pass\n", "b.py": "def stays(): pass\n"}) as opened:
        (root / "a.py").unlink()
        assert "a.py" not in paths(opened.search("gone"))
        assert opened.status().files == 1


def test_a_renamed_file_is_found_under_its_new_name_and_embeds_nothing(root: Path, tmp_path: Path) -> None:
    with indexed(root, {"old.py": functions("alpha")}, embedder=static_model(tmp_path / "model")) as opened:
        (root / "old.py").rename(root / "new.py")
        assert opened.index().embedded == 0
        assert paths(opened.search("alpha")) == ["new.py"]


def test_indexing_a_thousand_files_again_parses_and_stores_nothing_within_a_second(root: Path) -> None:
    with indexed(root, {f"d{each % 20}/m{each}.py": functions(f"name{each}") for each in range(1000)}) as opened:
        before = stored(opened)
        started = time.monotonic()
        report = opened.index()
        assert time.monotonic() - started < 1.0
        assert (report.files.indexed, report.files.unchanged, report.embedded) == (0, 1000, 0)
        assert stored(opened) == before


# Which files belong


def test_the_exclude_file_of_a_repository_holds_also_in_its_worktree(tmp_path: Path) -> None:
    top = repository(tmp_path / "main", {"a.py": functions("alpha")})
    (top / ".git" / "info" / "exclude").write_text("ex/\n", encoding="ascii")
    git(top, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    for folder in (top, tmp_path / "linked"):
        write(folder, {"ex/b.py": functions("alpha")})
        with engine(folder) as opened:
            opened.index()
            assert paths(opened.search("alpha")) == ["a.py"]


@pytest.mark.parametrize("in_git", [True, False])
def test_ignore_rules_above_an_indexed_subfolder_hold_in_git(root: Path, in_git: bool) -> None:
    files = {".gitignore": "gen/\n", "pkg/a.py": functions("alpha"), "pkg/gen/g.py": functions("alpha")}
    if in_git:
        repository(root, files)
        with engine(root / "pkg") as opened:
            opened.index()
            assert paths(opened.search("alpha")) == ["a.py"]
    else:
        with indexed(root, files) as opened:
            assert paths(opened.search("alpha")) == ["pkg/a.py"]


@pytest.mark.parametrize("in_git", [True, False])
def test_a_byte_order_mark_in_an_ignore_file_is_no_part_of_its_first_rule(root: Path, in_git: bool) -> None:
    files: dict[str, Content] = {
        ".gitignore": b"\xef\xbb\xbfgen/\n",
        "a.py": functions("alpha"),
        "gen/g.py": functions("alpha"),
    }
    if in_git:
        repository(root, files)
        assert git(root, "check-ignore", "gen/g.py").strip() == "gen/g.py"
    with indexed(root, files) as opened:
        assert paths(opened.search("alpha")) == ["a.py"]


def test_a_tracked_file_below_a_folder_named_build_is_indexed_and_an_ignored_one_is_not(root: Path) -> None:
    repository(root, {"src/build/codegen.py": functions("alpha"), ".gitignore": "/build/\n"})
    write(root, {"build/out.py": functions("alpha")})
    with engine(root) as opened:
        report = opened.index()
        assert paths(opened.search("alpha")) == ["src/build/codegen.py"]
        assert dict(report.skipped_reasons) == {"ignored by git": 1}


def test_a_project_below_a_folder_named_build_is_indexed(tmp_path: Path) -> None:
    folder = tmp_path / "build" / "project"
    folder.mkdir(parents=True)
    with indexed(folder, {"a.py": functions("alpha")}) as opened:
        assert paths(opened.search("alpha")) == ["a.py"]


def test_dependencies_without_git_and_ignore_files_are_left_out_quickly(root: Path) -> None:
    write(root, {f"node_modules/x{each}/index.js": "function alpha() {}\n" for each in range(3000)})
    write(root, {"src/a.js": "function alpha() {}\n"})
    with engine(root) as opened:
        started = time.monotonic()
        report = opened.index()
        assert time.monotonic() - started < 2.0
        assert paths(opened.search("alpha")) == ["src/a.js"]
        assert dict(report.skipped_reasons) == {"ignored by default": 1}


SECRETS = {
    ".env": "API_KEY=sk-live-abcdefghij0123456789abcd\n",
    "id_rsa": "-----BEGIN RSA PRIVATE KEY-----\nMIIEsecretbytes\n-----END RSA PRIVATE KEY-----\n",
    "cert.pem": "-----BEGIN PRIVATE KEY-----\nMIIEotherbytes\n-----END PRIVATE KEY-----\n",
}


def test_secrets_are_in_no_file_of_the_index_also_when_a_rule_asks_for_them(root: Path) -> None:
    write(root, SECRETS | {".gitignore": "!.env\n!id_rsa\n!*.pem\n", ".clewignore": "!.env\n!id_rsa\n!*.pem\n"})
    with indexed(root, {"a.py": functions("alpha")}) as opened:
        assert opened.status().skipped_reasons["secret"] == 3
        kept = b"".join(path.read_bytes() for path in opened.index_path.rglob("*") if path.is_file())
        for part in (b"sk-live", b"MIIEsecretbytes", b"MIIEotherbytes", b"secretbyt", b"abcdefghij0123456789"):
            assert part not in kept
        assert not {".env", "id_rsa", "cert.pem"} & set(paths(opened.search("api key private sk-live", limit=20)))


def test_a_key_literal_in_source_code_is_masked_in_answers(root: Path) -> None:
    source = 'API_KEY = "sk-live-abcdefghij0123456789abcd"\n\n\ndef connect():\n    return API_KEY\n'
    with indexed(root, {"config.py": source}) as opened:
        answer = opened.search("API_KEY connect")
        assert paths(answer) == ["config.py"]
        assert "sk-live" not in texts(answer)
        assert any("masked" in note for note in answer.notes)


def test_links_out_of_the_repository_and_loops_are_counted_and_not_read(root: Path) -> None:
    write(root, {"a.py": functions("alpha"), "sub/b.py": functions("beta")})
    (root / "evil.py").symlink_to("/etc/passwd")
    (root / "sub" / "dir").symlink_to("..")
    with engine(root) as opened:
        assert dict(opened.index().skipped_reasons) == {"symlink": 2}
        assert paths(opened.search("root daemon alpha")) == ["a.py"]


def test_a_worktree_inside_the_main_checkout_gives_each_function_once(root: Path) -> None:
    repository(root, {"a.py": functions("alpha")})
    git(root, "worktree", "add", "-q", "--detach", ".worktrees/wt")
    with engine(root) as main, engine(root / ".worktrees" / "wt") as linked:
        main.index()
        linked.index()
        assert paths(main.search("alpha")) == ["a.py"]
        assert paths(linked.search("alpha")) == ["a.py"]
        assert linked.root == root / ".worktrees" / "wt"


def test_the_files_of_an_initialised_submodule_are_indexed_once(tmp_path: Path) -> None:
    library = repository(tmp_path / "library", {"lib.py": functions("alpha")})
    top = repository(tmp_path / "top", {"a.py": functions("beta")})
    git(top, "submodule", "--quiet", "add", str(library), "vendor/lib")
    with engine(top) as opened:
        opened.index()
        assert paths(opened.search("alpha")) == ["vendor/lib/lib.py"]


def test_a_submodule_that_is_not_initialised_is_a_note(tmp_path: Path) -> None:
    library = repository(tmp_path / "library", {"lib.py": functions("alpha")})
    top = repository(tmp_path / "top", {"a.py": functions("beta")})
    git(top, "submodule", "--quiet", "add", str(library), "vendor/lib")
    git(top, "commit", "-qm", "submodule")
    git(tmp_path, "clone", "-q", str(top), "clone")
    done = clew_run(tmp_path / "clone", "index")
    assert done.returncode == 0
    assert any("not initialised" in note for note in json.loads(done.stdout)["notes"])


# Lines and texts


LINES = {
    "lf.py": b"x = 1\n\n\ndef alpha():\n    return 1\n",
    "crlf.py": b"x = 1\r\n\r\n\r\ndef alpha():\r\n    return 1\r\n",
    "cr.py": b"x = 1\r\r\rdef alpha():\r    return 1\r",
    "feed.py": "x = 1\n\f\ns = '\u2028\x0b\x85'\ndef alpha():\n    return 1\n".encode(),
}


@pytest.mark.parametrize("name", LINES)
def test_lines_are_those_of_an_editor_and_text_is_verbatim(root: Path, name: str) -> None:
    with indexed(root, {name: LINES[name]}) as opened:
        place = place_of(opened.search("alpha"), name)
    assert (place.start_line, place.end_line, place.symbol) == (4, 5, "alpha")
    assert place.text is not None
    assert place.text.encode("utf-8") in LINES[name]
    assert place.text.startswith("def alpha")


ENCODED = {
    "utf16.ps1": ("# über\r\nfunction Get-Alpha {\r\n    1\r\n}\r\n".encode("utf-16"), "Get-Alpha", 2),
    "bare16.ps1": ("# uber\r\nfunction Get-Alpha {\r\n    1\r\n}\r\n".encode("utf-16-le"), "Get-Alpha", 2),
    "latin.py": (b"# -*- coding: latin-1 -*-\n# caf\xe9\n\ndef alpha():\n    return '\xe9'\n", "alpha", 4),
    "bom.cs": (b"\xef\xbb\xbfclass Shop\n{\n    void Alpha()\n    {\n    }\n}\n", "Alpha", 3),
}


@pytest.mark.parametrize("name", ENCODED)
def test_a_function_in_another_encoding_is_found_by_name_with_clean_text(root: Path, name: str) -> None:
    content, symbol, line = ENCODED[name]
    with indexed(root, {name: content}) as opened:
        place = place_of(opened.search(symbol), name)
    assert place.symbol.split(".")[-1] == symbol
    assert place.start_line <= line <= place.end_line
    assert not {"\0", "\ufffd"} & set(place.text or "")


@pytest.mark.parametrize("name", ["bundle.min.js", "bundle.js"])
def test_a_minified_bundle_is_skipped_with_its_reason(root: Path, name: str) -> None:
    bundle = "!function(){" + "var login=function(a){return a.login(1)};" * 50_000 + "}();"
    app = "// Signs the user in.\nfunction login(user) {\n  return user.session();\n}\n"
    with indexed(root, {f"assets/{name}": bundle[:1_900_000], "src/app.js": app}) as opened:
        assert paths(opened.search("login")) == ["src/app.js"]
        assert dict(opened.status().skipped_reasons) == {"minified": 1}
        assert opened.index().failures == ()


def test_two_methods_of_one_name_are_two_results(root: Path) -> None:
    source = (
        "class Item:\n    def total(self):\n        return self.price\n\n\n"
        "class Cart:\n    def total(self):\n        return sum(item.total() for item in self.items)\n"
    )
    with indexed(root, {"shop.py": source}) as opened:
        found = {(place.symbol, place.start_line) for place in places(opened.search("total", places=5))}
    assert {("Item.total", 2), ("Cart.total", 7)} <= found


def test_overloads_are_distinct_places(root: Path) -> None:
    method = "    int total({kind} price) {{\n        return 1;\n    }}\n"
    source = f"class Shop {{\n{method.format(kind='int')}\n{method.format(kind='long')}}}\n"
    with indexed(root, {"Shop.java": source}) as opened:
        lines = {place.start_line for place in places(opened.search("total", places=5))}
    assert {2, 6} <= lines


def test_a_decorated_function_begins_at_its_decorator_and_is_found_by_it(root: Path) -> None:
    source = 'import app\n\n\n@app.route("/pay")\ndef pay():\n    """Take the money."""\n    return 1\n'
    with indexed(root, {"views.py": source, "other.py": functions("alpha")}) as opened:
        place = place_of(opened.search("/pay route"), "views.py")
    assert (place.start_line, place.symbol) == (4, "pay")
    assert (place.text or "").startswith('@app.route("/pay")')


SCRIPTS = {
    "zh.py": "# 用户认证流程\ndef check(token):\n    return token\n",
    "ru.py": "# проверка пароля пользователя\ndef verify(secret):\n    return secret\n",
    "en.py": "# naïve bayes classifier\ndef classify(words):\n    return words\n",
    "zz.py": "# something else altogether\ndef other(thing):\n    return thing\n",
}


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("用户认证", "zh.py"), ("认证", "zh.py"), ("проверка пароля", "ru.py"), ("naïve bayes", "en.py"),
        ("naive bayes", "en.py"), ("NAIVE BAYES", "en.py"), ("Проверка Пароля", "ru.py"),
    ],
)  # fmt: skip
def test_questions_in_any_script_find_their_comment_first(root: Path, query: str, path: str) -> None:
    with indexed(root, SCRIPTS) as opened:
        assert paths(opened.search(query))[0] == path


def test_a_symbol_query_finds_the_definition_before_its_callers(root: Path) -> None:
    tests = {
        f"test/user{each}.test.ts": f"import {{ getUserById }} from '../a';\n\ntest('user {each}', () => {{\n"
        f"  expect(getUserById({each})).toBe(getUserById({each}));\n}});\n"
        for each in range(20)
    }
    definition = "export function getUserById(id: number) {\n  return users[id];\n}\n"
    with indexed(root, tests | {"a.ts": definition}) as opened:
        answer = opened.search("getUserById")
    assert answer.hits[0].path == "a.ts"
    assert answer.hits[0].places[0].symbol == "getUserById"


TRACE = """Traceback (most recent call last):
  File "/srv/app/auth.py", line 42, in load_user
    return session['user_id']
KeyError: 'user_id'
"""


@pytest.mark.parametrize("query", [TRACE, "KeyError: 'user_id' in auth.py line 42 in load_user"])
def test_a_pasted_stack_trace_leads_to_its_function(root: Path, query: str) -> None:
    auth = "\n" * 39 + "def load_user(session):\n    '''Who is it?'''\n    return session['user_id']\n"
    other = "def read{0}(session):\n    return session['user_id'] + {0}\n"
    others = {f"m{each}.py": other.format(each) for each in range(30)}
    with indexed(root, others | {"app/auth.py": auth}) as opened:
        best = [place.symbol for place in places(opened.search(query))[:3]]
    assert "load_user" in best


# What an answer holds


def test_a_path_filter_is_applied_before_the_best_are_chosen(root: Path) -> None:
    strong = "\n\n".join(f"def alpha_{each}():\n    '''alpha beta gamma'''\n" for each in range(100))
    files = {f"big/m{each}.py": strong for each in range(50)} | {"small/one.py": "x = 1  # alpha, once\n"}
    with indexed(root, files) as opened:
        assert (opened.status().chunks or 0) >= 5000
        assert paths(opened.search("alpha beta gamma", paths=["small/"], limit=5)) == ["small/one.py"]
        assert paths(opened.search("alpha beta gamma", paths=["smal"], limit=5)) == []


def test_no_lines_come_twice(root: Path) -> None:
    long = "def alpha(value):\n" + "".join(f"    alpha_{each} = value + {each}\n" for each in range(400))
    methods = "".join(f"    def alpha_{each}(self):\n        return 'alpha {each}'\n\n" for each in range(60))
    with indexed(root, {"long.py": long, "class.py": f"class Alpha:\n{methods}"}) as opened:
        answer = opened.search("alpha", places=10)
    for hit in answer.hits:
        taken = sorted((place.start_line, place.end_line) for place in hit.places)
        assert all(first[1] < second[0] for first, second in itertools.pairwise(taken)), hit.path


@pytest.mark.parametrize("budget", [150, 500, 2000])
def test_an_answer_keeps_to_its_budget_and_says_what_was_cut(root: Path, budget: int) -> None:
    files = {f"m{each}.py": functions(*(f"alpha{each}x{part}" for part in range(30))) for each in range(30)}
    with indexed(root, files) as opened:
        answer = opened.search("about alpha", limit=30, budget=budget)
    assert 0 < answer.tokens <= budget
    assert sum(count_tokens(place.text or "") for place in places(answer)) <= budget
    assert any("budget" in note for note in answer.notes)


def test_the_command_keeps_to_the_budget(root: Path) -> None:
    write(root, {f"m{each}.py": functions(*(f"alpha{each}x{part}" for part in range(30))) for each in range(30)})
    done = clew_run(root, "search", "about alpha", "--budget", "500", "--index")
    answer = json.loads(done.stdout)
    assert 0 < answer["tokens"] <= 500
    assert any("500" in note for note in answer["notes"])


# Without a network, a model or a grammar


def test_without_network_and_model_search_works_by_text_and_says_so_in_one_line(root: Path) -> None:
    write(root, {"a.py": functions("alpha")})
    offline = {"CLEW_EMBEDDER": "none", "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    assert clew_run(root, "index", env=offline).returncode == 0
    done = clew_run(root, "search", "alpha", env=offline)
    answer = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert [hit["path"] for hit in answer["hits"]] == ["a.py"]
    assert answer["notes"] == ["no embedding model: searched by text and symbols"]


def test_a_truncated_model_is_a_clear_error_that_names_the_file(root: Path, tmp_path: Path) -> None:
    model = static_model(tmp_path / "model")
    write(root, {"a.py": functions("alpha")})
    table = Path(model) / "table.npy"
    table.write_bytes(table.read_bytes()[:-10])
    with engine(root, embedder=model) as opened, pytest.raises(ModelError, match=r"table\.npy"):
        opened.index()
    done = clew_run(root, "index", env={"CLEW_EMBEDDER": model})
    assert (done.returncode, done.stderr) == (1, "")
    assert json.loads(done.stdout)["error"]["code"] == "model"


def test_a_model_that_vanishes_after_indexing_is_a_clear_error(root: Path, tmp_path: Path) -> None:
    model = static_model(tmp_path / "model")
    with indexed(root, {"a.py": functions("alpha")}, embedder=model):
        pass
    shutil.rmtree(model)
    with engine(root, embedder=model) as opened, pytest.raises(ClewError, match="model"):
        opened.search("alpha")


def test_a_language_without_a_grammar_is_indexed_by_lines_and_counted(root: Path) -> None:
    with indexed(root, {"a.unknown": "some words about alpha\n", "b.py": functions("beta")}) as opened:
        assert paths(opened.search("alpha")) == ["a.unknown"]
        assert dict(opened.status().text_only) == {"unknown": 1}


# Several processes


def test_two_commands_at_once_both_answer(root: Path) -> None:
    write(root, {f"m{each}.py": functions(f"alpha{each}") for each in range(20)})
    assert clew_run(root, "index").returncode == 0
    write(root, {"m1.py": functions("novel")})
    running = [
        subprocess.Popen([*COMMAND, "search", "novel"], cwd=root, stdout=subprocess.PIPE, env=os.environ)
        for _ in range(3)
    ]
    for process in running:
        answer = json.loads(process.communicate(timeout=60)[0])
        assert process.returncode == 0
        assert answer["freshness"]["state"] in ("fresh", "refreshed", "indexing")
        if answer["freshness"]["state"] != "indexing":
            assert answer["hits"][0]["path"] == "m1.py"


def test_a_path_outside_the_root_is_a_usage_error_and_nothing_is_read(root: Path) -> None:
    write(root.with_name("project-evil"), {"x.py": functions("alpha")})
    with indexed(root, {"a.py": functions("alpha")}) as opened:
        for path in ("../project-evil", "/etc", "..", "../../etc", str(root) + "-evil"):
            with pytest.raises(ClewError) as raised:
                opened.search("alpha", paths=[path])
            assert raised.value.exit_status == 2
    (root / "link").symlink_to(root.with_name("project-evil"))
    done = clew_run(root, "search", "alpha", "--path", "link")
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (2, "usage")


def test_the_home_directory_is_not_indexed_as_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.py": functions("alpha")})
    monkeypatch.setenv("HOME", str(tmp_path))
    done = clew_run(tmp_path, "search", "alpha", "--index")
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (1, "root")
    assert not (tmp_path / ".clew").exists()
