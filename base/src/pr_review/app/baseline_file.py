"""The baseline: the report of an earlier review, which the workflow put into the workspace.

A place that the pull request could have filled is an error: the workflow would compare with whatever the pull
request likes. A file that is missing or cannot be used is a note, and nothing is compared: every finding is
new then, so no baseline hides one.
"""

import os
from collections.abc import Callable
from pathlib import Path

from pr_review.actions.workspace_file import UnsafePath, read_workspace_file
from pr_review.domain.change import PullRequest
from pr_review.errors import ConfigError
from pr_review.findings.baseline import Baseline, baseline_notes, take_baseline, why_unusable

_ADVICE = (
    "Set baseline to a file that a step of the workflow fetched, in a folder the repository does not track."
)


def load_baseline(
    workspace: Path, path: str | None, pull_request: PullRequest, is_tracked: Callable[[Path], bool]
) -> tuple[Baseline | None, tuple[str, ...]]:
    """The baseline at ``path`` below ``workspace``, None when there is no usable one, and notes on it.

    ``is_tracked``: the pull request's head or base tracks an absolute path, or decides what is below it.
    Raises ``ConfigError`` for a place that must not be trusted.
    """
    if path is None:
        return None, ()
    from pr_review.report.artifact.load import MAX_ARTIFACT_BYTES, load  # noqa: PLC0415 -- start-up: few have one

    if is_tracked(workspace / path):
        raise _unsafe(path, "is tracked by the repository")
    try:
        data = read_workspace_file(workspace, path, MAX_ARTIFACT_BYTES + 1)
    except UnsafePath as refusal:
        raise _unsafe(path, refusal.what) from None
    except FileNotFoundError:
        return None, (f"There is no baseline at {path}, as before the first review: every finding is new.",)
    except OSError as error:
        return None, (_unusable(path, f"it cannot be read ({os.strerror(error.errno or 0).lower()})"),)
    try:
        outcome = load(data)
    except ConfigError as error:
        return None, (_unusable(path, error.detail),)
    if problem := why_unusable(outcome, pull_request):
        return None, (_unusable(path, problem),)
    return take_baseline(outcome), tuple(baseline_notes(outcome, pull_request))


def _unusable(path: str, problem: str) -> str:
    return f"The baseline {path} is not used, so every finding is new: {problem.rstrip('.')}."


def _unsafe(path: str, what: str) -> ConfigError:
    return ConfigError("baseline_unsafe", f"The baseline {path} {what}.", _ADVICE)
