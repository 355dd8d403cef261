"""Fetches commits by id and without history into the object store."""

import base64
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import SecretStr

from pr_review.errors import RepositoryError
from pr_review.git.command import Git, GitResult

OPTIONS = (
    "--quiet",
    "--no-progress",
    "--depth=1",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
)

# What git prints (with LC_ALL=C), and the error for it: code, sentence, advice. The first match counts.
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
    """The server that has the missing commits: its URL (https, or http on loopback) and a read-only token."""

    url: str
    token: SecretStr | None = None


def fetch_commits(git: Git, source: FetchSource, wants: tuple[str, ...], have: str | None) -> GitResult:
    """Fetch ``wants`` (ids or refs) at depth 1. ``have`` is a commit that the server need not send."""
    negotiation = (f"--negotiation-tip={have}",) if have else ("--refetch",)
    return git.call("fetch", *OPTIONS, *negotiation, "--", source.url, *wants, config=credentials(source))


def credentials(source: FetchSource) -> dict[str, str]:
    """Return git configuration that sends the token only to the host of the source, like actions/checkout."""
    if source.token is None:
        return {}
    url = urlsplit(source.url)
    basic = base64.b64encode(f"x-access-token:{source.token.get_secret_value()}".encode()).decode()
    return {f"http.{url.scheme}://{url.netloc}/.extraheader": f"Authorization: Basic {basic}"}


def fetch_error(result: GitResult) -> RepositoryError:
    """The error for a failed fetch. It holds no text that git printed."""
    known = (error for marks, error in FAILURES if any(mark in result.stderr for mark in marks))
    return RepositoryError(*next(known, UNKNOWN))
