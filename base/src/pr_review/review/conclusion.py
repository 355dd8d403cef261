"""The conclusion and the exit code of a run."""

from pr_review.config.settings import Settings
from pr_review.domain.finding import Review, Severity
from pr_review.domain.run import Conclusion, Coverage
from pr_review.errors import EXIT_FINDINGS, EXIT_OK, EXIT_REVIEW, PrReviewError, ReviewStopped, Skipped


def conclude(
    review: Review | None, coverage: Coverage, error: PrReviewError | None, *, offline: bool
) -> Conclusion:
    """Never ``clean`` when something that should have been reviewed was not."""
    if isinstance(error, Skipped):
        return Conclusion.SKIPPED
    if isinstance(error, ReviewStopped):
        return Conclusion.INCOMPLETE
    if error is not None or review is None:
        return Conclusion.FAILED
    if not coverage.complete:
        return Conclusion.INCOMPLETE
    if review.findings:
        return Conclusion.FINDINGS
    return Conclusion.RULES_ONLY if offline else Conclusion.CLEAN


def exit_code(
    conclusion: Conclusion,
    error: PrReviewError | None,
    settings: Settings | None,
    *,
    worst: Severity | None = None,
    worst_new: Severity | None = None,
) -> int:
    """The exit code; ``settings`` is None if they could not be read.

    ``worst`` is the highest severity inside the diff, ``worst_new`` that of what the baseline does not know.
    """
    if conclusion is Conclusion.FAILED:
        code = error.exit_code if error else EXIT_REVIEW
        neutral = settings is not None and settings.on_error == "neutral"
        return EXIT_OK if neutral and code == EXIT_REVIEW else code
    if settings and (reaches(worst, settings.fail_on) or reaches(worst_new, settings.fail_on_new)):
        return EXIT_FINDINGS
    if conclusion is Conclusion.INCOMPLETE and settings and settings.fail_on_incomplete:
        return EXIT_REVIEW
    return EXIT_OK


def reaches(worst: Severity | None, threshold: Severity | None) -> bool:
    """Whether a finding is as bad as the threshold; no threshold is never reached."""
    return worst is not None and threshold is not None and worst.rank <= threshold.rank
