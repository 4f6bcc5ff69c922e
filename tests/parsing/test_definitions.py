"""What an outline promises, in the language that shows it best; the packs' own fixtures are in tests/languages."""

from __future__ import annotations

import time

import pytest

from clew.languages import language_of, pack, parser_for
from clew.parsing.definitions import DOC_BYTES, MAX_DEFINITIONS, NAME_BYTES, SIGNATURE_BYTES, Outline, outline
from clew.records import Definition


def outlined(path: str, text: str) -> Outline:
    data = text.encode("utf-8")
    language = language_of(path, data)
    parser = parser_for(language)
    assert parser is not None
    found = outline(parser.parse(data), data, pack(language))
    assert found is not None
    return found


def definitions(path: str, text: str) -> list[tuple[str, str]]:
    return [(each.kind, each.symbol) for each in outlined(path, text).definitions]


def only(path: str, text: str) -> Definition:
    (definition,) = outlined(path, text).definitions
    return definition


def test_a_function_inside_a_class_is_a_method_with_the_name_of_the_class() -> None:
    text = "class Cart:\n    def total(self):\n        def add(): ...\n"
    assert definitions("a.py", text) == [
        ("class", "Cart"),
        ("method", "Cart.total"),
        ("function", "Cart.total.add"),
    ]


def test_a_constructor_is_told_by_its_name_and_only_inside_a_type() -> None:
    text = "class A:\n    def __init__(self): ...\ndef __init__(): ...\n"
    assert definitions("a.py", text) == [("class", "A"), ("constructor", "A.__init__"), ("function", "__init__")]


def test_a_receiver_qualifies_a_name_without_enclosing_it() -> None:
    assert ("method", "Cart.Total") in definitions("a.go", "package a\n\nfunc (c *Cart[T]) Total() int { return 0 }\n")


def test_a_scope_qualifies_what_lies_inside_and_is_no_definition() -> None:
    assert definitions("a.rs", "impl<T> Cart<T> {\n    fn total(&self) {}\n}\n") == [("method", "Cart.total")]


def test_a_member_defined_outside_its_class_has_the_name_of_the_class() -> None:
    assert definitions("a.cpp", "int shop::Cart<T>::total() const { return 0; }\n") == [("method", "shop.Cart.total")]


def test_names_of_one_declaration_do_not_enclose_each_other() -> None:
    assert [symbol for _, symbol in definitions("a.go", "package a\n\nconst x, y = 1, 2\n")] == ["x", "y"]


@pytest.mark.parametrize(
    ("path", "text", "symbol", "name"),
    [
        ("a.cpp", "struct A { bool operator<=>(int) const; };\n", "A.operator<=>", "operator<=>"),
        ("a.cpp", "struct A { int operator[](int); };\n", "A.operator[]", "operator[]"),
        ("a.cpp", "struct A { operator bool() const; };\n", "A.operator bool", "operator bool"),
        ("a.cpp", "bool a::B::operator<(int x) { return x; }\n", "a.B.operator<", "operator<"),
        ("a.rb", "class A\n  def [](i) = 1\nend\n", "A.[]", "[]"),
        ("a.rb", "class A\n  def <=>(o) = 1\nend\n", "A.<=>", "<=>"),
        ("a.hs", "splitAt' :: Int -> Int\nsplitAt' n = n\n", "splitAt'", "splitAt'"),
        ("a.hs", "(<.>) :: Int -> Int -> Int\na <.> b = a\n", "<.>", "<.>"),
    ],
)
def test_the_sign_of_an_operator_stays_whole(path: str, text: str, symbol: str, name: str) -> None:
    assert (symbol, name) in [(each.symbol, each.name) for each in outlined(path, text).definitions]


def test_comments_and_decorators_just_above_belong_to_a_definition() -> None:
    found = outlined("a.py", "x = 1\n\n# Why it is\n# here.\n@cache\ndef f(): ...\n")
    position = [each.name for each in found.definitions].index("f")
    assert found.start_lines[position] == 3
    assert found.definitions[position].doc == "Why it is\nhere."


def test_a_comment_beyond_a_blank_line_or_after_code_does_not_belong() -> None:
    text = "// far\n\nlet x = 1 // trails\nfunction f() {}\n"
    found = outlined("a.js", text)
    position = [each.name for each in found.definitions].index("f")
    assert (found.start_lines[position], found.definitions[position].doc) == (4, "")


def test_an_export_around_a_definition_belongs_to_it() -> None:
    found = only("a.js", "export default function f() {\n}\n")
    assert (found.start_byte, found.end_line) == (0, 2)


@pytest.mark.parametrize(
    ("path", "text", "doc"),
    [
        ("a.py", "def f():\n    '''Say \"hello\" '''\n", 'Say "hello"'),
        ("a.py", 'def f():\n    r"""  One.\n    Two. """\n', "One.\n    Two."),
        ("a.js", "/**\n * One.\n * @param a **bold**\n **/\nfunction f(a) {}\n", "One.\n@param a **bold**"),
        ("a.rs", "/// One.\n/// Two.\nfn f() {}\n", "One.\nTwo."),
        ("a.hs", "-- | One.\nf :: Int\nf = 1\n", "One."),
    ],
)
def test_a_doc_is_the_text_without_its_marks(path: str, text: str, doc: str) -> None:
    assert only(path, text).doc == doc


def test_a_docstring_belongs_to_the_innermost_definition_around_it() -> None:
    found = outlined("a.py", "class A:\n    'of A'\n    def f(self):\n        'of f'\n")
    assert [each.doc for each in found.definitions] == ["of A", "of f"]


def test_a_signature_ends_where_the_body_begins() -> None:
    assert (
        only("a.py", "def f(a: int,\n      b: int) -> str:\n    return a\n").signature == "def f(a: int, b: int) -> str"
    )


def test_texts_beside_a_definition_are_bounded() -> None:
    name, doc = "n" * 5000, "d" * 5000
    found = only("a.py", f"def {name}(a={name!r}):\n    '''{doc}'''\n")
    assert (len(found.name), len(found.symbol)) == (NAME_BYTES, NAME_BYTES)
    assert (len(found.doc), len(found.signature)) == (DOC_BYTES, SIGNATURE_BYTES)


def test_a_file_gives_a_bounded_number_of_definitions() -> None:
    assert len(outlined("a.js", "var a;" * (MAX_DEFINITIONS + 10)).definitions) <= MAX_DEFINITIONS


def test_a_text_that_does_not_parse_still_gives_what_can_be_told() -> None:
    assert ("function", "good") in definitions("a.py", "def good():\n    pass\n\n)))) !! def\n")


@pytest.mark.parametrize("path", ["a.json", "a.yaml"])
def test_a_language_without_a_query_has_no_outline(path: str) -> None:
    language = language_of(path)
    parser = parser_for(language)
    tree = (parser or parser_for("python")).parse(b"{}")  # type: ignore[union-attr]
    assert outline(tree, b"{}", pack(language)) is None


DEPTH = 2000
NESTED = {
    "a.py": "x = " + "[" * DEPTH + "]" * DEPTH + "\ndef f(): ...\n",
    "a.js": "function f() {\n" * DEPTH + "}\n" * DEPTH,
    "b.js": "class f { m() {" * DEPTH + "}}" * DEPTH,
    "a.c": "void f() {" + "{\n" * DEPTH + "}\n" * DEPTH + "}\n",
    "a.rs": "mod f {\n" * DEPTH + "}\n" * DEPTH,
}


@pytest.mark.parametrize("path", NESTED)
def test_nesting_of_two_thousand_levels_is_outlined(path: str) -> None:
    found = outlined(path, NESTED[path]).definitions
    assert "f" in [each.name for each in found]
    assert all(len(each.symbol) <= NAME_BYTES for each in found)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def f():\n    '''a" + " " * 200_000 + "b'''\n"),
        ("a.py", "def f():\n    '''a" + '"' * 200_000 + "b'''\n"),
        ("a.js", "/* " + "*" * 200_000 + " x */\nfunction f() {}\n"),
        ("a.js", "/*a*/" * 20_000 + "\nfunction f() {}\n"),
        ("a.py", "#" + " " * 200_000 + "x\ndef f(): ...\n"),
    ],
)
def test_hostile_comments_and_docstrings_take_linear_time(path: str, text: str) -> None:
    started = time.process_time()
    assert [each.name for each in outlined(path, text).definitions] == ["f"]
    assert time.process_time() - started < 2  # quadratic: minutes


def test_offsets_are_bytes_and_lines_are_those_of_an_editor() -> None:
    text = "# ünïcödé\n\ndef größe():\n    return 'ß'\n\n"
    found = only("a.py", text)
    assert text.encode()[found.start_byte : found.end_byte].decode() == "def größe():\n    return 'ß'"
    assert (found.start_line, found.end_line, found.name) == (3, 4, "größe")
