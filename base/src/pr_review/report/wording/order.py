"""The order and the numbers of findings: the same in every report."""

from collections.abc import Sequence

from pr_review.domain.finding import BaselineState, Finding, Severity
from pr_review.domain.run import Outcome

OUTSIDE = "In code that this change does not touch; reported apart, and never a reason to fail."


def reported(outcome: Outcome) -> Sequence[Finding]:
    """Every finding as the review has it; none without a review."""
    return outcome.review.findings if outcome.review else ()


def findings(outcome: Outcome, *, in_diff: bool) -> list[Finding]:
    """Findings inside or outside the diff: the new ones first, then the worst."""
    chosen = (finding for finding in reported(outcome) if finding.in_diff is in_diff)
    return sorted(
        chosen, key=lambda finding: (finding.baseline_state is not BaselineState.NEW, finding.severity.rank)
    )


def numbered(outcome: Outcome) -> list[tuple[int, Finding]]:
    """Every finding with its number, from 1: those inside the diff first."""
    ordered = [*findings(outcome, in_diff=True), *findings(outcome, in_diff=False)]
    return list(enumerate(ordered, start=1))


def by_severity(outcome: Outcome) -> list[tuple[Severity, int]]:
    """How many findings inside the diff have each severity, worst first; no entry for zero."""
    found = [finding.severity for finding in findings(outcome, in_diff=True)]
    return [(severity, found.count(severity)) for severity in Severity if severity in found]
