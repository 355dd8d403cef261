"""Where the reports go, and what is written there."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pr_review.domain.run import Outcome
from pr_review.errors import PrReviewError
from pr_review.report import artifact
from pr_review.report.files import ReportDirectory

REPORT = "review.json"
SUMMARY = "review.md"
REQUEST = "request.json"
DEFAULT_OUTPUT_DIR = "pr-review-report"


@dataclass(frozen=True)
class Written:
    """Workspace-relative paths of what was written; empty where nothing was."""

    report_path: str = ""
    summary_path: str = ""


@dataclass
class ReportPlace:
    """The folder for the reports, below ``workspace``, chosen once and held open (decision 17).

    ``problem`` says why it is not the configured one.
    """

    workspace: Path
    random_hex: Callable[[], str]
    problem: PrReviewError | None = None
    _directory: ReportDirectory | None = field(default=None, repr=False)

    def choose(
        self, output_dir: str, is_tracked: Callable[[Path], bool] = lambda _path: False
    ) -> ReportDirectory:
        """The folder ``output_dir``, or one of a random name when that is unsafe; raises if neither is.

        ``is_tracked`` tells whether the reviewed repository tracks an absolute path or something below it.
        """
        if self._directory is None:
            try:
                self._directory = self._open(output_dir, is_tracked)
            except PrReviewError as problem:
                self.problem = problem
                fallback = f"{DEFAULT_OUTPUT_DIR}-{self.random_hex()}"
                self._directory = ReportDirectory.open(self.workspace, fallback)
        return self._directory

    def _open(self, output_dir: str, is_tracked: Callable[[Path], bool]) -> ReportDirectory:
        directory = ReportDirectory.open(
            self.workspace, output_dir, is_tracked=lambda path: is_tracked(self.workspace / path)
        )
        try:
            for name in (REPORT, SUMMARY, REQUEST):
                directory.check(name)
        except PrReviewError:
            directory.close()
            raise
        return directory


def write_reports(
    directory: ReportDirectory, outcome: Outcome, page: str, first_request: bytes | None
) -> Written:
    """Write the artifact, the page and what a dry run would have sent; raises ``PrReviewError``."""
    report_path = directory.write(REPORT, artifact.to_json(artifact.build(outcome)).encode())
    summary_path = directory.write(SUMMARY, f"{page}\n".encode())
    if first_request:
        directory.write(REQUEST, first_request)
    return Written(report_path, summary_path)
