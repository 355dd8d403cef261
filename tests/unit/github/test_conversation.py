"""One whole conversation of a run with GitHub, replayed from a cassette.

Recorded against the loopback server of this directory; ``pytest tests/unit/github/test_conversation.py
--record-mode=rewrite`` records it anew.
"""

from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from pydantic import SecretStr
from vcr import VCR
from vcr.record_mode import RecordMode

from pr_review.github.client import GitHubClient
from pr_review.github.event import EventKind, ReviewRequest
from pr_review.github.pull_requests import GitHubPulls

CASSETTE = Path(__file__).parents[2] / "cassettes" / "github.yaml"
TOKEN = "ghs_cassette0123456789"
NOWHERE = "127.0.0.1:1"  # nothing listens there: a replay that misses would be refused
REQUEST = ReviewRequest(
    kind=EventKind.WORKFLOW_DISPATCH, owner="Codertocat", repository="Hello-World", number=2
)


def to_nowhere(request):
    """Recording happens on a port that changes; the cassette names one that does not."""
    request.uri = urlunsplit(urlsplit(request.uri)._replace(netloc=NOWHERE))
    return request


@pytest.fixture
def api_url(request, record_mode):
    """The closed port, or, to record, a server that fails once before it compares."""
    if record_mode == RecordMode.NONE.value:
        return f"http://{NOWHERE}/api/v3"
    github = request.getfixturevalue("github")
    github.token = TOKEN
    github.files = [
        github.file("README.md"),
        github.file("docs/new.md", "renamed", previous_filename="docs/old.md"),
    ]
    answer = github.answer

    def unavailable_once(asked):
        first = not any("compare" in path for path in github.requests[:-1])
        if "compare" in asked.path and first:
            return github.server.json({"message": "Server Error"}, status=502)
        return answer(asked)

    github.server.rule = unavailable_once
    return github.api_url


@pytest.fixture
def cassette(record_mode):
    recorder = VCR(
        record_mode=RecordMode.ALL if record_mode == "rewrite" else RecordMode(record_mode),
        before_record_request=to_nowhere,
        filter_headers=["authorization", "cookie"],
        before_record_response=lambda response: (
            response | {"headers": {"Content-Type": ["application/json"]}}
        ),
        decode_compressed_response=True,
    )
    if record_mode == "rewrite":
        CASSETTE.unlink(missing_ok=True)
    with recorder.use_cassette(str(CASSETTE), allow_playback_repeats=False) as tape:
        yield tape


def test_metadata_merge_base_and_files_in_one_conversation(api_url, cassette):
    client = GitHubClient(api_url, SecretStr(TOKEN), remaining=lambda: 60.0, sleep=lambda _: None)
    with closing(GitHubPulls(client, "https://github.com")) as pulls:
        pull = pulls.complete(REQUEST).pull_request
        merge_base = pulls.merge_base(pull.owner, pull.repository, pull.base_sha, pull.head_sha)
        files = pulls.changed_files(pull).files
    assert pull.url == "https://github.com/Codertocat/Hello-World/pull/2"
    assert pull.head_sha == "ec26c3e57ca3a959ca5aad62de7213c562f8c821"
    assert merge_base == "c" * 40
    assert files == (("README.md", None), ("docs/new.md", "docs/old.md"))
    assert len(cassette) == 3
    assert cassette.all_played or cassette.dirty


def test_the_cassette_holds_no_credential():
    recorded = CASSETTE.read_text().lower()
    assert TOKEN not in recorded
    assert "authorization" not in recorded
    assert "cookie" not in recorded
