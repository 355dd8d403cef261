"""The baseline: an earlier review that this one is compared with.

Every finding is new or known, and every known finding that is not reported again is resolved or not seen.
docs/findings.md states the rules.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from pr_review.domain.change import ChangedFile, Diff, PullRequest
from pr_review.domain.finding import BaselineState, Finding, Review
from pr_review.domain.run import MAX_FINDINGS, Comparison, Coverage, CoverageStatus, Outcome
from pr_review.findings.excerpts import MAX_CHARS
from pr_review.findings.matching import FileIndex
from pr_review.findings.quotes import readings
from pr_review.findings.reviewed_files import Repository

MAX_KNOWN = 4 * MAX_FINDINGS  # findings that were not seen again are carried on, but not without end

Mask = Callable[[str], str]


@dataclass(frozen=True)
class Baseline:
    """An earlier review of the commit ``head_sha``, with the findings that it knew."""

    head_sha: str
    findings: tuple[Finding, ...]

    @cached_property
    def fingerprints(self) -> frozenset[str]:
        """The fingerprints of the findings."""
        return frozenset(found.fingerprint for found in self.findings)


def why_unusable(earlier: Outcome, pull_request: PullRequest) -> str:
    """Why an earlier outcome is no baseline for a pull request; "" when it is one.

    A local review belongs to no server, so any outcome can be its baseline.
    """
    if earlier.pull_request is None or (earlier.review is None and earlier.comparison is None):
        return "it is of a run that ended before its review"
    here, there = pull_request.repository_url, earlier.pull_request.repository_url
    if here and (there or "").casefold() != here.casefold():
        return "it is of another repository"
    return ""


def take_baseline(earlier: Outcome) -> Baseline:
    """The findings that an earlier review knew, at most ``MAX_KNOWN``, without their edits."""
    known = list(_known_findings(earlier).values())[:MAX_KNOWN]
    head_sha = earlier.pull_request.head_sha if earlier.pull_request else ""
    return Baseline(head_sha, tuple(found.model_copy(update={"edit": None}) for found in known))


def baseline_notes(earlier: Outcome, pull_request: PullRequest) -> Iterator[str]:
    """What the reader of a review has to know about its baseline, one sentence each."""
    number = earlier.pull_request.number if earlier.pull_request else 0
    if pull_request.number and number != pull_request.number:
        yield f"The baseline is of pull request {number}, not of this one."
    if (surplus := len(_known_findings(earlier)) - MAX_KNOWN) > 0:
        yield f"The baseline knows {surplus} findings more than are kept; those are new if they are found."


def with_baseline_states(review: Review, baseline: Baseline) -> Review:
    """The review with the ``baseline_state`` of each finding, also of the suppressed ones."""
    return review.model_copy(
        update={
            "findings": tuple(_with_own_state(found, baseline) for found in review.findings),
            "suppressed": tuple(
                each.model_copy(update={"finding": _with_own_state(each.finding, baseline)})
                for each in review.suppressed
            ),
        }
    )


def compare(
    review: Review | None, baseline: Baseline, code_gone: frozenset[str], coverage: Coverage
) -> Comparison:
    """Compare a review that has its baseline states, or None for a run without a review, with the baseline.

    ``code_gone`` is the result of ``find_code_gone``. Findings that were not seen stay known. So a review
    that fails or overlooks something does not make old findings new.
    """
    findings = review.findings if review else ()
    new = sum(found.baseline_state is BaselineState.NEW for found in findings)
    reviewed = {file.path for file in coverage.files if file.status is CoverageStatus.REVIEWED}
    missing = _not_reported(baseline, review)
    resolved = {found.fingerprint for found in missing if found.path in reviewed} & code_gone
    return Comparison(
        head_sha=baseline.head_sha,
        new=new,
        unchanged=len(findings) - new,
        resolved=_with_state(BaselineState.RESOLVED, (f for f in missing if f.fingerprint in resolved)),
        not_seen=_with_state(BaselineState.NOT_SEEN, (f for f in missing if f.fingerprint not in resolved)),
    )


def find_code_gone(
    baseline: Baseline, review: Review, diff: Diff, repository: Repository, mask: Mask
) -> frozenset[str]:
    """Fingerprints of the known findings, not reported again, whose code is no longer in its changed file.

    ``mask`` hides secrets in a line as it did in the earlier report, so that masked code is recognised.
    """
    missing = _not_reported(baseline, review)
    paths = {found.path for found in missing if code_of(found)} & diff.by_path.keys()
    indexes = {path: _masked_index(diff.by_path[path], repository, mask) for path in paths}
    return frozenset(
        found.fingerprint
        for found in missing
        if (index := indexes.get(found.path)) and (code := code_of(found)) and not _has(index, code, found)
    )


def code_of(found: Finding) -> str:
    """The code of a finding; "" when it was never located, or when the report does not hold all of it."""
    if not found.anchor.is_located or found.line is None:
        return ""
    if found.existing_code and readings(found.existing_code):
        return found.existing_code
    if found.excerpt is None:
        return ""
    shown = dict(enumerate(found.excerpt.lines, found.excerpt.start_line))
    lines = [shown.get(number) for number in range(found.line, (found.end_line or found.line) + 1)]
    if any(line is None or len(line) >= MAX_CHARS for line in lines):  # such a line may have been cut
        return ""
    return "\n".join(filter(None, lines))


def _known_findings(earlier: Outcome) -> dict[str, Finding]:
    """All findings that the earlier review knew, by fingerprint: reported, suppressed, then carried on."""
    reported = earlier.review.findings if earlier.review else ()
    suppressed = [each.finding for each in earlier.review.suppressed] if earlier.review else []
    carried_on = earlier.comparison.not_seen if earlier.comparison else ()
    by_fingerprint: dict[str, Finding] = {}
    for found in (*reported, *suppressed, *carried_on):
        if found.fingerprint:
            by_fingerprint.setdefault(found.fingerprint, found)
    return by_fingerprint


def _masked_index(changed: ChangedFile, repository: Repository, mask: Mask) -> FileIndex | None:
    """The index of the file as a report shows it; None when the file cannot be read, which proves nothing."""
    path = changed.path
    head = repository.head_lines(path)
    if head is not None and repository.head_text(path) is None:
        return None
    base = repository.base_lines(path) if head is None else None
    hunks = tuple(
        replace(hunk, lines=tuple(line._replace(text=mask(line.text)) for line in hunk.lines))
        for hunk in changed.hunks
    )
    return FileIndex(
        replace(changed, hunks=hunks),
        None if head is None else [*map(mask, head)],
        None if base is None else [*map(mask, base)],
    )


def _has(index: FileIndex, code: str, found: Finding) -> bool:
    """Whether the code is on the finding's side; a partial match counts, because absence is unproven then."""
    matches = (match for reading in readings(code) for match in index.find_reading(reading, found.line))
    return any(match.place.side is found.side for match in matches)


def _not_reported(baseline: Baseline, review: Review | None) -> list[Finding]:
    """The known findings that are not in the review, not even as suppressed ones."""
    suppressed = (each.finding for each in review.suppressed) if review else ()
    reported = {found.fingerprint for found in (*(review.findings if review else ()), *suppressed)}
    return [found for found in baseline.findings if found.fingerprint not in reported]


def _with_own_state(found: Finding, baseline: Baseline) -> Finding:
    known = found.fingerprint in baseline.fingerprints
    return found.model_copy(
        update={"baseline_state": BaselineState.UNCHANGED if known else BaselineState.NEW}
    )


def _with_state(state: BaselineState, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(found.model_copy(update={"baseline_state": state}) for found in findings)
