"""One run: its limits, its turns, what was covered, and how it ended."""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field

from pr_review.domain.change import PullRequest
from pr_review.domain.chat import Usage
from pr_review.domain.finding import BaselineState, Finding, Review, Severity
from pr_review.domain.frozen import Frozen, JsonObject
from pr_review.domain.sizes import KIB
from pr_review.errors import PrReviewError, TerminationReason

MAX_CALLS_PER_ROUND = 8
MAX_TOOL_CONTEXT_BYTES = 256 * KIB
MAX_FINDINGS = 100
MAX_NOTES = 100
MAX_FIELD_BYTES = 8 * KIB
MAX_IDENTICAL_FAILURES = 3  # in a row; the next attempt would fail the same way
MAX_CALL_ID_CHARS = 8192


class ConversationLimits(Frozen):
    """Budgets of one conversation, as counts and UTF-8 bytes; each is checked before it is spent."""

    max_rounds: int = Field(default=8, ge=1)
    max_tool_calls: int = Field(default=32, ge=0)
    max_repairs: int = Field(default=2, ge=0)
    calls_per_round: int = Field(default=MAX_CALLS_PER_ROUND, ge=1)
    tool_context_bytes: int = Field(default=MAX_TOOL_CONTEXT_BYTES, ge=1)


class RunLimits(Frozen):
    """Budgets that all conversations of a run share: HTTP requests to models, and seconds."""

    max_requests: int = Field(default=24, ge=1)
    timeout_seconds: float = Field(default=900, gt=0)


class Limits(ConversationLimits, RunLimits):
    """Both, as settings give them and reports show them."""


class ProtocolAction(StrEnum):
    """What the loop did with a turn."""

    EXECUTE_TOOLS = "execute_tools"
    RETURN_REVIEW = "return_review"
    REPAIR = "repair"
    REFUSE = "refuse"


class TraceCall(Frozen):
    """One executed call; ``result_preview`` is at most 4 KiB and only kept when the trace is on.

    ``original_id``: as in ``ToolCall``.
    """

    id: str
    name: str
    arguments: JsonObject
    ok: bool
    result_preview: str
    result_bytes: int
    truncated: bool
    duration_ms: int
    original_id: str | None = None


class TraceTurn(Frozen):
    """One turn of a model, for the trace; ``conversation`` is the id of its conversation."""

    conversation: str
    round: int
    provider_request_id: str | None
    provider_model: str | None
    finish_reason: str | None
    protocol_action: ProtocolAction
    usage: Usage | None
    tool_calls: tuple[TraceCall, ...] = ()


class TurnCall(Frozen):
    """A call as ``turns`` show it: without arguments and preview."""

    name: str
    ok: bool
    result_bytes: int
    truncated: bool
    duration_ms: int


class Turn(Frozen):
    """One turn of a model, as always recorded.

    ``conversation`` is the id of its conversation. ``duration_ms`` is the model's time, without its tools.
    ``error`` is the code of what refused the turn.
    """

    conversation: str
    round: int
    finish_reason: str | None
    protocol_action: ProtocolAction
    usage: Usage | None
    tool_calls: tuple[TurnCall, ...] = ()
    duration_ms: int
    error: str | None = None


class Purpose(StrEnum):
    """What a conversation is for."""

    FIND = "find"


class ErrorRecord(Frozen):
    """An error as reports show it, with what to do."""

    code: str
    detail: str
    advice: str = ""
    termination_reason: TerminationReason | None = None

    @classmethod
    def of(cls, error: PrReviewError) -> "ErrorRecord":
        """The record of an error."""
        return cls(
            code=error.code,
            detail=error.detail,
            advice=error.advice,
            termination_reason=error.termination_reason,
        )


class ConversationEnd(Frozen):
    """How a conversation ended.

    ``termination_reason`` is ``final_review`` when it ended with an answer; None when it was cancelled or
    never came to a turn. ``error`` is what ended it otherwise.
    """

    termination_reason: TerminationReason | None = None
    error: ErrorRecord | None = None


class ConversationSummary(Frozen):
    """One conversation: who answered, how many turns it took, what it used, and how it ended."""

    id: str
    purpose: Purpose
    model: str | None = None
    turns: int = 0
    usage: Usage | None = None
    end: ConversationEnd = Field(default_factory=ConversationEnd)


class RequestStats(Frozen):
    """HTTP requests to the model, retries among them, seconds waited; ``events`` say what was adapted."""

    requests: int = 0
    retries: int = 0
    waited_seconds: float = 0.0
    events: tuple[str, ...] = ()


class CoverageStatus(StrEnum):
    """What became of one changed file."""

    REVIEWED = "reviewed"
    EXCLUDED = "excluded"
    NOT_REVIEWED = "not_reviewed"


class FileCoverage(Frozen):
    """One changed file: its status, why it is not reviewed (whole), and who looked at it.

    ``checks`` are the deterministic checks that ran on it; ``conversations`` are the ids of those that saw
    any of it and ended with an answer.
    """

    path: str
    status: CoverageStatus
    reason: str | None = None
    checks: tuple[str, ...] = ()
    conversations: tuple[str, ...] = ()
    additions: int = 0
    deletions: int = 0


class Coverage(Frozen):
    """Every changed file, in diff order; none is missing."""

    files: tuple[FileCoverage, ...] = ()

    def count(self, status: CoverageStatus) -> int:
        """How many files have the status."""
        return sum(file.status is status for file in self.files)

    @property
    def complete(self) -> bool:
        """No selected file was left out."""
        return self.count(CoverageStatus.NOT_REVIEWED) == 0


class Conclusion(StrEnum):
    """The result of a run.

    ``CLEAN``: everything selected was reviewed, and nothing was found. ``RULES_ONLY``: the same, by rules and
    not by a model. ``INCOMPLETE``: some selected code was not reviewed, or a budget ended the review.
    ``SKIPPED``: there was nothing to review. ``FAILED``: an error ended the review.
    """

    CLEAN = "clean"
    FINDINGS = "findings"
    RULES_ONLY = "rules_only"
    INCOMPLETE = "incomplete"
    SKIPPED = "skipped"
    FAILED = "failed"


class Comparison(Frozen):
    """The review against the baseline, which reviewed the commit ``head_sha``.

    ``new`` and ``unchanged`` count the findings that are not suppressed; the other two are findings of the
    baseline, which the next baseline has to know.
    """

    head_sha: str
    new: int = 0
    unchanged: int = 0
    resolved: tuple[Finding, ...] = ()
    not_seen: tuple[Finding, ...] = ()


class Outcome(Frozen):
    """All that the reports are made from; pure data, written on every way out.

    ``usage`` totals what the provider reported (None when it reported nothing). ``notes`` are ours (diff
    deviations, API unreachable, fallbacks), apart from the review's. ``duration_ms`` is the whole run.
    """

    conclusion: Conclusion
    exit_code: int
    provider: str
    pull_request: PullRequest | None = None
    merge_base_sha: str | None = None
    review: Review | None = None
    comparison: Comparison | None = None
    model: str | None = None
    request_id: str | None = None
    termination_reason: TerminationReason | None = None
    error: ErrorRecord | None = None
    coverage: Coverage = Field(default_factory=Coverage)
    conversations: tuple[ConversationSummary, ...] = ()
    turns: tuple[Turn, ...] = ()
    trace: tuple[TraceTurn, ...] | None = None
    usage: Usage | None = None
    requests: RequestStats = Field(default_factory=RequestStats)
    limits: Limits = Field(default_factory=Limits)
    prompt_version: str | None = None
    notes: tuple[str, ...] = ()
    duration_ms: int = 0

    @property
    def highest_severity(self) -> Severity | None:
        """The worst severity among findings inside the diff, else None."""
        return _worst(self._gating)

    @property
    def highest_new_severity(self) -> Severity | None:
        """The same among those that the baseline does not know."""
        return _worst([found for found in self._gating if found.baseline_state is BaselineState.NEW])

    @property
    def _gating(self) -> list[Finding]:
        return [found for found in self.review.findings if found.in_diff] if self.review else []


def _worst(findings: Iterable[Finding]) -> Severity | None:
    severities = (found.severity for found in findings)
    return min(severities, key=lambda severity: severity.rank, default=None)
