import subprocess
import sys
from contextlib import closing

import pytest

from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.errors import HostError
from pr_review.github.client import GitHubClient
from pr_review.github.event import EventKind, ReviewRequest
from pr_review.github.payloads import MAX_NAME_CHARS
from pr_review.github.pull_requests import GitHubPulls, ListedFile, ListedFiles, cross_check

SERVER = "https://ghe.example.com"
REQUEST = ReviewRequest(
    kind=EventKind.WORKFLOW_DISPATCH, owner="Codertocat", repository="Hello-World", number=2
)
BASE, HEAD = "f95f852bd8fca8fcc58a9a2d6c842781e32a215e", "ec26c3e57ca3a959ca5aad62de7213c562f8c821"


@pytest.fixture
def pulls(github):
    client = GitHubClient(github.api_url, None, remaining=lambda: 60.0, sleep=lambda _: None)
    with closing(GitHubPulls(client, SERVER)) as reader:
        yield reader


@pytest.fixture
def record(pulls):
    return pulls.complete(REQUEST).pull_request


def test_a_request_by_number_is_completed_from_github(github, pulls):
    github.pull |= {"draft": True, "labels": [{"name": "wip"}], "author_association": "FIRST_TIMER"}
    github.pull["head"]["repo"] = None
    request = pulls.complete(REQUEST)
    record = request.pull_request
    assert record.url == "https://ghe.example.com/Codertocat/Hello-World/pull/2"
    assert (record.base_sha, record.head_sha, record.author) == (BASE, HEAD, "Codertocat")
    assert (request.is_fork, request.draft, request.labels) == (True, True, ("wip",))
    assert request.author_association == "FIRST_TIMER"
    assert github.requests == ["/pulls/2"]


def test_an_answer_without_commits_is_not_github_s(github, pulls):
    del github.pull["head"]["sha"]
    with pytest.raises(HostError, match="github_bad_response"):
        pulls.complete(REQUEST)


def test_the_merge_base_and_a_short_list_cost_one_request(github, pulls, record):
    github.change(2)
    assert pulls.merge_base("Codertocat", "Hello-World", BASE, HEAD) == "c" * 40
    assert pulls.changed_files(record).files == (
        ListedFile("src/00000.py", None),
        ListedFile("src/00001.py", None),
    )
    assert github.requests == ["/pulls/2", f"/compare/{BASE}...{HEAD}?page=1&per_page=1"]


def test_no_common_history_is_its_own_error(github, pulls):
    github.fail(404, "No common ancestor between main and orphan.")
    with pytest.raises(HostError, match="no_common_history"):
        pulls.merge_base("Codertocat", "Hello-World", BASE, HEAD)


@pytest.mark.parametrize(("count", "requests"), [(299, 2), (300, 7), (301, 7)])
def test_beyond_300_files_the_pages_of_the_pull_request_are_read(github, pulls, record, count, requests):
    """Compare lists 300; three or four pages follow, and a look whether the head is still the same."""
    github.change(count)
    listed = pulls.changed_files(record)
    assert (len(listed.files), listed.truncated) == (count, False)
    assert len(github.requests) == requests


def test_a_long_list_costs_these_requests_and_no_other(github, pulls, record):
    """PyGithub's lazy objects must not ask for more than what is read."""
    github.change(301)
    pulls.changed_files(record)
    pulls.changed_files(record)
    pages = ["?per_page=100", "?page=2&per_page=100", "?page=3&per_page=100", "?page=4&per_page=100"]
    looks = ["/pulls/2", *(f"/pulls/2/files{page}" for page in pages)]
    assert github.requests == ["/pulls/2", f"/compare/{BASE}...{HEAD}?page=1&per_page=1", *looks, *looks]


@pytest.mark.parametrize(
    ("count", "listed", "truncated"), [(2999, 2999, False), (3000, 3000, True), (3001, 3000, True)]
)
def test_github_lists_at_most_3000_files(github, pulls, record, count, listed, truncated):
    """A list of exactly 3,000 cannot be told from a cut one."""
    github.change(count)
    found = pulls.changed_files(record)
    assert (len(found.files), found.truncated) == (listed, truncated)
    assert len(github.requests) == 3 + 30


def test_the_list_of_a_head_pushed_since_is_not_mixed_in(github, pulls, record):
    """The event's commits are under review, whatever the pull request points at now."""
    github.change(400)
    pulls.merge_base("Codertocat", "Hello-World", BASE, HEAD)
    github.pull["head"]["sha"] = "9" * 40
    listed = pulls.changed_files(record)
    assert (len(listed.files), listed.truncated) == (300, True)


@pytest.mark.parametrize("excess", [-1, 0, 1, 5_000_000])
def test_a_name_is_bounded(github, pulls, record, excess):
    """One that is cut equals none of ours, so it stays a difference."""
    name = "x" * (MAX_NAME_CHARS + excess)
    github.files = [github.file(name, "renamed", previous_filename=f"{name[1:]}y")]
    [listed] = pulls.changed_files(record).files
    assert max(len(listed.path), len(listed.previous)) <= MAX_NAME_CHARS
    assert (listed.path == name) == (excess <= 0)


def test_only_a_rename_has_a_previous_name(github, pulls, record):
    github.files = [
        github.file("new.py", "renamed", previous_filename="old.py"),
        github.file("copy.py", "copied", previous_filename="source.py"),
    ]
    assert pulls.changed_files(record).files == (ListedFile("new.py", "old.py"), ListedFile("copy.py", None))


def local(*files):
    return Diff("a" * 40, "b" * 40, tuple(ChangedFile(path, status, "", old) for path, status, old in files))


def listed(*names, truncated=False):
    return ListedFiles(
        tuple(ListedFile(*name) if isinstance(name, tuple) else ListedFile(name, None) for name in names),
        truncated,
    )


M, A, D, R, C = (
    FileStatus.MODIFIED,
    FileStatus.ADDED,
    FileStatus.DELETED,
    FileStatus.RENAMED,
    FileStatus.COPIED,
)


@pytest.mark.parametrize(
    ("diff", "names"),
    [
        (local(("a.py", M, None), ("b.py", D, None)), listed("a.py", "b.py")),
        (local(("new.py", R, "old.py")), listed(("new.py", "old.py"))),
        (local(("new.py", R, "old.py")), listed("new.py", "old.py")),
        (local(("new.py", A, None), ("old.py", D, None)), listed(("new.py", "old.py"))),
        (local(("copy.py", C, "source.py")), listed("copy.py")),
        (local(("caf\\xe9.py", M, None)), listed("caf\\xe9.py")),
        (local(("a\\\\b.py", M, None)), listed("a\\b.py")),
        (local(("caf\\xe9.py", M, None), ("a\\nb.py", M, None)), listed("caf\ufffd.py", "a\nb.py")),
        (local(), listed()),
    ],
)
def test_a_rename_or_a_name_that_is_not_text_is_no_difference(diff, names):
    assert cross_check(diff, names) == ((), ())


@pytest.mark.parametrize(
    ("diff", "names", "unlisted"),
    [
        (local(("a.py", M, None)), listed("a.py", "src/evil.py"), ("src/evil.py",)),
        (local(("a.py", M, None)), listed("a.py", ("new.py", "old.py")), ("new.py", "old.py")),
        (local(("new.py", A, None)), listed(("new.py", "old.py")), ("old.py",)),
        (local(), listed(*(f"{number:03}.py" for number in range(300)), truncated=True), 300),
        (local(("a.py", M, None)), listed("a.py", "caf\ufffd.py"), ("caf\ufffd.py",)),
        (local(("a\\b.py", M, None)), listed("a\nb.py", "c\u202ed.py"), ("a\nb.py", "c\u202ed.py")),
        (local(("a.py", M, None)), listed("A.py"), ("A.py",)),
    ],
)
def test_a_file_that_only_github_lists_is_named_and_said(diff, names, unlisted):
    """Also one whose name each side writes in its own way, when there are more of them than here."""
    found, notes = cross_check(diff, names)
    assert found == unlisted or len(found) == unlisted
    assert f"GitHub lists {len(found)} changed file" in notes[0]
    assert notes[0].isprintable()


def test_differences_are_notes_in_both_directions():
    _, notes = cross_check(local(("a.py", M, None), ("mine.py", A, None)), listed("a.py", "yours.py"))
    assert notes == (
        "GitHub lists 1 changed file that the local diff does not have: yours.py.",
        "The local diff has 1 changed file that GitHub does not list: mine.py.",
    )


def test_a_cut_list_is_said_and_proves_nothing_missing():
    found, notes = cross_check(local(("a.py", M, None), ("b.py", M, None)), listed("a.py", truncated=True))
    assert found == ()
    assert notes == ("GitHub lists only 1 changed files of this pull request.",)


@pytest.mark.parametrize(("count", "more"), [(4, False), (5, False), (6, True)])
def test_a_note_names_at_most_five_files(count, more):
    _, (note,) = cross_check(local(), listed(*(f"{number}.py" for number in range(count))))
    assert f"{count} changed files" in note
    assert note.count(".py") == min(count, 5)
    assert note.endswith(", ….") is more


CLIENT_THAT_ASKS_NOTHING = """
import sys
from pr_review.github.client import GitHubClient
from pr_review.github.payloads import MAX_NAME_CHARS
from pr_review.github.pull_requests import GitHubPulls
client = GitHubClient("https://api.github.com", None, remaining=lambda: 60.0, sleep=lambda _: None)
GitHubPulls(client, "https://github.com").close()
print({"github", "requests"} & set(sys.modules))
"""


def test_a_run_that_never_asks_github_imports_neither_pygithub_nor_its_transport():
    """Their import takes a good part of the start-up."""
    code = CLIENT_THAT_ASKS_NOTHING
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
