"""The shape of a final review: what a reviewer must submit, and nothing about whether it is true."""

from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from pr_review.domain.run import MAX_FIELD_BYTES, MAX_FINDINGS, MAX_NOTES
from pr_review.domain.strict_json import load_object
from pr_review.errors import InvalidTurn, TerminationReason


def _bounded(text: str) -> str:
    if len(text.encode()) > MAX_FIELD_BYTES:
        raise ValueError("longer than the limit of a final text field")
    return text


Text = Annotated[str, AfterValidator(_bounded)]
Title = Annotated[Text, Field(pattern=r"\S")]
_Names = Annotated[tuple[str, ...], Field(strict=False)]  # from a JSON array, which is no tuple when strict


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


class SubmittedFinding(_Strict):
    """A finding as submitted; a line, category or confidence may be any JSON value, because it is a hint."""

    severity: Literal["critical", "high", "medium", "low"]
    title: Title
    explanation: Text
    path: Text
    line: JsonValue
    evidence: Text
    recommendation: Text
    end_line: JsonValue = None
    existing_code: Text | None = None
    suggestion: Text | None = None
    category: JsonValue = None
    confidence: JsonValue = None


class Submission(_Strict):
    """The final review of a model."""

    summary: Text
    findings: Annotated[list[SubmittedFinding], Field(max_length=MAX_FINDINGS)]
    notes: Annotated[list[Text], Field(max_length=MAX_NOTES)]


class RuleFinding(SubmittedFinding):
    """A finding that a deterministic rule proved; ``rule`` is the code of the rule."""

    rule: str


class RuleSubmission(Submission):
    """The final review of the offline reviewer, with the facts of its run.

    ``checks`` maps the path of each file to the names of the checks that ran on it. ``checked_in_part`` holds
    the paths of files of which only the added lines were checked.
    """

    # A list is invariant because it can grow; nothing adds to the list of a frozen record.
    findings: Annotated[list[RuleFinding], Field(max_length=MAX_FINDINGS)]  # type: ignore[assignment]
    checks: dict[str, _Names]
    checked_in_part: _Names


SubmissionT = TypeVar("SubmissionT", bound=Submission)


def parse_submission(text: str | None) -> Submission:
    """The review that a model submitted as JSON text; raises ``InvalidTurn`` for any other shape."""
    return _parse(text, Submission)


def parse_rule_submission(text: str | None) -> RuleSubmission:
    """The review that the offline reviewer submitted as JSON text; raises as ``parse_submission``."""
    return _parse(text, RuleSubmission)


def _parse(text: str | None, shape: type[SubmissionT]) -> SubmissionT:
    decoded = load_object(text or "")
    if decoded is None:
        raise _invalid("The model's final answer is not a JSON object.")
    try:
        return shape.model_validate(decoded)
    except ValidationError as error:
        raise _invalid(f"The model's final review has {error.error_count()} invalid fields.") from error


def _invalid(detail: str) -> InvalidTurn:
    return InvalidTurn(
        TerminationReason.INVALID_MODEL_RESPONSE,
        detail,
        "Run again; if it persists choose a model that follows a JSON schema.",
    )
