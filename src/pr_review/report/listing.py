"""Code with line numbers and marks, for the HTML report: what stands there, and what is suggested."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from pr_review.domain.finding import Finding, Side
from pr_review.domain.text import show_controls
from pr_review.report.finding_wording import replacement
from pr_review.report.highlight import Word, highlight

Mark = Literal["", "hit", "added", "removed"]
_MARKS: dict[str, Mark] = {"+": "added", "-": "removed"}


class Line(NamedTuple):
    """One line of a listing; ``number`` is None where it is not known, and for an added line."""

    number: int | None
    mark: Mark
    words: Sequence[Word]


def excerpt_lines(finding: Finding, *, coloured: bool) -> list[Line]:
    """The code around a finding, its own lines marked: "removed" ones are of the merge base."""
    if finding.excerpt is None:
        return []
    text = show_controls("\n".join(finding.excerpt.lines))
    lines = highlight(text, finding.path if coloured else "")
    first, last = finding.line or 0, finding.end_line or finding.line or 0
    mark: Mark = "removed" if finding.side is Side.LEFT else "hit"
    return [
        Line(number, mark if first <= number <= last else "", words)
        for number, words in enumerate(lines, finding.excerpt.start_line)
    ]


def change_lines(finding: Finding) -> list[Line]:
    """The suggestion as a change: with the lines around it when it is exact, else as the reviewer quoted."""
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
    """``lines`` begin with the marker of a patch."""
    number = start
    for line in lines:
        mark = _MARKS.get(line[0], "")
        shown = show_controls(f"{line}\n").removesuffix("\n")  # a carriage return belongs to the line end
        yield Line(None if mark == "added" else number, mark, (Word("", shown),))
        if number is not None and mark != "added":
            number += 1
