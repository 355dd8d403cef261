"""The step outputs of the action, which later steps of a workflow read."""

from pr_review.domain.run import Outcome


def step_outputs(outcome: Outcome, *, report_path: str, summary_path: str) -> dict[str, str]:
    """Return all outputs of the action; each is always set. Paths are relative to the workspace."""
    return {
        "conclusion": outcome.conclusion,
        "findings-count": str(
            sum(found.in_diff for found in outcome.review.findings) if outcome.review else 0
        ),
        "highest-severity": outcome.highest_severity or "",
        "report-path": report_path,
        "summary-path": summary_path,
        "termination-reason": outcome.termination_reason or "",
    }
