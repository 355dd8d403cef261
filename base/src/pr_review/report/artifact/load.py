"""From ``review.json`` back to an ``Outcome``, so that every report can be rendered from the artifact alone.

An artifact is untrusted, because it may come from anywhere: it is bounded and validated like any other input.
"""

from pydantic import ValidationError

from pr_review.domain.finding import Review
from pr_review.domain.run import Limits, Outcome
from pr_review.domain.sizes import MIB
from pr_review.errors import ConfigError
from pr_review.report.artifact.records import ReviewReport

MAX_ARTIFACT_BYTES = 64 * MIB


def load(data: bytes) -> Outcome:
    """The outcome that an artifact records; raises ``ConfigError`` for anything but a valid one."""
    if len(data) > MAX_ARTIFACT_BYTES:
        raise _invalid(f"It is larger than {MAX_ARTIFACT_BYTES // MIB} MiB.")
    try:
        return _outcome(ReviewReport.model_validate_json(data))
    except ValidationError as error:
        raise _invalid(_first_problem(error)) from None


def _outcome(report: ReviewReport) -> Outcome:
    """``build`` in reverse: a field goes to the field of the same name; only the others are listed."""
    fields = report.model_dump()
    review = {name: fields[name] for name in Review.model_fields}
    same_names = {name: fields[name] for name in Outcome.model_fields if name in fields}
    others = {
        "review": review if report.summary is not None else None,
        "coverage": {"files": fields["coverage"]["files"]},
        "limits": fields["limits"] or Limits(),
        "notes": report.run_notes,
    }
    return Outcome.model_validate(same_names | others)


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"][:3])
    if first["type"] == "json_invalid":
        return "It is not JSON, or not all of it."
    if where == "schema_version" and first["type"] == "literal_error":
        return "Its schema_version is another one."
    return f"Its {where or 'content'} is not what the schema asks for."


def _invalid(detail: str) -> ConfigError:
    return ConfigError(
        "invalid_artifact",
        f"The file is not a review.json that this version can read. {detail}",
        "Give a review.json as pr-review wrote it; docs/artifact.md describes it.",
    )
