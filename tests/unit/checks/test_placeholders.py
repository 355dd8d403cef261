"""Words, names of code and runs of the alphabet are told from random characters."""

import random
import string
from base64 import urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.checks import committed_secrets
from pr_review.checks.placeholders import has_run, is_placeholder, is_wordy

BASE32 = string.ascii_uppercase + "234567"
ALPHANUMERIC = string.ascii_letters + string.digits

WORDS = [
    "ASIA" + "PACIFICMARKETING",
    "ASIA" + "MANUFACTURINGCOS",
    "ACCA" + "DEMICINSTITUTION",
    "AKIA" + "YOURACCESSKEYID0",
    "ABIA" + "LPHABETICALORDER",
    "AKIA" + "ABCDEFGHIJKLMNOP",
    "AKIA" + "1234567890ABCDEF",
    "ASIA" + "XXXXXXXXXXTOKENS",
    "ghp_" + "yourpersonalaccesstokengoesrighthere",
    "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789",
    "ghp_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789",
    "glpat-" + "your-gitlab-access-token",
    "hf_" + "representationlearningenvironments",
    "npm_" + "configurationRegistryAuthenticationT",
    "sk_live_" + "yourstripesecretkeyhere0",
    "0123456789abcdef" * 2 + "-us1",
    "MembershipSubscriptionRea.Create.ForTenantWithDefaultOption",
]


def found(make_source, text):
    return [hit.rule for hit in committed_secrets.find(make_source("a.py", text))]


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_the_shape_of_a_key_is_none(make_source, word):
    assert found(make_source, f'NAME = "{word}"') == []


@pytest.mark.parametrize(
    "text",
    [
        "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
        'aws_key_commit = "da39a3ee5e6b4b0d3255bfef95601890afd80709"',
        'AWS_KEY_PATH = "some/folder/with/configuration/for/tests"',
    ],
)
def test_what_everyone_knows_is_no_secret(make_source, text):
    assert found(make_source, text) == []


def test_random_keys_are_found(make_source):
    """A million such ids lose fewer than 400; of a thousand that is none or one."""
    dice = random.Random(3)
    keys = ["AKIA" + "".join(dice.choices(BASE32, k=16)) for _ in range(1000)]
    assert sum(found(make_source, key) == ["secret-aws"] for key in keys) >= 998


@given(st.integers())
def test_long_random_keys_are_never_placeholders(seed):
    dice = random.Random(seed)
    assert not is_placeholder("".join(dice.choices(ALPHANUMERIC, k=36)))


@pytest.mark.parametrize("number", ["80351110224678912", "1098765432109876543"])
def test_a_bot_token_is_known_by_the_number_in_it_whatever_the_rest(make_source, number):
    first = urlsafe_b64encode(number.encode()).decode().rstrip("=")
    token = f"{first}.Action.{'SelectedWithinCurrentWindow'}"
    assert found(make_source, token) == (["secret-discord"] if 24 <= len(first) <= 26 else [])
    assert found(make_source, "M" + "Zx9" * 8 + ".Gq7_3a.kP0wQz8LmN4rT6vY1bX5cD9eF2g") == ["secret-discord"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("xabcdefx", True),
        ("x654321x", True),
        ("zzzzzz", True),
        ("abcde", False),
        ("acegik", False),
        ("", False),
    ],
)
def test_a_run_has_six_characters(text, expected):
    assert has_run(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"), [("short", False), ("thequickbrownfoxjumps", False), ("", False)]
)
def test_few_letters_prove_nothing(text, expected):
    assert is_wordy(text[:12]) is expected
