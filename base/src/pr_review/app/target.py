"""What a run reviews."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pr_review.domain.change import Diff, PullRequest
from pr_review.errors import HostError
from pr_review.git.fetch import FetchSource

if TYPE_CHECKING:
    from pr_review.github.pull_requests import GitHubPulls


@dataclass(frozen=True)
class ReviewTarget:
    """What is reviewed: the checkout to read, the pull request, and where missing commits come from.

    ``github`` answers what git cannot tell; None for a local review. ``has_listed_files``: GitHub's own list
    of changed files can be asked for. ``without_secrets``: GitHub gives this event no secrets.
    """

    workspace: Path
    pull_request: PullRequest
    source: FetchSource | None = None
    github: "GitHubPulls | None" = None
    has_listed_files: bool = False
    without_secrets: bool = False

    def close(self) -> None:
        """Close the connection to GitHub; can be called repeatedly."""
        if self.github:
            self.github.close()


def cross_check_files(target: ReviewTarget, diff: Diff) -> tuple[str, ...]:
    """Notes on where the diff and GitHub's list differ; that GitHub cannot be asked is a note, too."""
    if target.github is None:
        return ()
    from pr_review.github.pull_requests import cross_check  # noqa: PLC0415 -- start-up: local runs need none

    try:
        return cross_check(diff, target.github.changed_files(target.pull_request))
    except HostError as error:
        return (f"The changed files were not compared with GitHub's list: {error.detail}",)
