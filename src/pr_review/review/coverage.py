"""What reached the models whole, file by file."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from pr_review.domain.change import ChangedFile, Diff, LineKind
from pr_review.domain.run import Coverage, CoverageStatus, FileCoverage, Unreviewed
from pr_review.domain.shown import ShownLines, Span, Spans

IN_PART = "only its added lines could be checked"


class Seen(NamedTuple):
    """What one conversation was shown.

    ``covered`` is what it had been shown when it answered, and ``shown`` what it was shown at all.
    ``failure`` is why none of it counts, None when it answered.
    """

    conversation: str
    covered: ShownLines
    shown: ShownLines
    failure: str | None = None


def build_coverage(
    diff: Diff,
    excluded: Mapping[str, str],
    seen: Sequence[Seen],
    *,
    unfinished: str | None = None,
    checks: Mapping[str, Sequence[str]] | None = None,
    not_run: Mapping[str, str] | None = None,
    in_part: Collection[str] = (),
    unlisted: Sequence[str] = (),
) -> Coverage:
    """One entry for every changed file, in diff order, then for each that only GitHub knows (``unlisted``).

    ``unfinished`` says why nothing of the run counts as reviewed. For the offline reviewer, ``checks`` names
    what ran on each file, ``not_run`` says why other checks that apply to it did not run, and ``in_part``
    names the files of which only the added lines were checked.
    """

    def cover(file: ChangedFile) -> FileCoverage:
        if file.path in excluded:
            return _entry(file, CoverageStatus.EXCLUDED, excluded[file.path])
        if missing := _missing_because(file, seen, unfinished):
            return _entry(file, CoverageStatus.NOT_REVIEWED, missing, conversations=_seeing(file, seen))
        ran = tuple((checks or {}).get(file.path, ()))
        conversations = _seeing(file, seen)
        if failed := (not_run or {}).get(file.path):
            return _entry(file, CoverageStatus.NOT_REVIEWED, failed, checks=ran, conversations=conversations)
        reason = IN_PART if file.path in in_part else None
        return _entry(file, CoverageStatus.REVIEWED, reason, checks=ran, conversations=conversations)

    unknown = (
        FileCoverage(path=path, status=CoverageStatus.NOT_REVIEWED, reason=Unreviewed.UNLISTED)
        for path in unlisted
    )
    return Coverage(files=(*map(cover, diff.files), *unknown))


def _entry(
    file: ChangedFile,
    status: CoverageStatus,
    reason: str | None,
    *,
    checks: tuple[str, ...] = (),
    conversations: tuple[str, ...] = (),
) -> FileCoverage:
    return FileCoverage(
        path=file.path,
        status=status,
        reason=reason,
        checks=checks,
        conversations=conversations,
        additions=file.additions,
        deletions=file.deletions,
    )


def _seeing(file: ChangedFile, seen: Sequence[Seen]) -> tuple[str, ...]:
    """The conversations that answered and saw any of the file."""
    return tuple(each.conversation for each in seen if each.failure is None and each.covered.shows(file.path))


def _missing_because(file: ChangedFile, seen: Sequence[Seen], unfinished: str | None) -> str | None:
    """Why the file did not reach the reviewer whole, or None; a failed conversation is the first cause."""
    shown = ShownLines.union(each.shown for each in seen)
    if unfinished:
        return f"{unfinished}{_shown_so_far(file, shown)}"
    missing = _missing(file, ShownLines.union(each.covered for each in seen if each.failure is None))
    if missing is None:
        return None
    failure = next((each.failure for each in seen if each.failure and each.shown.shows(file.path)), None)
    return f"{failure}{_shown_so_far(file, shown)}" if failure else missing


def _missing(file: ChangedFile, shown: ShownLines) -> str | None:
    """Why the file did not reach the reviewer whole, or None."""
    if file.binary:  # only one that may be code is selected at all
        return Unreviewed.NOT_TEXT
    if file.oversized:
        return Unreviewed.OVERSIZED
    if not file.hunks:  # a rename or a mode can matter as much as a line: a script that becomes a workflow
        return Unreviewed.HEADER if shown.missing(file.path, (0, 1)) else None
    unread = _changed_lines(file, shown.unread)
    too_long = _changed_lines(file, shown.missing) - unread
    total = file.additions + file.deletions
    reasons = ((unread, Unreviewed.UNSEEN), (too_long, Unreviewed.TOO_LONG))
    return "; ".join(f"{number} of {total} {reason}" for number, reason in reasons if number) or None


def _shown_so_far(file: ChangedFile, shown: ShownLines) -> str:
    """What had been shown of a file when the review ended without an answer."""
    total = file.additions + file.deletions
    seen = total - _changed_lines(file, shown.missing)
    return f"; {seen} of {total} changed lines had been sent to the reviewer" if file.hunks and seen else ""


def _changed_lines(file: ChangedFile, gaps: Callable[[str, Span], Spans]) -> int:
    """How many changed lines are in the gaps."""
    return sum(
        line.kind is not LineKind.CONTEXT
        for hunk, span in zip(file.hunks, file.hunk_spans, strict=True)
        for start, stop in gaps(file.path, span)
        for line in hunk.lines[start - span[0] : stop - span[0]]
    )
