"""Untrusted text made visible: what a terminal or a browser would obey or hide is shown instead."""

import re

# C0 and C1 controls, soft hyphen, bidirectional marks and overrides (CVE-2021-42574), zero-width and other
# invisible formatting, line separators, surrogates, tag characters. Tab and newline stay; so do the joiners
# U+200C and U+200D, which scripts and emoji need.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_CONTROL_PICTURES = 0x2400
_DELETE, _DELETE_PICTURE = 0x7F, "\N{SYMBOL FOR DELETE}"
_SPACE = 0x20


def show_controls(text: str) -> str:
    r"""Show each control or invisible character; tab and newline stay, ``\r\n`` becomes ``\n``.

    C0 controls become their control picture (``␛``), all others ``<U+202E>``. The result always encodes to
    UTF-8.
    """
    return _INVISIBLE.sub(lambda match: _picture(ord(match[0])), text.replace("\r\n", "\n"))


def shorten(text: str, limit: int) -> str:
    """Cut to at most ``limit`` characters, the ellipsis among them; ``limit`` is at least 1."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _picture(code: int) -> str:
    if code < _SPACE:
        return chr(_CONTROL_PICTURES + code)
    return _DELETE_PICTURE if code == _DELETE else f"<U+{code:04X}>"
