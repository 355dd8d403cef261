"""Asks GitHub for the metadata, the merge base and the changed files of a pull request.

The payload models of events also validate these answers.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from pr_review.domain.change import Diff, FileStatus, PullRequest
from pr_review.github.api_errors import BAD_RESPONSE
from pr_review.github.client import PAGE_ITEMS, GitHubClient
from pr_review.github.event import ReviewRequest, with_payload
from pr_review.github.payloads import ComparisonPayload, FilePayload, FilesPayload, PullPayload

if TYPE_CHECKING:
    from github import Github

READ_PULLS = "pull-requests: read"
READ_CONTENTS = "contents: read"
COMPARE_FILES = 300  # the most files in a comparison, all on its first page
PULL_FILES = 3000  # the most files that GitHub lists of a pull request
SHOWN_NAMES = 5


class ListedFile(NamedTuple):
    """A changed file in GitHub's list. ``previous`` is set for a rename only."""

    path: str
    previous: str | None


class ListedFiles(NamedTuple):
    """GitHub's list of changed files. ``truncated``: there may be more files than it lists."""

    files: tuple[ListedFile, ...]
    truncated: bool


class GitHubPulls:
    """Reads pull requests through ``client``. Every method raises ``HostError``.

    ``server_url`` is the runner's ``GITHUB_SERVER_URL``; canonical URLs start with it.
    """

    def __init__(self, client: GitHubClient, server_url: str) -> None:
        self._client = client
        self._server_url = server_url
        self._comparisons: dict[tuple[str, str, str], ComparisonPayload] = {}

    def close(self) -> None:
        """Close the connection of the client. Idempotent."""
        self._client.close()

    def complete(self, request: ReviewRequest) -> ReviewRequest:
        """Return the request with GitHub's present record of its pull request."""
        payload = self._read_pull(f"{request.owner}/{request.repository}", request.number)
        completed = with_payload(request, payload, self._server_url)
        if completed.pull_request is None:
            raise BAD_RESPONSE.error()
        return completed

    def merge_base(self, owner: str, repository: str, base: str, head: str) -> str:
        """Return the merge base of two commits; all commits are 40 hex digits."""
        return self._compare(f"{owner}/{repository}", base, head).merge_base_commit.sha

    def changed_files(self, pull: PullRequest) -> ListedFiles:
        """Return the files changed between the two commits of the record.

        A comparison is about exactly these commits but lists 300 files. The list of the pull request goes to
        3,000 files but is about its present head, so it is used only while the head is the same.
        """
        repository = f"{pull.owner}/{pull.repository}"
        files = self._compare(repository, pull.base_sha, pull.head_sha).files
        if len(files) < COMPARE_FILES:
            return _listed(files, truncated=False)
        if self._read_pull(repository, pull.number).head.sha != pull.head_sha:
            return _listed(files, truncated=True)
        pages: list[FilePayload] = []
        for index in range(PULL_FILES // PAGE_ITEMS):
            page = self._read_page(repository, pull.number, index)
            pages += page
            if len(page) < PAGE_ITEMS:
                return _listed(pages, truncated=False)
        return _listed(pages, truncated=True)

    def _read_pull(self, repository: str, number: int) -> PullPayload:
        def request(github: "Github") -> object:
            return github.get_repo(repository).get_pull(number).raw_data

        return self._client.read(PullPayload, request, needs=READ_PULLS)

    def _read_page(self, repository: str, number: int, index: int) -> list[FilePayload]:
        """Return one page of the files of a pull request; pages count from 0."""

        def request(github: "Github") -> object:
            page = github.get_repo(repository).get_pull(number).get_files().get_page(index)
            return {"items": [file.raw_data for file in page]}

        return self._client.read(FilesPayload, request, needs=READ_PULLS).items

    def _compare(self, repository: str, base: str, head: str) -> ComparisonPayload:
        def request(github: "Github") -> object:
            # One commit a page: the files are all on the first page, and the list of commits is not used.
            return github.get_repo(repository).compare(base, head, comparison_commits_per_page=1).raw_data

        key = (repository, base, head)
        if key not in self._comparisons:
            self._comparisons[key] = self._client.read(ComparisonPayload, request, needs=READ_CONTENTS)
        return self._comparisons[key]


def cross_check(diff: Diff, listed: ListedFiles) -> tuple[str, ...]:
    """Return notes on the differences between GitHub's list and the local diff.

    The local diff decides what is reviewed; GitHub's list only adds notes. One side may see a rename where
    the other sees a deletion and an addition, so a rename counts as its two names. Names that are not UTF-8
    or hold a backslash are ignored, because each side writes them in its own way.
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
