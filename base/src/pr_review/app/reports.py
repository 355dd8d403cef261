"""From the end of a run to its reports: files, step summary and outputs, on every way out."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pr_review.actions.output_directory import ReportDirectory
from pr_review.actions.runner import Runner
from pr_review.app import log, signals
from pr_review.app.deadline import Deadline
from pr_review.app.outcome import build_outcome
from pr_review.app.process import Process
from pr_review.app.run_state import OutputPlace, RunState
from pr_review.config.defaults import DEFAULT_OUTPUT_DIR
from pr_review.config.settings import Settings
from pr_review.domain.run import Conclusion, Outcome
from pr_review.errors import InternalError, PrReviewError
from pr_review.masking.redact import redact
from pr_review.report.formats import ARTIFACT, FILES, FORMATS, REQUEST, SUMMARY
from pr_review.report.step_outputs import step_outputs
from pr_review.review.conclusion import exit_code


@dataclass(frozen=True)
class Written:
    """Workspace-relative paths of what was written; empty where nothing was.

    ``request_bytes`` is the size of what a dry run would have sent. ``further`` are the paths of the reports
    beside artifact and summary.
    """

    report_path: str = ""
    summary_path: str = ""
    request_path: str = ""
    request_bytes: int = 0
    further: tuple[str, ...] = ()

    @property
    def request(self) -> str:
        """``pr-review-report/request.json, 9,078 bytes``; empty without one."""
        return f"{self.request_path}, {self.request_bytes:,} bytes" if self.request_path else ""


@dataclass(frozen=True)
class Reported:
    """What the reports say and where they are; ``problem`` is what went wrong with the configured folder."""

    outcome: Outcome
    written: Written
    problem: PrReviewError | None = None


def choose_place(
    workspace: Path,
    output_dir: str,
    random_hex: Callable[[], str],
    is_tracked: Callable[[Path], bool] = lambda _path: False,
) -> OutputPlace:
    """The folder ``output_dir`` below the workspace, or one of a random name when that is unsafe.

    ``is_tracked`` tells whether the reviewed repository tracks an absolute path or something below it. Raises
    ``PrReviewError`` when neither folder can be used.
    """
    try:
        return OutputPlace(_open(workspace, output_dir, is_tracked))
    except PrReviewError as problem:
        fallback = f"{DEFAULT_OUTPUT_DIR}-{random_hex()}"
        return OutputPlace(ReportDirectory.open(workspace, fallback), problem)


def _open(workspace: Path, output_dir: str, is_tracked: Callable[[Path], bool]) -> ReportDirectory:
    directory = ReportDirectory.open(
        workspace, output_dir, is_tracked=lambda path: is_tracked(workspace / path)
    )
    try:
        for name in FILES:
            directory.check(name)
    except PrReviewError:
        directory.close()
        raise
    return directory


@dataclass(frozen=True)
class Reporter:
    """Writes the reports of one run below ``workspace`` and for the runner."""

    process: Process
    runner: Runner
    workspace: Path
    deadline: Deadline

    def report(self, state: RunState, error: PrReviewError | None) -> Reported:
        """Write every report of what is known, whatever ended the run, the artifact first."""
        secrets = state.settings.secrets if state.settings else ()
        outcome = redact(build_outcome(state, error, self.deadline.elapsed_ms()), secrets)
        from pr_review.report import summary  # noqa: PLC0415 -- start-up: the model is asked first

        page = summary.render(outcome)
        try:
            place = state.place or self._late_place(state)
            written, problem = _write(place.directory, outcome, page, state.first_request), place.problem
        except PrReviewError as refusal:
            self._publish(outcome, page, Written())
            return Reported(outcome, Written(), refusal)
        self._publish(outcome, page, written)
        return Reported(outcome, self._write_further(place.directory, outcome, written), problem)

    def conclude(self, reported: Reported, error: PrReviewError | None, settings: Settings | None) -> int:
        """Say what went wrong besides the review, and return the exit code."""
        if error:
            self.process.say_cause(error)
        code, problem = reported.outcome.exit_code, reported.problem
        if problem is None or problem is error:
            return code
        self.runner.error(f"[{problem.code}] {problem.detail}", log.TITLE)
        return code or exit_code(Conclusion.FAILED, problem, settings)

    def report_bug(self, bug: Exception) -> int:
        """Write the reports of a run of which only a bug is known; returns the exit code."""
        internal = self._say_bug(bug)
        signals.report(self.process.environ, internal)
        return internal.exit_code

    def _late_place(self, state: RunState) -> OutputPlace:
        """The folder of a run that ended before it chose one."""
        given = self.process.environ.get("INPUT_OUTPUT-DIR", "").strip()
        output_dir = state.settings.output_dir if state.settings else given or DEFAULT_OUTPUT_DIR
        return choose_place(self.workspace, output_dir, self.process.random_hex, state.is_tracked)

    def _publish(self, outcome: Outcome, page: str, written: Written) -> None:
        """Summary and outputs, in the runner's files; each on its own."""
        outputs = step_outputs(outcome, report_path=written.report_path, summary_path=written.summary_path)
        try:
            if not self.runner.append_summary(page):
                self.runner.debug("The step summary was not written.")
        except OSError:
            self.runner.warning("The step summary could not be written; review.md has the same text.")
        try:
            self.runner.set_outputs(outputs)
        except OSError:
            self.runner.warning("The step outputs could not be written.")

    def _write_further(self, directory: ReportDirectory, outcome: Outcome, written: Written) -> Written:
        """The reports that a run can do without, after outputs and summary: a signal leaves few seconds."""
        further, failed = write_further_reports(directory, outcome)
        for name, bug in failed.items():
            self.runner.warning(f"{name} could not be written; review.json holds everything.", log.TITLE)
            self._say_bug(bug)
        return replace(written, further=further)

    def _say_bug(self, bug: Exception) -> InternalError:
        internal = InternalError()
        internal.__cause__ = bug
        self.process.say_cause(internal)
        return internal


def _write(directory: ReportDirectory, outcome: Outcome, page: str, first_request: bytes | None) -> Written:
    """Write the artifact, the page and what a dry run would have sent; raises ``PrReviewError``.

    A request that an earlier run left is removed: it is not this run's.
    """
    from pr_review.report.artifact.build import build, to_json  # noqa: PLC0415 -- start-up: the model is asked first

    report_path = directory.write(ARTIFACT, to_json(build(outcome)).encode())
    summary_path = directory.write(SUMMARY, f"{page}\n".encode())
    request_path = _write_or_remove(directory, REQUEST, first_request or b"")
    return Written(report_path, summary_path, request_path, len(first_request or b""))


def write_further_reports(
    directory: ReportDirectory, outcome: Outcome
) -> tuple[tuple[str, ...], Mapping[str, Exception]]:
    """Write the other reports, each on its own: the paths, and by name what kept one from being written."""
    paths, failed = [], {}
    for each in FORMATS:
        if not each.file or each.file == SUMMARY:
            continue
        try:
            paths.append(_write_or_remove(directory, each.file, each.render(outcome).encode()))
        except Exception as problem:  # noqa: BLE001 -- a report that fails must not take the others with it
            failed[each.file] = problem
            with suppress(PrReviewError):
                directory.remove(each.file)  # of an earlier run
    return tuple(filter(None, paths)), failed


def _write_or_remove(directory: ReportDirectory, name: str, data: bytes) -> str:
    """The path; nothing to say leaves no file, also none of an earlier run."""
    if data:
        return directory.write(name, data)
    directory.remove(name)
    return ""
