"""From a submission to a review: every finding placed in the repository, or noted (decision 8)."""

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
    FindingKey,
    Place,
    Review,
    Severity,
    Side,
)
from pr_review.findings.anchoring import Anchor, confirm_line, holds, place_quote
from pr_review.findings.candidates import FileIndex
from pr_review.findings.duplicates import merge_duplicates
from pr_review.findings.edits import make_edit
from pr_review.findings.excerpts import make_excerpt
from pr_review.findings.fingerprint import fingerprint, tell_apart
from pr_review.findings.reviewed_files import Files, Repository
from pr_review.findings.submission import Submission, SubmittedFinding

HintT = TypeVar("HintT", Category, Confidence)
Mask = Callable[[str], str]

NOT_FOUND = frozenset({AnchorStatus.UNVERIFIED, AnchorStatus.FILE_LEVEL})


@dataclass(frozen=True)
class _Home:
    """Where a finding stands; ``note`` is what a reader has to know of how it came there."""

    path: str
    anchor: Anchor
    note: str = ""


def place(
    submission: Submission,
    diff: Diff,
    repository: Repository,
    mask: Mask,
    *,
    rules: Mapping[FindingKey, str] | None = None,
) -> Review:
    """Place each finding, merge what says the same, fingerprint what is left; nothing is lost.

    ``mask`` hides secrets in every text that quotes code, after anchoring. ``rules`` names the rule
    behind each finding of a deterministic reviewer, None for a model: it knows its lines and its causes, so
    none of its findings is moved or merged.
    """
    files = Files(diff, repository)
    locate = _locate if rules is None else _confirm
    homes = [(submitted, locate(submitted, files)) for submitted in submission.findings]
    built = [_build(submitted, home, files, mask) for submitted, home in homes if home]
    merged = merge_duplicates(built) if rules is None else [_with_rule(found, rules) for found in built]
    ordered = sorted(merged, key=lambda f: (not f.in_diff, f.severity.rank, f.path, f.line or 0))
    moved = [home.note if home else _as_note(submitted) for submitted, home in homes]
    return Review(
        summary=mask(submission.summary),
        findings=tuple(tell_apart(ordered)),
        notes=(*map(mask, submission.notes), *map(mask, filter(None, moved))),
    )


def _with_rule(found: Finding, rules: Mapping[FindingKey, str]) -> Finding:
    return found.model_copy(update={"rule": rules.get((found.path, found.line or 0, found.title))})


def _confirm(submitted: SubmittedFinding, files: Files) -> _Home | None:
    """The file and the line as a rule gave them."""
    path = files.resolve(submitted.path)
    if path is None:
        return None
    anchor = confirm_line(files.index(path), submitted.existing_code, parse_line(submitted.line))
    return _Home(path, anchor)


def _locate(submitted: SubmittedFinding, files: Files) -> _Home | None:
    """The place in the file that the finding names, else in the only one that holds what it quotes."""
    path = files.resolve(submitted.path)
    home = None if path is None else _place_in(path, submitted, files)
    if home and home.anchor.status not in NOT_FOUND:
        return home
    other = files.find_home(submitted.existing_code or "")
    if other is None:
        return home
    return replace(_place_in(other, submitted, files), note=_as_refiled(submitted, other))


def _place_in(path: str, submitted: SubmittedFinding, files: Files) -> _Home:
    index = files.index(path)
    quote = submitted.existing_code or ""
    if not quote.strip() and holds(index, submitted.evidence):
        quote = submitted.evidence
    return _Home(path, place_quote(index, quote, parse_line(submitted.line)))


def _as_note(finding: SubmittedFinding) -> str:
    line = parse_line(finding.line)
    place = finding.path if line is None else f"{finding.path}:{line}"
    text = f"[{finding.severity}] {finding.title} ({place}): {finding.explanation}"
    return f"Not a finding, because its path is in neither the head nor the merge base: {text}"


def _as_refiled(finding: SubmittedFinding, path: str) -> str:
    return (
        f"Reported for {finding.path}, shown in {path}, the only other changed file with the code it quotes: "
        f"{finding.title}"
    )


def _build(submitted: SubmittedFinding, home: _Home, files: Files, mask: Mask) -> Finding:
    index, anchor = files.index(home.path), home.anchor
    changed, lines = files.changed(home.path), index.lines(anchor.side)
    category = _member(Category, submitted.category) or Category.OTHER
    end_line = _end_line(submitted, anchor, lines)
    return Finding(
        severity=Severity(submitted.severity),
        title=mask(submitted.title),
        explanation=mask(submitted.explanation),
        path=home.path,
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
        excerpt=make_excerpt(lines, anchor.line, end_line, mask) if anchor.line else None,
        anchor=anchor.status,
        alternatives=anchor.alternatives,
        fingerprint=fingerprint(
            mask(_code(submitted, anchor, lines)), home.path, category, _occurrence(index, anchor)
        ),
        edit=_edit(submitted, home, files, mask),
    )


def _edit(submitted: SubmittedFinding, home: _Home, files: Files, mask: Mask) -> Edit | None:
    if not submitted.suggestion:
        return None
    text = files.repository.head_text(home.path)
    return make_edit(submitted.existing_code, submitted.suggestion, home.anchor, text, mask)


def _masked(text: str | None, mask: Mask) -> str | None:
    return None if text is None else mask(text)


def _member(kind: type[HintT], value: JsonValue) -> HintT | None:
    return kind(value) if isinstance(value, str) and value in set(kind) else None


def parse_line(value: JsonValue) -> int | None:
    """A JSON number without a fraction, as JSON counts (12.0 is 12); booleans and text are none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return int(value)


def _end_line(submitted: SubmittedFinding, anchor: Anchor, lines: Mapping[int, str]) -> int | None:
    """The end of the quote, or a later one given by a finding that begins where it said."""
    given = parse_line(submitted.end_line)
    if (
        anchor.line is None
        or anchor.line != parse_line(submitted.line)
        or given is None
        or given not in lines
    ):
        return anchor.end_line
    return given if given > (anchor.end_line or anchor.line) else anchor.end_line


def _base_path(changed: ChangedFile | None) -> str | None:
    """The name at the merge base, when that is another one."""
    old = changed.old_path if changed else None
    return old if changed and old != changed.path else None


def _in_diff(changed: ChangedFile | None, anchor: Anchor) -> bool:
    """Inside the change: shown by a hunk at least in part, or about a changed file as a whole.

    An ambiguous finding is inside when any of its places is: the one outside may be the wrong one.
    """
    if changed is None:
        return False
    if anchor.line is None or (anchor.side is Side.LEFT and changed.status is FileStatus.DELETED):
        return True
    places = [Place(side=anchor.side, line=anchor.line, end_line=anchor.end_line)]
    if anchor.status is AnchorStatus.AMBIGUOUS:
        places.extend(anchor.alternatives)
    return any(_is_shown(place, changed) for place in places)


def _is_shown(place: Place, changed: ChangedFile) -> bool:
    shown = changed.diff_lines if place.side is Side.RIGHT else changed.old_diff_lines
    return not shown.isdisjoint(range(place.line, (place.end_line or place.line) + 1))


def _on_added_line(changed: ChangedFile | None, anchor: Anchor) -> bool:
    if changed is None or anchor.side is Side.LEFT:
        return False
    return not changed.added_lines.keys().isdisjoint(_range(anchor))


def _range(anchor: Anchor) -> range:
    """The quoted lines; empty for a finding about the whole file."""
    return range(0) if anchor.line is None else range(anchor.line, (anchor.end_line or anchor.line) + 1)


def _code(submitted: SubmittedFinding, anchor: Anchor, lines: Mapping[int, str]) -> str:
    """What the finding stands on: the located lines, else what it quotes, else its title."""
    located = "" if anchor.status in NOT_FOUND else "\n".join(lines[number] for number in _range(anchor))
    texts = (located, submitted.existing_code or "", submitted.title)
    return next(text for text in texts if text.strip())


def _occurrence(index: FileIndex, anchor: Anchor) -> int:
    if anchor.line is None or anchor.status in NOT_FOUND:
        return 0
    return index.occurrence(Place(side=anchor.side, line=anchor.line, end_line=anchor.end_line))
