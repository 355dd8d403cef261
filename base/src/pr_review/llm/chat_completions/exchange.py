"""One turn of a conversation over chat completions: implements ``sender.Exchange``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from pr_review.domain import strict_json
from pr_review.domain.chat import Message, Reply, Role, ToolSpec
from pr_review.llm.chat_completions.adaptation import Adaptation
from pr_review.llm.chat_completions.chat_settings import ChatSettings
from pr_review.llm.chat_completions.decode import Decoder
from pr_review.llm.chat_completions.envelope import malformed
from pr_review.llm.chat_completions.profile import Profile, Tolerance
from pr_review.llm.chat_completions.request import optional_fields, request_body, request_headers
from pr_review.llm.chat_completions.stream import StreamAssembler
from pr_review.llm.chat_completions.text_tools import read_text_turn
from pr_review.llm.chat_completions.tolerance import TurnContext
from pr_review.llm.errors.failure import ProviderFailure
from pr_review.llm.errors.kinds import TOOL_USE_FAILED
from pr_review.llm.http import HttpReply
from pr_review.llm.sender import WireRequest

Note = Callable[[str], None]


@dataclass(frozen=True)
class ChatExchange:
    """What to send, how to read it, what to change; ``note`` takes events for the record."""

    settings: ChatSettings
    adaptation: Adaptation
    conversation: Sequence[Message]
    tools: Sequence[ToolSpec]
    note: Note

    def encode(self) -> WireRequest:
        """The request as it is adapted now."""
        profile = self.settings.profile
        return WireRequest(
            url=self.settings.endpoint,
            headers=request_headers(self.settings),
            body=request_body(self.settings, self.adaptation, self.conversation, self.tools),
            vendor=profile.vendor,
            optional=optional_fields(self.settings, self.adaptation).keys() - {"stream"},
            retried={TOOL_USE_FAILED} if profile.accepts(Tolerance.REFUSED_CALL) else (),
        )

    def open_reader(self) -> "ChatReplyReader":
        """A reader for one response."""
        profile = self.settings.profile
        return ChatReplyReader(
            profile=profile,
            text_mode=self.adaptation.text_mode,
            turn=TurnContext(1 + self._turns_so_far(), self.tools),
            assembler=StreamAssembler(profile) if self.settings.stream else None,
            note=self.note,
        )

    def adapt(self, failure: ProviderFailure) -> str | None:
        """Change one thing for the rest of the conversation, and say what."""
        return self.adaptation.adapt(failure, started=self._turns_so_far() > 0)

    def _turns_so_far(self) -> int:
        return sum(message.role is Role.ASSISTANT for message in self.conversation)


@dataclass(frozen=True)
class ChatReplyReader:
    """Reads one response, in one piece or as a stream; implements ``sender.ReplyReader``.

    ``assembler`` is None unless a stream was asked for.
    """

    profile: Profile
    text_mode: bool
    turn: TurnContext
    assembler: StreamAssembler | None
    note: Note

    def feed(self, piece: bytes) -> bool:
        """Take in a piece of a stream; true after its end."""
        return self.assembler is not None and self.assembler.feed(piece)

    def read(self, reply: HttpReply) -> Reply | ProviderFailure:
        """The turn, or the failure that the provider reports."""
        body = self._body(reply)
        if isinstance(body, ProviderFailure):
            return body
        decoded = Decoder(self.profile, self.text_mode).decode(body, reply.headers, self.turn)
        if isinstance(decoded, ProviderFailure):
            return decoded
        for deviation in decoded.normalised:
            self.note(f"Put right under profile {self.profile.name}: {deviation}.")
        return read_text_turn(decoded.reply, self.turn.number) if self.text_mode else decoded.reply

    def _body(self, reply: HttpReply) -> JsonValue | ProviderFailure:
        """The decoded body; a server that was asked for a stream may answer in one piece."""
        if self.assembler is not None and not reply.body.lstrip().startswith(b"{"):
            return self.assembler.body()
        try:
            return strict_json.loads(reply.body)
        except ValueError:
            raise malformed("The provider's reply is not valid JSON.") from None
