"""One turn of a conversation over chat completions: implements ``sender.Exchange``."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from pr_review.domain import strict_json
from pr_review.domain.chat import Message, Reply, Role, ToolSpec
from pr_review.llm.chat_completions.adaptation import Adaptation
from pr_review.llm.chat_completions.chat_settings import ChatSettings
from pr_review.llm.chat_completions.decode import Decoder
from pr_review.llm.chat_completions.deviations import Deviations, put_right
from pr_review.llm.chat_completions.envelope import malformed
from pr_review.llm.chat_completions.profile import Tolerance
from pr_review.llm.chat_completions.request import optional_fields, request_body, request_headers
from pr_review.llm.chat_completions.stream import StreamAssembler
from pr_review.llm.chat_completions.text_tools import read_text_turn
from pr_review.llm.chat_completions.tolerance import TurnContext
from pr_review.llm.errors.failure import ProviderFailure
from pr_review.llm.errors.kinds import TOOL_USE_FAILED, FailureKind
from pr_review.llm.foreign_reply import foreign_failure, is_foreign
from pr_review.llm.http import HttpReply
from pr_review.llm.sender import WireRequest

EVENT = re.compile(rb"(?:^|[\r\n])data:")

Note = Callable[[str, int], None]


@dataclass(frozen=True)
class ChatExchange:
    """What to send, how to read it, what to change; ``note`` takes events for the record, and their count."""

    settings: ChatSettings
    adaptation: Adaptation
    conversation: Sequence[Message]
    tools: Sequence[ToolSpec]
    note: Note
    final: bool = False

    def encode(self) -> WireRequest:
        """The request as it is adapted now."""
        profile = self.settings.profile
        return WireRequest(
            url=self.settings.endpoint,
            headers=request_headers(self.settings),
            body=request_body(
                self.settings, self.adaptation, self.conversation, self.tools, final=self.final
            ),
            vendor=profile.vendor,
            optional=optional_fields(self.settings, self.adaptation, final=self.final).keys() - {"stream"},
            retried=self._retried(),
        )

    def open_reader(self) -> "ChatReplyReader":
        """A reader for one response."""
        deviations = Deviations(self.settings.profile)
        return ChatReplyReader(
            deviations=deviations,
            text_mode=self.adaptation.text_mode,
            turn=TurnContext(1 + self._turns_so_far(), self.tools, self._ids_so_far()),
            assembler=StreamAssembler(deviations) if self.settings.stream else None,
            note=self.note,
        )

    def adapt(self, failure: ProviderFailure) -> str | None:
        """Change one thing for the rest of the conversation, and say what."""
        return self.adaptation.adapt(failure, started=self._turns_so_far() > 0, final=self.final)

    def _retried(self) -> dict[FailureKind, str]:
        profile = self.settings.profile
        if not profile.accepts(Tolerance.REFUSED_CALL):
            return {}
        return {TOOL_USE_FAILED: put_right(profile, Tolerance.REFUSED_CALL)}

    def _turns_so_far(self) -> int:
        return sum(message.role is Role.ASSISTANT for message in self.conversation)

    def _ids_so_far(self) -> frozenset[str]:
        """Each call of an earlier turn has its result in the conversation."""
        return frozenset(message.tool_call_id for message in self.conversation if message.tool_call_id)


@dataclass(frozen=True)
class ChatReplyReader:
    """Reads one response, in one piece or as a stream; implements ``sender.ReplyReader``.

    ``assembler`` is None unless a stream was asked for.
    """

    deviations: Deviations
    text_mode: bool
    turn: TurnContext
    assembler: StreamAssembler | None
    note: Note

    def feed(self, piece: bytes) -> bool:
        """Take in a piece of a stream; true after its end."""
        return self.assembler is not None and self.assembler.feed(piece)

    def read(self, reply: HttpReply) -> Reply | ProviderFailure:
        """The turn, or the failure that the provider reports."""
        try:
            return self._read(reply)
        finally:
            for event, times in self.deviations.events():
                self.note(event, times)

    def _read(self, reply: HttpReply) -> Reply | ProviderFailure:
        body = self._body(reply)
        if isinstance(body, ProviderFailure):
            return body
        decoded = Decoder(self.deviations, self.text_mode).decode(body, reply.headers, self.turn)
        if isinstance(decoded, ProviderFailure) or not self.text_mode:
            return decoded
        return read_text_turn(decoded, self.turn.number, self.deviations)

    def _body(self, reply: HttpReply) -> JsonValue | ProviderFailure:
        """The decoded body; a server that was asked for a stream may answer in one piece."""
        if self.assembler is not None:
            if not reply.body.lstrip().startswith(b"{"):
                return self._streamed(reply, self.assembler)
            self.deviations.accept(Tolerance.NO_STREAM)
        try:
            body = strict_json.loads(reply.body)
        except ValueError:
            if is_foreign(reply):
                return foreign_failure(reply)
            raise malformed("The provider's reply is not valid JSON.") from None
        return foreign_failure(reply) if not isinstance(body, dict) and is_foreign(reply) else body

    def _streamed(self, reply: HttpReply, assembler: StreamAssembler) -> JsonValue | ProviderFailure:
        """Some servers stream under another content type; without any event the type decides."""
        events = EVENT.search(reply.body) and not reply.body.lstrip().startswith(b"<")
        if is_foreign(reply) and not events:
            return foreign_failure(reply)
        return assembler.body()
