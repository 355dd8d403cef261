"""Fetches commits into the store: by id, without history, with the token in the environment only."""

import base64
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import SecretStr

from pr_review.errors import RepositoryError
from pr_review.git.command import Completed, Git

OPTIONS = (
    "--quiet",
    "--no-progress",
    "--depth=1",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
)

# What git prints (LC_ALL=C), in this order: code, sentence, advice.
FAILURES = (
    (
        (b"Authentication failed", b"could not read Username", b"error: 401", b"error: 403", b"not found"),
        (
            "fetch_denied",
            "The server refused to give the pull request's commits.",
            "Give a github-token that may read this repository (permissions: contents: read).",
        ),
    ),
    (
        (b"not our ref", b"unadvertised object", b"couldn't find remote ref"),
        (
            "commit_not_found",
            "The server does not know the pull request's commits.",
            "The branch may have been force-pushed: run the review again for the new head.",
        ),
    ),
    (
        (b"unable to access", b"Could not resolve", b"Failed to connect", b"timed out"),
        (
            "fetch_unreachable",
            "The server could not be reached to fetch the pull request's commits.",
            "Check the network and proxy, or add `with:` and `fetch-depth: 0` to the checkout step.",
        ),
    ),
)
UNKNOWN = (
    "fetch_failed",
    "Fetching the pull request's commits failed.",
    "Add `with:` and `fetch-depth: 0` to the checkout step, or run again with debug logging (--debug).",
)


@dataclass(frozen=True)
class FetchSource:
    """Where missing commits come from: an https (or, on loopback, http) URL, and a read-only token."""

    url: str
    token: SecretStr | None = None


def fetch_commits(git: Git, source: FetchSource, wants: tuple[str, ...], have: str | None) -> Completed:
    """Fetch ``wants`` (ids or refs) at depth 1, offering ``have`` as the one commit that is already here."""
    negotiation = (f"--negotiation-tip={have}",) if have else ("--refetch",)
    return git.call("fetch", *OPTIONS, *negotiation, "--", source.url, *wants, config=credentials(source))


def credentials(source: FetchSource) -> dict[str, str]:
    """Git configuration that sends the token to the source's host only, as actions/checkout does."""
    if source.token is None:
        return {}
    url = urlsplit(source.url)
    basic = base64.b64encode(f"x-access-token:{source.token.get_secret_value()}".encode()).decode()
    return {f"http.{url.scheme}://{url.netloc}/.extraheader": f"Authorization: Basic {basic}"}


def fetch_error(done: Completed) -> RepositoryError:
    """The error for a failed fetch; git's own words are not part of it."""
    known = (error for marks, error in FAILURES if any(mark in done.stderr for mark in marks))
    return RepositoryError(*next(known, UNKNOWN))
