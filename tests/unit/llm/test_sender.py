"""The sender over real HTTP, with a wire format of this test: nothing in it knows chat completions."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from pr_review.domain.chat import FinishReason, Reply
from pr_review.errors import (
    ConfigError,
    ContextOverflow,
    InvalidTurn,
    ModelError,
    ReviewStopped,
    TerminationReason,
)
from pr_review.llm.errors.failure import ProviderFailure
from pr_review.llm.errors.kinds import FEW, OVERLOADED, TOOL_USE_FAILED, UNSUPPORTED_PARAMETER, FailureKind
from pr_review.llm.http import HttpReply, open_client
from pr_review.llm.request_budget import RequestBudget
from pr_review.llm.sender import Sender, WireRequest

pytestmark = pytest.mark.anyio


@dataclass
class Upper:
    """Sends a text, and reads the answer in capitals; ``fields`` can be left out once refused."""

    url: str
    fields: dict[str, Any] = field(default_factory=dict)
    retried: dict[FailureKind, str] = field(default_factory=dict)
    readers: int = 0

    def encode(self) -> WireRequest:
        body = json.dumps({"say": "hi", **self.fields}).encode()
        headers = {"x-format": "upper"}
        return WireRequest(self.url, headers, body, "acme", tuple(self.fields), self.retried)

    def open_reader(self) -> "Upper":
        self.readers += 1
        return self

    def feed(self, piece: bytes) -> bool:
        return b"." in piece

    def read(self, reply: HttpReply) -> Reply | ProviderFailure:
        if reply.body == b"busy":
            return ProviderFailure(OVERLOADED)
        if not reply.body.isascii():
            raise InvalidTurn(TerminationReason.INVALID_MODEL_RESPONSE, "Not ASCII.")
        return Reply(message={}, finish=FinishReason.STOP, text=reply.body.decode().upper())

    def adapt(self, failure: ProviderFailure) -> str | None:
        if failure.kind is not UNSUPPORTED_PARAMETER or failure.parameter is None:
            return None
        del self.fields[failure.parameter]
        return f"Sent without {failure.parameter}."


Send = Callable[[Upper], Awaitable[Reply]]


@pytest.fixture
async def send(chat_server, waits, budget) -> AsyncIterator[Send]:
    async with open_client(chat_server.url) as client:
        yield Sender(client, budget, waits.pacing()).send


async def test_a_request_leaves_as_it_was_encoded_and_comes_back_as_it_was_read(chat_server, send, budget):
    chat_server.add(chat_server.raw(b"hello"))
    assert (await send(Upper(chat_server.url))).text == "HELLO"
    (request,) = chat_server.requests
    assert (request.body, request.headers["x-format"]) == (b'{"say": "hi"}', "upper")
    assert budget.stats.requests == 1


async def test_the_reader_may_end_the_reading(chat_server, send):
    chat_server.add(chat_server.chunked([b"one.", b"two"], chunk_delay=1.0))
    assert (await send(Upper(chat_server.url))).text == "ONE."


async def test_each_response_has_a_reader_of_its_own(chat_server, send, waits):
    """A failure inside a success is retried like a status."""
    chat_server.add(chat_server.raw(b"busy"), chat_server.raw(b"", status=503), chat_server.raw(b"ok"))
    exchange = Upper(chat_server.url)
    assert (await send(exchange)).text == "OK"
    assert (exchange.readers, waits.slept) == (3, [1.0, 2.0])


async def test_a_refused_field_is_asked_again_without_it_and_recorded(chat_server, send, budget):
    refusal = {"error": {"message": "Unknown parameter: 'b'", "code": "unknown_parameter"}}
    chat_server.add(chat_server.json(refusal, status=400), chat_server.raw(b"ok"))
    await send(Upper(chat_server.url, {"a": 1, "b": 2}))
    assert [list(body) for body in chat_server.bodies] == [["say", "a", "b"], ["say", "a"]]
    assert budget.stats.events == ("Sent without b.",)


@pytest.mark.parametrize(("retried", "requests"), [({}, 1), ({TOOL_USE_FAILED: "Again."}, 1 + FEW)])
async def test_what_a_server_may_get_over_is_sent_again_a_few_times(
    chat_server, send, budget, retried, requests
):
    chat_server.rule = lambda _: chat_server.json({"error": {"code": "tool_use_failed"}}, status=400)
    with pytest.raises(InvalidTurn):
        await send(Upper(chat_server.url, retried=retried))
    assert len(chat_server.requests) == requests
    assert budget.stats.events == (("Again (3 times).",) if retried else ())


async def test_what_a_reader_raises_is_not_sent_again(chat_server, send):
    chat_server.add(chat_server.raw("é".encode()))
    with pytest.raises(InvalidTurn, match="invalid_model_response"):
        await send(Upper(chat_server.url))


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [(401, ConfigError, "acme_authentication_failed"), (402, ModelError, "provider_quota_exhausted")],
)
async def test_a_refusal_is_raised_as_its_kind_says(chat_server, send, status, error, code):
    chat_server.add(chat_server.raw(b"", status=status))
    with pytest.raises(error) as raised:
        await send(Upper(chat_server.url))
    assert raised.value.code == code


async def test_an_overflow_carries_the_size_of_its_request(chat_server, send):
    chat_server.add(chat_server.json({"error": {"message": "prompt is too long"}}, status=400))
    with pytest.raises(ContextOverflow) as overflow:
        await send(Upper(chat_server.url, {"long": "x" * 1000}))
    assert overflow.value.request_bytes == len(chat_server.requests[0].body) > 1000


async def test_a_lost_connection_is_retried(chat_server, send, waits):
    chat_server.add(chat_server.raw(b"{", hang_up=True), chat_server.raw(b"ok"))
    assert (await send(Upper(chat_server.url))).text == "OK"
    assert waits.slept == [1.0]


async def test_without_time_or_budget_nothing_is_sent(chat_server, waits):
    async with open_client(chat_server.url) as client:
        with pytest.raises(ReviewStopped, match="max_requests"):
            await Sender(client, RequestBudget(0), waits.pacing()).send(Upper(chat_server.url))
        waits.left = 0.0
        with pytest.raises(ReviewStopped, match="review_timeout"):
            await Sender(client, RequestBudget(9), waits.pacing()).send(Upper(chat_server.url))
    assert chat_server.requests == []
