"""From a submission to a review: every finding gets its place in the repository, or stays without one.

No finding is lost, and no place is invented. docs/findings.md states the rules.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from pydantic import JsonValue

from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.domain.finding import (
    AnchorStatus,
    Category,
    Confidence,
    Edit,
    Finding,
    Place,
    RefusedFinding,
    Review,
    Severity,
    Side,
)
from pr_review.domain.text import shorten
from pr_review.findings.answer_reading import as_read
from pr_review.findings.duplicates import merge_duplicates
from pr_review.findings.edits import make_edit
from pr_review.findings.excerpts import make_excerpt
from pr_review.findings.fingerprint import fingerprint, tell_apart
from pr_review.findings.matching import Anchor, FileIndex, confirm_line, place_quote
from pr_review.findings.path_spelling import UNKNOWN, Origin
from pr_review.findings.reviewed_files import Repository, ReviewedFiles
from pr_review.findings.submission import RuleFinding, Submission, SubmittedFinding

HintT = TypeVar("HintT", Category, Confidence)
Mask = Callable[[str], str]

MAX_REFUSED = 1000  # of an answer of thousands, which nobody reads one by one
MAX_REFUSED_CHARS = 200  # of the title or the path of a refused finding
MAX_PATH_CHARS = 500  # of a path that names no file; a real one never gets here


@dataclass(frozen=True)
class Placement:
    """The file and the lines of a finding; ``note`` tells the reader that it was moved to this file.

    Without a place, ``path`` is the reviewer's, and ``candidates`` are the files that it fits.
    """

    path: str
    anchor: Anchor
    note: str = ""
    candidates: tuple[str, ...] = ()


def place(
    submission: Submission, diff: Diff, repository: Repository, mask: Mask, origin: Origin = UNKNOWN
) -> Review:
    """Place each finding, merge duplicates, and give fingerprints; one whose file is unknown is unplaced.

    A ``RuleFinding`` keeps its line, names its rule, and is neither moved to another file nor merged: a rule
    knows its line and its cause. ``mask`` hides the secrets in a text; it is applied after matching, because
    quotes are compared with the code as it is.
    """
    files = ReviewedFiles(diff, repository, origin)
    placements = [(submitted, _place(submitted, files)) for submitted in submission.findings]
    findings = [_build(submitted, placement, files, mask) for submitted, placement in placements]
    ordered = sorted(merge_duplicates(findings), key=_report_order)
    moved = (placement.note for _, placement in placements if placement.note)
    return Review(
        summary=mask(submission.summary),
        findings=tuple(tell_apart(ordered)),
        refused=tuple(_masked_refused(each, mask) for each in as_read(submission).refused[:MAX_REFUSED]),
        notes=(*map(mask, submission.notes), *map(mask, moved)),
    )


def say_respelled(submission: Submission, files: ReviewedFiles) -> tuple[str, ...]:
    """A sentence on the findings whose path was read as meant; none when each path stands in a tree."""
    meant = ((found.path, files.resolve(found.path).path) for found in submission.findings)
    respelled = sum(path is not None and path != written for written, path in meant)
    return (f"Paths that were spelled in another way and read as meant: {respelled}.",) if respelled else ()


def _masked_refused(refused: RefusedFinding, mask: Mask) -> RefusedFinding:
    title, path = (shorten(mask(text.strip()), MAX_REFUSED_CHARS) for text in (refused.title, refused.path))
    return refused.model_copy(update={"title": title, "path": path})


def _report_order(found: Finding) -> tuple[bool, bool, int, str, int]:
    """Sorts those inside the diff first, then those without a place, then by severity, path and line."""
    return (not found.counts, not found.in_diff, found.severity.rank, found.path, found.line or 0)


def _place(submitted: SubmittedFinding, files: ReviewedFiles) -> Placement:
    return _confirm(submitted, files) if isinstance(submitted, RuleFinding) else _locate(submitted, files)


def _confirm(submitted: RuleFinding, files: ReviewedFiles) -> Placement:
    """The file and the line as the rule gave them."""
    path = files.resolve(submitted.path).path
    if path is None:
        return _unplaced(submitted, files)
    anchor = confirm_line(files.index(path), submitted.existing_code, parse_line(submitted.line))
    return Placement(path, anchor)


def _locate(submitted: SubmittedFinding, files: ReviewedFiles) -> Placement:
    """The place in the file that the finding names, else in the only patch that holds what it quotes."""
    path = files.resolve(submitted.path).path
    placement = _unplaced(submitted, files) if path is None else _place_in(path, submitted, files)
    if placement.anchor.status.is_located:
        return placement
    other = files.find_only_patch_with(submitted.existing_code or "")
    if other is None:
        return placement
    return replace(_place_in(other, submitted, files), note=_as_moved(submitted, other))


def _place_in(path: str, submitted: SubmittedFinding, files: ReviewedFiles) -> Placement:
    index = files.index(path)
    quote = submitted.existing_code or ""
    if not quote.strip() and index.clearly_contains(submitted.evidence):
        quote = submitted.evidence
    return Placement(path, place_quote(index, quote, _given_lines(submitted, files).line))


def _unplaced(submitted: SubmittedFinding, files: ReviewedFiles) -> Placement:
    """No file: the path as it was written, and the files that it could mean."""
    written = shorten(submitted.path.strip(), MAX_PATH_CHARS)
    return Placement(
        written, Anchor(AnchorStatus.UNPLACED), candidates=files.resolve(submitted.path).candidates
    )


class _Lines(NamedTuple):
    """Lines as a reviewer gave them; None for what is no line."""

    line: int | None
    end_line: int | None


def _given_lines(submitted: SubmittedFinding, files: ReviewedFiles) -> _Lines:
    """The lines of the finding, else those that stand behind its path."""
    line, end_line = parse_line(submitted.line), parse_line(submitted.end_line)
    if line is not None:
        return _Lines(line, end_line)
    behind_path = files.resolve(submitted.path)
    return _Lines(behind_path.line, end_line if end_line is not None else behind_path.end_line)


def _as_moved(finding: SubmittedFinding, path: str) -> str:
    return (
        f"Reported for {finding.path}, shown in {path}, the only other changed file with the code it quotes: "
        f"{finding.title}"
    )


def _build(submitted: SubmittedFinding, placement: Placement, files: ReviewedFiles, mask: Mask) -> Finding:
    index, anchor = files.index(placement.path), placement.anchor
    changed, lines = files.changed_file(placement.path), index.lines(anchor.side)
    category = _member(Category, submitted.category) or Category.OTHER
    end_line = _end_line(_given_lines(submitted, files), anchor, lines)
    code = mask(_code(submitted, anchor, lines))
    return Finding(
        severity=Severity(submitted.severity),
        title=mask(submitted.title),
        explanation=mask(submitted.explanation),
        path=placement.path if anchor.status is not AnchorStatus.UNPLACED else mask(placement.path),
        line=anchor.line,
        end_line=end_line,
        side=anchor.side,
        base_path=_base_path(changed),
        evidence=mask(submitted.evidence),
        recommendation=mask(submitted.recommendation),
        existing_code=_masked(submitted.existing_code, mask),
        suggestion=_masked(submitted.suggestion, mask),
        category=category,
        confidence=_member(Confidence, submitted.confidence),
        in_diff=_in_diff(changed, anchor),
        on_added_line=_on_added_line(changed, anchor),
        rule=submitted.rule if isinstance(submitted, RuleFinding) else None,
        excerpt=make_excerpt(lines, anchor.line, end_line, mask) if anchor.line else None,
        anchor=anchor.status,
        alternatives=anchor.alternatives,
        candidates=placement.candidates,
        fingerprint=fingerprint(code, placement.path, category, _occurrence(index, anchor)),
        edit=_edit(submitted, placement, files, mask),
    )


def _edit(submitted: SubmittedFinding, placement: Placement, files: ReviewedFiles, mask: Mask) -> Edit | None:
    if not submitted.suggestion:
        return None
    text = files.repository.head_text(placement.path)
    return make_edit(submitted.existing_code, submitted.suggestion, placement.anchor, text, mask)


def _masked(text: str | None, mask: Mask) -> str | None:
    return None if text is None else mask(text)


def _member(kind: type[HintT], value: JsonValue) -> HintT | None:
    return kind(value) if isinstance(value, str) and value in set(kind) else None


def parse_line(value: JsonValue) -> int | None:
    """A JSON number without a fraction, for JSON makes no difference between 12.0 and 12; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return int(value)


def _end_line(given: _Lines, anchor: Anchor, lines: Mapping[int, str]) -> int | None:
    """The end of the quote; a later end that was given counts if the finding begins at the line it gave."""
    if anchor.line is None or anchor.line != given.line:
        return anchor.end_line
    if given.end_line is None or given.end_line not in lines:
        return anchor.end_line
    return given.end_line if given.end_line > (anchor.end_line or anchor.line) else anchor.end_line


def _base_path(changed: ChangedFile | None) -> str | None:
    """The name at the merge base, when it is another name."""
    old = changed.old_path if changed else None
    return old if changed and old != changed.path else None


def _in_diff(changed: ChangedFile | None, anchor: Anchor) -> bool:
    """Whether a hunk shows at least one of the lines, or the finding is about a changed file as a whole.

    An ambiguous finding is inside when any of its places is, because the place outside may be the wrong one.
    """
    if changed is None:
        return False
    if anchor.place is None or (anchor.side is Side.LEFT and changed.status is FileStatus.DELETED):
        return True
    others = anchor.alternatives if anchor.status is AnchorStatus.AMBIGUOUS else ()
    return any(_is_shown(place, changed) for place in (anchor.place, *others))


def _is_shown(place: Place, changed: ChangedFile) -> bool:
    shown = changed.diff_lines if place.side is Side.RIGHT else changed.old_diff_lines
    return not shown.isdisjoint(place.numbers)


def _on_added_line(changed: ChangedFile | None, anchor: Anchor) -> bool:
    if changed is None or anchor.place is None or anchor.side is Side.LEFT:
        return False
    return not changed.added_lines.keys().isdisjoint(anchor.place.numbers)


def _code(submitted: SubmittedFinding, anchor: Anchor, lines: Mapping[int, str]) -> str:
    """The code that the finding is about: the located lines, else its quote, else its title."""
    place = _located(anchor)
    located = "\n".join(lines[number] for number in place.numbers) if place else ""
    texts = (located, submitted.existing_code or "", submitted.title)
    return next(text for text in texts if text.strip())


def _occurrence(index: FileIndex, anchor: Anchor) -> int:
    place = _located(anchor)
    return index.count_above(place) if place else 0


def _located(anchor: Anchor) -> Place | None:
    return anchor.place if anchor.status.is_located else None
