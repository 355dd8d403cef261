"""The baseline: the report of an earlier review, which the workflow put into the workspace.

A place that the pull request could have filled is an error: the workflow would compare with whatever the pull
request likes. A file that is missing or cannot be used is a note, and nothing is compared: every finding is
new then, so no baseline hides one.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from pr_review.actions.workspace_file import UnsafePath, read_workspace_file
from pr_review.domain.change import PullRequest
from pr_review.domain.finding import Finding
from pr_review.domain.run import MAX_FINDINGS, Outcome
from pr_review.errors import ConfigError
from pr_review.findings.baseline import Baseline
from pr_review.report.links import repository_url

MAX_KNOWN = 4 * MAX_FINDINGS  # what reviews did not see again is carried on, but not without end

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
    if problem := _find_problem(outcome, pull_request):
        return None, (_unusable(path, problem),)
    return _take(outcome), tuple(_notes(outcome, pull_request))


def _find_problem(outcome: Outcome, pull_request: PullRequest) -> str:
    """Why a report cannot be compared with; "" when it can. A local review belongs to no server."""
    if outcome.pull_request is None or (outcome.review is None and outcome.comparison is None):
        return "it is of a run that ended before its review"
    here = repository_url(pull_request)
    if here and (repository_url(outcome.pull_request) or "").casefold() != here.casefold():
        return "it is of another repository"
    return ""


def _take(outcome: Outcome) -> Baseline:
    known = list(_known(outcome).values())[:MAX_KNOWN]
    head_sha = outcome.pull_request.head_sha if outcome.pull_request else ""
    return Baseline(head_sha, tuple(found.model_copy(update={"edit": None}) for found in known))


def _known(outcome: Outcome) -> dict[str, Finding]:
    """All that the earlier review knew, by fingerprint, what it reported first."""
    reported = outcome.review.findings if outcome.review else ()
    silenced = [each.finding for each in outcome.review.suppressed] if outcome.review else []
    carried = outcome.comparison.not_seen if outcome.comparison else ()
    by_fingerprint: dict[str, Finding] = {}
    for found in (*reported, *silenced, *carried):
        if found.fingerprint:
            by_fingerprint.setdefault(found.fingerprint, found)
    return by_fingerprint


def _notes(outcome: Outcome, pull_request: PullRequest) -> Iterator[str]:
    number = outcome.pull_request.number if outcome.pull_request else 0
    if pull_request.number and number != pull_request.number:
        yield f"The baseline is of pull request {number}, not of this one."
    if (surplus := len(_known(outcome)) - MAX_KNOWN) > 0:
        yield f"The baseline knows {surplus} findings more than are kept; those are new if they are found."


def _unusable(path: str, problem: str) -> str:
    return f"The baseline {path} is not used, so every finding is new: {problem.rstrip('.')}."


def _unsafe(path: str, what: str) -> ConfigError:
    return ConfigError("baseline_unsafe", f"The baseline {path} {what}.", _ADVICE)
