"""Nothing printed is obeyed unless it is ours, and what is ours is escaped as the runner reads it."""

import re
import time

import pytest
from github_action_utils import _serialization
from hypothesis import given
from tests.command_text import TEXT

from pr_review.actions.commands import (
    MIN_MASK_CHARS,
    command,
    escape_data,
    escape_property,
    mask_values,
    neutralise,
)


def obeyed(line: str) -> bool:
    """As actions/runner reads a line: ActionCommand.TryParseV2, then TryParse."""
    return line.lstrip().startswith("::") or "##[" in line


@given(TEXT)
def test_data_is_escaped_as_the_oracle_does(text):
    assert escape_data(text) == _serialization.escape_data(text)


@given(TEXT)
def test_properties_are_escaped_as_the_oracle_does(text):
    assert escape_property(text) == _serialization.escape_property(text)


@given(TEXT)
def test_neutralised_text_is_never_a_command(text):
    """However lines are split, and whatever white space stands first; no control character is left."""
    shown = neutralise(text)
    assert not any(obeyed(line) for line in re.split(r"[\r\n\x0b\x0c\x85\u2028\u2029]", shown))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown)
    assert re.sub(r"[\s:#]", "", shown).count("error") == text.count("error")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", ": :error::x"),
        ("a\n \t::set-output name=x::y", "a\n \t: :set-output name=x::y"),
        ("\u00a0::stop", "\u00a0: :stop"),
        (":::", ": ::"),
        ("see ##[add-mask]x", "see # #[add-mask]x"),
        ("###[group]", "## #[group]"),
        ("std::vector a::b ## [x]", "std::vector a::b ## [x]"),
        ("\x1b[31mred", "␛[31mred"),
    ],
)
def test_neutralise_examples(text, shown):
    """Only what would be obeyed changes."""
    assert neutralise(text) == shown


@pytest.mark.parametrize("blank", ["\n", " \n", "\u00a0"])
def test_blank_lines_are_neutralised_in_linear_time(blank):
    text = blank * (2**17 // len(blank))
    start = time.process_time()
    assert neutralise(text) == text
    assert time.process_time() - start < 4  # measured: 0.01 s; a minute when each line looks at all others


@given(TEXT, TEXT)
def test_command_is_one_line(data, value):
    assert len(command("notice", data, {"title": value}).split("\n")) == 1
    assert "\r" not in command("notice", data, {"title": value})


@pytest.mark.parametrize(
    ("secret", "values"),
    [
        ("x" * 7, []),
        ("x" * 8, ["x" * 8]),
        ("x" * 9, ["x" * 9]),
        ("", []),
        ("        \n", []),
        ("short\nlonger-line\r\nshort", ["short\nlonger-line\r\nshort", "longer-line"]),
    ],
)
def test_mask_values(secret, values):
    """The value and each line, none under 8 characters."""
    assert MIN_MASK_CHARS == 8
    assert mask_values(secret) == values
