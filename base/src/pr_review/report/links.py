"""Permanent links into the repository, on the server of the pull request."""

from pathlib import PurePosixPath
from urllib.parse import quote

from pr_review.domain.change import PullRequest
from pr_review.domain.finding import Finding, Side
from pr_review.domain.run import Outcome

# GitHub renders these instead of showing lines, unless ``?plain=1`` asks for the source.
_RENDERED = frozenset({".adoc", ".asciidoc", ".markdown", ".md", ".mdown", ".mkd", ".mkdn", ".org", ".rst"})


def finding_url(outcome: Outcome, finding: Finding) -> str | None:
    """The finding's lines at the head SHA; removed lines at the merge base; None without a pull request."""
    sha, path = outcome.pull_request.head_sha if outcome.pull_request else None, finding.path
    if finding.side is Side.LEFT:
        sha, path = outcome.merge_base_sha, finding.base_path or finding.path
    repository = repository_url(outcome.pull_request)
    if repository is None or sha is None:
        return None
    plain = "?plain=1" if PurePosixPath(path).suffix.lower() in _RENDERED else ""
    return f"{repository}/blob/{quote(sha)}/{quote(path)}{plain}{_lines(finding)}"


def pull_request_url(outcome: Outcome) -> str | None:
    """The pull request's own page."""
    known = outcome.pull_request if repository_url(outcome.pull_request) else None
    return known.url if known else None


def commit_url(outcome: Outcome, sha: str) -> str | None:
    """A commit of the pull request's repository."""
    repository = repository_url(outcome.pull_request)
    return f"{repository}/commit/{quote(sha)}" if repository else None


def repository_url(pull_request: PullRequest | None) -> str | None:
    """The repository's page; None for a local review, whose pull request is on no server."""
    return pull_request.repository_url if pull_request else None


def _lines(finding: Finding) -> str:
    if finding.line is None:
        return ""
    ends = finding.end_line is not None and finding.end_line > finding.line
    return f"#L{finding.line}-L{finding.end_line}" if ends else f"#L{finding.line}"
