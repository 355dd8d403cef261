"""``pr-review action``: what the container runs, spoken to by GitHub's runner."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio

from pr_review.actions.runner import Runner
from pr_review.app import log
from pr_review.app.cancellation import received_signals
from pr_review.app.deadline import Deadline
from pr_review.app.event_target import target_of_event
from pr_review.app.process import Process
from pr_review.app.reports import Reported, Reporter
from pr_review.app.run import Job, RunEnd, run
from pr_review.app.run_state import RunState
from pr_review.config.settings import Settings
from pr_review.domain.run import Outcome
from pr_review.errors import ConfigError, PrReviewError
from pr_review.report.annotations import build as build_annotations

TIMEOUT_SECONDS = 900  # until the settings are read


def run_action(process: Process) -> int:
    """Review what the event names and report on every way out; returns the exit code.

    Raises ``ConfigError`` without a workspace: there is no place for a report then.
    """
    workspace = _find_workspace(process)
    runner = Runner.from_environ(process.environ, process.stdout, process.random_hex)
    reporter = Reporter(process, runner, workspace, Deadline.after(TIMEOUT_SECONDS, process))
    try:
        settings = Settings.from_mapping(process.environ)
    except PrReviewError as error:
        return _report(reporter, RunEnd(RunState(), error))
    _introduce(runner, settings)
    deadline = Deadline.after(settings.timeout_seconds, process)
    find_target = partial(target_of_event, settings, process.environ, workspace, deadline)
    job = Job(settings, find_target, process, runner, workspace, deadline)
    return anyio.run(_review, job, replace(reporter, deadline=deadline))


async def _review(job: Job, reporter: Reporter) -> int:
    """Run and report while signals are received, so that a cancelled run reports, too."""
    async with received_signals() as signals:
        return _report(reporter, await run(job, signals))


def _find_workspace(process: Process) -> Path:
    workspace = process.environ.get("GITHUB_WORKSPACE")
    if not workspace:
        raise ConfigError(
            "no_workspace",
            "GITHUB_WORKSPACE is not set, so there is no checkout to review.",
            "Run as a workflow step after actions/checkout, or use `pr-review local`.",
        )
    return Path(workspace).resolve()


def _introduce(runner: Runner, settings: Settings) -> None:
    """Mask the secrets before anything else is printed; then what the settings have to say."""
    runner.mask(settings.secrets)
    for note in settings.notes:
        runner.warning(note)


def _report(reporter: Reporter, end: RunEnd) -> int:
    try:
        reported = reporter.report(end.state, end.error)
        _show(reporter.runner, reported, end.state.settings)
        return reporter.conclude(reported, end.error, end.state.settings)
    except Exception as bug:  # noqa: BLE001 -- the border of reporting: a bug must leave a report too
        return reporter.report_bug(bug)


def _show(runner: Runner, reported: Reported, settings: Settings | None) -> None:
    """Log the result, and annotate the diff unless the settings forbid it."""
    outcome, written = reported.outcome, reported.written
    count = len(outcome.review.findings) if outcome.review else 0
    runner.log(f"conclusion: {outcome.conclusion}, findings: {count}, report: {written.report_path}")
    if settings is None or settings.annotations:
        _annotate(runner, outcome)
    if written.request:
        runner.log(f"request: {written.request}")
    log.say_end(runner, outcome)


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
