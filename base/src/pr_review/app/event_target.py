"""The pull request that GitHub's runner was started for."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from pr_review.app.deadline import Deadline
from pr_review.app.target import ReviewTarget
from pr_review.config.settings import Settings
from pr_review.errors import HostError
from pr_review.git.fetch import FetchSource
from pr_review.github.client import GitHubClient
from pr_review.github.event import ReviewRequest, load_event
from pr_review.github.pull_requests import GitHubPulls
from pr_review.review.filters import check_wanted

GITHUB = "https://github.com"
GITHUB_API = "https://api.github.com"


def target_of_event(
    settings: Settings, environ: Mapping[str, str], workspace: Path, deadline: Deadline
) -> ReviewTarget:
    """The pull request that the runner's event or the ``pull-request`` input names.

    Raises ``Skipped`` when there is none or a filter applies, ``ConfigError`` or ``HostError`` otherwise.
    """
    server = environ.get("GITHUB_SERVER_URL") or GITHUB
    request = _read_request(settings, environ, server)
    github = _open_github(settings, environ, server, deadline)
    with ExitStack() as on_failure:
        on_failure.callback(github.close)
        target = _find(settings, request, github, workspace, server)
        on_failure.pop_all()
    return target


def _find(
    settings: Settings, request: ReviewRequest, github: GitHubPulls, workspace: Path, server: str
) -> ReviewTarget:
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
