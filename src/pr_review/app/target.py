"""What a run reviews: from GitHub's event, or from a local repository."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pr_review.app.deadline import Deadline
from pr_review.config.settings import Settings
from pr_review.domain.change import Diff, PullRequest
from pr_review.errors import HostError
from pr_review.git.fetch import FetchSource
from pr_review.git.object_store import resolve_ref
from pr_review.git.workspace import find_top
from pr_review.github.client import GitHubClient
from pr_review.github.event import ReviewRequest, load_event
from pr_review.github.pull_requests import GitHubPulls, cross_check
from pr_review.review.filters import check_wanted

GITHUB = "https://github.com"
GITHUB_API = "https://api.github.com"


@dataclass(frozen=True)
class ReviewTarget:
    """What is reviewed: the checkout to read, the pull request, and where missing commits come from.

    ``github`` answers what git cannot tell; None for a local review. ``has_listed_files``: GitHub's own list
    of changed files can be asked for. ``without_secrets``: GitHub gives this event no secrets.
    """

    workspace: Path
    pull_request: PullRequest
    source: FetchSource | None = None
    github: GitHubPulls | None = None
    has_listed_files: bool = False
    without_secrets: bool = False

    def close(self) -> None:
        """Close the connection to GitHub; can be called repeatedly."""
        if self.github:
            self.github.close()


def target_of_event(
    settings: Settings, environ: Mapping[str, str], workspace: Path, deadline: Deadline
) -> ReviewTarget:
    """The pull request that the runner's event or the ``pull-request`` input names.

    Raises ``Skipped`` when there is none or a filter applies, ``ConfigError`` or ``HostError`` otherwise.
    """
    server = environ.get("GITHUB_SERVER_URL") or GITHUB
    request = _read_request(settings, environ, server)
    github = _open_github(settings, environ, server, deadline)
    request = request if request.pull_request else github.complete(request)
    pull = request.pull_request
    if pull is None:
        raise HostError("incomplete_pull_request", "GitHub did not describe the pull request.", "Run again.")
    check_wanted(request, pull.author, settings)
    return ReviewTarget(
        workspace=(workspace / settings.path).resolve(),
        pull_request=pull,
        source=FetchSource(url=f"{server}/{pull.owner}/{pull.repository}", token=settings.github_token),
        github=github,
        has_listed_files=settings.github_token is not None,
        without_secrets=_without_secrets(request),
    )


def target_of_repository(
    repository: Path, base: str, head: str, environ: Mapping[str, str], deadline: Deadline
) -> ReviewTarget:
    """A pull request made up from two refs of a local repository; GitHub is not asked.

    ``repository`` is the absolute path of a folder in it.
    """
    repository = find_top(repository, os.geteuid())
    base_sha, head_sha = (
        resolve_ref(repository, ref, env=environ, remaining=deadline.remaining) for ref in (base, head)
    )
    pull = PullRequest(
        url="",
        owner="",
        repository=repository.name,
        number=0,
        title=f"{head} into {base}",
        body="",
        author="",
        base_ref=base,
        head_ref=head,
        base_sha=base_sha,
        head_sha=head_sha,
    )
    return ReviewTarget(workspace=repository, pull_request=pull)


def cross_check_files(target: ReviewTarget, diff: Diff) -> tuple[str, ...]:
    """Notes on where the diff and GitHub's list differ; that GitHub cannot be asked is a note, too."""
    if target.github is None:
        return ()
    try:
        return cross_check(diff, target.github.changed_files(target.pull_request))
    except HostError as error:
        return (f"The changed files were not compared with GitHub's list: {error.detail}",)


def _read_request(settings: Settings, environ: Mapping[str, str], server: str) -> ReviewRequest:
    event_path = environ.get("GITHUB_EVENT_PATH")
    return load_event(
        environ.get("GITHUB_EVENT_NAME", ""),
        Path(event_path) if event_path else None,
        pull_request=settings.pull_request,
        server_url=server,
        repository=environ.get("GITHUB_REPOSITORY", ""),
    )


def _open_github(
    settings: Settings, environ: Mapping[str, str], server: str, deadline: Deadline
) -> GitHubPulls:
    client = GitHubClient(
        environ.get("GITHUB_API_URL") or GITHUB_API,
        settings.github_token,
        remaining=deadline.remaining,
        sleep=deadline.sleeps.blocking,
        authorities=environ.get("SSL_CERT_FILE") or environ.get("SSL_CERT_DIR"),
    )
    return GitHubPulls(client, server)


def _without_secrets(request: ReviewRequest) -> bool:
    """GitHub withholds secrets from forks and from Dependabot, except under ``pull_request_target``."""
    return request.kind == "pull_request" and (request.is_fork or request.is_dependabot)
