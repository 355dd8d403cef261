"""Where the reports go, and what is written there."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from pr_review.actions.output_directory import (
    HTML,
    NAMES,
    PATCH,
    REPORT,
    REQUEST,
    SARIF,
    SUMMARY,
    ReportDirectory,
)
from pr_review.domain.run import Outcome
from pr_review.errors import PrReviewError

DEFAULT_OUTPUT_DIR = "pr-review-report"


@dataclass(frozen=True)
class Written:
    """Workspace-relative paths of what was written; empty where nothing was.

    ``request_bytes`` is the size of what a dry run would have sent. ``further`` are the paths of the reports
    beside artifact and summary; ``failed`` says by name what kept one from being written.
    """

    report_path: str = ""
    summary_path: str = ""
    request_path: str = ""
    request_bytes: int = 0
    further: tuple[str, ...] = ()
    failed: Mapping[str, Exception] = field(default_factory=dict)

    @property
    def request(self) -> str:
        """``pr-review-report/request.json, 9,078 bytes``; empty without one."""
        return f"{self.request_path}, {self.request_bytes:,} bytes" if self.request_path else ""


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
            for name in NAMES:
                directory.check(name)
        except PrReviewError:
            directory.close()
            raise
        return directory


def write_reports(
    directory: ReportDirectory, outcome: Outcome, page: str, first_request: bytes | None
) -> Written:
    """Write the artifact, the page and what a dry run would have sent; raises ``PrReviewError``.

    A request that an earlier run left is removed: it is not this run's.
    """
    from pr_review.report.artifact.build import build, to_json  # noqa: PLC0415 -- start-up: the model is asked first

    report_path = directory.write(REPORT, to_json(build(outcome)).encode())
    summary_path = directory.write(SUMMARY, f"{page}\n".encode())
    request_path = _write_or_remove(directory, REQUEST, first_request or b"")
    return Written(report_path, summary_path, request_path, len(first_request or b""))


def write_further_reports(directory: ReportDirectory, outcome: Outcome, written: Written) -> Written:
    """Write the other reports, each on its own; ``written`` completed with them."""
    paths, failed = [], {}
    for name, render in _further_reports():
        try:
            paths.append(_write_or_remove(directory, name, render(outcome).encode()))
        except Exception as problem:  # noqa: BLE001 -- a report that fails must not take the others with it
            failed[name] = problem
            with suppress(PrReviewError):
                directory.remove(name)  # of an earlier run
    return replace(written, further=tuple(filter(None, paths)), failed=failed)


def _further_reports() -> Iterator[tuple[str, Callable[[Outcome], str]]]:
    """The slowest reports come last, because a cancelled run has few seconds to write."""
    from pr_review.report import html, sarif, suggestions_patch  # noqa: PLC0415 -- start-up: reports only

    yield SARIF, sarif.render
    yield PATCH, suggestions_patch.render
    yield HTML, html.render


def _write_or_remove(directory: ReportDirectory, name: str, data: bytes) -> str:
    """The path; nothing to say leaves no file, also none of an earlier run."""
    if data:
        return directory.write(name, data)
    directory.remove(name)
    return ""
