"""The product's promise as two tables: what a run concludes, and how its process ends."""

import pytest

from pr_review.config.settings import Settings
from pr_review.domain.finding import Finding, Review, Severity
from pr_review.domain.run import Conclusion, Coverage, CoverageStatus, FileCoverage
from pr_review.errors import (
    ConfigError,
    ContextOverflow,
    HostError,
    InternalError,
    Interrupted,
    InvalidTurn,
    ModelError,
    PartialReview,
    RepositoryError,
    ReviewStopped,
    Skipped,
    TerminationReason,
)
from pr_review.review.conclusion import conclude, exit_code

FOUND = Finding(
    severity=Severity.HIGH,
    title="t",
    explanation="",
    path="a.py",
    line=1,
    evidence="",
    recommendation="",
    in_diff=True,
)
EMPTY, WITH_FINDING = Review(summary="s"), Review(summary="s", findings=(FOUND,))
WHOLE = Coverage(files=(FileCoverage(path="a.py", status=CoverageStatus.REVIEWED),))
PART = Coverage(files=(*WHOLE.files, FileCoverage(path="b.py", status=CoverageStatus.NOT_REVIEWED)))
EXCLUDED = Coverage(files=(*WHOLE.files, FileCoverage(path="x.lock", status=CoverageStatus.EXCLUDED)))

# Every class of error that can end a run: what it concludes without a review, and the exit code of a failure.
ENDS = {
    "nothing to review": (Skipped("all_excluded", ""), Conclusion.SKIPPED, 0),
    "settings": (ConfigError("invalid_input", ""), Conclusion.FAILED, 2),
    "git": (RepositoryError("git_failed", ""), Conclusion.FAILED, 3),
    "GitHub": (HostError("github_unreachable", ""), Conclusion.FAILED, 3),
    "provider": (ModelError("provider_unreachable", ""), Conclusion.FAILED, 3),
    "turn": (InvalidTurn(TerminationReason.INVALID_TOOL_CALL, ""), Conclusion.FAILED, 3),
    "rounds": (ReviewStopped(TerminationReason.MAX_ROUNDS, ""), Conclusion.INCOMPLETE, 0),
    "calls": (ReviewStopped(TerminationReason.MAX_TOOL_CALLS, ""), Conclusion.INCOMPLETE, 0),
    "time": (ReviewStopped(TerminationReason.REVIEW_TIMEOUT, ""), Conclusion.INCOMPLETE, 0),
    "context": (ContextOverflow("", code="context_overflow", request_bytes=1), Conclusion.INCOMPLETE, 0),
    "some conversations": (PartialReview(None, "", code="x"), Conclusion.INCOMPLETE, 0),
    "SIGINT": (Interrupted(2), Conclusion.FAILED, 130),
    "SIGTERM": (Interrupted(15), Conclusion.FAILED, 143),
    "a bug": (InternalError(), Conclusion.FAILED, 4),
}
BY_ERROR = pytest.mark.parametrize(("error", "conclusion", "code"), ENDS.values(), ids=ENDS.keys())


def settings(**inputs):
    return Settings.from_mapping(
        {f"INPUT_{name.replace('_', '-').upper()}": text for name, text in inputs.items()}
    )


@pytest.mark.parametrize(
    ("review", "coverage", "offline", "conclusion"),
    [
        (EMPTY, WHOLE, False, "clean"),
        (EMPTY, EXCLUDED, False, "clean"),
        (EMPTY, WHOLE, True, "rules_only"),
        (EMPTY, PART, False, "incomplete"),
        (EMPTY, PART, True, "incomplete"),
        (WITH_FINDING, WHOLE, False, "findings"),
        (WITH_FINDING, WHOLE, True, "findings"),
        (WITH_FINDING, PART, False, "incomplete"),
        (None, WHOLE, False, "failed"),
    ],
)
def test_a_run_without_an_error_concludes_from_review_and_coverage(review, coverage, offline, conclusion):
    assert conclude(review, coverage, None, offline=offline) == conclusion


@BY_ERROR
@pytest.mark.parametrize("review", [None, EMPTY, WITH_FINDING], ids=["no review", "empty", "finding"])
def test_an_error_decides_whatever_was_found_before_it(review, error, conclusion, code):  # noqa: ARG001
    """Never clean, never findings alone."""
    assert conclude(review, WHOLE, error, offline=False) is conclusion


@BY_ERROR
def test_an_error_ends_the_process_by_its_class(error, conclusion, code):
    assert exit_code(conclusion, error, settings()) == code
    assert exit_code(conclusion, error, None) == code


@BY_ERROR
def test_neutral_forgives_a_review_that_failed_and_nothing_else(error, conclusion, code):
    """Wrong settings, a bug and a cancellation stay what they are."""
    assert exit_code(conclusion, error, settings(on_error="neutral")) == (0 if code == 3 else code)


@pytest.mark.parametrize("conclusion", [Conclusion.CLEAN, Conclusion.FINDINGS, Conclusion.RULES_ONLY])
@pytest.mark.parametrize("incomplete", ["true", "false"])
def test_a_complete_review_without_thresholds_ends_well(conclusion, incomplete):
    wanted = settings(fail_on_incomplete=incomplete)
    assert exit_code(conclusion, None, wanted, worst=Severity.CRITICAL, worst_new=Severity.CRITICAL) == 0


@pytest.mark.parametrize(
    ("conclusion", "incomplete", "code"),
    [("incomplete", "true", 3), ("incomplete", "false", 0), ("skipped", "true", 0), ("clean", "true", 0)],
)
def test_fail_on_incomplete_is_about_incomplete_reviews_only(conclusion, incomplete, code):
    assert exit_code(Conclusion(conclusion), None, settings(fail_on_incomplete=incomplete)) == code


RANKS = list(reversed(Severity))


@pytest.mark.parametrize("threshold", ["never", *RANKS])
@pytest.mark.parametrize("worst", [None, *RANKS])
@pytest.mark.parametrize("conclusion", [Conclusion.FINDINGS, Conclusion.INCOMPLETE])
def test_fail_on_fails_at_its_severity_and_above(conclusion, worst, threshold):
    """So does fail-on-new for what is new."""
    reached = worst is not None and threshold != "never" and RANKS.index(worst) >= RANKS.index(threshold)
    assert exit_code(conclusion, None, settings(fail_on=threshold), worst=worst) == int(reached)
    assert exit_code(conclusion, None, settings(fail_on_new=threshold), worst_new=worst) == int(reached)


def test_findings_outrank_an_incomplete_review():
    both = settings(fail_on="low", fail_on_incomplete="true")
    assert exit_code(Conclusion.INCOMPLETE, None, both, worst=Severity.LOW) == 1
    assert exit_code(Conclusion.INCOMPLETE, None, both) == 3


def test_a_failed_review_is_a_failure_whatever_it_found():
    error = ModelError("provider_unreachable", "")
    assert exit_code(Conclusion.FAILED, error, settings(fail_on="low"), worst=Severity.CRITICAL) == 3
    assert exit_code(Conclusion.FAILED, None, settings()) == 3
