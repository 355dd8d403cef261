"""The outputs that later steps read."""

from pr_review.domain.finding import Finding, Review, Severity
from pr_review.domain.run import Conclusion, Outcome
from pr_review.errors import TerminationReason
from pr_review.report.step_outputs import step_outputs


def test_step_outputs_of_findings():
    """Count and highest severity are of findings inside the diff."""
    text = {"title": "t", "explanation": "e", "evidence": "v", "recommendation": "r", "path": "a", "line": 1}
    findings = (
        Finding(severity=Severity.CRITICAL, **text),
        Finding(severity=Severity.MEDIUM, in_diff=True, **text),
    )
    outcome = Outcome(
        conclusion=Conclusion.FINDINGS,
        exit_code=1,
        provider="offline",
        review=Review(summary="", findings=findings),
        termination_reason=TerminationReason.FINAL_REVIEW,
    )
    assert step_outputs(outcome, report_path="r/review.json", summary_path="r/review.md") == {
        "conclusion": "findings",
        "findings-count": "1",
        "highest-severity": "medium",
        "report-path": "r/review.json",
        "summary-path": "r/review.md",
        "termination-reason": "final_review",
    }


def test_step_outputs_of_a_failure():
    """All are set, empty where there is nothing."""
    outcome = Outcome(conclusion=Conclusion.FAILED, exit_code=3, provider="offline")
    assert step_outputs(outcome, report_path="", summary_path="") == {
        "conclusion": "failed",
        "findings-count": "0",
        "highest-severity": "",
        "report-path": "",
        "summary-path": "",
        "termination-reason": "",
    }
