"""From what a run knows to its ``Outcome``: the conclusion and the exit code (DESIGN.md, Result of a run)."""

from pr_review.domain.finding import Severity
from pr_review.domain.run import Conclusion, CoverageStatus, ErrorRecord, Outcome
from pr_review.entry.settings import Settings
from pr_review.errors import (
    EXIT_FINDINGS,
    EXIT_OK,
    EXIT_REVIEW,
    PrReviewError,
    ReviewStopped,
    Skipped,
)


def conclude(outcome: Outcome, error: PrReviewError | None) -> Conclusion:
    """Never ``clean`` when something that should have been reviewed was not."""
    if isinstance(error, Skipped):
        return Conclusion.SKIPPED
    if isinstance(error, ReviewStopped):
        return Conclusion.INCOMPLETE
    if error is not None or outcome.review is None:
        return Conclusion.FAILED
    if not outcome.coverage.complete:
        return Conclusion.INCOMPLETE
    if outcome.review.findings:
        return Conclusion.FINDINGS
    return Conclusion.RULES_ONLY if outcome.provider == "offline" else Conclusion.CLEAN


def exit_code(outcome: Outcome, error: PrReviewError | None, settings: Settings | None) -> int:
    """The exit code of DESIGN.md; ``settings`` is None when they could not even be read."""
    if outcome.conclusion is Conclusion.FAILED:
        code = error.exit_code if error else EXIT_REVIEW
        neutral = settings is not None and settings.on_error == "neutral"
        return EXIT_OK if neutral and code == EXIT_REVIEW else code
    if settings and reaches(outcome.highest_severity, settings.fail_on):
        return EXIT_FINDINGS
    if outcome.conclusion is Conclusion.INCOMPLETE and settings and settings.fail_on_incomplete:
        return EXIT_REVIEW
    return EXIT_OK


def reaches(worst: Severity | None, threshold: Severity | None) -> bool:
    """Whether a finding is as bad as the threshold; no threshold is never reached."""
    return worst is not None and threshold is not None and worst.rank <= threshold.rank


def record_error(error: PrReviewError) -> ErrorRecord:
    """The error as the artifact carries it."""
    return ErrorRecord(
        code=error.code,
        detail=error.detail,
        advice=error.advice,
        termination_reason=error.termination_reason,
    )


def unfinished_reason(error: PrReviewError | None) -> str | None:
    """Why no selected file counts as reviewed, for coverage."""
    return f"the review did not finish ({error.code})" if error else None


def not_reviewed(outcome: Outcome) -> int:
    """How many selected files were not reviewed."""
    return outcome.coverage.count(CoverageStatus.NOT_REVIEWED)
