"""What every report says of baseline and suppressions, in words: plain text, escaped by nobody yet."""

from collections.abc import Sequence

from pr_review.domain.finding import BaselineState, Finding, SuppressedFinding
from pr_review.domain.run import Outcome

SUPPRESSED = "Reported, but the base commit's .github/pr-review.yml says that they do not count."
EARLIER = (
    "RunState from the baseline and not reported this time. Resolved: the file was reviewed, and the code is "
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
    gone, unseen = len(compared.resolved), len(compared.not_seen)
    known = [
        (compared.unchanged, BaselineState.UNCHANGED),
        (gone, BaselineState.RESOLVED),
        (unseen, BaselineState.NOT_SEEN),
    ]
    return [
        f"{compared.new} new",
        *(f"{number} {_NAMES[baseline_state]}" for number, baseline_state in known if number),
    ]


def name(finding: Finding) -> str:
    """The baseline_state of a finding as a word."""
    return _NAMES[finding.baseline_state]


def marks(outcome: Outcome, finding: Finding) -> list[str]:
    """The baseline_state, where there is a baseline that gives it a meaning."""
    return [name(finding)] if outcome.comparison else []


def suppressed(outcome: Outcome) -> list[SuppressedFinding]:
    """Worst first."""
    silenced = outcome.review.suppressed if outcome.review else ()
    return sorted(silenced, key=lambda each: each.finding.severity.rank)


def earlier(outcome: Outcome) -> Sequence[Finding]:
    """What the baseline knows and this review did not report, the resolved ones first."""
    return (*outcome.comparison.resolved, *outcome.comparison.not_seen) if outcome.comparison else ()
