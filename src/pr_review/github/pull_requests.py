"""GitHub's word on a pull request: metadata, merge base, changed files.

The answers are validated by the models that read events, so both are understood by the same code.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pr_review.domain.change import Diff, FileStatus, PullRequest
from pr_review.github.api_errors import BAD_RESPONSE
from pr_review.github.client import GitHubApi
from pr_review.github.event import ReviewRequest, describe
from pr_review.github.payloads import ComparisonPayload, FilePayload, FilesPayload, PullPayload

READ_PULLS = "pull-requests: read"
READ_CONTENTS = "contents: read"
COMPARE_FILES = 300  # GitHub's compare lists no more, all on the first page
PULL_FILES = 3000  # GitHub lists no more of a pull request
PAGE = 100
SHOWN_NAMES = 5


class ListedFile(NamedTuple):
    """A changed file as GitHub lists it; ``previous`` is set for a rename only."""

    path: str
    previous: str | None


class ListedFiles(NamedTuple):
    """GitHub's list; ``truncated``: it has more than it lists."""

    files: tuple[ListedFile, ...]
    truncated: bool


class GitHubPulls:
    """Reads pull requests of the server behind ``api``; every method raises ``HostError``.

    ``server_url`` is the runner's ``GITHUB_SERVER_URL``, for canonical URLs.
    """

    def __init__(self, api: GitHubApi, server_url: str) -> None:
        self._api = api
        self._server_url = server_url
        self._comparisons: dict[str, ComparisonPayload] = {}

    def complete(self, request: ReviewRequest) -> ReviewRequest:
        """The request with GitHub's present record of its pull request and the facts around it."""
        path = f"/repos/{request.owner}/{request.repository}/pulls/{request.number}"
        completed = describe(request, self._api.get(path, PullPayload, READ_PULLS), self._server_url)
        if completed.pull_request is None:
            raise BAD_RESPONSE.error()
        return completed

    def merge_base(self, owner: str, repository: str, base: str, head: str) -> str:
        """The merge base of two commits, both given as 40 hex digits."""
        return self._compare(owner, repository, base, head).merge_base_commit.sha

    def changed_files(self, pull: PullRequest) -> ListedFiles:
        """The files changed between the record's two commits.

        Compare speaks of exactly these commits but lists 300 files; the list of the pull request goes to
        3,000 and speaks of its present head, so it serves only while that is still the same.
        """
        files = self._compare(pull.owner, pull.repository, pull.base_sha, pull.head_sha).files
        if len(files) < COMPARE_FILES:
            return _listed(files, truncated=False)
        path = f"/repos/{pull.owner}/{pull.repository}/pulls/{pull.number}"
        if self._api.get(path, PullPayload, READ_PULLS).head.sha != pull.head_sha:
            return _listed(files, truncated=True)
        pages: list[FilePayload] = []
        for page in range(1, PULL_FILES // PAGE + 1):
            found = self._api.get(f"{path}/files", FilesPayload, READ_PULLS, page=page, per_page=PAGE).items
            pages += found
            if len(found) < PAGE:
                return _listed(pages, truncated=False)
        return _listed(pages, truncated=True)

    def _compare(self, owner: str, repository: str, base: str, head: str) -> ComparisonPayload:
        path = f"/repos/{owner}/{repository}/compare/{base}...{head}"
        if path not in self._comparisons:
            # One commit a page: the list of commits is of no use here, the files come with the first page.
            self._comparisons[path] = self._api.get(
                path, ComparisonPayload, READ_CONTENTS, page=1, per_page=1
            )
        return self._comparisons[path]


def cross_check(diff: Diff, listed: ListedFiles) -> tuple[str, ...]:
    """Notes on where GitHub's list and the local diff differ; the diff is the truth (DESIGN run step 3).

    Both sides may see a rename or a deletion with an addition, so a rename counts as its two names. Names
    that are not UTF-8 or hold a backslash are no difference: each side writes them in its own way.
    """
    local = {
        name
        for file in diff.files
        for name in (file.path, file.old_path if file.status is FileStatus.RENAMED else None)
    }
    remote = {name for file in listed.files for name in file}
    notes = [_note("GitHub lists {} that the local diff does not have: {}.", remote - local)]
    if listed.truncated:
        notes.append(f"GitHub lists only {len(listed.files)} changed files of this pull request.")
    else:
        notes.append(_note("The local diff has {} that GitHub does not list: {}.", local - remote))
    return tuple(note for note in notes if note)


def _note(template: str, names: set[str | None]) -> str:
    plain = sorted(name for name in names if name and name.isprintable() and not {"\\", "\ufffd"} & {*name})
    if not plain:
        return ""
    shown = ", ".join(plain[:SHOWN_NAMES]) + (", …" if len(plain) > SHOWN_NAMES else "")
    return template.format(f"{len(plain)} changed file{'s' if len(plain) > 1 else ''}", shown)


def _listed(files: Sequence[FilePayload], *, truncated: bool) -> ListedFiles:
    names = (
        ListedFile(file.filename, file.previous_filename if file.status == FileStatus.RENAMED else None)
        for file in files
    )
    return ListedFiles(tuple(names), truncated)
