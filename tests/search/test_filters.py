"""Filters resolve to ids before ranking: exact prefixes, literal values, a grammar that is never spliced."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.errors import UsageError
from clew.index.catalog import Catalog, FileRecord
from clew.index.store import CHUNK_BITS
from clew.records import Chunk, FileFlag, FileStat
from clew.search import filters
from clew.search.filters import MAX_DEPTH, MAX_EXPRESSION, Condition, Filters, parse_expression, resolve

FILES = {
    "src/app/main.py": ("python", FileFlag.NONE, 10),
    "src/app2/main.py": ("python", FileFlag.NONE, 20),
    "src/app0": ("python", FileFlag.NONE, 25),
    "src/app.py": ("python", FileFlag.NONE, 30),
    "src/a_p/x.go": ("go", FileFlag.NONE, 40),
    "src/axp/x.go": ("go", FileFlag.GENERATED, 50),
    "src/100%/x.go": ("go", FileFlag.NONE, 60),
    "src/100a/x.go": ("go", FileFlag.NONE, 70),
    "src/[ab]/x.js": ("javascript", FileFlag.VENDORED, 80),
    "src/app-2/x.js": ("javascript", FileFlag.NONE, 90),
    "tests/test_app.py": ("python", FileFlag.TEST, 100),
    "notes": ("", FileFlag.DOCUMENTATION, 110),
}
CHUNKS = [
    Chunk(0, "class", "Pod", 1, 4, 0, 10),
    Chunk(1, "method", "Pod.sync_all", 5, 8, 10, 20),
    Chunk(2, "function", "it's [a] 100%", 9, 9, 20, 30),
]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    made = Catalog.create(tmp_path_factory.mktemp("catalog") / "catalog.db")
    for path, (language, flags, lines) in FILES.items():
        record = FileRecord(0, path, FileStat(lines * 10, 0, 0, 0), b"", language, int(flags), "syntax", lines, "", "")
        made.add_file(record, b"", [], CHUNKS if path == "src/app/main.py" else CHUNKS[:1])
    made.publish()
    yield made
    made.close()


def paths(catalog: Catalog, **filters: object) -> list[str]:
    """The files that a filter admits, sorted."""
    where, _ = resolve(Filters(**filters), catalog)  # type: ignore[arg-type]
    names = {file.id: file.path for file in catalog.files()}
    return sorted(names.values() if where.files is None else (names[each] for each in where.files.tolist()))


def chunks(catalog: Catalog, expression: str, **filters: object) -> list[tuple[str, int]]:
    """Path and ordinal of the chunks that an expression admits."""
    where, _ = resolve(Filters(expression=expression, **filters), catalog)  # type: ignore[arg-type]
    assert where.chunks is not None
    names = {file.id: file.path for file in catalog.files()}
    return [(names[each >> CHUNK_BITS], each & ((1 << CHUNK_BITS) - 1)) for each in where.chunks.tolist()]


def test_no_filter_restricts_nothing(catalog: Catalog) -> None:
    where, notes = resolve(Filters(), catalog)
    assert (where.files, where.chunks, where.kinds, notes) == (None, None, None, ())
    assert resolve(Filters(expression="  ", paths=("",)), catalog)[0].files is None


@pytest.mark.parametrize(
    ("prefix", "found"),
    [
        ("src/app", ["src/app/main.py"]),
        ("src/app/", ["src/app/main.py"]),
        ("src/app.py", ["src/app.py"]),
        ("src/a_p", ["src/a_p/x.go"]),
        ("src/100%", ["src/100%/x.go"]),
        ("src/[ab]", ["src/[ab]/x.js"]),
        ("src/ap", []),
        ("src/a?p", []),
        ("src/*", []),
        ("%", []),
        ("", sorted(FILES)),
        (".", sorted(FILES)),
        ("src", sorted(path for path in FILES if path.startswith("src/"))),
    ],
)
def test_a_path_prefix_is_exact_to_the_directory(catalog: Catalog, prefix: str, found: list[str]) -> None:
    assert paths(catalog, paths=(prefix,)) == found


def test_several_prefixes_admit_either_and_the_root_admits_all(catalog: Catalog) -> None:
    assert paths(catalog, paths=("src/app", "tests")) == ["src/app/main.py", "tests/test_app.py"]
    assert paths(catalog, paths=("src/app", ".")) == sorted(FILES)


def test_a_prefix_that_nothing_lies_under_is_noted(catalog: Catalog) -> None:
    where, notes = resolve(Filters(paths=("src/app", "nowhere")), catalog)
    assert notes == ("nothing is indexed under 'nowhere'",)
    assert where.files is not None and len(where.files) == 1


@pytest.mark.parametrize("path", ["\ud800", "caf\udce9"])
def test_a_prefix_that_is_not_utf8_is_a_usage_error(catalog: Catalog, path: str) -> None:
    with pytest.raises(UsageError, match="is not UTF-8"):
        resolve(Filters(paths=(path,)), catalog)


def test_a_path_prefix_is_looked_up_and_not_compared_with_every_file(catalog: Catalog) -> None:
    where, values = filters._under("src/app")
    with sqlite3.connect(f"file:{catalog.path}?mode=ro", uri=True) as connection:
        steps = connection.execute(f"EXPLAIN QUERY PLAN SELECT id FROM files WHERE {where}", values).fetchall()
    connection.close()
    assert "SCAN files" not in [step[3] for step in steps]


def test_tests_are_left_out_or_taken_alone(catalog: Catalog) -> None:
    assert paths(catalog, tests="only") == ["tests/test_app.py"]
    assert paths(catalog, tests="without") == sorted(set(FILES) - {"tests/test_app.py"})
    with pytest.raises(UsageError, match="with, without, only"):
        resolve(Filters(tests="maybe"), catalog)


def test_languages_are_taken_by_name(catalog: Catalog) -> None:
    assert paths(catalog, languages=("go", "javascript"), paths=("src/100%", "src/app")) == ["src/100%/x.go"]
    assert paths(catalog, languages=("haskell",)) == []  # known, but nothing of it is there
    with pytest.raises(UsageError, match="unknown language 'pyhton'") as caught:
        resolve(Filters(languages=("pyhton",)), catalog)
    assert "python" in caught.value.hint


def test_kinds_admit_files_with_such_a_chunk(catalog: Catalog) -> None:
    where, _ = resolve(Filters(kinds=("method", "function")), catalog)
    assert where.kinds == frozenset(("method", "function"))
    assert paths(catalog, kinds=("method", "function")) == ["src/app/main.py"]
    with pytest.raises(UsageError, match="unknown kind 'klass'"):
        resolve(Filters(kinds=("klass",)), catalog)


def test_a_kind_and_an_expression_must_hold_for_the_same_chunk(catalog: Catalog) -> None:
    assert chunks(catalog, "start_line >= 5", kinds=("class",)) == []
    assert chunks(catalog, "start_line >= 5", kinds=("method",)) == [("src/app/main.py", 1)]


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("path = src/app.py", ["src/app.py"]),
        ("path = 'src/app.py'", ["src/app.py"]),
        ("path != 'src/app.py' and language = python and lines < 25", ["src/app/main.py", "src/app2/main.py"]),
        ("language in (go, 'javascript') and lines <= 50", ["src/a_p/x.go", "src/axp/x.go"]),
        ("lines < 20 or lines > 100", ["notes", "src/app/main.py"]),
        ("lines >= 100", ["notes", "tests/test_app.py"]),
        ("size = 100", ["src/app/main.py"]),
        ("test", ["tests/test_app.py"]),
        ("generated or vendored", ["src/[ab]/x.js", "src/axp/x.go"]),
        ("documentation and not (test or stub or example)", ["notes"]),
        ("lines = 10 or lines = 20 and test", ["src/app/main.py"]),  # and binds tighter
        ("(lines = 10 or lines = 20) and not test", ["src/app/main.py", "src/app2/main.py"]),
        ("not lines = 10 and lines < 30", ["src/app0", "src/app2/main.py"]),
        ("not (lines = 10 or lines < 110)", ["notes"]),
        ("not not test", ["tests/test_app.py"]),
        ("LANGUAGE = go AND NOT Generated AND path LIKE 'src/a*'", ["src/a_p/x.go"]),
        ("path like 'src/app*'", ["src/app-2/x.js", "src/app.py", "src/app/main.py", "src/app0", "src/app2/main.py"]),
        ("path like 'src/app?py'", ["src/app.py"]),
        ("path like 'src/[ab]/*'", ["src/[ab]/x.js"]),  # a bracket means itself
        ("path like 'src/100%/*'", ["src/100%/x.go"]),
        ("path like 'src/a_p/*'", ["src/a_p/x.go"]),
        ("path like 'SRC/*'", []),
        ("language = ''", ["notes"]),
    ],
)
def test_an_expression_admits_files(catalog: Catalog, expression: str, found: list[str]) -> None:
    assert paths(catalog, expression=expression) == found


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("symbol = Pod.sync_all", [1]),
        ("symbol like 'Pod*' and kind != class", [1]),
        ("symbol like '*[a]*'", [2]),
        ("symbol = 'it''s [a] 100%'", [2]),
        ("start_line > 4 and end_line < 9", [1]),
        ("kind in (method, function) and language = python", [1, 2]),
        ("kind = method and test", []),
    ],
)
def test_an_expression_over_chunks_admits_chunks(catalog: Catalog, expression: str, found: list[int]) -> None:
    assert chunks(catalog, expression) == [("src/app/main.py", ordinal) for ordinal in found]


def test_an_expression_over_chunks_also_restricts_files(catalog: Catalog) -> None:
    assert paths(catalog, expression="kind = method") == ["src/app/main.py"]
    assert paths(catalog, expression="kind = class", tests="only") == ["tests/test_app.py"]


@pytest.mark.parametrize(
    "value",
    [
        "'; DROP TABLE files; --",
        "x' OR '1'='1",
        "') OR (1=1",
        '" OR 1=1 --',
        "?1",
        "\\' OR 1 --",
        "x; DELETE FROM files",
        "\0",
    ],
)
def test_what_looks_like_sql_is_a_value(catalog: Catalog, value: str) -> None:
    quoted = "'" + value.replace("'", "''") + "'"
    for field in ("path", "language", "symbol"):
        condition = parse_expression(f"{field} = {quoted}")
        assert condition.values == (value,) and "?" in condition.sql and "DROP" not in condition.sql
        assert paths(catalog, expression=f"{field} = {quoted}") == []
    assert paths(catalog, paths=(value,)) == []
    assert catalog.totals()["files"] == len(FILES)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("language", "ends where an operator"),
        ("language =", "ends where a value should stand"),
        ("language = go and", "ends where a field"),
        ("(test", "ends where '\\)' should stand"),
        ("test)", "has '\\)' at character 5 where 'and', 'or' or the end"),
        ("colour = red", "has 'colour' at character 1 where a field"),
        ("lines = many", "has 'many' at character 9 where a number"),
        ("lines = -1", "where a number"),
        ("lines = 1e3", "where a number"),
        ("lines = 99999999999999999999", "where a number"),
        ("lines like '1*'", "has 'like' at character 7 where an operator"),
        ("test = 1", "has '=' at character 6"),
        ("path = 'open", "fault at character 8"),
        ("path ~ x", "fault at character 6"),
        ("path = $x", "fault at character 8"),
        ("language in ()", "has '\\)' at character 14 where a value"),
        ("language in go", "has 'go' at character 13"),
        ("1 = 1", "has '1' at character 1"),
        ("path; path", "fault at character 5"),
    ],
)
def test_a_fault_is_named_with_its_place(expression: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_expression(expression)


def test_an_expression_is_bounded_in_length_and_depth(catalog: Catalog) -> None:
    with pytest.raises(UsageError, match=f"longer than {MAX_EXPRESSION}"):
        parse_expression("test or " * MAX_EXPRESSION)
    for deep in ("(" * 1000 + "test" + ")" * 1000, "not " * 900 + "test"):
        with pytest.raises(UsageError, match=f"nests deeper than {MAX_DEPTH}"):
            parse_expression(deep)


DEEPEST = "lines = 1 or lines = 2 and " + "(lines = 1 or lines = 2 and " * MAX_DEPTH + "kind = method" + ")" * MAX_DEPTH


@pytest.mark.parametrize(
    "expression",
    [
        " or ".join(["test"] * 499),
        " and ".join(["test"] * 440),
        " or ".join(["not test and stub"] * 190),
        "lines in (" + "1," * 1900 + "1)",
        DEEPEST,
        "not " * MAX_DEPTH + "test",
        "symbol like '" + "*a" * 1900 + "*b'",
    ],
    ids=lambda text: text[:20],
)
def test_what_the_grammar_admits_sqlite_takes(catalog: Catalog, expression: str) -> None:
    assert len(expression) <= MAX_EXPRESSION
    for kinds in ((), ("method",)):
        resolve(Filters(expression=expression, kinds=kinds, tests="without", paths=("src",)), catalog)


WORDS = st.sampled_from(
    "path language kind symbol lines size start_line end_line test generated stub and or not in like = != < <= > >= "
    "( ) , 'a' '' 'it''s' go 5 0 * ? % _ ; -- ' \" \\ \0 é 漢 \ud800 [ ] NOT AND x.y/z-w".split(" ")
)
EXPRESSIONS = st.lists(WORDS, max_size=25).map(" ".join) | st.text(max_size=40)


@given(EXPRESSIONS)
@example("lines = ٣")
@example("lines = ²")
@example("path = '\udce9'")
def test_any_expression_resolves_or_is_a_usage_error(catalog: Catalog, expression: str) -> None:
    try:
        resolve(Filters(expression=expression), catalog)
    except UsageError as error:
        assert "filter" in error.message or "unknown kind" in error.message


TESTS = st.sampled_from(
    ["lines = 10", "lines != 10", "lines < 50", "test", "generated", "language = go", "kind = method"]
)
TREES = st.recursive(
    TESTS,
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda each: "({}) {} ({})".format(*each)),
    ),
    max_leaves=6,
)


@given(TREES)
def test_a_filter_and_its_negation_divide_the_chunks(catalog: Catalog, tree: str) -> None:
    every = chunks(catalog, "start_line > 0")
    admitted, rejected = (chunks(catalog, f"{each} and start_line > 0") for each in (f"({tree})", f"not ({tree})"))
    assert sorted(admitted + rejected) == sorted(every)


def test_a_condition_holds_as_many_values_as_placeholders() -> None:
    condition = parse_expression("path in (a, b) and not (symbol like 'x*' or lines = 5)")
    assert condition == Condition(condition.sql, ("a", "b", "x*", 5), chunks=True)
    assert condition.sql.count("?") == 4
    assert sqlite3.complete_statement(f"SELECT {condition.sql};")


def test_files_of_the_index_that_are_skipped_are_never_admitted(tmp_path: Path) -> None:
    made = Catalog.create(tmp_path / "catalog.db")
    made.add_file(FileRecord(0, "a", FileStat(1, 0, 0, 0), b"", "go", 0, "", 1, "binary", ""), b"", [], [])
    assert paths(made, languages=("go",)) == paths(made, expression="language = go") == []
    made.close()


@pytest.mark.parametrize("expression", ["kind = metod", "not kind = 'x'", "test or kind in (class, metod)"])
def test_a_kind_that_does_not_exist_is_an_error_in_an_expression_too(expression: str) -> None:
    with pytest.raises(UsageError, match="unknown kind"):
        parse_expression(expression)
