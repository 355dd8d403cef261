"""Writes every report of one outcome; what one channel refuses takes none of the others with it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pr_review.domain.run import Outcome
from pr_review.entry.redact import redact
from pr_review.errors import PrReviewError
from pr_review.report import artifact, summary
from pr_review.report.files import ReportDirectory

REPORT = "review.json"
SUMMARY = "review.md"
REQUEST = "request.json"


@dataclass(frozen=True)
class Written:
    """Workspace-relative paths of what was written, empty where nothing was, and the page's text.

    ``problem`` says why the configured folder could not be used.
    """

    report_path: str
    summary_path: str
    page: str
    problem: PrReviewError | None


@dataclass(frozen=True)
class Destination:
    """Where reports go: a folder below ``workspace``, or one of a random name when that is unsafe."""

    workspace: Path
    output_dir: str
    is_tracked: Callable[[str], bool]
    random_hex: Callable[[], str]

    def open(self) -> tuple[ReportDirectory, PrReviewError | None]:
        """The directory, and why it is not the configured one; raises when neither can be had."""
        try:
            return ReportDirectory.open(self.workspace, self.output_dir, is_tracked=self.is_tracked), None
        except PrReviewError as problem:
            fallback = f"pr-review-report-{self.random_hex()}"
            return ReportDirectory.open(self.workspace, fallback), problem


def write_reports(
    outcome: Outcome, destination: Destination, secrets: tuple[str, ...], first_request: bytes | None
) -> Written:
    """Write the artifact and the page; raises ``PrReviewError`` when no folder can be written at all.

    ``secrets`` appear in neither: a hostile provider could have echoed the key into its answer.
    """
    outcome = redact(outcome, secrets)
    page = summary.render(outcome)
    directory, problem = destination.open()
    with directory:
        report_path = directory.write(REPORT, artifact.to_json(artifact.build(outcome)).encode())
        summary_path = directory.write(SUMMARY, f"{page}\n".encode())
        if first_request:
            directory.write(REQUEST, first_request)
    return Written(report_path, summary_path, page, problem)
