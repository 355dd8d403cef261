"""The baseline and the suppressions in words."""

from collections.abc import Sequence

from pr_review.domain.finding import BaselineState, Finding, SuppressedFinding
from pr_review.domain.run import Outcome

SUPPRESSED = "Reported, but the base commit's .github/pr-review.yml says that they do not count."
EARLIER = (
    "Known from the baseline and not reported this time. Resolved: the file was reviewed, and the code is "
    "gone from it. Not seen proves nothing: a reviewer may overlook today what it saw yesterday."
)
_NAMES = {
    BaselineState.NEW: "new",
    BaselineState.UNCHANGED: "unchanged",
    BaselineState.RESOLVED: "resolved",
    BaselineState.NOT_SEEN: "not seen",
}


def counts(outcome: Outcome) -> list[str]:
    """``1 new``, ``3 unchanged``, ``2 resolved``, ``1 not seen``; empty without a baseline."""
    compared = outcome.comparison
    if compared is None:
        return []
    known = {
        BaselineState.UNCHANGED: compared.unchanged,
        BaselineState.RESOLVED: len(compared.resolved),
        BaselineState.NOT_SEEN: len(compared.not_seen),
    }
    return [f"{compared.new} new", *(f"{number} {_NAMES[kind]}" for kind, number in known.items() if number)]


def state(finding: Finding) -> str:
    """The baseline state of a finding as a word: ``new``, ``not seen``."""
    return _NAMES[finding.baseline_state]


def labels(outcome: Outcome, finding: Finding) -> list[str]:
    """The baseline state as the only label; no label without a baseline, which gives it its meaning."""
    return [state(finding)] if outcome.comparison else []


def suppressed(outcome: Outcome) -> list[SuppressedFinding]:
    """Every suppressed finding, worst first."""
    found = outcome.review.suppressed if outcome.review else ()
    return sorted(found, key=lambda each: each.finding.severity.rank)


def earlier(outcome: Outcome) -> Sequence[Finding]:
    """Findings that the baseline knows and this review did not report; the resolved ones come first."""
    return (*outcome.comparison.resolved, *outcome.comparison.not_seen) if outcome.comparison else ()
