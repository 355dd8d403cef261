"""One run with everything around it: a deadline, signals, a log, and reports on every way out."""

from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from pr_review.domain.run import Conclusion, Outcome
from pr_review.entry import signals
from pr_review.entry.conclusion import exit_code
from pr_review.entry.deadline import Deadline
from pr_review.entry.known import Known
from pr_review.entry.redact import redact
from pr_review.entry.reports import DEFAULT_OUTPUT_DIR, ReportPlace, Written, write_reports
from pr_review.entry.run import ReviewRun
from pr_review.entry.settings import Settings
from pr_review.entry.subject import Subject
from pr_review.entry.supervise import supervise
from pr_review.entry.surroundings import Surroundings
from pr_review.errors import InternalError, PrReviewError
from pr_review.host.runner import Runner, step_outputs
from pr_review.report import summary
from pr_review.report.files import ReportDirectory
from pr_review.review.loop import Progress

TITLE = {"title": "pr-review"}


@dataclass
class Session:
    """One run; ``known`` is what its reports are made of, ``show`` prints the result for its reader.

    ``place`` is where its reports go.
    """

    around: Surroundings
    runner: Runner
    place: ReportPlace
    show: Callable[[Outcome, Written], None]
    deadline: Deadline
    known: Known = field(default_factory=Known)

    def review(self, settings: Settings, find_subject: Callable[[], Subject]) -> int:
        """Review under one deadline and one signal receiver; returns the exit code."""
        run = ReviewRun(
            settings=settings,
            environ=self.around.environ,
            scratch=self.around.scratch(settings.workspace_root),
            deadline=self.deadline,
            on_turn=self._say_turn,
            on_prepared=self._check_output,
            known=self.known,
        )
        return anyio.run(supervise, run, find_subject, self.finish)

    def finish(self, error: PrReviewError | None) -> int:
        """Write every report of what is known, whatever ended the run; returns the exit code."""
        try:
            return self._report(error)
        except Exception as bug:  # noqa: BLE001 -- the border of reporting: a bug here must leave a report too
            internal = InternalError()
            internal.__cause__ = bug
            signals.report(self.around.environ, internal)
            self.around.say_cause(internal)
            return internal.exit_code

    def _report(self, error: PrReviewError | None) -> int:
        settings = self.known.settings
        outcome = redact(
            self.known.outcome(error, self.deadline.elapsed_ms()), settings.secrets if settings else ()
        )
        page = summary.render(outcome)
        written, problem = self._write(outcome, page)
        self._publish(outcome, page, written)
        self._say_end(outcome, error, written)
        if problem is None or problem is error:
            return outcome.exit_code
        self.runner.error(f"[{problem.code}] {problem.detail}", TITLE)
        return outcome.exit_code or exit_code(Conclusion.FAILED, None, problem, settings)

    def _write(self, outcome: Outcome, page: str) -> tuple[Written, PrReviewError | None]:
        """The reports' paths, and what went wrong with the configured folder."""
        try:
            directory = self._choose_place()
            return write_reports(directory, outcome, page, self.known.first_request), self.place.problem
        except PrReviewError as problem:
            return Written(), problem

    def _choose_place(self) -> ReportDirectory:
        settings = self.known.settings
        given = self.around.environ.get("INPUT_OUTPUT-DIR", "").strip()
        output_dir = settings.output_dir if settings else given or DEFAULT_OUTPUT_DIR
        return self.place.choose(output_dir, self.known.is_tracked)

    def _check_output(self) -> None:
        """Refuse a hostile output folder before anything is spent (decision 17)."""
        self._choose_place()
        if self.place.problem:
            raise self.place.problem

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

    def _say_turn(self, progress: Progress) -> None:
        tokens = progress.usage.total_tokens if progress.usage else None
        self.runner.log(
            f"round {progress.round}: {progress.action.value}, tool calls: {progress.calls}, "
            f"result bytes: {progress.result_bytes}, tokens: {'unknown' if tokens is None else tokens}, "
            f"seconds left: {self.deadline.remaining():.0f}"
        )

    def _say_end(self, outcome: Outcome, error: PrReviewError | None, written: Written) -> None:
        self.show(outcome, written)
        if error:
            self._level(outcome)(f"[{error.code}] {error.detail} {error.advice}".strip(), TITLE)
            self.around.say_cause(error)
        elif outcome.conclusion is Conclusion.INCOMPLETE:
            self.runner.warning(
                "[incomplete] Some changed code was not reviewed; the report lists it.", TITLE
            )

    def _level(self, outcome: Outcome) -> Callable[[str, dict[str, str]], None]:
        if outcome.conclusion is Conclusion.SKIPPED:
            return self.runner.notice
        return self.runner.error if outcome.exit_code else self.runner.warning
