"""The `.env` of local runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.config import dotenv
from pr_review.config.dotenv import overlay
from pr_review.errors import ConfigError


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("OPENCODE_MODEL=m", "m"),
        ("  export OPENCODE_MODEL = m  # why", "m"),
        ("OPENCODE_MODEL='m # x' # why", "m # x"),
        ('OPENCODE_MODEL="m"', "m"),
        ("OPENCODE_MODEL=a#b", "a#b"),
        ("OPENCODE_MODEL=a b\r", "a b"),
        ("OPENCODE_MODEL=$HOME", "$HOME"),
        ("OPENCODE_MODEL=", ""),
        ("OPENCODE_MODEL= # none", ""),
    ],
)
def test_lines_are_read(line, value):
    """Quotes go, comments go after white space only, nothing is expanded."""
    assert overlay({}, f"# comment\n\n{line}\n") == {"OPENCODE_MODEL": value}


@pytest.mark.parametrize("line", ["OPENCODE_MODEL", "=x", "A B=1", "A='x", "A='x'y", "1A=x"])
def test_other_lines_are_refused_by_number_only(line):
    """The text may hold a secret, so it is not quoted."""
    with pytest.raises(ConfigError) as caught:
        overlay({}, f"# c\n{line}")
    assert (caught.value.code, caught.value.detail) == ("invalid_dotenv", ".env, line 2: not NAME=value.")


def test_the_environment_wins():
    """A `.env` only fills what is open; an empty variable is open."""
    environ = {"OPENCODE_MODEL": "a", "GITHUB_TOKEN": ""}
    assert overlay(environ, "OPENCODE_MODEL=b\nGITHUB_TOKEN=t") == {
        "OPENCODE_MODEL": "a",
        "GITHUB_TOKEN": "t",
    }


def test_only_our_own_names_are_taken():
    """A foreign `.env` cannot set a proxy, a certificate store or the API's address."""
    text = "HTTPS_PROXY=http://evil\nSSL_CERT_FILE=x\nPATH=x\nGITHUB_API_URL=x\nGIT_DIR=x\nINPUT_ENDPOINT=x"
    assert overlay({"PATH": "/bin"}, text) == {"PATH": "/bin"}


@pytest.mark.parametrize("key", dotenv.KEY_VARIABLES)
def test_an_endpoint_of_the_file_never_gets_a_key_of_the_environment(key):
    """Else a `.env` in somebody's repository would collect keys."""
    text = "OPENCODE_BASE_URL=https://evil.example/chat/completions\nOPENCODE_API_KEY=theirs"
    with pytest.raises(ConfigError) as caught:
        overlay({key: "mine"}, text)
    assert "mine" not in str(caught.value)
    assert overlay({}, text)["OPENCODE_API_KEY"] == "theirs"


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_the_file_is_bounded(over):
    """64 KiB."""
    text = "#" * (dotenv.MAX_DOTENV_BYTES + over)
    if over <= 0:
        assert overlay({}, text) == {}
    else:
        with pytest.raises(ConfigError, match="64 KiB"):
            overlay({}, text)


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text):
    """No other exception."""
    try:
        overlay({}, f"OPENCODE_MODEL={text}")
    except ConfigError as error:
        assert error.code == "invalid_dotenv"  # noqa: PT017 -- both ways out are right
