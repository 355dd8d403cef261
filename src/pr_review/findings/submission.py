"""The model's final answer: what it must look like (items 52-54), and nothing about whether it is true."""

from typing import Annotated, Literal

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


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class SubmittedFinding(_Strict):
    """A finding as submitted. Lines, category and confidence are hints: only the bad hint is dropped."""

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
    """The final review as submitted."""

    summary: Text
    findings: Annotated[list[SubmittedFinding], Field(max_length=MAX_FINDINGS)]
    notes: Annotated[list[Text], Field(max_length=MAX_NOTES)]


def parse_submission(content: str | None, *, fenced: bool = False) -> Submission:
    """Final text to a submission; raises ``InvalidTurn`` for anything but the exact shape.

    ``fenced``: a Markdown fence around the object is taken off first (tool-mode text only).
    """
    text = unfence(content or "") if fenced else content or ""
    decoded = load_object(text)
    if decoded is None:
        raise _invalid("The model's final answer is not a JSON object.")
    try:
        return Submission.model_validate(decoded)
    except ValidationError as error:
        raise _invalid(f"The model's final review has {error.error_count()} invalid fields.") from error


def unfence(text: str) -> str:
    """The body of a text that is one fenced block; any other text unchanged."""
    lines = text.strip().split("\n")
    fenced = len(lines) > 1 and lines[0].startswith("```") and lines[-1].strip() == "```"
    return "\n".join(lines[1:-1]) if fenced else text


def _invalid(detail: str) -> InvalidTurn:
    return InvalidTurn(
        TerminationReason.INVALID_MODEL_RESPONSE,
        detail,
        "Run again; if it persists choose a model that follows a JSON schema.",
    )
