"""The published form of ``review.json``, one record for each domain type that it shows.

They change by one rule, which docs/artifact.md states: within a ``schema_version`` fields are only added, and
every field of a version is always there. ``build`` fills a record from the domain by the names of its fields,
so a new field needs a field in the domain type, one here, and its words in docs/artifact.md.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from pr_review.domain.finding import AnchorStatus, BaselineState, Category, Confidence, Severity, Side
from pr_review.domain.run import Conclusion, CoverageStatus, ProtocolAction, Purpose
from pr_review.errors import TerminationReason

SCHEMA_VERSION: Literal["1"] = "1"


class _Record(BaseModel):
    """Read from the domain by attribute.

    Unknown fields are ignored, so that a newer file can be read; a field that came after the first release
    has a default, so that an older one can.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        from_attributes=True,
        json_schema_serialization_defaults_required=True,
        defer_build=True,  # the whole report is built once, instead of each part and then the whole
    )


class ToolRecord(_Record):
    """The program that wrote the report."""

    name: str
    version: str


class PullRequestRecord(_Record):
    """The pull request, as GitHub names it; commits are 40 hexadecimal digits."""

    url: str
    owner: str
    repository: str
    number: int
    title: str
    body: str
    author: str
    base_ref: str
    head_ref: str
    base_sha: str = Field(description="The tip of the base branch, not where the diff starts.")
    head_sha: str


class ExcerptRecord(_Record):
    """Lines of code around a finding, without line ends."""

    start_line: int = Field(ge=1)
    lines: tuple[str, ...]


class PlaceRecord(_Record):
    """Lines of one side of a file, both ends included."""

    side: Side
    line: int = Field(ge=1)
    end_line: int | None


class EditRecord(_Record):
    """Whole lines of the head file, exact to the byte, without newlines: `removed` gives way to `added`."""

    start_line: int = Field(ge=1, description="Of the first removed line.")
    before: tuple[str, ...] = Field(description="Up to three lines before it.")
    removed: tuple[str, ...]
    added: tuple[str, ...]
    after: tuple[str, ...] = Field(description="Up to three lines after the last removed one.")
    open_end: bool = Field(description="They reach the end of the file, and no newline stands there.")


class FindingRecord(_Record):
    """One defect, as the reviewer wrote it: untrusted text, to be escaped wherever it is shown."""

    severity: Severity
    title: str
    explanation: str
    path: str = Field(description="Relative to the repository's root.")
    line: int | None = Field(description="From 1, on `side`; null when no valid line is known.")
    end_line: int | None
    side: Side = Field(description="LEFT: the line is one of the merge base that the change removes.")
    base_path: str | None = Field(
        default=None, description="Of a renamed file: its name at the merge base, for lines of side LEFT."
    )
    evidence: str
    recommendation: str
    existing_code: str | None = Field(description="The code as quoted by the reviewer.")
    suggestion: str | None = Field(description="What to put in its place.")
    category: Category
    confidence: Confidence | None
    in_diff: bool = Field(description="False: in code this change does not touch; never fails a build.")
    on_added_line: bool
    rule: str | None = Field(description="The deterministic rule behind it; null from a model.")
    excerpt: ExcerptRecord | None
    anchor: AnchorStatus = Field(description="How the line was found; see docs/findings.md.")
    alternatives: tuple[PlaceRecord, ...] = Field(description="Other places that hold the same code.")
    merged: int = Field(ge=0, description="Further findings that said the same and were merged into it.")
    fingerprint: str = Field(description="The same for the same finding after lines have moved.")
    edit: EditRecord | None = Field(
        description="The suggestion, when what it replaces stands in the head exactly as quoted."
    )
    baseline_state: BaselineState = Field(
        BaselineState.NEW, description="Against the baseline; new when there is none. See docs/findings.md."
    )


class SuppressedRecord(_Record):
    """A finding that the base commit's configuration silences: it is reported and does not count."""

    finding: FindingRecord
    reason: str
    expires: str | None = Field(description="The last day of it, in UTC, as in 2026-12-31.")


class ComparisonRecord(_Record):
    """The findings against the baseline, the report of an earlier review."""

    head_sha: str = Field(description="The commit that the baseline reviewed.")
    new: int = Field(ge=0, description="How many of `findings` it does not know.")
    unchanged: int = Field(ge=0, description="How many of `findings` it knows.")
    resolved: tuple[FindingRecord, ...] = Field(
        description="Known findings whose file was reviewed again, and whose code is gone from it."
    )
    not_seen: tuple[FindingRecord, ...] = Field(
        description="Other known findings that were not reported this time, which proves nothing."
    )


class UsageRecord(_Record):
    """Tokens; null is what the provider did not report."""

    prompt_tokens: int | None
    completion_tokens: int | None
    total_tokens: int | None


class TurnCallRecord(_Record):
    """A tool call without its arguments and result."""

    name: str
    ok: bool
    result_bytes: int
    truncated: bool
    duration_ms: int


class TurnRecord(_Record):
    """One turn of a model."""

    conversation: str = Field("", description="The id of its conversation.")
    round: int = Field(ge=1, description="Counts within its conversation.")
    finish_reason: str | None
    protocol_action: ProtocolAction
    usage: UsageRecord | None
    tool_calls: tuple[TurnCallRecord, ...]
    duration_ms: int
    error: str | None = Field(description="Why the turn was refused.")


class TraceCallRecord(TurnCallRecord):
    """A tool call with its arguments and the first 4 KiB of its result."""

    id: str
    original_id: str | None = Field(
        description="The provider's id where a profile replaced it; empty when it sent none."
    )
    arguments: dict[str, JsonValue]
    result_preview: str


class TraceTurnRecord(_Record):
    """One turn of a model, to explain a review; not an audit log."""

    conversation: str = Field("", description="The id of its conversation.")
    round: int = Field(ge=1)
    provider_request_id: str | None
    provider_model: str | None
    finish_reason: str | None
    protocol_action: ProtocolAction
    usage: UsageRecord | None
    tool_calls: tuple[TraceCallRecord, ...]


class FileCoverageRecord(_Record):
    """What became of one changed file."""

    path: str
    status: CoverageStatus
    reason: str | None = Field(description="Why it is excluded, not reviewed, or reviewed in part.")
    checks: tuple[str, ...] = Field(description="Deterministic checks that ran on it.")
    conversations: tuple[str, ...] = Field(
        (), description="The ids of the conversations that saw any of it and ended with an answer."
    )
    additions: int
    deletions: int


class CoverageRecord(_Record):
    """Every changed file, and how many of each kind."""

    reviewed: int
    excluded: int
    not_reviewed: int
    files: tuple[FileCoverageRecord, ...]


class RequestsRecord(_Record):
    """HTTP requests to the model, retries among them."""

    requests: int
    retries: int
    waited_seconds: float
    events: tuple[str, ...] = Field(description="What was adapted to the server.")


class LimitsRecord(_Record):
    """The budgets of the run."""

    max_rounds: int
    max_tool_calls: int
    max_requests: int
    max_repairs: int
    timeout_seconds: float
    calls_per_round: int
    tool_context_bytes: int


class ErrorRecord(_Record):
    """Why the review did not end as it should, and what to do."""

    code: str
    detail: str
    advice: str
    termination_reason: TerminationReason | None


class ConversationEndRecord(_Record):
    """How a conversation ended."""

    termination_reason: TerminationReason | None = Field(
        description="`final_review` when it ended with an answer; null when it was cancelled."
    )
    error: ErrorRecord | None = Field(description="What ended it, when that was no answer.")


class ConversationRecord(_Record):
    """One conversation with a model: what it was for, what it used, and how it ended."""

    id: str = Field(description="Unique in the run; turns, trace and coverage name it.")
    purpose: Purpose
    model: str | None = Field(description="The model that answered, by its provider's name.")
    turns: int = Field(ge=0)
    usage: UsageRecord | None
    end: ConversationEndRecord


class ReviewReport(_Record):
    """The whole of `review.json`."""

    schema_version: Literal["1"]
    tool: ToolRecord
    conclusion: Conclusion
    exit_code: int
    termination_reason: TerminationReason | None = Field(
        description="Null when no review loop ran, or it was cancelled."
    )
    error: ErrorRecord | None
    pull_request: PullRequestRecord | None = Field(description="Null when it is not known.")
    merge_base_sha: str | None = Field(description="Where the diff starts.")
    summary: str | None
    findings: tuple[FindingRecord, ...]
    suppressed: tuple[SuppressedRecord, ...] = Field(
        (), description="Findings that do not count; they are not among `findings`."
    )
    comparison: ComparisonRecord | None = Field(None, description="Null when there was no usable baseline.")
    notes: tuple[str, ...] = Field(description="Of the reviewer.")
    run_notes: tuple[str, ...] = Field(description="Of this program, on this run.")
    coverage: CoverageRecord
    provider: str
    model: str | None
    request_id: str | None
    prompt_version: str | None
    usage: UsageRecord | None
    requests: RequestsRecord
    limits: LimitsRecord | None = Field(description="Null when the settings were not read yet.")
    conversations: tuple[ConversationRecord, ...] = ()
    turns: tuple[TurnRecord, ...]
    trace: tuple[TraceTurnRecord, ...] | None = Field(description="Null unless `include-trace` asks for it.")
    duration_ms: int = Field(description="Of the whole run.")
