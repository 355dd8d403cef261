"""Untrusted text made visible: what a terminal or a browser would obey or hide is shown instead."""

import json
import re

# Every character that shows nothing, or that makes others show where they do not stand. Tab and newline stay.
_HIDDEN = (
    # Controls, surrogates, line separators, interlinear annotation.
    "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\ufff9-\ufffb"
    # Default_Ignorable_Code_Point, without the three that have rules of their own below:
    # https://www.unicode.org/Public/16.0.0/ucd/DerivedCoreProperties.txt
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    # Symbols without a shape: of Braille, music and Khitan, and the controls of hieroglyphs.
    "\u2800\U0001d159\U00016fe4\U00013430-\U0001345f"
)
# Bases of emoji sequences: https://www.unicode.org/Public/16.0.0/ucd/emoji/emoji-data.txt, by blocks.
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# Scripts that are spelt with joiners (RFC 5892, A.1 and A.2), from Arabic over the Indic ones to Balinese.
_JOINING = "\u0620-\u08e1\u08e3-\u109f\u1780-\u17b3\u17b6-\u17d3\u1820-\u18aa\u1a20-\u1aad\u1b00-\u1b4b"
_INVISIBLE = re.compile(
    rf"""
      [{_HIDDEN}]
    | (?<![{_EMOJI}]) \ufe0f (?!\u20e3)    # asks for the coloured form of an emoji, or of a key's cap
    | (?<![{_EMOJI}{_JOINING}]) (?<![{_EMOJI}]\ufe0f) \u200d
    | \u200d (?![{_EMOJI}{_JOINING}])
    | (?<![{_JOINING}]) \u200c
    | \u200c (?![{_JOINING}])
    """,
    re.VERBOSE,
)
_CONTROL_PICTURES = 0x2400
_DELETE, _DELETE_PICTURE = 0x7F, "\N{SYMBOL FOR DELETE}"
_SPACE = 0x20


def show_controls(text: str) -> str:
    r"""Show each control or invisible character; tab and newline stay, ``\r\n`` becomes ``\n``.

    Joiners inside emoji, and inside words of scripts that need them, stay too. C0 controls become their
    control picture (``␛``), all others ``<U+202E>``. The result always encodes to UTF-8.
    """
    return _INVISIBLE.sub(lambda match: _picture(ord(match[0])), text.replace("\r\n", "\n"))


def escape_controls(text: str) -> str:
    r"""The same characters as escapes of JSON (``\u202e``), for text that is JSON already."""
    return _INVISIBLE.sub(lambda match: _json_escape(match[0]), text)


def shorten(text: str, limit: int) -> str:
    """Cut to at most ``limit`` characters, the ellipsis among them; ``limit`` is at least 1."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _picture(code: int) -> str:
    if code < _SPACE:
        return chr(_CONTROL_PICTURES + code)
    return _DELETE_PICTURE if code == _DELETE else f"<U+{code:04X}>"


def _json_escape(character: str) -> str:
    return json.dumps(character)[1:-1]
