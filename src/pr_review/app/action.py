"""``pr-review action``: what the container runs, spoken to by GitHub's runner."""

from pathlib import Path

from pr_review.actions.runner import Runner
from pr_review.app import log
from pr_review.app.deadline import Deadline
from pr_review.app.process import Process
from pr_review.app.reports import ReportPlace, Written
from pr_review.app.session import Session
from pr_review.app.target import target_of_event
from pr_review.config.settings import Settings
from pr_review.domain.run import Outcome
from pr_review.errors import ConfigError, PrReviewError
from pr_review.report.annotations import build as build_annotations

TIMEOUT_SECONDS = 900  # until the settings are read


def run_action(process: Process) -> int:
    """Review what the event names and report on every way out; returns the exit code.

    Raises ``ConfigError`` without a workspace: there is no place for a report then.
    """
    if not process.environ.get("GITHUB_WORKSPACE"):
        raise ConfigError(
            "no_workspace",
            "GITHUB_WORKSPACE is not set, so there is no checkout to review.",
            "Run as a workflow step after actions/checkout, or use `pr-review local`.",
        )
    runner = Runner.from_environ(process.environ, process.stdout, process.random_hex)
    workspace = Path(process.environ["GITHUB_WORKSPACE"]).resolve()

    def show(outcome: Outcome, written: Written) -> None:
        count = len(outcome.review.findings) if outcome.review else 0
        runner.log(f"conclusion: {outcome.conclusion}, findings: {count}, report: {written.report_path}")
        if session.known.settings is None or session.known.settings.annotations:
            _annotate(runner, outcome)
        if written.request:
            runner.log(f"request: {written.request}")
        log.say_end(runner, outcome)

    place = ReportPlace(workspace, process.random_hex)
    session = Session(process, runner, place, show, Deadline.after(TIMEOUT_SECONDS, process.clock))
    try:
        settings = Settings.from_mapping(process.environ)
    except PrReviewError as error:
        return session.finish(error)
    runner.mask(settings.secrets)
    for note in settings.notes:
        runner.warning(note)
    session.deadline = Deadline.after(settings.timeout_seconds, process.clock)
    return session.review(
        settings,
        lambda: target_of_event(settings, process.environ, workspace, session.deadline, process.sleep),
    )


def _annotate(runner: Runner, outcome: Outcome) -> None:
    """Show findings in the diff, as far as the runner does."""
    annotations = build_annotations(outcome)
    speak = {"error": runner.error, "warning": runner.warning, "notice": runner.notice}
    for level, message, properties in annotations.shown:
        speak[level](message, properties)
    if annotations.left_out:
        runner.log(
            f"{annotations.left_out} more findings are not annotated; the job summary has all of them."
        )
