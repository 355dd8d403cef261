"""``pr-review local``: the same review over a local repository, printed as text."""

from functools import partial

import anyio

from pr_review.actions.runner import Runner
from pr_review.app.cancellation import received_signals
from pr_review.app.deadline import Deadline
from pr_review.app.local_target import target_of_repository
from pr_review.app.process import Process
from pr_review.app.reports import Reported, Reporter
from pr_review.app.run import Job, RunEnd, run
from pr_review.config.settings import Settings


def run_local(process: Process, *, repository: str, base: str, head: str, color: bool) -> int:
    """Review ``base..head`` of a repository; reports go below the working directory.

    Returns the exit code; raises ``ConfigError`` for settings that cannot be used.
    """
    settings = Settings.from_mapping(process.environ)
    deadline = Deadline.after(settings.timeout_seconds, process)
    path = (process.cwd / repository).resolve()
    find_target = partial(target_of_repository, path, base, head, process.environ, deadline)
    runner = Runner(process.stderr, process.random_hex)
    reporter = Reporter(process, runner, process.cwd, deadline)
    job = Job(settings, find_target, process, runner, process.cwd, deadline)
    return anyio.run(_review, job, reporter, color)


async def _review(job: Job, reporter: Reporter, color: bool) -> int:  # noqa: FBT001 -- called by anyio
    """Run and report while signals are received, so that a cancelled run reports, too."""
    async with received_signals() as signals:
        return _report(reporter, await run(job, signals), color=color)


def _report(reporter: Reporter, end: RunEnd, *, color: bool) -> int:
    try:
        reported = reporter.report(end.state, end.error)
        _show(reporter.process, reported, color=color)
        return reporter.conclude(reported, end.error, end.state.settings)
    except Exception as bug:  # noqa: BLE001 -- the border of reporting: a bug must leave a report too
        return reporter.report_bug(bug)


def _show(process: Process, reported: Reported, *, color: bool) -> None:
    """Print the review, and where its files are."""
    from pr_review.report import terminal  # noqa: PLC0415 -- start-up: the model is asked first

    written = reported.written
    process.say(terminal.render(reported.outcome, color=color))
    for path in filter(None, (written.report_path, *written.further)):
        process.say(f"report: {path}")
    if written.request:
        process.say(f"request: {written.request}")
