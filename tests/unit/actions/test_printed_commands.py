"""What the runner obeys is broken in every format, and stays the same text where the format has escapes."""

import html
import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pr_review.actions.printed_commands import (
    break_in_html,
    break_in_json,
    break_in_text,
    break_inside_line,
)

# Written apart from the code under test: a line that the runner would obey.
OBEYED = re.compile(r"^\s*::|##\[", re.MULTILINE)
HOSTILE = st.lists(st.sampled_from([*":#[ \t\n\r\f\v\u2003", "::", "##[", "a"]), max_size=12).map("".join)


@given(text=HOSTILE)
@example(text="::")
@example(text="\n\t ::error::x")
@example(text="###[[::")
@pytest.mark.parametrize("function", [break_in_text, break_in_html])
def test_no_line_is_obeyed(function, text):
    assert not OBEYED.search(function(text))


@given(text=HOSTILE)
def test_the_old_form_is_broken_inside_a_line(text):
    assert "##[" not in break_inside_line(text)


@given(text=HOSTILE)
def test_html_shows_the_same_text(text):
    assert html.unescape(break_in_html(text)) == text


@given(text=HOSTILE)
def test_json_holds_the_same_text(text):
    broken = break_in_json(json.dumps({"key": text}, indent=2))
    assert not OBEYED.search(broken)
    assert json.loads(broken) == {"key": text}


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("::error::x", ": :error::x"),
        (" \t::set", " \t: :set"),
        ("a ::b", "a ::b"),
        ("x ##[error]y", "x # #[error]y"),
        ("a: b #12 [c]", "a: b #12 [c]"),
    ],
)
def test_plain_text_gets_a_space_and_nothing_else(text, broken):
    assert break_in_text(text) == broken
