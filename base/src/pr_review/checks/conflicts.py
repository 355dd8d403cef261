"""Conflict markers that a merge left in a file.

A conflict starts with ``<<<<<<<`` or ends with ``>>>>>>>``, as git writes them. A line of ``=======`` alone
proves nothing, because it underlines a heading in Markdown and reStructuredText.
"""

import re
from collections.abc import Iterator

from pr_review.checks.hit import Hit, Rule
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
_FENCE = re.compile(r" {0,3}(?:```|~~~)")


def find(source: Source) -> Iterator[Hit]:
    """Find conflicts, one hit each at the first added marker.

    An incomplete conflict counts only if a marker has a label, as git writes it. In documentation, markers in
    a fenced code block are an illustration and are not reported.
    """
    fenced = False
    markers: list[int] = []
    for number, line in sorted(source.lines.items()):
        if source.is_prose and _FENCE.match(line):
            fenced = not fenced
        if fenced:
            continue
        if _START.match(line):
            yield from _hits(source, markers)
            markers = [number]
        elif markers and _MIDDLE.match(line):
            markers.append(number)
        elif _END.match(line):
            yield from _hits(source, [*markers, number])
            markers = []
    yield from _hits(source, markers)


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
