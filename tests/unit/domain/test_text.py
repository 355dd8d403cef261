"""Controls and invisible characters become visible; everything else stays."""

import re
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


def test_a_message_in_invisible_characters_is_shown():
    """Any of the ways to write letters that nobody sees."""
    hidden = {
        "variation selectors": "".join(chr(0xE0100 + ord(letter) - 16) for letter in "obey"),
        "tags": "".join(chr(0xE0000 + ord(letter)) for letter in "obey"),
        "a flag's tags": "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng\x7f"),
        "two joiners as bits": "a\u200c\u200d\u200c\u200cb",
        "joiners between letters of a joining script": "ل\u200c\u200d\u200cل",
        "selectors after an emoji": "❤\ufe0f\ufe0f\ufe0e\ufe0f",
        "a selector after a letter": "a\ufe0f",
        "blanks": "\u2800\u3164\uffa0\u115f",
        "soft hyphens": "a\xadb\xad",
        "music": "\U0001d173\U0001d17a\U0001d159",
        "shorthand": "\U0001bca0",
        "Mongolian and Khmer": "\u180b\u180f\u17b4",
        "hieroglyphs": "\U00013430\U00013455",
        "invisible operators": "f\u2061(x)\u2062y",
    }
    assert {
        name: shown for name, text in hidden.items() if (shown := show_controls(text)).count("<U+") < 1
    } == {}


@pytest.mark.parametrize("text", ["❤️", "1️⃣ #️⃣", "👨‍👩‍👧‍👦", "👩🏽‍💻", "🏳️‍🌈", "می‌خواهم", "क्‍ष", "🇩🇪", "→", "©️"])
def test_what_is_written_with_joiners_stays(text):
    """Emoji sequences, and words of scripts that need a joiner."""
    assert show_controls(text) == text


def test_no_format_character_is_left_but_those_that_are_seen():
    """Format characters of Unicode that survive alone are numeral signs and marks with a shape."""
    left = [char for number in range(0x110000) if unicodedata.category(char := chr(number)) == "Cf"]
    left = [char for char in left if show_controls(char) == char]
    shown = "NUMBER|SIGN|MARK|END OF AYAH|FOOTNOTE|DISPUTED"
    assert [name for char in left if not re.search(shown, name := unicodedata.name(char))] == []


@given(st.text(st.sampled_from("a1❤👩ل\u20e3\ufe0f\u200d\u200c\U000e0041") | st.characters()))
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
