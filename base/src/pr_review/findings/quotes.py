"""The readings of quoted code: as it stands, and without what was around the code when it was shown.

A model sees code with line numbers (``12: x``) or with the markers of a patch, and it may quote code in a
Markdown fence. Real code can begin with such characters too, so every reading counts.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

Lines = tuple[str, ...]

MAX_COMPOSED_CHARS = 500  # Unicode composition (NFC) takes quadratic time on a long run of combining marks

_NUMBER = re.compile(r"\A\s*+\d{1,7}\s*+[:|] ?")
_PATCH_NOISE = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|\\ No newline at end of file")
_FENCE = "```"


def normalise(line: str) -> str:
    """The line without white space and without a backslash at its end, in Unicode NFC; "" if it is blank."""
    squeezed = "".join(line.split()).rstrip("\\")
    if squeezed.isascii() or len(squeezed) > MAX_COMPOSED_CHARS:
        return squeezed
    return unicodedata.normalize("NFC", squeezed.replace("\ufeff", ""))


def normalise_lines(lines: Sequence[str]) -> Lines:
    """The lines that are not blank, each normalised."""
    return tuple(filter(None, map(normalise, lines)))


@lru_cache(maxsize=128)  # a quote may be searched for in every changed file
def readings(quote: str) -> tuple[Lines, ...]:
    """At most 16 readings of a quote, the literal one first; normalised, and none is empty."""
    found: dict[tuple[str, ...], None] = {tuple(quote.split("\n")): None}
    for strip in (_strip_fence, _strip_numbers, _strip_markers, _strip_numbers):
        found |= dict.fromkeys([strip(lines) for lines in found])
    return tuple(dict.fromkeys(filter(None, map(normalise_lines, found))))


def _strip_fence(lines: Lines) -> Lines:
    """The lines inside a Markdown fence, or a single line inside backticks."""
    text = "\n".join(lines).strip()
    inner = text.split("\n")
    if len(inner) > 1 and text.startswith(_FENCE) and inner[-1].strip() == _FENCE:
        return tuple(inner[1:-1])
    return (text.strip("`"),) if len(inner) == 1 and text[:1] == text[-1:] == "`" else lines


def _strip_numbers(lines: Lines) -> Lines:
    """The lines without a line number at their beginning."""
    return tuple(_NUMBER.sub("", line, count=1) for line in lines)


def _strip_markers(lines: Lines) -> Lines:
    """The lines without what a patch adds: hunk headers, the note on a missing newline, and markers."""
    code = (line for line in lines if not _PATCH_NOISE.match(line))
    return tuple(line[1:] if line.startswith(("+", "-")) else line for line in code)
