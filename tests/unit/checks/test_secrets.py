"""Every key here is put together at run time, so that no scanner takes this file for a leak."""

import random
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.checks import secrets
from pr_review.masking.secrets import OVERLAP_CHARS, SHAPES, WINDOW_CHARS, find_spans, mask_secrets

RANDOM = random.Random(7)
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits


def some(count, alphabet=LETTERS):
    return "".join(RANDOM.choices(alphabet, k=count))


KEYS = {
    "secret-aws": ["AKIA" + some(16, UPPER), "ASIA" + some(16, UPPER)],
    "secret-azure-storage": ["AccountKey=" + some(86) + "=="],
    "secret-discord": ["M" + some(23) + "." + some(6) + "." + some(27)],
    "secret-github": [
        "ghp_" + some(36),
        "ghs_" + some(80),
        "ghs_12345_eyJ" + some(30) + "." + some(200) + "." + some(342),
        "github_pat_" + some(22) + "_" + some(59),
    ],
    "secret-gitlab": ["glpat-" + some(20)],
    "secret-mailchimp": [some(32, HEX) + "-us21"],
    "secret-npm": ["npm_" + some(36)],
    "secret-openai": ["sk-proj-" + some(20) + "T3BlbkFJ" + some(20)],
    "secret-anthropic": ["sk-ant-" + "api03-" + some(93) + "AA"],
    "secret-huggingface": ["hf_" + some(34)],
    "secret-pypi": ["pypi-AgEIcHlwaS5vcmc" + some(80)],
    "secret-sendgrid": ["SG." + some(22) + "." + some(43)],
    "secret-slack": ["xoxb-" + some(12, string.digits) + "-" + some(24, string.ascii_lowercase)],
    "secret-square": ["sq0csp-" + some(43)],
    "secret-stripe": ["sk_live_" + some(24), "rk_live_" + some(99)],
    "secret-telegram": [some(9, "123456789") + ":" + some(35)],
}
CASES = [(rule, key) for rule, keys in KEYS.items() for key in keys]
AWS = KEYS["secret-aws"][0]
HEADER = "-----BEGIN RSA " + "PRIVATE KEY-----"
BODY = [some(64) for _ in range(3)]


def found(source):
    return [(hit.line, hit.rule) for hit in secrets.find(source)]


def test_every_shape_has_a_case():
    assert {secrets.rule_of(shape).code for shape in SHAPES} == {*KEYS, "secret-private-key"}


@pytest.mark.parametrize(("rule", "key"), CASES)
@pytest.mark.parametrize("line", ['key = "{}"', "KEY={}", "  - token: {}  # x", "f({}, 1);"])
def test_a_key_is_found_and_nothing_of_it_but_its_kind_is_quoted(make_source, rule, key, line):
    source = make_source("a.py", "x\n" + line.format(key))
    assert found(source) == [(2, rule)]
    (hit,) = secrets.find(source)
    secret = key.removeprefix("AccountKey=")
    assert "****" in hit.evidence
    quoted = hit.evidence + hit.title + hit.explanation
    assert not [
        part for part in (secret[start : start + 9] for start in range(8, len(secret) - 8)) if part in quoted
    ]


def test_the_secret_half_of_an_aws_key_is_found_by_its_name(make_source):
    secret = some(38) + "/+"
    source = make_source("a.ini", f'aws_secret_access_key = "{secret}"')
    assert found(source) == [(1, "secret-aws")]
    (hit,) = secrets.find(source)
    assert hit.evidence == f'aws_secret_access_key = "{secret[:4]}****"'


@pytest.mark.parametrize("pragma", ["# pragma: allowlist secret", "// pragma: whitelist secret", "# nosec"])
def test_a_pragma_in_the_file_silences_nothing(make_source, pragma):
    assert found(make_source("a.py", f'KEY = "{AWS}"  {pragma}')) == [(1, "secret-aws")]
    assert found(make_source("a.py", f'{pragma} nextline\nKEY = "{AWS}"')) == [(2, "secret-aws")]


@pytest.mark.parametrize(
    "text",
    [
        "AKIA-2026-0042",
        "AKIA" + "IOSFODNN7",
        f"X{AWS}",
        f"{AWS}7",
        "AKIA" + "X" * 16,
        "ghp_" + "x" * 36,
        "ghp_<your token here>",
        "sk_test_" + some(24),
        "password = 'hunter2'",
        "token: 1f3870be274f6c49b3e31a0c6728957f",
        "https://user:password@host/",
        some(64, HEX),
        "sha512-" + some(86) + "==",
        "12345:some text",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    ],
)
def test_what_only_looks_like_a_key_is_not_reported(make_source, text):
    assert found(make_source("a.py", text)) == []


def test_a_signed_url_shows_its_key_id_on_purpose(make_source):
    assert found(make_source("a.json", f"https://b.s3.amazonaws.com/?X-Amz-Credential={AWS}%2F2026")) == []


def test_the_documented_example_is_a_key_in_code_and_none_in_prose(make_source):
    example = "AKIAIOSFODNN7EXAMPLE"
    assert found(make_source("settings.py", example)) == [(1, "secret-aws")]
    assert found(make_source("docs/setup.md", example)) == []
    assert found(make_source("docs/setup.md", AWS)) == [(1, "secret-aws")]


def test_a_private_key_needs_a_body(make_source):
    assert found(make_source("id_rsa", "\n".join([HEADER, *BODY]))) == [(1, "secret-private-key")]
    assert found(make_source("a.json", f'"key": "{HEADER}\\n{BODY[0]}\\n"')) == [(1, "secret-private-key")]
    assert found(make_source("a.py", f'if "{HEADER}" in text:\n    return')) == []


def test_two_kinds_on_a_line_are_two_hits_and_one_kind_twice_is_one(make_source):
    other = KEYS["secret-gitlab"][0]
    source = make_source("a.py", f"{AWS} {other} {KEYS['secret-aws'][1]}")
    assert found(source) == [(1, "secret-aws"), (1, "secret-gitlab")]


def test_only_added_lines_are_searched(make_source):
    assert found(make_source("a.py", f"{AWS}\n{AWS}", added=[2])) == [(2, "secret-aws")]


@pytest.mark.parametrize(
    "offset", [0, 1, WINDOW_CHARS - OVERLAP_CHARS, WINDOW_CHARS - 10, WINDOW_CHARS, 9000]
)
@pytest.mark.parametrize(("rule", "key"), CASES)
def test_a_key_is_found_wherever_a_window_ends(offset, rule, key):
    line = " " * offset + key
    for text in (line, line + " " * 3000):
        assert [secrets.rule_of(span.shape).code for span in find_spans(text)] == [rule]
        assert key[10:] not in mask_secrets(text)


@pytest.mark.parametrize("length", [WINDOW_CHARS - 1, WINDOW_CHARS, WINDOW_CHARS + 1])
def test_a_key_at_the_end_of_a_line_of_the_window_s_length_is_found(length):
    assert len(find_spans(" " * (length - len(AWS)) + AWS)) == 1


def test_a_private_key_is_masked_line_by_line_and_beside_its_header():
    text = "\n".join([HEADER, *BODY, "-----END"])
    assert mask_secrets(text).split("\n") == [HEADER, "****", "****", "****", "-----END"]
    assert BODY[0] not in mask_secrets(f'"{HEADER}\\n{BODY[0]}"')
    assert mask_secrets(f'  "{BODY[0]}\\n"') == '  "****\\n"'


@pytest.mark.parametrize(
    "line",
    [
        "=" * 80,
        "x" * 80,
        "import a.b.c",
        "# " + "ab/" * 40,
        'url = "https://example.com/' + "path/" * 20 + '"',
    ],
)
def test_masking_leaves_ordinary_lines_alone(line):
    assert mask_secrets(line) == line


PIECES = st.one_of(
    st.text(alphabet=" \n\t\r=\"'ab,é"), st.sampled_from([key for _, key in CASES] + [HEADER, *BODY])
)


@given(st.lists(PIECES, max_size=12).map(" ".join))
def test_masking_keeps_the_lines_and_is_idempotent(text):
    masked = mask_secrets(text)
    assert masked.count("\n") == text.count("\n")
    assert mask_secrets(masked) == masked
    assert not [key for _, key in CASES if key in masked]


@pytest.mark.parametrize(
    "piece", ["aws_key", "sk-", "glpat-", HEADER, " ", "ghp_" + some(36), "rk_live_" + some(24)]
)
def test_a_line_of_one_mebibyte_takes_linear_time(make_source, piece):
    line = piece * (2**20 // len(piece))
    started = time.perf_counter()
    list(secrets.find(make_source("a.txt", line)))
    mask_secrets(line)
    assert time.perf_counter() - started < 15  # measured: at most 3 s; a quadratic pattern takes minutes
