"""``pr-review render``: a report from the artifact alone."""

from pr_review.actions.commands import neutralise
from pr_review.actions.runner import Runner
from pr_review.app.process import Process
from pr_review.errors import ConfigError
from pr_review.report.artifact.load import MAX_ARTIFACT_BYTES, load
from pr_review.report.formats import BY_NAME


def render_artifact(process: Process, path: str, kind: str) -> None:
    """Print the report of ``kind`` for the artifact at ``path`` (``-``: standard input).

    Raises ``ConfigError`` for what is no artifact.
    """
    outcome = load(_read(process, path))
    text = BY_NAME[kind].render(outcome)
    if not text:  # a patch without suggestions
        process.stderr.write("There are no suggestions to apply.\n")
    elif kind != "patch":
        process.say(text.rstrip("\n"))
    elif process.stdout.isatty():
        process.say(neutralise(text))
    else:  # a patch cannot be escaped, because its lines are the file's
        Runner.from_environ(process.environ, process.stdout, process.random_hex).log_exactly(text)


def _read(process: Process, path: str) -> bytes:
    try:
        if path == "-":
            return process.stdin.read(MAX_ARTIFACT_BYTES + 1)
        with (process.cwd / path).open("rb") as file:
            return file.read(MAX_ARTIFACT_BYTES + 1)
    except OSError as error:
        raise ConfigError(
            "unreadable_artifact", "The file cannot be read.", "Give an existing file."
        ) from error
