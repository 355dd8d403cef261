"""From an ``Outcome`` to ``review.json``."""

from pr_review import __version__
from pr_review.domain.finding import Review
from pr_review.domain.run import CoverageStatus, Outcome
from pr_review.report import json_text
from pr_review.report.artifact.records import SCHEMA_VERSION, ReviewReport

_NO_REVIEW = Review(summary="")


def build(outcome: Outcome) -> ReviewReport:
    """The report of a run; every outcome has one.

    A field of the outcome or of its review goes to the field of the same name. Only the others are listed.
    """
    counts = {status.value: outcome.coverage.count(status) for status in CoverageStatus}
    same_names = dict(outcome) | dict(outcome.review or _NO_REVIEW)
    others = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "pr-review", "version": __version__},
        "summary": outcome.review.summary if outcome.review else None,
        "run_notes": outcome.notes,
        "coverage": {**counts, "files": outcome.coverage.files},
    }
    return ReviewReport.model_validate(same_names | others)


def to_json(report: ReviewReport) -> str:
    """The text of ``review.json``."""
    return json_text.to_json(report.model_dump())
