"""A model behind a chat-completions endpoint (section B): encode, send, decode, and adapt once refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import httpx
from pydantic import JsonValue, SecretStr

from pr_review.domain import strict_json
from pr_review.domain.chat import Message, Reply, Role, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import RequestStats
from pr_review.llm import http
from pr_review.llm.budget import RequestBudget
from pr_review.llm.chat_completions import text_tools
from pr_review.llm.chat_completions.adaptation import Adaptation, operator_fields
from pr_review.llm.chat_completions.decode import Decoder, malformed
from pr_review.llm.chat_completions.encode import encode_messages
from pr_review.llm.chat_completions.profile import Profile, Tolerance
from pr_review.llm.chat_completions.schemas import encode_tools
from pr_review.llm.chat_completions.stream import StreamAssembler
from pr_review.llm.chat_completions.tolerance import Round
from pr_review.llm.errors import classify, kinds
from pr_review.llm.errors.classify import Failure
from pr_review.llm.errors.kinds import Kind
from pr_review.llm.retry import Pacing, send_with_retries

OK = range(200, 300)
REFUSED_PARAMETER = frozenset({
    kinds.UNSUPPORTED_PARAMETER, kinds.REASONING_WITH_TOOLS, kinds.REJECTED,
})  # fmt: skip


@dataclass(frozen=True)
class ChatSettings:
    """One endpoint, its complete URL, and how to speak to it; ``session_id`` is random per run."""

    endpoint: str
    model: str
    profile: Profile
    session_id: str
    api_key: SecretStr | None = None
    extra_headers: Mapping[str, SecretStr] = field(default_factory=dict)
    extra_body: JsonObject = field(default_factory=dict)
    stream: bool = False
    tool_mode: Literal["auto", "native", "text"] = "auto"


class OpenAIChat:
    """Implements ``ChatModel`` over HTTP; ``client`` comes from ``http.open_client`` and is the caller's."""

    def __init__(
        self, settings: ChatSettings, *, client: httpx.AsyncClient, budget: RequestBudget, pacing: Pacing
    ) -> None:
        self._settings = settings
        self._client = client
        self._budget = budget
        self._pacing = pacing
        self._adapted = Adaptation(text_mode=settings.tool_mode == "text")
        self._fields, left_out = operator_fields(settings.extra_body, settings.profile)
        for event in left_out:
            budget.note(event)

    @property
    def stats(self) -> RequestStats:
        """HTTP requests so far, whatever their cause."""
        return self._budget.stats

    async def complete(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        """Send the conversation and return the next turn; raises as ``ChatModel.complete`` says."""
        while True:
            attempt = partial(self._attempt, conversation, tools)
            outcome = await send_with_retries(attempt, self._pacing, self._budget)
            if isinstance(outcome, Reply):
                return outcome.model_copy(update={"stubbed_results": self._adapted.stubbed_results})
            event = self._adapt(outcome, conversation, tools)
            if event is None:
                raise outcome.error()
            self._budget.note(event)

    def encode_body(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> bytes:
        """The next request's body as it would leave; compact JSON whose messages keep their bytes."""
        profile, messages = self._settings.profile, self._adapted.stub(conversation)
        body: JsonObject = {"model": self._settings.model}
        if self._adapted.text_mode:
            body["messages"] = encode_messages(text_tools.write_as_text(messages, tools), profile)
        else:
            body["messages"] = encode_messages(messages, profile)
            body["tools"] = encode_tools(tools, profile.schema)
        return strict_json.dumps(body | self._optional_fields())

    def _optional_fields(self) -> JsonObject:
        """Everything that could be left out, in a stable order; item 13's ``tool_choice`` comes first."""
        fields: JsonObject = {} if self._adapted.text_mode else {"tool_choice": "auto"}
        if self._settings.stream:
            fields["stream"] = True
            if self._settings.profile.stream_usage:
                fields["stream_options"] = {"include_usage": True}
        return self._adapted.apply(fields | self._fields)

    def _headers(self) -> dict[str, str]:
        """The operator's headers, then ours, which win: the key travels in its own header only (item 3)."""
        settings, profile = self._settings, self._settings.profile
        headers = {name.lower(): value.get_secret_value() for name, value in settings.extra_headers.items()}
        headers["content-type"] = "application/json"
        if settings.api_key is not None:
            key = settings.api_key.get_secret_value()
            headers[profile.key_header] = f"Bearer {key}" if profile.key_header == "authorization" else key
        if profile.session_header is not None:
            headers[profile.session_header] = settings.session_id
        return headers

    async def _attempt(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply | Failure:
        """One HTTP request; every one counts, whatever its cause."""
        content = self.encode_body(conversation, tools)
        seconds = self._pacing.remaining()
        if seconds <= 0:
            raise http.out_of_time()
        self._budget.spend()
        assembler = StreamAssembler(self._settings.profile)
        reply = await http.post(
            self._client,
            self._settings.endpoint,
            headers=self._headers(),
            content=content,
            seconds=seconds,
            enough=assembler.feed if self._settings.stream else lambda _: False,
        )
        if isinstance(reply, Kind):
            return Failure(reply, self._settings.profile.vendor)
        if reply.status not in OK:
            return self._classify(reply)
        return self._decode(reply, assembler, Round(_round_number(conversation), tools))

    def _classify(self, reply: http.HttpReply) -> Failure:
        try:
            body = strict_json.loads(reply.body)
        except ValueError:
            body = reply.body[: classify.MAX_TEXT_CHARS].decode(errors="replace")
        profile, optional = self._settings.profile, self._optional_fields().keys() - {"stream"}
        failure = classify.classify(
            reply.status, reply.headers, body, vendor=profile.vendor, optional=optional
        )
        if failure.kind is kinds.TOOL_USE_FAILED and profile.accepts(Tolerance.REFUSED_CALL):
            return replace(failure, kind=replace(failure.kind, retries=kinds.FEW))
        return failure

    def _decode(self, reply: http.HttpReply, assembler: StreamAssembler, current: Round) -> Reply | Failure:
        streamed = self._settings.stream and not reply.body.lstrip().startswith(b"{")
        body = assembler.body() if streamed else _json(reply.body)
        if isinstance(body, Failure):
            return body
        text_mode = self._adapted.text_mode
        decoded = Decoder(self._settings.profile, text_mode).decode(body, reply.headers, current)
        if isinstance(decoded, Failure):
            return decoded
        for deviation in decoded.put_right:
            self._budget.note(f"Put right under profile {self._settings.profile.name}: {deviation}.")
        return text_tools.read_calls(decoded, current) if text_mode else decoded

    def _adapt(
        self, failure: Failure, conversation: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> str | None:
        """Change one thing that may satisfy the server, and say what; None when there is nothing left."""
        kind, adapted = failure.kind, self._adapted
        if kind is kinds.REASONING_WITH_TOOLS and self._settings.profile.reasoning_off:
            if not adapted.reasoning_off:
                adapted.reasoning_off = True
                return "The model refused tools together with reasoning; sent with reasoning off."
        elif kind in REFUSED_PARAMETER and failure.parameter:
            return adapted.drop_or_rename(failure.parameter)
        elif kind is kinds.TOOLS_NOT_SUPPORTED and self._may_use_text(conversation):
            adapted.text_mode = True
            return "The server does not support native tool calls; tools are described in text instead."
        elif kind is kinds.CONTEXT_OVERFLOW and self._shrink(conversation, tools):
            return "The context window overflowed; the oldest tool results were replaced by stubs."
        return None

    def _shrink(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> bool:
        """Once a run: a conversation that overflows again has no end but ``incomplete``."""
        if self._adapted.stubbed_results:
            return False
        return self._adapted.stub_oldest(conversation, len(self.encode_body(conversation, tools)))

    def _may_use_text(self, conversation: Sequence[Message]) -> bool:
        """Only before the first native call: a history of native calls cannot be told in text."""
        started = any(message.role is Role.ASSISTANT for message in conversation)
        return self._settings.tool_mode == "auto" and not self._adapted.text_mode and not started


def _round_number(conversation: Sequence[Message]) -> int:
    return 1 + sum(message.role is Role.ASSISTANT for message in conversation)


def _json(body: bytes) -> JsonValue:
    try:
        return strict_json.loads(body)
    except ValueError:
        raise malformed("The provider's reply is not valid JSON.") from None
