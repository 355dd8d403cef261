"""Secrets are found on added lines, and nothing but their kind is quoted."""

import pytest
from tests.growth import assert_linear
from tests.unit.masking.secret_samples import AWS, BODY, CASES, HEADER, HEX, KEYS, some

from pr_review.checks import committed_secrets
from pr_review.masking.secret_shapes import SHAPES
from pr_review.masking.secrets import mask_secrets


def found(source):
    return [(hit.line, hit.rule) for hit in committed_secrets.find(source)]


def test_every_shape_has_a_case():
    assert {committed_secrets.rule_of(shape).code for shape in SHAPES} == {*KEYS, "secret-private-key"}


@pytest.mark.parametrize(("rule", "key"), CASES)
@pytest.mark.parametrize("line", ['key = "{}"', "KEY={}", "  - token: {}  # x", "f({}, 1);"])
def test_a_key_is_found_and_nothing_of_it_but_its_kind_is_quoted(make_source, rule, key, line):
    source = make_source("a.py", "x\n" + line.format(key))
    assert found(source) == [(2, rule)]
    (hit,) = committed_secrets.find(source)
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
    (hit,) = committed_secrets.find(source)
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
    "piece", ["aws_key", "sk-", "glpat-", HEADER, " ", "ghp_" + some(36), "rk_live_" + some(24)]
)
def test_a_long_line_takes_linear_time(make_source, piece):
    def work(line):
        list(committed_secrets.find(make_source("a.txt", line)))
        mask_secrets(line)

    assert_linear(work, piece)
