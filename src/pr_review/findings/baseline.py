"""This review against an earlier one: what is new, what is known, what is gone (docs/findings.md)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from pr_review.domain.change import ChangedFile, Diff
from pr_review.domain.finding import AnchorStatus, BaselineState, Finding, Review
from pr_review.domain.run import Comparison, Coverage, CoverageStatus
from pr_review.findings.candidates import FileIndex
from pr_review.findings.excerpts import MAX_CHARS
from pr_review.findings.quotes import readings
from pr_review.findings.reviewed_files import Repository

Mask = Callable[[str], str]

NEVER_LOCATED = frozenset({AnchorStatus.UNVERIFIED, AnchorStatus.FILE_LEVEL})


@dataclass(frozen=True)
class Baseline:
    """What an earlier review of the commit ``head_sha`` knew: what it reported, silenced, or carried on."""

    head_sha: str
    findings: tuple[Finding, ...]

    @cached_property
    def fingerprints(self) -> frozenset[str]:
        """Those of its findings."""
        return frozenset(found.fingerprint for found in self.findings)


def mark(review: Review, baseline: Baseline) -> Review:
    """The review with the baseline_state of each finding, suppressed ones too."""
    return review.model_copy(
        update={
            "findings": tuple(_marked(found, baseline) for found in review.findings),
            "suppressed": tuple(
                each.model_copy(update={"finding": _marked(each.finding, baseline)})
                for each in review.suppressed
            ),
        }
    )


def compare(
    review: Review | None, baseline: Baseline, gone: frozenset[str], coverage: Coverage
) -> Comparison:
    """How a marked review, None when there is none, stands against the baseline.

    ``gone``: fingerprints of known findings whose code is no longer there. Every known finding that was not
    reported is either resolved or not seen; the latter are carried on, so that one failed or forgetful review
    does not make old findings new.
    """
    findings = review.findings if review else ()
    new = sum(found.baseline_state is BaselineState.NEW for found in findings)
    reported = _reported(review)
    reviewed = {file.path for file in coverage.files if file.status is CoverageStatus.REVIEWED}
    left = [found for found in baseline.findings if found.fingerprint not in reported]
    resolved = {found.fingerprint for found in left if found.path in reviewed} & gone
    return Comparison(
        head_sha=baseline.head_sha,
        new=new,
        unchanged=len(findings) - new,
        resolved=_with_state(BaselineState.RESOLVED, [each for each in left if each.fingerprint in resolved]),
        not_seen=_with_state(
            BaselineState.NOT_SEEN, (each for each in left if each.fingerprint not in resolved)
        ),
    )


def find_gone(
    baseline: Baseline, review: Review, diff: Diff, repository: Repository, mask: Mask
) -> frozenset[str]:
    """Fingerprints of known findings, not reported again, whose code stands nowhere in their changed file.

    ``mask`` hides secrets in a line as it did in the earlier report, so that masked code is recognised.
    """
    reported = _reported(review)
    left = [found for found in baseline.findings if found.fingerprint not in reported]
    paths = {found.path for found in left if code_of(found)} & diff.by_path.keys()
    indexes = {path: _masked_index(diff.by_path[path], repository, mask) for path in paths}
    return frozenset(
        found.fingerprint
        for found in left
        if (index := indexes.get(found.path)) and (code := code_of(found)) and not _stands(index, code, found)
    )


def _masked_index(changed: ChangedFile, repository: Repository, mask: Mask) -> FileIndex | None:
    """The file as a report shows it; None when it cannot be read, and nothing can be told."""
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


def _stands(index: FileIndex, code: str, found: Finding) -> bool:
    """A part of it that goes on elsewhere counts too: then it cannot be told."""
    places = (each.place for reading in readings(code) for each in index.find(reading, found.line))
    return any(place.side is found.side for place in places)


def code_of(found: Finding) -> str:
    """The code a finding stands on; "" when it never was located, or the record does not hold it whole."""
    if found.anchor in NEVER_LOCATED or found.line is None:
        return ""
    if found.existing_code and readings(found.existing_code):
        return found.existing_code
    if found.excerpt is None:
        return ""
    shown = dict(enumerate(found.excerpt.lines, found.excerpt.start_line))
    lines = [shown.get(number) for number in range(found.line, (found.end_line or found.line) + 1)]
    if any(line is None or len(line) >= MAX_CHARS for line in lines):
        return ""
    return "\n".join(filter(None, lines))


def _marked(found: Finding, baseline: Baseline) -> Finding:
    known = found.fingerprint in baseline.fingerprints
    return found.model_copy(
        update={"baseline_state": BaselineState.UNCHANGED if known else BaselineState.NEW}
    )


def _with_state(baseline_state: BaselineState, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(found.model_copy(update={"baseline_state": baseline_state}) for found in findings)


def _reported(review: Review | None) -> frozenset[str]:
    if review is None:
        return frozenset()
    findings = (*review.findings, *(each.finding for each in review.suppressed))
    return frozenset(found.fingerprint for found in findings)
