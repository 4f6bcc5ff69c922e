from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.search.secrets import MASK, mask

# Nothing here is a key, and none stands whole in this file: scanners read it too.
RANDOM = "q7Xw2mK9" + "pL4vT8zR" + "1nB6yH3c" + "D5sF0gJa" + "E2uM7kW9"
HEX = "3f9a1c7e" + "5b2d8046" + "9e1f7a3c" + "0d4b6852"
LINE = (RANDOM * 2)[:64]

ISSUED = {
    "AWS key": "AK" + "IA" + "Q7XW2MK9PL4VT8ZR",
    "AWS temporary key": "AS" + "IA" + "Q7XW2MK9PL4VT8ZR",
    "GitHub": "gh" + "p_" + RANDOM[:36],
    "GitHub fine-grained": "github" + "_pat_" + RANDOM + "_" + RANDOM[:20],
    "GitLab": "gl" + "pat-" + RANDOM[:20],
    "OpenAI": "sk" + "-" + RANDOM + RANDOM[:8],
    "OpenAI project": "sk" + "-proj-" + RANDOM + "_" + RANDOM,
    "Anthropic": "sk" + "-ant-api03-" + RANDOM + "-" + RANDOM,
    "Stripe": "sk" + "_live_" + RANDOM[:24],
    "Stripe restricted": "rk" + "_test_" + RANDOM[:24],
    "Slack": "xo" + "xb-123456789012-" + RANDOM[:24],
    "Google": "AI" + "za" + RANDOM[:35],
    "Google client": "GOC" + "SPX-" + RANDOM[:28],
    "npm": "np" + "m_" + RANDOM[:36],
    "PyPI": "py" + "pi-" + RANDOM + RANDOM,
    "Twilio": "S" + "K" + HEX,
    "SendGrid": "S" + "G." + RANDOM[:22] + "." + (RANDOM + RANDOM)[:43],
    "Hugging Face": "h" + "f_" + RANDOM[:34],
    "Docker": "dckr" + "_pat_" + RANDOM[:27],
    "JSON Web Token": "ey" + "J" + RANDOM + ".ey" + "J" + RANDOM + "." + RANDOM,
}


@pytest.mark.parametrize("issuer", ISSUED)
@pytest.mark.parametrize("frame", ['call("{}")', "X={}\n", "see {} there", "https://{}@host/x", "[{}]"])
def test_what_an_issuer_forms_is_masked_wherever_it_stands(issuer: str, frame: str) -> None:
    before, after = frame.split("{}")
    assert mask(before + ISSUED[issuer] + after) == (before + MASK + after, 1)


def test_two_keys_count_two() -> None:
    text, count = mask(f"{ISSUED['npm']}\n{ISSUED['Google']}\n")
    assert (text, count) == (f"{MASK}\n{MASK}\n", 2)


@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        ('password = "', "hunter2hunter2", '"'),
        ("password: '", "correct-horse!9staple", "'"),
        ('SECRET_KEY = "', "django-insecure-" + "k3(v)_x9$q&m2^w", '"'),
        ('"client_secret": "', RANDOM, '"'),
        ('const apiKey: string = "', RANDOM, '";'),
        ("'api_key' => '", RANDOM, "',"),
        ('accessToken := "', RANDOM, '"'),
        ("token = `", RANDOM, "`"),
        ("aws_secret_access_key = ", RANDOM, "\n"),
        ("export STRIPE_API_KEY=", RANDOM, "  # live"),
        ("  password: ", RANDOM[:20], "\r\n"),
        ("  token: ", "dGhpc2lzYXN1cGVyMQ==", "\n"),
        ("postgres://shop:", "s3cr3t-Pa55", "@db.internal:5432/shop"),
        ("jdbc:mysql://root:", "tiger99", "@localhost/x"),
        ("redis://:", RANDOM, "@cache:6379"),
        ("DefaultEndpointsProtocol=https;AccountKey=", RANDOM + RANDOM + "==", ";Suffix=core"),
        ('"Server=db;User Id=sa;Password=', "Pa55word!", ';Encrypt=true"'),
        ("https://hooks.slack.com/services/" + "T01234567/B01234567/", RANDOM[:24], ""),
        ('-H "Authorization: Bearer ', RANDOM, '"'),
    ],
)
def test_a_secret_is_known_by_its_name_or_place(before: str, secret: str, after: str) -> None:
    assert mask(before + secret + after) == (before + MASK + after, 1)


@pytest.mark.parametrize(
    "code",
    [
        'password = os.environ["PASSWORD"]',
        'password = os.environ.get("DB_PASSWORD", "")',
        "secret_key: str",
        "secret_key: str | None = None",
        "token = getToken()",
        "token = tokens[index + 1]",
        "const accessToken = await refreshAccessToken(user1, oauth2Client);",
        "apiKey: process.env.OPENAI_API_KEY,",
        'api_key="${API_KEY}"',
        'apiKey: "<your-api-key>"',
        'password: "your_password1"',
        'password = "xxxxxxxx1"',
        'password: "required|string|min:8"',
        'password: "users.password.label2"',
        'secret = "/run/secrets/db1"',
        'token = "IDENTIFIER_2"',
        'auth: "oauth2-implicit"',
        'if token == "end_of_line":',
        '<input type="password" name="password1" autocomplete="current-password">',
        "url = 'postgres://user:password@localhost:5432/app'",
        'f"postgres://{user}:{password}@{host}/{name}"',
        "git clone https://github.com/owner/repo.git",
        "http://localhost:8080/path@version",
        'checksum = "' + HEX + HEX + '"',
        '"integrity": "sha512-' + RANDOM + RANDOM + '=="',
        "golang.org/x/net v0.1.0 h1:" + RANDOM + "=",
        "data:image/png;base64," + RANDOM + RANDOM,
        ".sk-folding-cube-animation-name-two { color: red }",
        "task-sk-circle-fade-dot",
        "uuid = '550e8400-e29b-41d4-a716-446655440000'",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "gh" + "p_" + "x" * 36,
        'if text.startswith("-----BEGIN PRIVATE KEY-----"):\n    return load_pem_private_key_from_text(text)\n',
        'HEAD = "-----BEGIN RSA PRIVATE KEY-----"\nTAIL = "-----END RSA PRIVATE KEY-----"\n',
        "-----BEGIN CERTIFICATE-----\n" + LINE + "\n-----END CERTIFICATE-----\n",
        "-----BEGIN PUBLIC KEY-----\n" + LINE + "\n-----END PUBLIC KEY-----\n",
    ],
)
def test_ordinary_code_is_left_as_it_is(code: str) -> None:
    assert mask(code) == (code, 0)


def _key(kind: str, eol: str = "\n") -> tuple[str, str, str]:
    return f"-----BEGIN {kind}-----", eol + (LINE + eol) * 3 + LINE[:21] + "=" + eol, f"-----END {kind}-----"


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "kind", ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
def test_a_private_key_is_masked_between_its_markers(kind: str, eol: str) -> None:
    begin, body, end = _key(kind, eol)
    assert mask(f"a{eol}{begin}{body}{end}{eol}b") == (f"a{eol}{begin}{MASK}{5 * chr(10)}{end}{eol}b", 1)


def test_a_key_that_a_snippet_cuts_off_below_is_masked() -> None:
    begin, body, _ = _key("RSA PRIVATE KEY")
    text, count = mask(f"x = 1\n{begin}{body[:-40]}")
    assert count == 1
    assert text.startswith(f"x = 1\n{begin}{MASK}")
    assert LINE[:16] not in text


def test_a_key_that_a_snippet_cuts_off_above_is_masked() -> None:
    _, body, end = _key("RSA PRIVATE KEY")
    text, count = mask(f"{body[1:]}{end}\nx = 1\n")
    assert (text, count) == (f"{MASK}{4 * chr(10)}{end}\nx = 1\n", 1)


def test_code_around_a_cut_key_stays() -> None:
    begin, body, end = _key("EC PRIVATE KEY")
    text, _ = mask(f"def load():\n{body[1:]}{end}\n\ndef save():\n    pass\n{begin}{body}\nclass Rest:\n    pass\n")
    assert LINE[:16] not in text
    for line in ("def load():", "def save():", "class Rest:"):
        assert line in text


@pytest.mark.parametrize("line", ['"{}\\n" +\n', "    '{}'\n", "# {}\n", "{}\\n"])
def test_a_key_in_a_source_literal_is_masked(line: str) -> None:
    body = "".join(line.format(part) for part in (LINE, LINE, LINE[:21] + "="))
    text, count = mask(f'K = "-----BEGIN PRIVATE KEY-----\\n{body}-----END PRIVATE KEY-----"\nafter = 1\n')
    assert count == 1
    assert LINE[:16] not in text
    assert text.endswith('-----END PRIVATE KEY-----"\nafter = 1\n')


def test_an_encrypted_key_is_masked_with_its_headers() -> None:
    headers = "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC," + HEX + "\n\n"
    text, count = mask(f"-----BEGIN RSA PRIVATE KEY-----{headers}{LINE}\n{LINE}\n")
    assert count == 1
    assert LINE[:16] not in text


WORDS = st.sampled_from(
    [*ISSUED.values(), *_key("PRIVATE KEY"), 'password = "', RANDOM, "://a:", "@h", "\n", "\r\n", " ", '"', "=", "中"]
)


@given(st.lists(WORDS | st.text(max_size=6), max_size=12).map("".join))
def test_masking_keeps_the_number_of_lines_and_never_fails(text: str) -> None:
    masked, count = mask(text)
    assert masked.count("\n") == text.count("\n")
    assert masked.count(MASK) >= count - text.count(MASK)


@given(st.lists(WORDS, max_size=12).map("".join))
def test_masking_what_is_masked_changes_nothing(text: str) -> None:
    masked, _ = mask(text)
    assert mask(masked) == (masked, 0) or MASK in mask(masked)[0]


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        " ",
        "sk-",
        "sk-a-",
        "eyJ",
        "eyJaaaaaaaaaa.",
        "gh" + "p_",
        "a://",
        "a://b:",
        "http://a:bbbb",
        "password",
        "password=",
        "password='",
        'password: "aaaaaaaa',
        "token\n",
        ";pwd=aaaa",
        "AccountKey=",
        "hooks.slack.com/services/",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\n" + "A" * 50,
        "AAAA\n",
        "A" * 64 + "\n",
        "12345678:AA",
        "bearer ",
        '"',
        "_",
        "a.",
        "A1-",
    ],
)
def test_time_is_linear_in_hostile_text(unit: str) -> None:
    text = unit * (400_000 // len(unit))
    start = time.perf_counter()
    mask(text)
    assert time.perf_counter() - start < 2
