"""Numbered lines of code for the HTML report: the code around a finding, and its suggestion as a diff."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from pr_review.domain.finding import Finding, Side
from pr_review.domain.text import show_controls
from pr_review.report.html.highlight import Word, highlight
from pr_review.report.wording.finding import replacement

Mark = Literal["", "hit", "added", "removed"]
_MARKS: dict[str, Mark] = {"+": "added", "-": "removed"}


class Line(NamedTuple):
    """One line; ``number`` is None for an added line, and where it is not known."""

    number: int | None
    mark: Mark
    words: Sequence[Word]


def excerpt_lines(finding: Finding, *, is_highlighted: bool) -> list[Line]:
    """The code around a finding; its own lines are marked, as removed when the merge base has them."""
    if finding.excerpt is None:
        return []
    text = show_controls("\n".join(finding.excerpt.lines))
    lines = highlight(text, finding.path if is_highlighted else "")
    first, last = finding.line or 0, finding.end_line or finding.line or 0
    mark: Mark = "removed" if finding.side is Side.LEFT else "hit"
    return [
        Line(number, mark if first <= number <= last else "", words)
        for number, words in enumerate(lines, finding.excerpt.start_line)
    ]


def change_lines(finding: Finding) -> list[Line]:
    """The suggestion as a diff: with the lines around it when it is exact, else the quoted lines alone."""
    changed = replacement(finding)
    if not changed:
        return []
    edit = finding.edit
    if edit is None:
        return list(_number(changed.split("\n"), None))
    lines = (
        *(f" {line}" for line in edit.before),
        *changed.split("\n"),
        *(f" {line}" for line in edit.after),
    )
    return list(_number(lines, edit.start_line - len(edit.before)))


def _number(lines: Sequence[str], start: int | None) -> Iterator[Line]:
    """Each line begins with the marker of a diff; ``start`` is the first number on the old side."""
    number = start
    for line in lines:
        mark = _MARKS.get(line[0], "")
        shown = show_controls(f"{line}\n").removesuffix("\n")  # a carriage return belongs to the line end
        yield Line(None if mark == "added" else number, mark, (Word("", shown),))
        if number is not None and mark != "added":
            number += 1
