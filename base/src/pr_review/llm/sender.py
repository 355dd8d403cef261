"""Sends requests to a model's endpoint: what every wire format over HTTP shares.

    send ── encode ── spend ── post ── read ──> Reply
     ^                          │
     │     retry after a wait <─┤ a failure that may pass by itself
     └──── adapt and ask again <┘ a refusal that another request may avoid

A wire format is an ``Exchange``: it says what to send, reads what comes back, and changes what was refused.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import httpx

from pr_review.domain import strict_json
from pr_review.domain.chat import Reply
from pr_review.llm import http
from pr_review.llm.errors.classify import MAX_TEXT_CHARS, classify_failure
from pr_review.llm.errors.failure import ProviderFailure
from pr_review.llm.errors.kinds import FEW, FailureKind
from pr_review.llm.request_budget import RequestBudget
from pr_review.llm.retry import Pacing, send_with_retries

SUCCESS = range(200, 300)


@dataclass(frozen=True)
class WireRequest:
    """One request as it leaves, and how to read its refusal.

    ``vendor`` begins the codes of some errors. ``optional`` names the fields of the body that the request
    could do without. ``retried`` are kinds of failure that this server may get over, so that the request is
    sent again although that rarely helps elsewhere.
    """

    url: str
    headers: Mapping[str, str]
    body: bytes
    vendor: str = "provider"
    optional: Collection[str] = ()
    retried: Collection[FailureKind] = ()


class ReplyReader(Protocol):
    """Reads one successful response."""

    def feed(self, piece: bytes) -> bool:
        """Take in the next piece of the body; true once the rest does not matter (the end of a stream)."""
        ...

    def read(self, reply: http.HttpReply) -> Reply | ProviderFailure:
        """The turn, or the failure that the provider reports inside a success.

        Raises ``InvalidTurn`` for a body outside the wire format.
        """
        ...


class Exchange(Protocol):
    """One turn of one conversation in one wire format."""

    def encode(self) -> WireRequest:
        """The request, with everything that was adapted so far."""
        ...

    def open_reader(self) -> ReplyReader:
        """A new reader; each response gets its own."""
        ...

    def adapt(self, failure: ProviderFailure) -> str | None:
        """Change one thing that may satisfy the server, and say what; None when there is nothing left."""
        ...


@dataclass(frozen=True)
class Sender:
    """Sends over a client, a budget and a clock that the models of a run share."""

    client: httpx.AsyncClient
    budget: RequestBudget
    pacing: Pacing

    async def send(self, exchange: Exchange) -> Reply:
        """The provider's turn; raises as ``ChatModel.complete`` says."""
        while True:
            attempt = partial(self._attempt, exchange)
            outcome = await send_with_retries(attempt, self.pacing, self.budget)
            if isinstance(outcome, Reply):
                return outcome
            event = exchange.adapt(outcome)
            if event is None:
                raise outcome.error()
            self.budget.note(event)

    async def _attempt(self, exchange: Exchange) -> Reply | ProviderFailure:
        request = exchange.encode()
        outcome = await self._post(request, exchange.open_reader())
        if isinstance(outcome, ProviderFailure):
            return replace(outcome, request_bytes=len(request.body))
        return outcome

    async def _post(self, request: WireRequest, reader: ReplyReader) -> Reply | ProviderFailure:
        """One HTTP request; every one counts, whatever its cause."""
        seconds = self.pacing.remaining()
        if seconds <= 0:
            raise http.out_of_time()
        self.budget.spend()
        reply = await http.post(
            self.client,
            request.url,
            headers=request.headers,
            content=request.body,
            seconds=seconds,
            enough=reader.feed,
        )
        if isinstance(reply, FailureKind):
            return ProviderFailure(reply, request.vendor)
        return reader.read(reply) if reply.status in SUCCESS else _refusal(request, reply)


def _refusal(request: WireRequest, reply: http.HttpReply) -> ProviderFailure:
    """What an error status means."""
    try:
        body = strict_json.loads(reply.body)
    except ValueError:
        body = reply.body[:MAX_TEXT_CHARS].decode(errors="replace")
    failure = classify_failure(
        reply.status, reply.headers, body, vendor=request.vendor, optional=request.optional
    )
    if failure.kind in request.retried:
        return replace(failure, kind=replace(failure.kind, retries=FEW))
    return failure
