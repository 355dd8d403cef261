"""Writes ``minimal.json``, the artifact of a run of which nothing is known yet; ``make schema`` runs this."""

from pathlib import Path

from pr_review.domain.run import Conclusion, ErrorRecord, Outcome
from pr_review.report.artifact.build import build, to_json
from pr_review.report.artifact.records import ReviewReport, ToolRecord


def minimal_template() -> str:
    """The text of ``minimal.json``; ``minimal.py`` fills in the version, the error and the exit code."""
    error = ErrorRecord(code="", detail="")
    report = build(Outcome(conclusion=Conclusion.FAILED, exit_code=0, provider="unknown", error=error))
    unknown = {"limits": None, "tool": ToolRecord(name=report.tool.name, version="")}
    return to_json(ReviewReport.model_validate(dict(report) | unknown))


if __name__ == "__main__":
    (Path(__file__).parent / "minimal.json").write_text(minimal_template(), encoding="utf-8")
