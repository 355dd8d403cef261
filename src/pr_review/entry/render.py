"""``pr-review render``: a report from the artifact alone."""

import sys
from collections.abc import Callable

from pr_review.domain.run import Outcome
from pr_review.entry.surroundings import Surroundings
from pr_review.errors import ConfigError
from pr_review.report import summary, terminal
from pr_review.report.reading import MAX_ARTIFACT_BYTES, load

RENDERERS: dict[str, Callable[[Outcome], str]] = {"md": summary.render, "text": terminal.render}


def render_artifact(around: Surroundings, path: str, kind: str) -> str:
    """The report of ``kind`` for the artifact at ``path`` (``-``: standard input); raises ``ConfigError``."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(MAX_ARTIFACT_BYTES + 1)
        else:
            with (around.cwd / path).open("rb") as file:
                data = file.read(MAX_ARTIFACT_BYTES + 1)
    except OSError as error:
        raise ConfigError(
            "unreadable_artifact", "The file cannot be read.", "Give an existing file."
        ) from error
    return RENDERERS[kind](load(data))
