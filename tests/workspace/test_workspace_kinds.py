from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.records import FileFlag
from clew.workspace.kinds import judge_content, path_flags, path_reason, wide_encoding
from clew.workspace.names import FAMILY_OF_SUFFIX, TEST_NAME_PATTERNS


def words(text: str) -> list[str]:
    return text.split()


TESTS = words("""
pkg/x_test.go pkg/testdata/a.json test/e2e/framework.go
test_a.py a/a_test.py app/tests.py tests/factories.py conftest.py sub/tests/data/x.json
src/a.test.ts src/a.spec.tsx src/__tests__/a.js src/__mocks__/fs.js e2e/login.ts packages/x/test/index.js web/test.js
src/test/java/com/x/Helper.java src/main/java/a/FooTest.java a/FooTests.java a/FooIT.java a/FooTestCase.java
app/src/androidTest/java/A.kt shared/src/commonTest/kotlin/A.kt core/FooSpec.scala core/FooSuite.scala
src/a_test.rs src/foo/tests.rs tests/cli.rs benches/speed.rs
src/a_test.cc test_a.c lib/a_unittest.cpp src/test/util.h unittests/ADT/APIntTest.cpp
Shop.Core.Tests/Helper.cs src/CartTests.cs src/CartTest.cs
spec/models/user_spec.rb test/user_test.rb lib/x_spec.rb features/login.feature
tests/Unit/A.php src/CartTest.php Tests/AppTests/Helper.swift App/CartTests.swift
test/user_test.exs test/support/factory.ex src/a_SUITE.erl src/a_tests.erl
test/Spec.hs src/CartSpec.hs t/basic.t tests/run.bats scripts/build_test.sh Module.Tests.ps1 spec/a_spec.lua
test/widget_test.dart lib/a_test.dart test/Token.t.sol contracts/TokenTest.sol test/runtests.jl
""")
NOT_TESTS = words("""
src/testing/helpers.py pkg/testing/fake.go src/testing/render.tsx django/test/client.py latest.py contest.py
core/management/commands/test.py attest.go src/latest.ts src/fastest.js app/protest.rb
org/springframework/test/Context.java src/main/java/a/Latest.java a/Edit.java a/PodSpec.java a/Test.java com/a/EXIT.java
src/contest.rs src/testing.rs src/Latest.cs src/PodSpec.cs src/greatest.c src/attestation.cpp Sources/Latest.swift
lib/latest.ex src/Latest.php boost/test_tools/x.txt docs/testing.md tested/a.py a.py
""")


@pytest.mark.parametrize("path", TESTS)
def test_test_files_are_recognised_by_the_conventions_of_their_language(path: str) -> None:
    assert FileFlag.TEST in path_flags(path)


@pytest.mark.parametrize("path", NOT_TESTS)
def test_files_that_only_sound_like_tests_are_not(path: str) -> None:
    assert FileFlag.TEST not in path_flags(path)


def test_every_language_family_has_a_rule_for_test_names() -> None:
    assert set(FAMILY_OF_SUFFIX.values()) == set(TEST_NAME_PATTERNS)


@pytest.mark.parametrize(
    ("flag", "yes", "no"),
    [
        (
            FileFlag.VENDORED,
            "vendor/a/b.go third_party/x.c node_modules/a.js ext/3rdparty/a.h a/_vendor/b.py",
            "src/vendors.py vendor.go",
        ),
        (
            FileFlag.DOCUMENTATION,
            "README README.md docs/a.rst LICENSE CHANGELOG.txt docs/page.html doc/notes.txt",
            "requirements.txt CMakeLists.txt docs/conf.py readme.py index.html",
        ),
        (FileFlag.STUB, "a.pyi types/a.d.ts a.d.mts", "a.py a.ts d.ts"),
        (
            FileFlag.EXAMPLE,
            "examples/a.py samples/b/c.cs pkg/demo/x.go docs/example/a.js",
            "com/example/App.java src/main/java/com/example/App.java example.py",
        ),
        (
            FileFlag.GENERATED,
            "api/a.pb.go a_pb2.py a_pb2_grpc.py lib/a.min.js package-lock.json Cargo.lock go.sum a.g.dart "
            "Form.Designer.cs zz_generated.deepcopy.go yarn.lock api.generated.ts",
            "generated.py generator.go lock.go pb.go min.js",
        ),
    ],
)
def test_flags_of_paths(flag: FileFlag, yes: str, no: str) -> None:
    assert [path for path in yes.split() if flag not in path_flags(path)] == []
    assert [path for path in no.split() if flag in path_flags(path)] == []


def test_names_of_secrets() -> None:
    secret = (
        ".env .env.local .ENV .envrc prod.env id_rsa .ssh/config keys/id_ed25519 a.pem A.KEY s.p12 s.jks "
        "x.keystore .netrc .npmrc secrets.yaml .envs/prod/.django .aws/credentials terraform.tfstate k.pfx k.ppk "
        "config/master.key server.crt"
    )
    open_ = "environment.py env.py id_rsa.pub keys.py key.go secrets.py templates/secrets.yaml pem.c"
    assert [path for path in secret.split() if path_reason(path) != "secret"] == []
    assert [path for path in open_.split() if path_reason(path) == "secret"] == []


def test_names_of_agent_instructions() -> None:
    agent = (
        "AGENTS.md a/b/agents.MD CLAUDE.md CODEX.md GEMINI.md .github/copilot-instructions.md .cursorrules "
        ".cursor/rules/style.mdc .claude/commands/x.md .github/instructions/a.instructions.md"
    )
    other = "agents.py docs/agents/a.md claude.py .github/workflows/ci.yml .cursor/settings.json README.md"
    assert [path for path in agent.split() if path_reason(path) != "agent instructions"] == []
    assert [path for path in other.split() if path_reason(path) == "agent instructions"] == []


def test_names_of_binary_formats() -> None:
    assert {path_reason(name) for name in words("a.png b.JPG c.so d.tar.gz e.class f.sqlite")} == {"binary"}
    assert {path_reason(name) for name in words("a.py png b.svg Makefile .gitignore a.ts c.dat")} == {None}


def reason(path: str, data: bytes) -> str | None:
    return judge_content(path, data)[0]


def generated(path: str, text: str) -> bool:
    return FileFlag.GENERATED in judge_content(path, text.encode())[1]


def test_a_zero_byte_near_the_start_means_binary() -> None:
    assert reason("a.dat", b"abc\0def") == "binary"
    assert reason("a.dat", b"a" * 8191 + b"\0") == "binary"
    assert reason("a.py", b"a" * 8192 + b"\0") is None
    assert reason("a.dat", bytes(range(1, 32)) * 10) == "binary"
    assert reason("a.py", b"") is None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1"])
def test_text_in_other_encodings_is_not_binary(encoding: str) -> None:
    text = "function Get-Größe { param($x) }\r\n" * 5
    assert reason("a.ps1", text.encode(encoding)) is None


def test_wide_text_with_and_without_a_mark_is_told() -> None:
    assert wide_encoding("\ufeffdef f(): pass".encode("utf-16-le")) == "utf-16-le"
    assert wide_encoding("\ufeffdef f(): pass".encode("utf-32-be")) == "utf-32-be"
    assert wide_encoding("def f(): pass  # größe".encode("utf-16-be")) == "utf-16-be"
    assert wide_encoding(b"def f(): pass") is None
    assert wide_encoding(b"\x7fELF\x02\x01\x01" + bytes(40)) is None


def test_minified_code_is_told_from_code_with_long_data() -> None:
    bundle = b"/* licence */\n" + b"function a(b){return b.login(c);}" * 1000
    assert reason("bundle.js", bundle) == "minified"
    assert reason("bundle.css", b"a{b:c;d:e}" * 1000) == "minified"
    assert reason("x.min.js", b"var a") == "minified"
    assert reason("x.js.map", b"{}") == "minified"
    image = b'const logo = "data:image/png;base64,' + b"iVBORw0KGgo" * 2000 + b'";\n'
    assert reason("logo.js", image + b"export function draw() {}\n" * 20) is None
    assert reason("data.py", b"X = '" + b"a(b);" * 10_000 + b"'\n") is None
    assert reason("a.js", b"function f() { return 1; }\n" * 5000) is None


def test_a_private_key_is_a_secret_whatever_its_name() -> None:
    assert reason("deploy", b"-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n") == "secret"
    assert reason("a.txt", b"\n-----BEGIN RSA PRIVATE KEY-----\n") == "secret"
    assert reason("a.py", b"KEY = '-----BEGIN RSA PRIVATE KEY-----'\n") is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a\n"),
        ("a.go", "//go:build linux\n\n// Copyright\n\n// Code generated by x; DO NOT EDIT.\n\npackage a\n"),
        (
            "a.py",
            "#!/usr/bin/env python\n# coding: utf-8\n# Generated by the protocol buffer compiler.  DO NOT EDIT!\n",
        ),
        ("a.py", '"""Client.\n\nThis file was automatically generated.\n"""\nimport x\n'),
        ("a.js", "/**\n * @generated SignedSource<<x>>\n */\n'use strict';\n"),
        ("a.cs", "\ufeff// <auto-generated>\r\n//     text\r\n// </auto-generated>\r\n"),
        ("a.c", "/* A Bison parser, made by GNU Bison 3.8.  */\nint x;\n"),
        ("a.php", "<?php\n// Do not edit this file manually\n"),
        ("a.html", "<!-- @generated -->\n<html>"),
        ("a.sql", "-- Code generated by sqlc\nselect 1;\n"),
    ],
)
def test_a_marker_in_the_opening_comment_means_generated(path: str, text: str) -> None:
    assert generated(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.go", 'package a\n\n// Code generated by x. DO NOT EDIT.\nvar b = "DO NOT EDIT"\n'),
        ("a.py", 'MARK = "@generated"\n# DO NOT EDIT\n'),
        ("a.py", "# Helpers that find code generated by tools.\n# Please do not edit lists below without care\n"),
        ("a.c", "#ifndef A_H\n/* DO NOT EDIT */\n"),
        ("a.c", "/* licence */ int x;\n/* DO NOT EDIT */\n"),
        ("a.go", "// line\n" * 20 + "// Code generated by x. DO NOT EDIT.\npackage a\n"),
        ("a.ts", "// mail to me@generated.org\nexport {}\n"),
    ],
)
def test_a_marker_anywhere_else_means_nothing(path: str, text: str) -> None:
    assert not generated(path, text)


def test_generated_wide_text_is_recognised() -> None:
    data = "\ufeff// <auto-generated/>\r\nclass A {}\r\n".encode("utf-16")
    assert judge_content("a.cs", data) == (None, FileFlag.GENERATED)


@given(path=st.text(max_size=30), data=st.binary(max_size=300))
def test_no_path_and_no_content_is_too_odd(path: str, data: bytes) -> None:
    path_flags(path)
    path_reason(path)
    judge_content(path, data)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1))
def test_text_as_utf8_is_never_binary(text: str) -> None:
    assert reason("a.txt", text.encode()) in (None, "secret")
