"""``pr-review local``: the same review over a local repository, printed as text."""

from pr_review.actions.runner import Runner
from pr_review.app.deadline import Deadline
from pr_review.app.process import Process
from pr_review.app.reports import ReportPlace, Written
from pr_review.app.session import Session
from pr_review.app.target import target_of_repository
from pr_review.config.settings import Settings
from pr_review.domain.run import Outcome
from pr_review.report import terminal


def run_local(process: Process, *, repository: str, base: str, head: str, color: bool) -> int:
    """Review ``base..head`` of a repository; reports go below the working directory.

    Returns the exit code; raises ``ConfigError`` for settings that cannot be used.
    """
    settings = Settings.from_mapping(process.environ)
    deadline = Deadline.after(settings.timeout_seconds, process.clock)

    def show(outcome: Outcome, written: Written) -> None:
        process.say(terminal.render(outcome, color=color))
        for path in filter(None, (written.report_path, *written.further)):
            process.say(f"report: {path}")
        if written.request:
            process.say(f"request: {written.request}")

    place = ReportPlace(process.cwd, process.random_hex)
    session = Session(process, Runner(process.stderr, process.random_hex), place, show, deadline)
    path = (process.cwd / repository).resolve()
    return session.review(settings, lambda: target_of_repository(path, base, head, process.environ, deadline))
