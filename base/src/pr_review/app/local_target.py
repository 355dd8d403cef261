"""A pull request made up from two refs of a local repository."""

import os
from collections.abc import Mapping
from pathlib import Path

from pr_review.app.deadline import Deadline
from pr_review.app.target import ReviewTarget
from pr_review.domain.change import PullRequest
from pr_review.git.object_store import resolve_ref
from pr_review.git.workspace import find_top


def target_of_repository(
    repository: Path, base: str, head: str, environ: Mapping[str, str], deadline: Deadline
) -> ReviewTarget:
    """The change from ``base`` to ``head``; GitHub is not asked.

    ``repository`` is the absolute path of a folder in the repository. Raises ``ConfigError``.
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
