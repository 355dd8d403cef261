"""From a submission to a review: every finding placed in the repository, or noted (decision 8)."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from pydantic import JsonValue

from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.domain.finding import Category, Confidence, Excerpt, Finding, Review, Severity, Side
from pr_review.review.submission import Submission, SubmittedFinding

HintT = TypeVar("HintT", Category, Confidence)

PREFIXES = ("./", "a/", "b/")
EXCERPT_CONTEXT = 2
EXCERPT_MAX_LINES = 12
EXCERPT_MAX_CHARS = 240


class Repository(Protocol):
    """What placement asks of the head and the merge-base tree."""

    def head_lines(self, path: str) -> Sequence[str] | None:
        """Lines of a regular head file; empty when it is not text; None when there is no such file."""
        ...

    def base_lines(self, path: str) -> Sequence[str] | None:
        """The same at the merge base."""
        ...


def place(submission: Submission, diff: Diff, repository: Repository, mask: Callable[[str], str]) -> Review:
    """Place each finding; ``mask`` hides secrets in every text that quotes code. Nothing is dropped."""
    findings, moved = [], []
    for submitted in submission.findings:
        path = _resolve_path(submitted.path, repository)
        if path is None:
            moved.append(_as_note(submitted, mask))
        else:
            findings.append(_place_one(submitted, path, diff, repository, mask))
    notes = (*(mask(note) for note in submission.notes), *moved)
    ordered = sorted(findings, key=lambda f: (not f.in_diff, f.severity.rank, f.path, f.line or 0))
    return Review(summary=mask(submission.summary), findings=tuple(ordered), notes=notes)


def _resolve_path(path: str, repository: Repository) -> str | None:
    """The path in the head tree, else in the merge-base tree, as given or without its prefix."""
    candidates = [path, *(path.removeprefix(prefix) for prefix in PREFIXES if path.startswith(prefix))]
    for lines_of in (repository.head_lines, repository.base_lines):
        for candidate in candidates:
            if lines_of(candidate) is not None:
                return candidate
    return None


def _as_note(finding: SubmittedFinding, mask: Callable[[str], str]) -> str:
    place = f"{finding.path}:{finding.line}" if _integer(finding.line) else finding.path
    text = f"[{finding.severity}] {finding.title} ({place}): {finding.explanation}"
    return mask(f"Not a finding, because its path is in neither the head nor the merge base: {text}")


def _place_one(
    submitted: SubmittedFinding,
    path: str,
    diff: Diff,
    repository: Repository,
    mask: Callable[[str], str],
) -> Finding:
    changed = diff.by_path.get(path)
    head = repository.head_lines(path)
    side = Side.RIGHT if head is not None else Side.LEFT
    lines = head if head is not None else repository.base_lines(path) or ()
    line = valid_line(submitted.line, len(lines))
    end_line = valid_line(submitted.end_line, len(lines))
    end_line = end_line if line and end_line and end_line > line else None
    return Finding(
        severity=Severity(submitted.severity),
        title=mask(submitted.title),
        explanation=mask(submitted.explanation),
        path=path,
        line=line,
        end_line=end_line,
        side=side,
        evidence=mask(submitted.evidence),
        recommendation=mask(submitted.recommendation),
        existing_code=_masked(submitted.existing_code, mask),
        suggestion=_masked(submitted.suggestion, mask),
        category=_member(Category, submitted.category) or Category.OTHER,
        confidence=_member(Confidence, submitted.confidence),
        in_diff=_in_diff(changed, line, side),
        on_added_line=bool(changed and line and side is Side.RIGHT and line in changed.added_lines),
        excerpt=make_excerpt(lines, line, end_line, mask) if line else None,
    )


def _masked(text: str | None, mask: Callable[[str], str]) -> str | None:
    return None if text is None else mask(text)


def _member(kind: type[HintT], value: JsonValue) -> HintT | None:
    return kind(value) if isinstance(value, str) and value in set(kind) else None


def _integer(value: JsonValue) -> int | None:
    """A JSON number without a fraction, as JSON counts (12.0 is 12); booleans and text are none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return int(value)


def valid_line(value: JsonValue, total: int) -> int | None:
    """A line from 1 to ``total``; None for anything else (decision 8)."""
    line = _integer(value)
    return line if line is not None and 1 <= line <= total else None


def _in_diff(changed: ChangedFile | None, line: int | None, side: Side) -> bool:
    """Inside the change: shown by a hunk, or about a changed file as a whole."""
    if changed is None:
        return False
    if line is None:
        return True
    if side is Side.LEFT:
        return changed.status is FileStatus.DELETED
    return line in changed.diff_lines


def make_excerpt(
    lines: Sequence[str], line: int, end_line: int | None, mask: Callable[[str], str]
) -> Excerpt:
    """A few lines around the finding, long ones cut, secrets masked."""
    first = max(1, line - EXCERPT_CONTEXT)
    last = min(len(lines), (end_line or line) + EXCERPT_CONTEXT, first + EXCERPT_MAX_LINES - 1)
    masked = mask("\n".join(lines[first - 1 : last])).split("\n")
    return Excerpt(start_line=first, lines=tuple(text[:EXCERPT_MAX_CHARS] for text in masked))
