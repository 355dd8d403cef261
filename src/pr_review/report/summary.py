"""The job summary: one Markdown page for a maintainer, every untrusted word in it escaped."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pr_review.domain.finding import Severity
from pr_review.domain.run import KIB, Conclusion, Outcome
from pr_review.report import baseline_wording, finding_wording, links, wording
from pr_review.report.languages import language_of
from pr_review.report.templating import template

SUMMARY_BYTES = 900 * KIB  # the runner drops a step's whole summary above 1 MiB
MAX_FILE_ROWS = 1000  # more would only slow the page down; the artifact lists every file
ICONS = {Severity.CRITICAL: "🔴", Severity.HIGH: "🟠", Severity.MEDIUM: "🟡", Severity.LOW: "🔵"}

_GLOBALS = {
    "baseline_wording": baseline_wording,
    "finding_wording": finding_wording,
    "icons": ICONS,
    "language_of": language_of,
    "links": links,
    "wording": wording,
}
# What a reader must see unfolded: here the list of files is the message.
_FILES_OPEN = frozenset({Conclusion.SKIPPED, Conclusion.INCOMPLETE})


@dataclass(frozen=True)
class _Piece:
    """A unit that is shown whole or not at all; both parts are Markdown."""

    section: str
    row: str
    detail: str = ""


@dataclass(frozen=True)
class _Section:
    """What of a section is shown, and how much there is."""

    shown: Sequence[_Piece]
    total: int

    @property
    def left_out(self) -> int:
        return self.total - len(self.shown)


def render(outcome: Outcome, *, max_bytes: int = SUMMARY_BYTES) -> str:
    """The page, at most ``max_bytes`` of UTF-8.

    What does not fit is left out whole, and the page says so: files first, then notes, then the least severe
    findings. The rest of the page is bounded, about 64 KiB at the very worst, and always there.
    """
    pieces = list(_take(_pieces(outcome), max_bytes))
    page = _page(outcome, pieces)
    if _size(page) <= max_bytes:
        return page
    first_too_big = bisect_left(
        range(len(pieces)), True, key=lambda kept: _size(_page(outcome, pieces[:kept])) > max_bytes
    )
    return _page(outcome, pieces[: max(first_too_big - 1, 0)])


def _take(pieces: Iterator[_Piece], max_bytes: int) -> Iterator[_Piece]:
    """Stop as soon as the pieces alone are too many: a hostile answer must not cost seconds."""
    size = 0
    for piece in pieces:
        yield piece
        size += _size(piece.row) + _size(piece.detail)
        if size > max_bytes:
            return


def _size(text: str) -> int:
    return len(text.encode())


def _pieces(outcome: Outcome) -> Iterator[_Piece]:
    """All that may be left out, the most important first."""
    parts: Any = template("parts.md.j2", _GLOBALS).module
    for number, finding in wording.numbered(outcome):
        url, marks = links.finding_url(outcome, finding), baseline_wording.marks(outcome, finding)
        shown = (number, finding, url, marks)
        section = "inside" if finding.in_diff else "outside"
        yield _Piece(section, parts.finding_row(*shown), parts.finding_detail(*shown))
    for note in wording.review_notes(outcome):
        yield _Piece("notes", parts.note_row(note))
    for note in wording.run_notes(outcome):
        yield _Piece("run", parts.note_row(note))
    for each in baseline_wording.suppressed(outcome):
        yield _Piece("suppressed", parts.suppressed_row(each))
    for finding in baseline_wording.earlier(outcome):
        yield _Piece("earlier", parts.earlier_row(finding))
    for file in wording.coverage_files(outcome)[:MAX_FILE_ROWS]:
        yield _Piece("files", parts.file_row(file, *wording.coverage_result(file)))


def _page(outcome: Outcome, pieces: Sequence[_Piece]) -> str:
    totals = {
        "inside": len(wording.findings(outcome, in_diff=True)),
        "outside": len(wording.findings(outcome, in_diff=False)),
        "notes": len(wording.review_notes(outcome)),
        "run": len(wording.run_notes(outcome)),
        "suppressed": len(baseline_wording.suppressed(outcome)),
        "earlier": len(baseline_wording.earlier(outcome)),
        "files": len(outcome.coverage.files),
    }
    sections = {
        name: _Section([piece for piece in pieces if piece.section == name], total)
        for name, total in totals.items()
    }
    files_open = outcome.conclusion in _FILES_OPEN
    page = template("page.md.j2", _GLOBALS)
    return page.render(outcome=outcome, sections=sections, files_open=files_open)
