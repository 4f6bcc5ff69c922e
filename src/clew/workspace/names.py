"""What file and directory names tell, as tables of data. `kinds` reads them; nothing else does.

Adding a convention is adding a line. Names are compared in lower case unless a table says otherwise.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- never indexed -------------------------------------------------------------------------------

SECRET_NAMES = _words("""
    id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk ssh_host_rsa_key
    ssh_host_ecdsa_key ssh_host_ed25519_key .netrc _netrc .pgpass .htpasswd .npmrc .pypirc .git-credentials
    .dockercfg .s3cfg .boto .my.cnf .mylogin.cnf .vault-token .terraformrc terraform.rc .credentials
    credentials credentials.json credentials.toml credentials.tfrc.json client_secret.json secrets.json
    secrets.toml kubeconfig wallet.dat master.key
""")
SECRET_SUFFIXES = _words("""
    .env .pem .key .p8 .p12 .pkcs12 .pfx .jks .jceks .bks .keystore .truststore .ppk .kdb .kdbx .keytab
    .ovpn .agekey .tfstate .mobileprovision .gpg .pgp .crt .cer .der .p7b .p7c .p7s
""")
# `.env` itself, `.env.local`, `.envrc`, `.env-prod`: everything of that name, templates too.
ENVIRONMENT_NAME_START = ".env"
# Parents whose files are secrets whatever they are called (name of the directory, names of the files or None for all).
SECRET_PLACES: tuple[tuple[str, frozenset[str] | None], ...] = (
    (".envs", None),
    (".ssh", None),
    (".gnupg", None),
    (".aws", None),
    (".kube", frozenset(("config",))),
    (".docker", frozenset(("config.json",))),
    (".azure", None),
    (".gcloud", None),
)
# `secrets.yaml` holds secrets, except as a template that is filled in elsewhere.
SECRET_UNLESS_TEMPLATE = frozenset(("secrets.yml", "secrets.yaml"))
TEMPLATE_PARENT = "templates"

AGENT_NAMES = _words("""
    agents.md agents.local.md agents.override.md agent.md claude.md claude.local.md codex.md gemini.md qwen.md
    warp.md crush.md jules.md copilot-instructions.md .cursorrules .windsurfrules .clinerules .roorules
    .goosehints .aider.conf.yml .aiderrules
""")
# (directory, directory inside it or None): everything below is instructions to an agent.
AGENT_PLACES: tuple[tuple[str, str | None], ...] = (
    (".cursor", "rules"),
    (".windsurf", "rules"),
    (".github", "instructions"),
    (".github", "prompts"),
    (".github", "chatmodes"),
    (".clinerules", None),
    (".roo", None),
    (".claude", None),
    (".codex", None),
    (".gemini", None),
)

# Only formats that are binary whenever they are met: the content of all others is looked at.
BINARY_SUFFIXES = _words("""
    .png .jpg .jpeg .gif .bmp .ico .icns .webp .tif .tiff .avif .heic .heif .psd .xcf .exr .hdr .dds .tga
    .mp3 .mp4 .m4a .m4v .wav .flac .ogg .oga .ogv .opus .aac .aiff .avi .mov .mkv .webm .wmv .flv .mpg .mpeg .3gp
    .zip .gz .tgz .bz2 .tbz .tbz2 .xz .txz .zst .lz4 .lzma .7z .rar .tar .jar .war .ear .aar .apk .aab .ipa .deb .rpm
    .whl .egg .gem .nupkg .snupkg .crate .vsix .xpi .crx .cab .msi .dmg .iso .cpio
    .exe .dll .so .dylib .a .o .lib .pdb .ko .elf .class .pyc .pyo .pyd .beam .wasm .cmi .cmo
    .cmx .cmxa .cma .nib .rlib .rmeta .gch .pch .ilk .suo .node .dex .odex .luac .elc .fasl .jmod .swiftmodule
    .pdf .doc .docx .xls .xlsx .xlsb .ppt .pptx .odt .ods .odp .odg .epub .mobi .djvu .chm
    .ttf .otf .woff .woff2 .eot .fon .pfb .pcf
    .db .sqlite .sqlite3 .db3 .mdb .accdb .sst .rdb .dbf .parquet .arrow .feather .orc .avro .npy .npz .pkl .pickle
    .joblib .h5 .hdf5 .rds .rda .rdata .sas7bdat .dta .tfrecord .lmdb .realm
    .onnx .pt .pth .safetensors .gguf .ggml .tflite .caffemodel .ckpt .mlmodel .weights
    .blend .fbx .glb .3ds .stl .dwg .skp .unitypackage .uasset .umap .pak .sketch
    .swf .fla .gmo .snk .lnk .pcap .pcapng .dmp
    .swp .swo
""")
BINARY_NAMES = _words(".ds_store thumbs.db desktop.ini bun.lockb")

# Left out outside git, where no ignore file says so. Each is made by a tool and can be made again.
DEFAULT_IGNORED_DIRECTORIES = _words("""
    node_modules bower_components jspm_packages .venv venv .virtualenv virtualenv site-packages __pycache__
    __pypackages__
    .tox .nox .eggs .mypy_cache .pytest_cache .ruff_cache .hypothesis .ipynb_checkpoints .pytype .pyre htmlcov
    .nyc_output
    .cache .parcel-cache .next .nuxt .svelte-kit .turbo .angular .yarn .pnpm-store .gradle .mvn .idea .vs
    .bloop .metals
    .bsp .terraform .serverless .dart_tool .bundle .build .swiftpm DerivedData Pods Carthage .stack-work dist-newstyle
    .elixir_ls _build elm-stuff .zig-cache zig-cache zig-out .hg .svn .bzr CVS _darcs .jj .Trash $RECYCLE.BIN
    .worktrees
""")
DEFAULT_IGNORED_DIRECTORY_SUFFIXES = (".egg-info", ".dSYM", ".xcuserdatad")
# Common words that are left out only where a build tool would write them: at the root or beside a manifest.
BUILD_DIRECTORIES = frozenset(("dist", "build", "target", "out", "coverage", "obj"))
MANIFEST_NAMES = _words("""
    package.json pyproject.toml setup.py setup.cfg Cargo.toml pom.xml build.gradle build.gradle.kts build.sbt
    CMakeLists.txt Makefile GNUmakefile makefile meson.build mix.exs go.mod pubspec.yaml composer.json Package.swift
    project.clj deps.edn dune-project stack.yaml gulpfile.js webpack.config.js
""")
MANIFEST_SUFFIXES = (".csproj", ".fsproj", ".vbproj", ".sln", ".cabal", ".gemspec")
# A directory with this file is a virtual environment, whatever its name.
ENVIRONMENT_MARK = "pyvenv.cfg"

# --- flags ---------------------------------------------------------------------------------------

VENDORED_DIRECTORIES = _words("""
    vendor vendored _vendor _vendored third_party thirdparty third-party 3rdparty 3rd-party node_modules
    bower_components jspm_packages site-packages godeps carthage pods extern externals
""")
EXAMPLE_DIRECTORIES = _words("example examples _examples sample samples demo demos tutorial tutorials")
# `com.example` is where Java projects begin, not where their examples are.
DOMAIN_DIRECTORIES = _words("com org net io edu dev main java kotlin scala")

DOCUMENTATION_SUFFIXES = _words(".md .markdown .mdown .mdx .rst .adoc .asciidoc .org .textile .pod .rdoc")
DOCUMENTATION_DIRECTORIES = _words("doc docs documentation man manual")
# Files that are documentation when they lie in such a directory.
DOCUMENTATION_TEXT_SUFFIXES = frozenset(("", ".txt", ".text", ".html", ".htm", ".tex", ".texi"))
# Documentation anywhere, alone or with `.txt`.
DOCUMENTATION_NAMES = _words("""
    readme license licence copying changelog changes news history authors contributors contributing install todo
    notice security support maintainers codeowners faq upgrading
""")
STUB_ENDINGS = (".pyi", ".d.ts", ".d.mts", ".d.cts")

GENERATED_NAMES = _words("""
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.lock cargo.lock poetry.lock
    pdm.lock uv.lock
    pipfile.lock composer.lock gemfile.lock podfile.lock mix.lock pubspec.lock flake.lock go.sum go.work.sum gopkg.lock
    packages.lock.json project.assets.json gradle.lockfile package.resolved cartfile.resolved paket.lock conan.lock
    stack.yaml.lock cabal.project.freeze rebar.lock elm-stuff.json project.pbxproj .terraform.lock.hcl bindata.go
""")
GENERATED_ENDINGS = tuple(
    _words("""
    .pb.go .pb.gw.go _grpc.pb.go .pb.cc .pb.h .pb.c .pb.swift .pb.dart .pbjson.dart .pbenum.dart .pbserver.dart .pb.ts
    _pb2.py _pb2.pyi _pb2_grpc.py _pb2_grpc.pyi _pb.js _pb.ts _pb.d.ts _grpc_web_pb.js _pb.rb _pb.php _grpc_pb.js
    .g.dart .freezed.dart .gr.dart .config.dart .mocks.dart .g.cs .g.i.cs .g.vb .designer.cs .designer.vb
    .generated.cs
    .generated.go .generated.ts .generated.tsx .generated.js .generated.swift .generated.rs .gen.go .gen.ts .gen.rs
    _generated.go _gen.go .min.js .min.mjs .min.cjs .min.css .min.html .bundle.js .js.map .mjs.map .cjs.map .css.map
    .ts.map .moc.cpp .tab.c .tab.h .yy.c .yy.go .gql.go .sql.go
""")
)
GENERATED_STARTS = ("zz_generated.", "moc_", "qrc_", "ui_")
# The starts above count only for these languages (Kubernetes; Qt).
GENERATED_START_SUFFIXES = frozenset((".go", ".h", ".hpp", ".cpp", ".cc"))

# --- tests, per language family ------------------------------------------------------------------

_FAMILIES = {
    "python": ".py .pyi .pyx .pxd .pyw",
    "go": ".go",
    "web": ".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .coffee .snap",
    "jvm": ".java .kt .kts .scala .sc .groovy .clj .cljs .cljc",
    "rust": ".rs",
    "c": ".c .h .cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .ipp .inl .tcc .m .mm .cu .cuh .zig .d .nim",
    "dotnet": ".cs .fs .fsx .vb .razor .cshtml .xaml",
    "ruby": ".rb .rake .erb .cr .feature",
    "php": ".php .phpt .phtml",
    "swift": ".swift",
    "beam": ".ex .exs .erl .hrl .gleam .eex .heex .leex",
    "functional": ".hs .lhs .ml .mli .elm .purs .rkt .scm .lisp .el",
    "script": ".sh .bash .zsh .fish .bats .ps1 .psm1 .psd1 .pl .pm .t .lua .luau .tcl .jl .r .vim .awk",
    "dart": ".dart",
    "solidity": ".sol .vy",
}
FAMILY_OF_SUFFIX = {suffix: family for family, suffixes in _FAMILIES.items() for suffix in suffixes.split()}

# Directories whose whole content is tests, in every language and for data files too.
TEST_DIRECTORIES = _words("""
    tests testdata test_data test-data __tests__ __mocks__ __snapshots__ __fixtures__ unittests unit_tests
    integration_tests integration-tests functional_tests e2e_tests
""")
# Only as the first directory of the path: deeper down a library may live there (`django/test`, `boost/test`).
TOP_TEST_DIRECTORIES = frozenset(("test", "e2e"))
# Per family: further directories, at any depth.
FAMILY_TEST_DIRECTORIES: dict[str, frozenset[str]] = {
    "web": _words("test e2e cypress spec specs __test__ playwright"),
    "rust": frozenset(("benches",)),
    "c": _words("test unittest gtest gtests"),
    "dotnet": frozenset(("test", "unittest", "integrationtests")),
    "ruby": _words("test spec features step_definitions"),
    "php": frozenset(("test", "spec")),
    "beam": frozenset(("test",)),
    "functional": _words("test spec testsuite"),
    "script": _words("test t spec bats xt"),
    "dart": frozenset(("test", "integration_test", "test_driver")),
    "solidity": frozenset(("test",)),
}
# Per family: what a directory's name ends in, case kept: `Shop.Core.Tests/`, `ShopUITests/`.
FAMILY_TEST_DIRECTORY_ENDINGS: dict[str, tuple[str, ...]] = {
    "dotnet": (".Tests", ".Test", ".UnitTests", ".IntegrationTests", ".FunctionalTests", ".Specs", "_Tests", "-Tests"),
    "swift": ("Tests",),
    "c": ("Tests",),
}
# `src/test`, `src/androidTest`, `src/commonTest`: the directory after `src` in Gradle, Maven and sbt projects.
SOURCE_SET_PATTERN = r"(?:.*/)?src/(?:test|it|[a-z][A-Za-z0-9]*Tests?|testFixtures|integration-test)/.*"

# Per family: file names (without directories, case kept). Matched as a whole.
TEST_NAME_PATTERNS: dict[str, str] = {
    "python": r"test_.*|.*_test\.pyi?|.*_tests\.py|tests\.py|conftest\.py",
    "go": r".*_test\.go",
    "web": r".*[._-](?:test|tests|spec|specs|e2e|cy|e2e-spec)\.[a-z]+|test\.[cm]?[jt]sx?|.*\.snap"
    r"|(?:jest|vitest|karma|playwright|cypress)\.(?:setup|config|conf)\..*|setupTests\..*",
    "jvm": r".*[A-Za-z0-9](?:Test|Tests|TestCase|TestSuite)\.(?:java|kts?|scala|sc|groovy)"
    r"|.*[A-Za-z0-9](?:Spec|Specs|Suite)\.(?:scala|sc|groovy)|.*[a-z0-9]ITs?\.(?:java|kt|scala|groovy)|.*_test\.clj[cs]?",
    "rust": r".*_tests?\.rs|tests?\.rs",
    "c": r"test[_-].*|.*[_-](?:test|tests|unittest|unittests|gtest)\.[a-z+]+|.*[a-z0-9](?:Test|Tests|UnitTest)\.[a-z+]+"
    r"|unittest[_-].*",
    "dotnet": r".*[A-Za-z0-9](?:Test|Tests|TestCase|TestBase|TestFixture)\.(?:cs|fs|vb)",
    "ruby": r".*_(?:spec|test)\.(?:rb|cr)|test_.*\.rb|(?:spec|test|rails)_helper\.rb|.*\.feature",
    "php": r".*[A-Za-z0-9](?:Test|Cest|Cept|TestCase)\.php|.*\.phpt",
    "swift": r".*[A-Za-z0-9](?:Test|Tests|TestCase)\.swift",
    "beam": r".*_tests?\.(?:exs|ex|erl|gleam)|.*_SUITE\.erl|test_helper\.exs",
    "functional": r".*[A-Za-z0-9](?:Spec|Tests?)\.(?:hs|lhs|elm|purs)|test_.*|.*[_-]tests?\.[a-z]+",
    "script": r"test[_-].*|.*[._-](?:test|tests|spec)\.[a-z0-9]+|.*\.bats|.*\.t|runtests\.jl|.*\.Tests\.ps1",
    "dart": r".*_test\.dart",
    "solidity": r".*\.t\.sol|.*[A-Za-z0-9]Test\.sol|test_.*",
}

# --- content -------------------------------------------------------------------------------------

# Where line length tells minified code from written code; elsewhere a long line is data.
MINIFIABLE_SUFFIXES = _words("""
    .js .jsx .mjs .cjs .ts .tsx .mts .cts .css .scss .less .html .htm .svg .vue .svelte
""")
MINIFIED_ENDINGS = tuple(_words(".min.js .min.mjs .min.cjs .min.css .js.map .mjs.map .cjs.map .css.map .ts.map"))

# How a comment begins, by suffix; everything else takes all of the default.
COMMENT_STARTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        _words("""
            .c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .cu .go .java .kt .kts .scala .groovy .rs .swift .cs .js .jsx .mjs
            .cjs .ts .tsx .mts .cts .dart .sol .proto .thrift .zig .d .css .scss .less
        """),
        ("//", "/*"),
    ),
    **dict.fromkeys(
        _words(".rb .sh .bash .zsh .fish .pl .pm .r .jl .ex .exs .yml .yaml .toml .cmake .mk .nim .tcl .graphql"),
        ("#",),
    ),
    ".py": ("#", '"""', "'''", 'r"""'),
    ".pyi": ("#", '"""', "'''"),
    ".php": ("//", "#", "/*", "<?php"),
    ".sql": ("--", "/*", "#"),
    ".lua": ("--",),
    ".hs": ("--", "{-"),
    ".elm": ("--", "{-"),
    ".ml": ("(*",),
    ".mli": ("(*",),
    ".fs": ("//", "(*"),
    ".vb": ("'",),
    ".ps1": ("#", "<#"),
    ".erl": ("%",),
    ".hrl": ("%",),
    ".clj": (";",),
    ".el": (";",),
    ".lisp": (";",),
    ".scm": (";",),
    ".html": ("<!--", "<!doctype"),
    ".xml": ("<!--", "<?xml"),
    ".svg": ("<!--", "<?xml"),
    ".vue": ("<!--", "//"),
    ".svelte": ("<!--", "//"),
    ".ini": (";", "#"),
    ".tf": ("#", "//", "/*"),
    ".hcl": ("#", "//", "/*"),
}
DEFAULT_COMMENT_STARTS = ("//", "/*", "#", "--", ";", "<!--", "<?xml", "(*", "{-", "%", '"""')
# What ends the comment that begins so; the others end with their line.
BLOCK_ENDS = {
    "/*": "*/", "<!--": "-->", "(*": "*)", "{-": "-}", "<#": "#>", '"""': '"""', "'''": "'''", 'r"""': '"""',
}  # fmt: skip
# Lines that may stand before or between the opening comments.
OPENING_LINES = ("#!", "<?php", "<?xml", "<!doctype", "'use strict'", '"use strict"', "@charset")

# Compared without regard to case, except where a part says otherwise. Each is the whole of what a
# generator writes: a sentence that is only about generated code is no marker.
GENERATED_MARKERS = (
    r"^\W*code generated\b"
    r"|(?<![\w-])@generated\b"
    r"|(?-i:\bDO NOT (?:HAND-?)?(?:EDIT|MODIFY)\b)"
    r"|\bdo not (?:hand-?)?edit(?: this| by| manually| directly| it\b| the file| the generated|\s*[!.;,:)*-]|\s*$)"
    r"|<auto-?generated"
    r"|^\W*auto-?generated (?:by|from|file|code)\b"
    r"|\bgenerated by the protocol buffer compiler\b"
    r"|\bthis (?:file|code|class|module|source) (?:was|is|has been) (?:auto|automatically|machine)?[ -]?generated\b"
    r"|\ba bison parser, made by\b"
    r"|\ba lexical scanner generated by\b"
)
