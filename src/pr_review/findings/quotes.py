"""Quoted code in each way it may be meant: as it stands, or without what the code was shown with.

Code reaches a model with line numbers (``12: x``), with the markers of a patch, and sometimes comes back in a
fence. Real code also begins with such characters, so each reading is kept beside the one before it.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

Lines = tuple[str, ...]

MAX_COMPOSED_CHARS = 500  # composing takes quadratic time on a long run of combining marks

_NUMBER = re.compile(r"\A\s*+\d{1,7}\s*+[:|] ?")
_PATCH_NOISE = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|\\ No newline at end of file")
_FENCE = "```"


def normalise(line: str) -> str:
    """The line without white space, composed (NFC), without the backslash that continues it; "" if blank."""
    squeezed = "".join(line.split()).rstrip("\\")
    if squeezed.isascii() or len(squeezed) > MAX_COMPOSED_CHARS:
        return squeezed
    return unicodedata.normalize("NFC", squeezed.replace("\ufeff", ""))


def normalise_lines(lines: Sequence[str]) -> Lines:
    """The lines that are not blank, normalised."""
    return tuple(filter(None, map(normalise, lines)))


@lru_cache(maxsize=128)  # each quote is looked for in every changed file
def readings(quote: str) -> tuple[Lines, ...]:
    """Every reading of a quote, normalised, none empty, the literal one first; at most 16."""
    found: dict[tuple[str, ...], None] = {tuple(quote.split("\n")): None}
    for strip in (_strip_fence, _strip_numbers, _strip_markers, _strip_numbers):
        found |= dict.fromkeys([strip(lines) for lines in found])
    return tuple(dict.fromkeys(filter(None, map(normalise_lines, found))))


def _strip_fence(lines: Lines) -> Lines:
    """Without the Markdown fence around it, or the backticks around a single line."""
    text = "\n".join(lines).strip()
    inner = text.split("\n")
    if len(inner) > 1 and text.startswith(_FENCE) and inner[-1].strip() == _FENCE:
        return tuple(inner[1:-1])
    return (text.strip("`"),) if len(inner) == 1 and text[:1] == text[-1:] == "`" else lines


def _strip_numbers(lines: Lines) -> Lines:
    """Without the line number that a line begins with."""
    return tuple(_NUMBER.sub("", line, count=1) for line in lines)


def _strip_markers(lines: Lines) -> Lines:
    """Without what a patch adds: hunk headers, the note on a missing newline, one marker a line."""
    code = (line for line in lines if not _PATCH_NOISE.match(line))
    return tuple(line[1:] if line.startswith(("+", "-")) else line for line in code)
