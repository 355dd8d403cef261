"""One run with everything around it: a deadline, signals, a log, and reports on every way out."""

from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from pr_review.actions.output_directory import ReportDirectory
from pr_review.actions.runner import Runner
from pr_review.app import log, signals
from pr_review.app.baseline import load_baseline
from pr_review.app.deadline import Deadline
from pr_review.app.process import Process
from pr_review.app.reports import (
    ReportPlace,
    Written,
    write_further_reports,
    write_reports,
)
from pr_review.app.run import ReviewRun
from pr_review.app.run_state import RunState
from pr_review.app.supervise import supervise
from pr_review.app.target import ReviewTarget
from pr_review.config.settings import Settings
from pr_review.domain.output_dir import DEFAULT_OUTPUT_DIR
from pr_review.domain.run import Conclusion, Outcome, Turn
from pr_review.errors import InternalError, PrReviewError
from pr_review.masking.redact import redact
from pr_review.report.step_outputs import step_outputs
from pr_review.review.conclusion import exit_code


@dataclass
class Session:
    """One run; ``known`` is what its reports are made of, ``show`` prints the result for its reader.

    ``place`` is where its reports go.
    """

    process: Process
    runner: Runner
    place: ReportPlace
    show: Callable[[Outcome, Written], None]
    deadline: Deadline
    known: RunState = field(default_factory=RunState)

    def review(self, settings: Settings, find_target: Callable[[], ReviewTarget]) -> int:
        """Review under one deadline and one signal receiver; returns the exit code."""
        run = ReviewRun(
            settings=settings,
            environ=self.process.environ,
            scratch=self.process.scratch(settings.workspace_root),
            deadline=self.deadline,
            on_turn=self._on_turn,
            on_prepared=self._on_prepared,
            known=self.known,
            today=self.process.today,
        )
        return anyio.run(supervise, run, find_target, self.finish)

    def finish(self, error: PrReviewError | None) -> int:
        """Write every report of what is known, whatever ended the run; returns the exit code."""
        try:
            return self._report(error)
        except Exception as bug:  # noqa: BLE001 -- the border of reporting: a bug here must leave a report too
            internal = self._say_bug(bug)
            signals.report(self.process.environ, internal)
            return internal.exit_code

    def _report(self, error: PrReviewError | None) -> int:
        settings = self.known.settings
        outcome = redact(
            self.known.outcome(error, self.deadline.elapsed_ms()), settings.secrets if settings else ()
        )
        from pr_review.report import summary  # noqa: PLC0415 -- start-up: the model is asked first

        page = summary.render(outcome)
        written, problem = self._write(outcome, page)
        self._publish(outcome, page, written)
        self.show(outcome, self._write_further(outcome, written))
        if error:
            self.process.say_cause(error)
        if problem is None or problem is error:
            return outcome.exit_code
        self.runner.error(f"[{problem.code}] {problem.detail}", log.TITLE)
        return outcome.exit_code or exit_code(Conclusion.FAILED, problem, settings)

    def _write(self, outcome: Outcome, page: str) -> tuple[Written, PrReviewError | None]:
        """The reports' paths, and what went wrong with the configured folder."""
        try:
            directory = self._choose_place()
            return write_reports(directory, outcome, page, self.known.first_request), self.place.problem
        except PrReviewError as problem:
            return Written(), problem

    def _write_further(self, outcome: Outcome, written: Written) -> Written:
        """The reports that a run can do without, after outputs and summary: a signal leaves few seconds."""
        if not written.report_path:
            return written
        complete = write_further_reports(self._choose_place(), outcome, written)
        for name, bug in complete.failed.items():
            self.runner.warning(f"{name} could not be written; review.json holds everything.", log.TITLE)
            self._say_bug(bug)
        return complete

    def _say_bug(self, bug: Exception) -> InternalError:
        internal = InternalError()
        internal.__cause__ = bug
        self.process.say_cause(internal)
        return internal

    def _choose_place(self) -> ReportDirectory:
        settings = self.known.settings
        given = self.process.environ.get("INPUT_OUTPUT-DIR", "").strip()
        output_dir = settings.output_dir if settings else given or DEFAULT_OUTPUT_DIR
        return self.place.choose(output_dir, self.known.is_tracked)

    def _check_output(self) -> None:
        """Refuse a hostile output folder before anything is spent (decision 17)."""
        self._choose_place()
        if self.place.problem:
            raise self.place.problem

    def _load_baseline(self) -> None:
        """Read what to compare with, also before anything is spent: a place that can be forged is refused."""
        settings, pull_request = self.known.settings, self.known.pull_request
        if settings and settings.baseline and pull_request:
            self.known.baseline, notes = load_baseline(
                self.place.workspace, settings.baseline, pull_request, self.known.is_tracked
            )
            self.known.notes.extend(notes)

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

    def _on_turn(self, turn: Turn) -> None:
        log.say_turn(self.runner, turn, self.deadline.remaining())

    def _on_prepared(self) -> None:
        log.say_prepared(self.runner, self.known)
        self._check_output()
        self._load_baseline()
