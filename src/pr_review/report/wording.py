"""What every report says, in words: plain text, escaped by nobody yet."""

from collections.abc import Iterator, Sequence

from pr_review import __version__
from pr_review.domain.chat import Usage
from pr_review.domain.finding import BaselineState, Finding, Review, Severity
from pr_review.domain.run import KIB, Conclusion, CoverageStatus, FileCoverage, Outcome, ProtocolAction
from pr_review.domain.text import shorten
from pr_review.errors import TerminationReason

NO_PROOF = "A review that finds nothing is no proof that there is nothing to find."
NO_PROOF_EITHER = "Code without a finding is not proven to be free of defects."
BY_RULES = (
    "Deterministic rules reviewed this change, not a model: they look at added lines only, for the kinds of "
    "defects they know."
)
OUTSIDE = "In code that this change does not touch; reported apart, and never a reason to fail."
MAX_NAME_CHARS = 100  # a model's name comes from the provider
_SECOND_MS, _MINUTE_MS = 1000, 60_000

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
_COVERAGE_WORDS = {
    CoverageStatus.REVIEWED: "reviewed",
    CoverageStatus.EXCLUDED: "excluded",
    CoverageStatus.NOT_REVIEWED: "not reviewed",
}
# What was not looked at comes first: it is what a reader must know.
_COVERAGE_ORDER = (CoverageStatus.NOT_REVIEWED, CoverageStatus.EXCLUDED, CoverageStatus.REVIEWED)


def headline(outcome: Outcome) -> str:
    """The verdict in a few words."""
    if outcome.error is not None and outcome.error.code == "dry_run":
        return _DRY_RUN
    found = count(len(_review(outcome).findings), "finding")
    new = f", {outcome.comparison.new:,} new" if outcome.comparison else ""
    silenced = len(_review(outcome).suppressed)
    if outcome.conclusion is Conclusion.FINDINGS:
        return found + new
    if silenced and outcome.conclusion in _NOTHING_FOUND:
        return f"nothing but {count(silenced, 'suppressed finding')}"
    so_far = f", {found} so far{new}" if _review(outcome).findings else ""
    return _HEADLINES[outcome.conclusion] + so_far


def by_severity(outcome: Outcome) -> list[tuple[Severity, int]]:
    """Severities found inside the diff and how often, worst first."""
    found = [finding.severity for finding in findings(outcome, in_diff=True)]
    return [(severity, found.count(severity)) for severity in Severity if severity in found]


def findings(outcome: Outcome, *, in_diff: bool) -> list[Finding]:
    """Findings inside or outside the diff: the new ones first, then the worst."""
    chosen = (finding for finding in _review(outcome).findings if finding.in_diff is in_diff)
    return sorted(
        chosen, key=lambda finding: (finding.baseline_state is not BaselineState.NEW, finding.severity.rank)
    )


def numbered(outcome: Outcome) -> list[tuple[int, Finding]]:
    """Every finding with the number that all reports give it: those inside the diff first."""
    ordered = [*findings(outcome, in_diff=True), *findings(outcome, in_diff=False)]
    return list(enumerate(ordered, start=1))


def reason(outcome: Outcome) -> str:
    """Why the review ended as it did, in a sentence; empty when it simply ended with findings."""
    if outcome.error is not None:
        return outcome.error.detail
    if outcome.conclusion is Conclusion.CLEAN:
        rest = " that counts" if _review(outcome).suppressed else ""
        return f"{reviewer(outcome) or 'The model'} reviewed every selected file and reported nothing{rest}."
    if outcome.conclusion is Conclusion.SKIPPED:
        return "No changed file was selected for review."
    if outcome.coverage.complete:
        return ""
    missing = outcome.coverage.count(CoverageStatus.NOT_REVIEWED)
    return f"{missing} of {count(len(outcome.coverage.files), 'changed file')} could not be reviewed."


def advice(outcome: Outcome) -> str:
    """What to do about it, or an empty string."""
    if outcome.error is not None and outcome.error.advice:
        return outcome.error.advice
    if outcome.conclusion not in {Conclusion.INCOMPLETE, Conclusion.FAILED}:
        return ""
    return _ADVICE.get(outcome.termination_reason, "") if outcome.termination_reason else ""


def caveat(outcome: Outcome) -> str:
    """What a reader must not conclude (item 58); empty when nothing was reviewed."""
    if outcome.conclusion in {Conclusion.SKIPPED, Conclusion.FAILED}:
        return ""
    return NO_PROOF_EITHER if _review(outcome).findings else NO_PROOF


def method(outcome: Outcome) -> str:
    """That rules reviewed and not a model (decision 3); empty when a model did, or nobody."""
    return BY_RULES if is_offline(outcome) and caveat(outcome) else ""


def is_offline(outcome: Outcome) -> bool:
    """Rules reviewed, not a model."""
    return outcome.provider == "offline"


def reviewer(outcome: Outcome) -> str:
    """Who reviewed; empty when no model answered."""
    return "rules, offline" if is_offline(outcome) else shorten(outcome.model or "", MAX_NAME_CHARS)


def counts(outcome: Outcome) -> list[str]:
    """``1 critical``, ``2 low``, ``1 outside the diff``, ``1 suppressed``."""
    inside = [f"{number} {severity}" for severity, number in by_severity(outcome)]
    return inside + apart(outcome)


def apart(outcome: Outcome) -> list[str]:
    """What is reported and does not gate: ``1 outside the diff``, ``1 suppressed``."""
    outside = len(findings(outcome, in_diff=False))
    silenced = len(_review(outcome).suppressed)
    named = ((outside, "outside the diff"), (silenced, "suppressed"))
    return [f"{number} {words}" for number, words in named if number]


def coverage_counts(outcome: Outcome) -> str:
    """``12 changed files: 1 not reviewed, 11 reviewed``."""
    files = outcome.coverage.files
    if not files:
        return "No changed file was looked at."
    parts = (
        f"{outcome.coverage.count(status):,} {_COVERAGE_WORDS[status]}"
        for status in _COVERAGE_ORDER
        if outcome.coverage.count(status)
    )
    return f"{count(len(files), 'changed file')}: {', '.join(parts)}."


def coverage_files(outcome: Outcome) -> list[FileCoverage]:
    """Every changed file, what was not reviewed first."""
    return sorted(outcome.coverage.files, key=lambda file: _COVERAGE_ORDER.index(file.status))


def coverage_result(file: FileCoverage) -> tuple[str, str]:
    """What became of a file, and why or by which checks; of a file checked in part, both."""
    why = (file.reason or "", ", ".join(file.checks))
    return _COVERAGE_WORDS[file.status], ": ".join(filter(None, why))


def run_facts(outcome: Outcome) -> list[str]:
    """Reviewer, rounds, calls, tokens, requests, time, version: as far as there were any."""
    who = reviewer(outcome) if outcome.turns else ""
    return [
        *([f"reviewed by {who}"] if who else []),
        *_loop_facts(outcome),
        *_request_facts(outcome),
        duration(outcome.duration_ms),
        f"pr-review {__version__}",
    ]


def review_notes(outcome: Outcome) -> Sequence[str]:
    """The reviewer's notes."""
    return _review(outcome).notes


def run_notes(outcome: Outcome) -> Sequence[str]:
    """Our own notes on the run, apart from the reviewer's."""
    return (*outcome.notes, *outcome.requests.events)


def duration(milliseconds: int) -> str:
    """``340 ms``, ``48.2 s``, ``3 min 4 s``."""
    if milliseconds < _SECOND_MS:
        return f"{milliseconds} ms"
    if milliseconds < _MINUTE_MS:
        return f"{milliseconds / _SECOND_MS:.1f} s"
    minutes, rest = divmod(milliseconds, _MINUTE_MS)
    return f"{minutes} min {rest // _SECOND_MS} s"


def size(number: int) -> str:
    """``90 bytes``, ``2.0 KiB``."""
    return count(number, "byte") if number < KIB else f"{number / KIB:,.1f} KiB"


def tokens(usage: Usage | None) -> str:
    """``45,210 tokens (41,000 in, 4,210 out)``; what was not reported is ``?``."""
    if usage is None:
        return "tokens not reported"
    total, sent, received = (
        "?" if number is None else f"{number:,}"
        for number in (usage.total_tokens, usage.prompt_tokens, usage.completion_tokens)
    )
    return f"{total} tokens ({sent} in, {received} out)"


def count(number: int, noun: str) -> str:
    """``1 finding``, ``2 findings``, ``10,000 changed files``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _review(outcome: Outcome) -> Review:
    return outcome.review or Review(summary="")


def _loop_facts(outcome: Outcome) -> Iterator[str]:
    if not outcome.turns:
        return
    rounds, calls = outcome.turns[-1].round, sum(len(turn.tool_calls) for turn in outcome.turns)
    if is_offline(outcome):  # its budgets are computed, nobody's limits
        yield count(rounds, "round")
        yield count(calls, "tool call")
    else:
        yield f"{rounds} of at most {count(outcome.limits.max_rounds, 'round')}"
        yield f"{calls:,} of at most {count(outcome.limits.max_tool_calls, 'tool call')}"
    repaired = sum(turn.protocol_action is ProtocolAction.REPAIR for turn in outcome.turns)
    if repaired:
        yield f"{count(repaired, 'invalid turn')} dropped and asked again"


def _request_facts(outcome: Outcome) -> Iterator[str]:
    if is_offline(outcome) or not outcome.requests.requests:
        return
    if outcome.usage is not None or outcome.turns:
        yield tokens(outcome.usage)
    again = outcome.requests.retries
    waited = f", {again:,} of them repeated, {outcome.requests.waited_seconds:.1f} s waited" if again else ""
    yield count(outcome.requests.requests, "request") + waited
