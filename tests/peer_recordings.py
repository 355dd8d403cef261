"""Conversations with servers that nobody here wrote: how one is held, kept on a cassette and played again.

``tests/peers/record_cassettes.py`` holds them with the servers, ``tests/integration/test_peer_cassettes.py``
plays them without any. Both hold what the product makes of them against the same expectations.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from vcr import VCR
from vcr.errors import CannotOverwriteExistingCassetteException
from vcr.record_mode import RecordMode

from pr_review.domain.chat import Message, Reply, Role
from pr_review.errors import PrReviewError
from pr_review.llm.chat_completions.chat_model import ChatCompletionsModel
from pr_review.llm.chat_completions.chat_settings import ChatSettings
from pr_review.llm.chat_completions.profiles import PROFILES
from pr_review.llm.http import open_client
from pr_review.llm.request_budget import RequestBudget
from pr_review.llm.retry import Pacing
from pr_review.tools.canonical.inspect_git_diff import InspectGitDiff
from pr_review.tools.canonical.read_repository_file import ReadRepositoryFile
from pr_review.tools.canonical.search_repository import SearchRepository

FOLDER = Path(__file__).parent / "cassettes" / "peers"
NOWHERE = "http://127.0.0.1:1/v1/chat/completions"  # nothing listens there: a replay that misses is refused
MAX_TURNS = 4
MAX_REQUESTS = 3
KEPT_HEADERS = frozenset({"content-type", "retry-after", "retry-after-ms"})
TOOLS = tuple(tool.spec for tool in (ReadRepositoryFile, SearchRepository, InspectGitDiff))
# Ports change, and paths are of the machine that records.
SCRUBBED = (
    (re.compile(r"http://(?:127\.0\.0\.1|localhost|0\.0\.0\.0):\d+"), "http://127.0.0.1:1"),
    (re.compile(r"(?<![\w.:/])/(?:[\w.+-]+/){2,}[\w.+-]+"), "/path"),
)


@dataclass(frozen=True)
class Turn:
    """What one reply is decoded to; ``calls`` are names and arguments."""

    finish: str
    calls: tuple[tuple[str, str], ...] = ()
    text: str | None = None
    usage: tuple[int | None, int | None, int | None] | None = None


@dataclass(frozen=True)
class Heard:
    """What the product makes of one conversation."""

    turns: tuple[Turn, ...] = ()
    error: str = ""
    requests: int = 1
    waited: tuple[float, ...] = ()
    events: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recording:
    """One conversation. ``model``, ``options`` and ``queued`` choose what the server answers.

    ``profile`` is the one under which it is read. ``question`` is the user's message.
    """

    server: str
    name: str
    model: str
    heard: Heard
    profile: str = "generic"
    stream: bool = False
    question: str = "Review the change."
    options: Mapping[str, Any] = field(default_factory=dict)
    queued: Sequence[Mapping[str, Any]] = ()

    @property
    def cassette(self) -> Path:
        """Where it is kept."""
        return FOLDER / f"{self.server}-{self.name}-{'stream' if self.stream else 'whole'}.yaml"


def as_recorded(request: Any) -> Any:
    """What is kept of a request, and must be equal in a replay: no prompt, no key, no address.

    Loading applies this again.
    """
    body = json.loads(request.body)
    kept = {key: body[key] for key in ("model", "stream") if key in body}
    kept["messages"] = [
        message if message["role"] in {"assistant", "tool"} else {"role": message["role"]}
        for message in body["messages"]
    ]
    kept["tools"] = [{"function": {"name": tool["function"]["name"]}} for tool in body.get("tools", ())]
    request.body = json.dumps(kept).encode()
    request.uri = NOWHERE
    request.headers = {"Content-Type": "application/json"}
    return request


def scrubbed(response: dict[str, Any]) -> dict[str, Any]:
    """The response without headers that say when or by whom, and without ports and paths."""
    headers = {name: value for name, value in response["headers"].items() if name.lower() in KEPT_HEADERS}
    body = response["body"]["string"]
    text = body.decode() if isinstance(body, bytes) else body
    for pattern, replacement in SCRUBBED:
        text = pattern.sub(replacement, text)
    string = text.encode() if isinstance(body, bytes) else text
    return response | {"headers": headers, "body": response["body"] | {"string": string}}


@contextmanager
def tape(path: Path, mode: RecordMode) -> Iterator[None]:
    """A cassette that must be played to its end, and asked for nothing else."""
    recorder = VCR(
        record_mode=mode,
        before_record_request=as_recorded,
        before_record_response=scrubbed,
        decode_compressed_response=True,
        match_on=["method", "uri", "body"],
    )
    advice = "run `make record`, and read the difference"
    try:
        with recorder.use_cassette(str(path), allow_playback_repeats=False) as cassette:
            yield
    except CannotOverwriteExistingCassetteException as missed:
        raise AssertionError(f"{path.name} lacks a request: {advice}") from missed
    assert mode is not RecordMode.NONE or cassette.all_played, f"{path.name} was only partly played: {advice}"


async def hold(recording: Recording, endpoint: str = NOWHERE, key: str = "sk-replayed-0123456789") -> Heard:
    """Hold the conversation: a call is answered, until there is none or the provider fails."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    budget, turns, error = RequestBudget(MAX_REQUESTS + MAX_TURNS), [], ""
    messages = [Message(role=Role.SYSTEM, content="You review code."), _user(recording.question)]
    async with open_client(endpoint) as client:
        settings = ChatSettings(
            endpoint,
            recording.model,
            PROFILES[recording.profile],
            "session-1",
            SecretStr(key),
            stream=recording.stream,
            **recording.options,
        )
        pacing = Pacing(lambda: 600.0, sleep, lambda: 0.0)
        model = ChatCompletionsModel(settings, client=client, budget=budget, pacing=pacing)
        try:
            while len(turns) < MAX_TURNS and (not turns or turns[-1].calls):
                reply = await model.complete(messages, TOOLS)
                turns.append(_turn(reply))
                messages += _round(reply)
        except PrReviewError as raised:
            error = raised.code
    return Heard(tuple(turns), error, budget.stats.requests, tuple(waited), budget.stats.events)


def _user(text: str) -> Message:
    return Message(role=Role.USER, content=text)


def _turn(reply: Reply) -> Turn:
    usage = tuple(reply.usage.model_dump().values()) if reply.usage else None
    calls = tuple((call.name or "", str(call.arguments)) for call in reply.calls)
    return Turn(reply.finish.value, calls, reply.text, usage)


def _round(reply: Reply) -> list[Message]:
    """The turn as it came, and a result for each of its calls."""
    results = [Message(role=Role.TOOL, content='{"ok":true}', tool_call_id=call.id) for call in reply.calls]
    return [Message(role=Role.ASSISTANT, raw=reply.message), *results]
