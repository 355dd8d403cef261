"""What servers that nobody here wrote have said, played again without any of them.

They are llama.cpp with real weights, LiteLLM's proxy and two mocks: see ``tests/cassettes/README.md``.
"""

import re
from dataclasses import replace

import pytest
import yaml
from tests.peer_cassettes import RECORDINGS
from tests.peer_recordings import FOLDER, KEPT_HEADERS, NOWHERE, hold, scrubbed, tape
from tests.peers.serving import KEY
from vcr.record_mode import RecordMode

CASSETTES = sorted(FOLDER.glob("*.yaml"))
README = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
MAX_BYTES = 200_000
SERVERS = {"llamacpp", "litellm", "aimock", "llmock"}


@pytest.mark.anyio
@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.cassette.stem)
async def test_what_was_recorded_is_read_as_it_was(recording):
    """The turns, their usage, the waits, the events and the error; every recorded reply is used."""
    with tape(recording.cassette, RecordMode.NONE):
        assert await hold(recording) == recording.heard, "`make record` records the cassettes anew"


def test_each_cassette_is_played_and_each_server_has_calls_a_stream_and_an_error():
    assert {recording.cassette for recording in RECORDINGS} == set(CASSETTES)
    for server in SERVERS:
        own = [recording for recording in RECORDINGS if recording.server == server]
        assert {recording.stream for recording in own} == {False, True}
        assert any(turn.calls for recording in own for turn in recording.heard.turns)
        assert any(recording.heard.error or recording.heard.waited for recording in own)


def test_the_readme_says_which_server_and_version_each_came_from():
    rows = re.findall(r"^\| `peers/(\w+)-\*\.yaml` \|.*\| (\d[\d., ]+) \|", README, re.MULTILINE)
    assert {server for server, _ in rows} == SERVERS == {path.stem.partition("-")[0] for path in CASSETTES}


@pytest.mark.parametrize("cassette", CASSETTES, ids=lambda path: path.stem)
def test_a_cassette_is_small_and_tells_nothing_of_where_it_was_recorded(cassette):
    text = cassette.read_text(encoding="utf-8")
    assert len(text) < MAX_BYTES
    assert KEY not in text
    assert not re.search(r"Bearer|api[_-]?key\W+\w|set-cookie|site-packages|\.venv", text, re.IGNORECASE)
    assert not re.search(r"(?<![\w.:/])/(?:root|home|tmp|usr|opt|work|var|etc)/", text)
    for exchange in yaml.safe_load(text)["interactions"]:
        assert exchange["request"]["uri"] == NOWHERE
        assert {name.lower() for name in exchange["request"]["headers"]} == {"content-type"}
        assert {name.lower() for name in exchange["response"]["headers"]} <= KEPT_HEADERS
        assert exchange["response"] == scrubbed(exchange["response"])


def test_ports_and_paths_are_scrubbed_from_a_reply():
    said = b"http://127.0.0.1:38841/v1, http://localhost:4000 in /srv/x/y/a.py; a/b/c, 1/2/3"
    response = {"headers": {"Date": ["now"], "Content-Type": ["text/plain"]}, "body": {"string": said}}
    kept = scrubbed(response)
    assert kept["body"]["string"] == b"http://127.0.0.1:1/v1, http://127.0.0.1:1 in /path; a/b/c, 1/2/3"
    assert kept["headers"] == {"Content-Type": ["text/plain"]}


@pytest.mark.anyio
async def test_a_cassette_that_does_not_fit_says_what_to_run():
    [recording] = [each for each in RECORDINGS if each.cassette.stem == "aimock-rounds-whole"]
    with pytest.raises(AssertionError, match="make record"), tape(recording.cassette, RecordMode.NONE):
        pass
    other = replace(recording, model="another")
    with pytest.raises(AssertionError, match="make record"), tape(recording.cassette, RecordMode.NONE):
        await hold(other)
