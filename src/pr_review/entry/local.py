"""``pr-review local``: the same review over a local repository, printed as text."""

from pr_review.domain.run import Outcome
from pr_review.entry.deadline import Deadline
from pr_review.entry.reports import ReportPlace, Written
from pr_review.entry.session import Session
from pr_review.entry.settings import Settings
from pr_review.entry.subject import subject_of_repository
from pr_review.entry.surroundings import Surroundings
from pr_review.host.runner import Runner
from pr_review.report import terminal


def run_local(around: Surroundings, *, repository: str, base: str, head: str, color: bool) -> int:
    """Review ``base..head`` of a repository; reports go below the working directory.

    Returns the exit code; raises ``ConfigError`` for settings that cannot be used.
    """
    settings = Settings.from_mapping(around.environ)
    deadline = Deadline.after(settings.timeout_seconds, around.clock)

    def show(outcome: Outcome, written: Written) -> None:
        around.say(terminal.render(outcome, color=color))
        for path in filter(None, (written.report_path, *written.further)):
            around.say(f"report: {path}")
        if written.request:
            around.say(f"request: {written.request}")

    place = ReportPlace(around.cwd, around.random_hex)
    session = Session(around, Runner(around.stderr, around.random_hex), place, show, deadline)
    path = (around.cwd / repository).resolve()
    return session.review(settings, lambda: subject_of_repository(path, base, head, around.environ, deadline))
