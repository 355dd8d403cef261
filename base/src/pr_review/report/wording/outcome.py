"""The verdict on a run in words: headline, reason, advice, and what a reader must not conclude."""

from collections.abc import Sequence

from pr_review.domain.run import Conclusion, CoverageStatus, Outcome
from pr_review.domain.text import shorten
from pr_review.errors import TerminationReason
from pr_review.report.wording.order import by_severity, findings, reported
from pr_review.report.wording.quantities import count

NO_PROOF = "A review that finds nothing is no proof that there is nothing to find."
NO_PROOF_EITHER = "Code without a finding is not proven to be free of defects."
BY_RULES = (
    "Deterministic rules reviewed this change, not a model: they look at added lines only, for the kinds of "
    "defects they know."
)
MAX_NAME_CHARS = 100  # the provider names the model, so the name can have any length

_HEADLINES = {
    Conclusion.CLEAN: "nothing found",
    Conclusion.RULES_ONLY: "the rules found nothing",
    Conclusion.INCOMPLETE: "incomplete review",
    Conclusion.SKIPPED: "nothing to review",
    Conclusion.FAILED: "the review failed",
}
_DRY_RUN = "dry run: nothing was sent"
_NOTHING_FOUND = frozenset({Conclusion.CLEAN, Conclusion.RULES_ONLY})
_LONGER = "raise {} together with timeout-seconds, knowing that a longer review costs more"
_ADVICE = {
    TerminationReason.FINAL_REVIEW: f"Split the change, or {_LONGER.format('max-rounds')}.",
    TerminationReason.MAX_ROUNDS: f"Split the change, or {_LONGER.format('max-rounds')}.",
    TerminationReason.MAX_TOOL_CALLS: f"Split the change, or {_LONGER.format('max-tool-calls')}.",
    TerminationReason.REVIEW_TIMEOUT: "Raise timeout-seconds, split the change, or choose a faster model.",
    TerminationReason.INVALID_TOOL_CALL: "Choose a model that can call tools, or set provider-profile.",
    TerminationReason.INVALID_MODEL_RESPONSE: "Run again; if it happens again, choose another model.",
    TerminationReason.UPSTREAM_RESPONSE_TOO_LARGE: "Check that endpoint is a chat-completions URL.",
    TerminationReason.UNSUPPORTED_FINISH_REASON: "Split the change, or choose a model with longer answers.",
}


def headline(outcome: Outcome) -> str:
    """The verdict in a few words."""
    if outcome.error is not None and outcome.error.code == "dry_run":
        return _DRY_RUN
    found = count(len(reported(outcome)), "finding")
    new = f", {outcome.comparison.new:,} new" if outcome.comparison else ""
    silenced = _suppressed(outcome)
    if outcome.conclusion is Conclusion.FINDINGS:
        return found + new
    if silenced and outcome.conclusion in _NOTHING_FOUND:
        return f"nothing but {count(silenced, 'suppressed finding')}"
    so_far = f", {found} so far{new}" if reported(outcome) else ""
    return _HEADLINES[outcome.conclusion] + so_far


def reason(outcome: Outcome) -> str:
    """Why the review ended as it did, in a sentence; empty when it ended normally with findings."""
    if outcome.error is not None:
        return outcome.error.detail
    if outcome.conclusion is Conclusion.CLEAN:
        rest = " that counts" if _suppressed(outcome) else ""
        return f"{reviewer(outcome) or 'The model'} reviewed every selected file and reported nothing{rest}."
    if outcome.conclusion is Conclusion.SKIPPED:
        return "No changed file was selected for review."
    if outcome.coverage.complete:
        return ""
    missing = outcome.coverage.count(CoverageStatus.NOT_REVIEWED)
    return f"{missing} of {count(len(outcome.coverage.files), 'changed file')} could not be reviewed."


def advice(outcome: Outcome) -> str:
    """What the user can do about ``reason``, or an empty string."""
    if outcome.error is not None and outcome.error.advice:
        return outcome.error.advice
    if outcome.conclusion not in {Conclusion.INCOMPLETE, Conclusion.FAILED}:
        return ""
    return _ADVICE.get(outcome.termination_reason, "") if outcome.termination_reason else ""


def caveat(outcome: Outcome) -> str:
    """A sentence that a review proves no absence of defects; empty when nothing was reviewed."""
    if outcome.conclusion in {Conclusion.SKIPPED, Conclusion.FAILED}:
        return ""
    return NO_PROOF_EITHER if reported(outcome) else NO_PROOF


def method(outcome: Outcome) -> str:
    """A sentence that names the rules as the reviewer; empty when a model reviewed, or nobody."""
    return BY_RULES if is_offline(outcome) and caveat(outcome) else ""


def is_offline(outcome: Outcome) -> bool:
    """Deterministic rules reviewed instead of a model."""
    return outcome.provider == "offline"


def reviewer(outcome: Outcome) -> str:
    """Who reviewed; empty when no model answered."""
    return "rules, offline" if is_offline(outcome) else shorten(outcome.model or "", MAX_NAME_CHARS)


def counts(outcome: Outcome) -> list[str]:
    """``1 critical``, ``2 low``, ``1 outside the diff``, ``1 suppressed``."""
    inside = [f"{number} {severity}" for severity, number in by_severity(outcome)]
    return inside + apart(outcome)


def apart(outcome: Outcome) -> list[str]:
    """What is reported and never fails the build: ``1 outside the diff``, ``1 suppressed``."""
    outside = len(findings(outcome, in_diff=False))
    silenced = _suppressed(outcome)
    named = ((outside, "outside the diff"), (silenced, "suppressed"))
    return [f"{number} {words}" for number, words in named if number]


def review_notes(outcome: Outcome) -> Sequence[str]:
    """The reviewer's notes."""
    return outcome.review.notes if outcome.review else ()


def run_notes(outcome: Outcome) -> Sequence[str]:
    """This program's own notes on the run."""
    return (*outcome.notes, *outcome.requests.events)


def _suppressed(outcome: Outcome) -> int:
    return len(outcome.review.suppressed) if outcome.review else 0
