"""Cuts a hunk at the borders of its lines, under a header that says what the piece holds.

The pieces of a hunk, applied in their order, are the hunk.
"""

import re
from collections.abc import Sequence

from pr_review.domain.change import Hunk, HunkLine, LineKind

# A line of a patch, with the "\ No newline at end of file" that belongs to it; only a newline ends a line.
_LINE = re.compile(r"^[^\n]*+\n(?:\\[^\n]*+\n)?", re.MULTILINE)
CUT_MARK = " …[the rest of this line is cut]"


def patch_lines(hunk: Hunk) -> list[str]:
    """The lines of the hunk as the patch shows them, one for each of ``hunk.lines``."""
    return _LINE.findall(hunk.text, hunk.text.index("\n") + 1)


def cut_hunk(hunk: Hunk, lines: Sequence[str], start: int) -> str:
    """These ``lines`` of the hunk, from index ``start`` on, under a header of their own."""
    return piece_header(hunk, start, start + len(lines)) + "".join(lines)


def piece_header(hunk: Hunk, start: int, stop: int) -> str:
    """The ``@@`` line for a part of the hunk; it keeps the hunk's section text."""
    before, inside = hunk.lines[:start], hunk.lines[start:stop]
    old = _side(hunk.old_start, hunk.old_count, before, inside, LineKind.ADDED)
    new = _side(hunk.new_start, hunk.new_count, before, inside, LineKind.REMOVED)
    section = hunk.text.partition("\n")[0].partition(" @@")[2]
    return f"@@ -{old} +{new} @@{section}\n"


def head_line(hunk: Hunk, start: int) -> int:
    """The line of the head version at which the part from index ``start`` on begins."""
    return _first(hunk.new_start, hunk.new_count, hunk.lines[:start], LineKind.REMOVED)


def cut_line(line: str, characters: int) -> str:
    """The first characters of a patch line and a mark, with what follows its newline."""
    text, _, after = line.partition("\n")
    return f"{text[: 1 + characters]}{CUT_MARK}\n{after}"


def _side(
    start: int, count: int, before: Sequence[HunkLine], inside: Sequence[HunkLine], absent: LineKind
) -> str:
    """``first,count`` of one side; with no line of this side, the number of the line before."""
    first, number = _first(start, count, before, absent), _number(inside, absent)
    return f"{first}" if number == 1 else f"{first if number else first - 1},{number}"


def _first(start: int, count: int, before: Sequence[HunkLine], absent: LineKind) -> int:
    return start + (count == 0) + _number(before, absent)


def _number(lines: Sequence[HunkLine], absent: LineKind) -> int:
    return sum(line.kind is not absent for line in lines)
