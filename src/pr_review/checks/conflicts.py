"""Conflict markers that a merge left in a file.

A conflict starts with ``<<<<<<<`` or ends with ``>>>>>>>``, as git writes them. A line of ``=======`` alone
proves nothing, because it underlines a heading in Markdown and reStructuredText.
"""

import re
from collections.abc import Iterator

from pr_review.checks.hit import Hit, Rule
from pr_review.checks.patterns import LineIndex
from pr_review.checks.source import Source
from pr_review.domain.finding import Category, Severity

NAME = "conflict-markers"

RULE = Rule(
    "conflict-marker",
    Severity.CRITICAL,
    Category.BUG,
    "Unresolved merge conflict",
    "A merge left its conflict markers in the file, so both sides of the conflict are in it at once.",
    "Resolve the conflict: keep the intended side and delete the marker lines.",
    cause="conflict",
)

_START = re.compile(r"<{7}(?: .*)?\r?$")
_MIDDLE = re.compile(r"={7}\r?$")
_END = re.compile(r">{7}(?: .*)?\r?$")
_LABELLED = re.compile(r"(?:<{7}|>{7}) \S")
_PRE = "<pre"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,}|<pre(?=[\s>]))", re.IGNORECASE)


def find(source: Source) -> Iterator[Hit]:
    """Find conflicts, one hit each at the first added marker.

    An incomplete conflict counts only if a marker has a label, as git writes it. Its end alone counts only in
    code: seven ``>`` quote a text in Markdown and in mail. In documentation, markers in a block of literal
    text are an illustration and are not reported.
    """
    if not any(
        marker in line for line in source.added.values() for marker in ("<<<<<<<", "=======", ">>>>>>>")
    ):
        return
    fence: str | None = None
    markers: list[int] = []
    for number, line in sorted(source.lines.items()):
        if source.is_prose:
            fence = _fence_after(fence, line)
        if fence is not None:
            continue
        if _START.match(line):
            yield from _hits(source, markers)
            markers = [number]
        elif markers and _MIDDLE.match(line):
            markers.append(number)
        elif _END.match(line):
            if markers or not _is_quote(source, number):
                yield from _hits(source, [*markers, number])
            markers = []
    yield from _hits(source, markers)


def _fence_after(fence: str | None, line: str) -> str | None:
    """What closes the block of literal text that goes on after this line, or None outside of one.

    A fence is closed by one of the same character that is at least as long.
    """
    found = _FENCE.match(line)
    if fence is None:
        return found[1] if found else None
    if fence == _PRE:
        return None if "</pre>" in line.lower() else fence
    closes = found and found[1].startswith(fence) and not line.strip().strip(fence[0])
    return None if closes else fence


def _is_quote(source: Source, number: int) -> bool:
    """Whether the line is quoted text: in prose, in a comment or inside a string."""
    if source.is_prose:
        return True
    view = source.views
    if view is None:
        return False
    start = LineIndex(view.code).starts[number - 1]
    return view.code[start : start + 7] != ">>>>>>>"


def _hits(source: Source, markers: list[int]) -> Iterator[Hit]:
    complete = len(markers) >= 3  # noqa: PLR2004 -- start, middle, end
    added = [
        number
        for number in markers
        if number in source.added and (complete or _LABELLED.match(source.added[number]))
    ]
    if added:
        end = markers[-1] if markers[-1] > added[0] else None
        yield Hit.of(RULE, added[0], source.added[added[0]], end_line=end)
