"""Controls and invisible characters become visible; everything else stays."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.text import shorten, show_controls


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", "␛[31m"),
        ("\0\x07\r\x7f", "␀␇␍␡"),
        ("a\r\nb\tc\n", "a\nb\tc\n"),
        ("\u202e\u2066\u200b\ufeff", "<U+202E><U+2066><U+200B><U+FEFF>"),
        ("\x9b1m\u2028\ud800\U000e0041", "<U+009B>1m<U+2028><U+D800><U+E0041>"),
        ("👩\u200d💻 naïve", "👩\u200d💻 naïve"),
    ],
)
def test_examples(text, shown):
    assert show_controls(text) == shown


@given(st.text(st.characters()))
def test_nothing_a_terminal_obeys_is_left(text):
    """No control, bidirectional or unencodable character survives, and showing twice changes nothing."""
    shown = show_controls(text)
    shown.encode()
    assert not {unicodedata.category(char) for char in shown if char not in "\t\n"} & {"Cc", "Cs", "Zl", "Zp"}
    assert not {unicodedata.bidirectional(char) for char in shown} & {"RLO", "LRO", "RLE", "LRE", "PDF"}
    assert show_controls(shown) == shown


@pytest.mark.parametrize(("length", "kept"), [(9, 9), (10, 10), (11, 10)])
def test_shorten_limit(length, kept):
    assert len(shorten("x" * length, 10)) == kept
    assert shorten("x" * length, 10).endswith("…") == (length > 10)
