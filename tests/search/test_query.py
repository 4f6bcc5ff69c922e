from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.parsing.tokens import Tokenizer
from clew.search.query import MAX_PATHS, MAX_QUERY, MAX_TERMS, Frame, Query, analyse, dotted, last_name

TOKENIZER = Tokenizer()


def _analyse(text: str) -> Query:
    return analyse(text, TOKENIZER)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "question"),
        ("getUserById", "symbol"),
        ("Cart.total", "symbol"),
        ("ValidationError", "symbol"),
        ("std::vector::push_back", "symbol"),
        ("src/app/main.py", "path"),
        ("src/app/main.py:42", "path"),
        (r"src\app\main.py", "path"),
        ("where are sessions stored", "question"),
        ("panic recovery middleware", "question"),
        ("HTTPException handler registration", "question"),
        ("how does list.pop(0) behave", "question"),
        ("why does localhost.localdomain:8080 refuse connections", "question"),
        ("TypeError: x is not a function", "error"),
        ("java.lang.IllegalStateException: closed", "error"),
        ("panic: runtime error: index out of range", "error"),
        ("error[E0308]: mismatched types", "error"),
        ("error TS2304: Cannot find name", "error"),
        ("** (ArgumentError) cookie store expects an option", "error"),
        ("PHP Fatal error:  Uncaught TypeError: no such key", "error"),
        ("DeprecationWarning: drain is deprecated", "error"),
        ("httpx.InvalidURL: Relative URLs cannot start so", "error"),
        ("curl: (25) Chunky upload is not supported", "error"),
        ("E5108: Error executing lua", "error"),
        ("terminate called after throwing an instance of 'x'", "error"),
        ("flask: how are sessions stored", "question"),
        ("warnings in the parser", "question"),
        ("Segmentation fault (core dumped)", "error"),
        ("the server says\nKeyError in load", "error"),
        ("fails at src/app.py:42 with None", "error"),
    ],
)
def test_the_kind_of_a_query(text: str, kind: str) -> None:
    assert _analyse(text).kind == kind


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("where is getUserById defined", ["getUserById"]),
        ("what calls getUser?", ["getUser", "getUser?"]),
        ("where is valid_record? used", ["valid_record", "valid_record?"]),
        ("how does Cart.total work", ["Cart.total"]),
        ("what does Cart::total do", ["Cart::total"]),
        ("the Cart#total method", ["Cart#total"]),
        ("who sets ptr->next_node", ["ptr->next_node"]),
        (r"App\Models\User relations", [r"App\Models\User"]),
        ("where does self.save_all() write", ["save_all"]),
        ("$this->render in templates", ["render"]),
        ("String.split/2 options", ["String.split"]),
        ("where is pkg/mod.func called", ["mod.func"]),
        ("net/http.Client.Do", ["http.Client.Do"]),
        ("github.com/gin-gonic/gin.(*Context).JSON", ["gin.Context.JSON"]),
        ("what does (*Context).JSON write", ["Context.JSON"]),
        ("std::vector<int>::push_back", ["std::vector", "int", "push_back"]),
        ("Map.Entry#getKey()", ["Map.Entry#getKey"]),
        ("what does total() return", ["total"]),
        ("how does `fold` differ from \"reduce\" and 'scan'", ["fold", "reduce", "scan"]),
        ("`Cart.total(items)` is slow", ["Cart.total"]),
        ("what's the 'total' method and who's its caller", ["total"]),
        ("how does the Session expire", ["Session"]),
        ("Sessions expire. Then what happens", []),
        ("How does The Session expire", ["Session"]),
        ("list the URLs and APIs, e.g. of HTTP", []),
        ("max_retries of Client and MAX_RETRIES", ["max_retries", "MAX_RETRIES", "Client"]),
        ("fibonacci", ["fibonacci"]),
        ("__init__", ["__init__"]),
        ("save!", ["save", "save!"]),
        ("getUser函数在哪里", ["getUser"]),
        ("哪里调用了getUser，还有save_all？", ["getUser", "save_all"]),
        ("где вызывается getUser", ["getUser"]),
        ("Как работает кэш", []),
        ("does subtotal(x) call al", ["subtotal"]),
        ("", []),
    ],
)
def test_the_names_in_a_query(text: str, names: list[str]) -> None:
    assert list(_analyse(text).names) == names


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("what is in src/app/main.py", ["src/app/main.py"]),
        ("see src/app/main.py.", ["src/app/main.py"]),
        ("see ./src/main.rs, and main.go", ["./src/main.rs", "main.go"]),
        (r"open C:\Users\me\app\Main.cs please", ["C:/Users/me/app/Main.cs"]),
        (r"open app\models\user.rb", ["app/models/user.rb"]),
        ("`lib/my_app/user.ex`", ["lib/my_app/user.ex"]),
        ("@scope/pkg/index.ts", ["@scope/pkg/index.ts"]),
        ("at 1/2 of 10/12/2024", []),
        ("user.name and obj.method", []),
        ("a . b / c", []),
    ],
)
def test_the_paths_in_a_query(text: str, paths: list[str]) -> None:
    assert list(_analyse(text).paths) == paths


def test_a_file_name_is_a_path_and_no_name() -> None:
    assert _analyse("user_store.py").names == ()


def test_no_more_paths_than_are_worth_looking_up() -> None:
    assert len(_analyse(" ".join(f"src/f{number}.py" for number in range(500))).paths) == MAX_PATHS


@pytest.mark.parametrize(
    ("line", "frame"),
    [
        # Python, pytest
        ('  File "/srv/app/cart.py", line 12, in total', ("/srv/app/cart.py", 12, "total")),
        ('  File "cart.py", line 3, in <module>', ("cart.py", 3, "")),
        ('  File "cart.py", line 3, in Cart.total.<locals>.add', ("cart.py", 3, "add")),
        ("tests/test_cart.py:14: AssertionError", ("tests/test_cart.py", 14, "")),
        # JavaScript
        ("    at Cart.total (/srv/app/cart.js:12:7)", ("/srv/app/cart.js", 12, "total")),
        ("    at async load (file:///srv/app/cart.mjs:3:1)", ("file:///srv/app/cart.mjs", 3, "load")),
        ("    at new Cart (cart.ts:9:5)", ("cart.ts", 9, "Cart")),
        ("    at Object.<anonymous> (C:\\app\\cart.js:1:2)", ("C:/app/cart.js", 1, "")),
        ("    at Cart.add [as push] (cart.js:8:1)", ("cart.js", 8, "add")),
        ("    at C:\\app\\cart.js:10:5", ("C:/app/cart.js", 10, "")),
        # Java, Kotlin, Scala
        ("\tat com.shop.Cart.total(Cart.java:42)", ("Cart.java", 42, "total")),
        ("\tat com.shop.Cart.<init>(Cart.java:7)", ("Cart.java", 7, "Cart")),
        ("\tat app//com.shop.Cart.lambda$total$0(Cart.java:9)", ("Cart.java", 9, "total")),
        ("\tat com.shop.CartKt$load$1.invoke(Cart.kt:5)", ("Cart.kt", 5, "invoke")),
        # C#
        (
            r"   at Shop.Cart.Total(List`1 items) in C:\My src\Cart.cs:line 31",
            ("C:/My src/Cart.cs", 31, "Total"),
        ),
        ("   at Shop.Cart..ctor() in /src/Cart.cs:line 8", ("/src/Cart.cs", 8, "Cart")),
        ("   at Shop.Cart.<>c.<Load>b__0(Int32 x) in /src/Cart.cs:line 9", ("/src/Cart.cs", 9, "Load")),
        # Ruby
        ("app/cart.rb:12:in `total'", ("app/cart.rb", 12, "total")),
        ("\tfrom app/cart.rb:12:in 'Cart#total'", ("app/cart.rb", 12, "total")),
        ("app/cart.rb:5:in `block (2 levels) in valid?'", ("app/cart.rb", 5, "valid?")),
        ("bin/rails:4:in `<main>'", ("bin/rails", 4, "")),
        # PHP
        (r"#0 /srv/src/Cart.php(12): App\Cart->total(Array)", ("/srv/src/Cart.php", 12, "total")),
        ("PHP Fatal error: oops in /srv/src/Cart.php on line 8", ("/srv/src/Cart.php", 8, "")),
        ("thrown in /srv/src/Cart.php:9", ("/srv/src/Cart.php", 9, "")),
        # Go
        ("main.(*Cart).Total(0xc0000, 0x1)\n\t/srv/cart/cart.go:12 +0x1d", ("/srv/cart/cart.go", 12, "Total")),
        ("github.com/shop/cart.Load.func1()\n\t/srv/cart.go:7", ("/srv/cart.go", 7, "Load")),
        ("./cart.go:9:2: undefined: total", ("./cart.go", 9, "")),
        # Rust
        ("thread 'main' panicked at src/cart.rs:12:5:", ("src/cart.rs", 12, "")),
        ("  12: shop::cart::total\n             at ./src/cart.rs:8:9", ("./src/cart.rs", 8, "total")),
        ("  --> src/main.rs:4:1", ("src/main.rs", 4, "")),
        # C and C++
        ("#1  0x00005555 in Cart::total (this=0x0, n=1) at src/cart.cpp:12", ("src/cart.cpp", 12, "total")),
        ("#0  main () at main.c:3", ("main.c", 3, "main")),
        ("src/cart.c:12:5: error: expected ';'", ("src/cart.c", 12, "")),
        (r"C:\src\cart.cpp(12): error C2065: undeclared", ("C:/src/cart.cpp", 12, "")),
        # Elixir
        ("    (shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.total/2", ("lib/shop/cart.ex", 12, "total")),
        # sanitizers, Zig, Lua, Haskell, Swift
        ("    #0 0x4f3a12 in Cart::total(int) /src/cart.cpp:12:5", ("/src/cart.cpp", 12, "total")),
        ("    #1 0x7f00 in main /src/main.c:3:1", ("/src/main.c", 3, "main")),
        ("/src/cart.zig:4:5: 0x1034f in total (test)", ("/src/cart.zig", 4, "total")),
        ("\tcart.lua:12: in function 'Cart.total'", ("cart.lua", 12, "total")),
        ("  total, called at src/Data/Cart.hs:10:5 in shop-0.1:Main", ("src/Data/Cart.hs", 10, "")),
        ("Shop/Cart.swift:12: Fatal error: boom", ("Shop/Cart.swift", 12, "")),
        ("    lib/cart.ex:5: anonymous fn/1 in Shop.Cart.valid?/1", ("lib/cart.ex", 5, "valid?")),
        # other compilers
        ("src/cart.ts(12,5): error TS2304: Cannot find name", ("src/cart.ts", 12, "")),
        ("Cart.java:12: error: ';' expected", ("Cart.java", 12, "")),
        ("e: /src/Cart.kt: (12, 5): Unresolved reference", ("/src/Cart.kt", 12, "")),
        ("see cart.py, line 12", ("cart.py", 12, "")),
    ],
)
def test_a_frame_gives_its_file_line_and_function(line: str, frame: tuple[str, int, str]) -> None:
    assert _analyse(f"it broke:\n{line}\nthere").frames == (Frame(*frame),)


@pytest.mark.parametrize(
    "text",
    [
        "list.pop(0) and range.step(2)",
        "http://example.com:8080/x",
        "at 10.5:30 on line 7",
        "the error on line 5 in total",
        "    at <anonymous>:1:2",
        "    at node:internal/main.js:5:1",
        '  File "<string>", line 1, in <module>',
        "\tat com.shop.Cart.total(Native Method)",
    ],
)
def test_what_only_resembles_a_frame_is_none(text: str) -> None:
    assert _analyse(text).frames == ()


def test_frames_come_in_the_order_of_the_trace() -> None:
    trace = 'x.py:3: in load\n  File "b.py", line 2, in parse\nError: a.js:9:1\n'
    assert [frame.file for frame in _analyse(trace).frames] == ["x.py", "b.py", "a.js"]


def test_a_python_trace_is_read_from_its_innermost_frame() -> None:
    trace = 'Traceback (most recent call last):\n  File "a.py", line 1, in run\n  File "b.py", line 2, in parse\nE: x'
    assert [frame.file for frame in _analyse(trace).frames] == ["b.py", "a.py"]


def test_the_cause_comes_before_what_it_led_to() -> None:
    trace = "E: x\n\tat a.B.c(B.java:1)\nCaused by: E: y\n\tat d.E.f(E.java:2)\n\tat d.E.g(E.java:3)\n\t... 3 more"
    assert [frame.line for frame in _analyse(trace).frames] == [2, 3, 1]


def test_phrases_in_quotes_or_back_ticks_are_kept_whole() -> None:
    assert _analyse('is "not found" or `no such key` raised by `get`').quoted == ("not found", "no such key")


def test_quoted_phrases_are_bounded() -> None:
    assert len(_analyse(" ".join(f"`a b{number}`" for number in range(99))).quoted) <= 10


def test_the_type_of_an_error_with_a_message_is_not_what_is_asked_for() -> None:
    assert _analyse("shop.errors.CartError: no such `total_price` in the cart").names == ("total_price",)
    assert _analyse("** (Shop.CartError) no such total_price").names == ("total_price",)
    assert _analyse("where is CartError raised").names == ("CartError",)


def test_stop_words_are_dropped_from_a_question() -> None:
    assert list(_analyse("where is the session stored?").terms) == ["session", "store"]


def test_contractions_of_stop_words_are_dropped_too() -> None:
    assert list(_analyse("what's the session that doesn’t expire").terms) == ["session", "expir"]


def test_stop_words_alone_are_kept() -> None:
    query = _analyse("how is it")
    assert set(query.terms) == {"how", "is", "it"}


def test_a_word_said_twice_is_meant_a_little_more() -> None:
    terms = _analyse("session session browser").terms
    assert 1 < terms["session"] < 2
    assert terms["browser"] == 1


def test_a_stop_word_within_a_name_weighs_little() -> None:
    terms = _analyse("getUserById").terms
    assert terms["by"] < terms["user"]


def test_chinese_and_russian_questions_have_terms() -> None:
    assert "缓存" in _analyse("缓存在哪里").terms
    assert "кэш" in _analyse("как работает кэш").terms


def test_terms_are_bounded() -> None:
    assert len(_analyse(" ".join(f"word{number}x" for number in range(2000))).terms) <= MAX_TERMS


def test_leading_space_does_not_push_the_question_out() -> None:
    assert _analyse(" \n" * MAX_QUERY + "getUser").names == ("getUser",)


@pytest.mark.parametrize(
    ("name", "last", "stored"),
    [
        ("total", "total", "total"),
        ("Cart.total", "total", "Cart.total"),
        ("Shop::Cart::total", "total", "Shop.Cart.total"),
        ("cart->total", "total", "cart.total"),
        ("Cart#total", "total", "Cart.total"),
        ("cart?.total", "total", "cart.total"),
        (r"App\Cart", "Cart", "App.Cart"),
    ],
)
def test_a_name_is_split_at_every_languages_separator(name: str, last: str, stored: str) -> None:
    assert (last_name(name), dotted(name)) == (last, stored)


PIECES = st.sampled_from(
    ["at ", "a.b", "C:\\x.py", ":12", "(3)", "line 4", 'File "', '"', "'", "`", "\n\t", "#0 ", "::", "/", "中", "\0"]
)


@given(st.text(max_size=60) | st.lists(PIECES, max_size=20).map("".join))
def test_any_text_is_understood_somehow(text: str) -> None:
    query = _analyse(text)
    assert query.kind in ("symbol", "path", "error", "question")
    assert all(query.names) and all(query.paths)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "A",
        "中",
        " ",
        "_",
        ".",
        "-",
        "@",
        "1",
        "a.",
        "a/",
        "a\\",
        "aB ",
        "at ",
        "at a(",
        "at a.b(c) in ",
        "at (b",
        'File "',
        "#0 ",
        "#0 a (",
        "a.py:1:in `",
        "1: a\n at ",
        "x\n\t",
        "`",
        "'",
        '"',
        "a::",
        "it's ",
        "Aa. ",
        "a.py line ",
        "Error",
        "C:\\",
        "Error: a.Error: ",
        "(a).",
        "** (",
    ],
)
def test_a_hostile_megabyte_does_not_take_quadratic_time(unit: str) -> None:
    start = time.perf_counter()
    _analyse(unit * (1_000_000 // len(unit)))
    assert time.perf_counter() - start < 5  # it takes about 0.03 s; quadratic patterns took minutes
