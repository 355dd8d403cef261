"""Records ``tests/cassettes/peers`` anew: holds each conversation with its server (``make record``)."""

import pytest
from tests.peer_cassettes import RECORDINGS
from tests.peer_recordings import hold, tape
from tests.peers.serving import KEY
from vcr.record_mode import RecordMode

pytestmark = pytest.mark.anyio


@pytest.fixture
def endpoint(recording, request):
    """The server of the recording, with its answers queued."""
    if recording.server == "llmock":
        url = request.getfixturevalue("script_llmock")(*recording.queued)
    elif recording.server == "llamacpp":
        url = request.getfixturevalue("small_llamacpp")
    else:
        url = request.getfixturevalue(recording.server)
    return f"{url}/v1/chat/completions"


@pytest.fixture(scope="session")
def small_llamacpp(start_llamacpp):
    """A window of 2048 tokens, and answers of at most 64."""
    with start_llamacpp(2048, 64) as url:
        yield url


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.cassette.stem)
async def test_record(recording, endpoint):
    recording.cassette.unlink(missing_ok=True)
    with tape(recording.cassette, RecordMode.ALL):
        heard = await hold(recording, endpoint, KEY)
    assert heard == recording.heard, "read the difference; if the server changed, so does the expectation"
