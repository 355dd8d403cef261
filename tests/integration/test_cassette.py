"""One whole review over httpx, replayed from a cassette: a round of tools, then the final answer.

``make record`` records it anew: against the loopback server of this file, or, with ``OPENCODE_API_KEY`` set,
against the endpoint of ``OPENCODE_BASE_URL``. Only what a reader may see is kept: no header but the content
type, and no address.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from vcr import VCR
from vcr.cassette import Cassette
from vcr.record_mode import RecordMode

from pr_review.domain.run import ProtocolAction
from pr_review.errors import TerminationReason

CASSETTE = Path(__file__).parents[1] / "cassettes" / "review.yaml"
NOWHERE = "http://127.0.0.1:1/v1/chat/completions"  # nothing listens there: a replay that misses is refused
KEY = "sk-cassette-0123456789"
COOKIE = "cookie-0123456789"
BASE = {"src/app.py": "def total(rows):\n    return sum(rows)\n", "README.md": "# App\n"}
HEAD = {"src/app.py": "def total(rows):\n    return sum(rows) / len(rows)\n"}
FINDING = {
    "severity": "high",
    "title": "Division by zero for an empty list",
    "explanation": "total([]) returned 0 and now raises ZeroDivisionError.",
    "path": "src/app.py",
    "line": 2,
    "evidence": "return sum(rows) / len(rows)",
    "recommendation": "Return 0 for an empty list.",
}
REVIEW = json.dumps({"summary": "Averages rows.", "findings": [FINDING], "notes": []})


def as_recorded(request: Any) -> Any:
    """What is kept, and must be equal in a replay: who spoke, each result of a tool, and the tools on offer.

    The prompt's wording may change without a new recording. Loading applies this again.
    """
    body = json.loads(request.body)
    kept = {
        "messages": [
            message if message["role"] == "tool" else {"role": message["role"]}
            for message in body["messages"]
        ],
        "tools": [{"function": {"name": tool["function"]["name"]}} for tool in body["tools"]],
    }
    request.body = json.dumps(kept).encode()
    request.uri = NOWHERE
    request.headers = {"Content-Type": "application/json"}
    return request


def with_content_type_only(response: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in response["headers"].items() if name.lower() == "content-type"}
    return response | {"headers": kept}


@contextmanager
def tape(path: Path, mode: RecordMode) -> Iterator[Cassette]:
    """A cassette that must be played, or recorded, to its end."""
    recorder = VCR(
        record_mode=mode,
        before_record_request=as_recorded,
        before_record_response=with_content_type_only,
        decode_compressed_response=True,
        match_on=["method", "uri", "body"],
    )
    with recorder.use_cassette(str(path), allow_playback_repeats=False) as cassette:
        yield cassette
    assert mode is not RecordMode.NONE or cassette.all_played, (
        "the cassette was only partly played: run `make record`, and read the difference"
    )


@pytest.fixture
def repo(make_repo):
    return make_repo(BASE, HEAD)


@pytest.fixture
def scripted(chat_server):
    """The loopback server to record against; it also says what no cassette may keep."""
    call = ("call_1", "read_repository_file", '{"path":"src/app.py"}')
    for answer in (chat_server.completion(calls=[call]), chat_server.completion(REVIEW)):
        answer.headers["Set-Cookie"] = f"session={COOKIE}"
        chat_server.add(answer)
    return chat_server


@pytest.fixture
def endpoint(request, record_mode):
    """Endpoint, model and key: of nobody to replay, of a live server or of the loopback one to record."""
    if record_mode == RecordMode.NONE.value:
        return {"endpoint": NOWHERE, "model": "m-1", "api_key": KEY}
    if key := os.environ.get("OPENCODE_API_KEY"):
        names = {"endpoint": "OPENCODE_BASE_URL", "model": "OPENCODE_MODEL"}
        given = {name: os.environ[variable] for name, variable in names.items() if os.environ.get(variable)}
        return given | {"api_key": key}
    return {"endpoint": request.getfixturevalue("scripted").url, "model": "m-1", "api_key": KEY}


def assert_whole(reviewed: Any, cassette: Cassette) -> None:
    outcome = reviewed.outcome
    assert (outcome.error, outcome.termination_reason) == (None, TerminationReason.FINAL_REVIEW)
    actions = [turn.protocol_action for turn in outcome.turns]
    assert actions[0] is ProtocolAction.EXECUTE_TOOLS
    assert actions[-1] is ProtocolAction.RETURN_REVIEW
    assert len(cassette) == outcome.requests.requests == len(actions)


def test_a_whole_review_is_replayed(repo, review_repo, endpoint, record_mode):
    recording = record_mode != RecordMode.NONE.value
    if recording:
        CASSETTE.unlink(missing_ok=True)
    with tape(CASSETTE, RecordMode.ALL if recording else RecordMode.NONE) as cassette:
        assert_whole(review_repo(repo, **endpoint), cassette)


def test_a_recording_keeps_no_credential(repo, review_repo, scripted, tmp_path):
    path = tmp_path / "review.yaml"
    with tape(path, RecordMode.ALL) as cassette:
        assert_whole(review_repo(repo, endpoint=scripted.url, model="m-1", api_key=KEY), cassette)
    assert scripted.requests[0].headers["authorization"] == f"Bearer {KEY}"
    recorded = path.read_text()
    assert "ZeroDivisionError" in recorded
    assert not any(secret in recorded for secret in (KEY, COOKIE, scripted.base_url))


def test_the_cassette_keeps_one_header_and_no_address():
    """Also when it was recorded against a live endpoint."""
    recorded = yaml.safe_load(CASSETTE.read_text())["interactions"]
    parts = [exchange[part] for exchange in recorded for part in ("request", "response")]
    assert {name.lower() for part in parts for name in part["headers"]} == {"content-type"}
    assert {exchange["request"]["uri"] for exchange in recorded} == {NOWHERE}


def test_a_cassette_that_is_only_partly_played_fails():
    with pytest.raises(AssertionError, match="only partly"), tape(CASSETTE, RecordMode.NONE):
        pass


def test_a_request_that_was_not_recorded_reaches_nobody(make_repo, review_repo, scripted, tmp_path):
    """Another repository gives another result of the same call."""
    path, key = tmp_path / "review.yaml", {"model": "m-1", "api_key": KEY}
    with tape(path, RecordMode.ALL) as cassette:
        assert_whole(review_repo(make_repo(BASE, HEAD), endpoint=scripted.url, **key), cassette)
    other = make_repo(BASE, {"src/app.py": "def total(rows):\n    return max(rows)\n"}, "other")
    with pytest.raises(AssertionError, match="only partly"), tape(path, RecordMode.NONE):
        assert review_repo(other, endpoint=NOWHERE, **key).outcome.error
    assert len(scripted.requests) == 2
