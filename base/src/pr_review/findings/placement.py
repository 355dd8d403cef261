"""From a submission to a review: every finding gets its place in the repository, or becomes a note.

No finding is lost, and no place is invented. docs/findings.md states the rules.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import JsonValue

from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.domain.finding import (
    AnchorStatus,
    Category,
    Confidence,
    Edit,
    Finding,
    Place,
    Review,
    Severity,
    Side,
)
from pr_review.findings.duplicates import merge_duplicates
from pr_review.findings.edits import make_edit
from pr_review.findings.excerpts import make_excerpt
from pr_review.findings.fingerprint import fingerprint, tell_apart
from pr_review.findings.matching import Anchor, FileIndex, confirm_line, place_quote
from pr_review.findings.reviewed_files import Repository, ReviewedFiles
from pr_review.findings.submission import RuleFinding, Submission, SubmittedFinding

HintT = TypeVar("HintT", Category, Confidence)
Mask = Callable[[str], str]


@dataclass(frozen=True)
class Placement:
    """The file and the lines of a finding; ``note`` tells the reader that it was moved to this file."""

    path: str
    anchor: Anchor
    note: str = ""


def place(submission: Submission, diff: Diff, repository: Repository, mask: Mask) -> Review:
    """Place each finding, merge duplicates, and give fingerprints; a finding without a file becomes a note.

    A ``RuleFinding`` keeps its line, names its rule, and is neither moved to another file nor merged: a rule
    knows its line and its cause. ``mask`` hides the secrets in a text; it is applied after matching, because
    quotes are compared with the code as it is.
    """
    files = ReviewedFiles(diff, repository)
    placements = [(submitted, _place(submitted, files)) for submitted in submission.findings]
    findings = [_build(submitted, placement, files, mask) for submitted, placement in placements if placement]
    ordered = sorted(merge_duplicates(findings), key=_report_order)
    notes = [placement.note if placement else _as_note(submitted) for submitted, placement in placements]
    return Review(
        summary=mask(submission.summary),
        findings=tuple(tell_apart(ordered)),
        notes=(*map(mask, submission.notes), *map(mask, filter(None, notes))),
    )


def _report_order(found: Finding) -> tuple[bool, int, str, int]:
    """Sorts findings inside the diff first, then by severity, path and line."""
    return (not found.in_diff, found.severity.rank, found.path, found.line or 0)


def _place(submitted: SubmittedFinding, files: ReviewedFiles) -> Placement | None:
    return _confirm(submitted, files) if isinstance(submitted, RuleFinding) else _locate(submitted, files)


def _confirm(submitted: RuleFinding, files: ReviewedFiles) -> Placement | None:
    """The file and the line as the rule gave them."""
    path = files.resolve_path(submitted.path)
    if path is None:
        return None
    anchor = confirm_line(files.index(path), submitted.existing_code, parse_line(submitted.line))
    return Placement(path, anchor)


def _locate(submitted: SubmittedFinding, files: ReviewedFiles) -> Placement | None:
    """The place in the file that the finding names, else in the only patch that holds what it quotes."""
    path = files.resolve_path(submitted.path)
    placement = None if path is None else _place_in(path, submitted, files)
    if placement and placement.anchor.status.is_located:
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
    return Placement(path, place_quote(index, quote, parse_line(submitted.line)))


def _as_note(finding: SubmittedFinding) -> str:
    line = parse_line(finding.line)
    place = finding.path if line is None else f"{finding.path}:{line}"
    text = f"[{finding.severity}] {finding.title} ({place}): {finding.explanation}"
    return f"Not a finding, because its path is in neither the head nor the merge base: {text}"


def _as_moved(finding: SubmittedFinding, path: str) -> str:
    return (
        f"Reported for {finding.path}, shown in {path}, the only other changed file with the code it quotes: "
        f"{finding.title}"
    )


def _build(submitted: SubmittedFinding, placement: Placement, files: ReviewedFiles, mask: Mask) -> Finding:
    index, anchor = files.index(placement.path), placement.anchor
    changed, lines = files.changed_file(placement.path), index.lines(anchor.side)
    category = _member(Category, submitted.category) or Category.OTHER
    end_line = _end_line(submitted, anchor, lines)
    code = mask(_code(submitted, anchor, lines))
    return Finding(
        severity=Severity(submitted.severity),
        title=mask(submitted.title),
        explanation=mask(submitted.explanation),
        path=placement.path,
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


def _end_line(submitted: SubmittedFinding, anchor: Anchor, lines: Mapping[int, str]) -> int | None:
    """The end of the quote; a later end that was given counts if the finding begins at the line it gave."""
    given = parse_line(submitted.end_line)
    if anchor.line is None or anchor.line != parse_line(submitted.line):
        return anchor.end_line
    if given is None or given not in lines:
        return anchor.end_line
    return given if given > (anchor.end_line or anchor.line) else anchor.end_line


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
