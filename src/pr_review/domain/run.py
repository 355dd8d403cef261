"""One run: its limits, its turns, what was covered, and how it ended."""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field

from pr_review.domain.change import PullRequest
from pr_review.domain.chat import Usage
from pr_review.domain.finding import BaselineState, Finding, Review, Severity
from pr_review.domain.frozen import Frozen, JsonObject
from pr_review.domain.sizes import KIB as KIB  # noqa: PLC0414 -- still imported from here
from pr_review.domain.sizes import MIB as MIB  # noqa: PLC0414 -- still imported from here
from pr_review.errors import TerminationReason

MAX_CALLS_PER_ROUND = 8  # item 34
MAX_TOOL_CONTEXT_BYTES = 256 * KIB  # item 51
MAX_FINDINGS = 100  # item 54
MAX_NOTES = 100  # item 54
MAX_FIELD_BYTES = 8 * KIB  # item 54
MAX_IDENTICAL_FAILURES = 3  # decision 6
MAX_CALL_ID_CHARS = 8192  # decision 7


class Limits(Frozen):
    """Budgets of one run; seconds, counts and UTF-8 bytes. Checked before each request, never after."""

    max_rounds: int = Field(default=8, ge=1)
    max_tool_calls: int = Field(default=32, ge=0)
    max_requests: int = Field(default=24, ge=1)
    max_repairs: int = Field(default=2, ge=0)
    timeout_seconds: float = Field(default=900, gt=0)
    calls_per_round: int = Field(default=MAX_CALLS_PER_ROUND, ge=1)
    tool_context_bytes: int = Field(default=MAX_TOOL_CONTEXT_BYTES, ge=1)


class ProtocolAction(StrEnum):
    """What the loop did with a turn."""

    EXECUTE_TOOLS = "execute_tools"
    RETURN_REVIEW = "return_review"
    REPAIR = "repair"
    REFUSE = "refuse"


class TraceCall(Frozen):
    """One executed call (item 68); ``result_preview`` is at most 4 KiB and only kept when the trace is on.

    ``original_id``: as in ``ToolCall`` (decision 5).
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
    """One provider turn (item 67)."""

    round: int
    provider_request_id: str | None
    provider_model: str | None
    finish_reason: str | None
    protocol_action: ProtocolAction
    usage: Usage | None
    tool_calls: tuple[TraceCall, ...] = ()


class TurnCall(Frozen):
    """A call as ``turns`` show it: no arguments, no preview (decision 9)."""

    name: str
    ok: bool
    result_bytes: int
    truncated: bool
    duration_ms: int


class Turn(Frozen):
    """One provider turn as always recorded; ``duration_ms`` is the model's, ``error`` why it was refused."""

    round: int
    finish_reason: str | None
    protocol_action: ProtocolAction
    usage: Usage | None
    tool_calls: tuple[TurnCall, ...] = ()
    duration_ms: int
    error: str | None = None


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
    """One changed file: its status, why it is not reviewed (whole), and the checks run on it (offline)."""

    path: str
    status: CoverageStatus
    reason: str | None = None
    checks: tuple[str, ...] = ()
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
    """The result of a run, as DESIGN.md's "Result of a run" defines it."""

    CLEAN = "clean"
    FINDINGS = "findings"
    RULES_ONLY = "rules_only"
    INCOMPLETE = "incomplete"
    SKIPPED = "skipped"
    FAILED = "failed"


class ErrorRecord(Frozen):
    """Item 60, with what to do."""

    code: str
    detail: str
    advice: str = ""
    termination_reason: TerminationReason | None = None


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
    coverage: Coverage = Coverage()
    turns: tuple[Turn, ...] = ()
    trace: tuple[TraceTurn, ...] | None = None
    usage: Usage | None = None
    requests: RequestStats = RequestStats()
    limits: Limits = Limits()
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
