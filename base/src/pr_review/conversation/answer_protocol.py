"""How a conversation comes to its answer: what ends it, and what a cut one keeps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from pr_review.domain.chat import ToolCall, ToolResult
from pr_review.errors import TerminationReason

AnswerT = TypeVar("AnswerT")
AnswerT_co = TypeVar("AnswerT_co", covariant=True)


class CompletedCall(NamedTuple):
    """A call that ran, and its result."""

    call: ToolCall
    result: ToolResult


class AnswerProtocol(Protocol[AnswerT_co]):
    """Reads the answer of one kind of conversation, out of texts, out of tool calls, or out of both.

    ``calls`` are all calls that ran so far, in order. ``repair_notes`` tell the model what it has to do after
    a turn that was dropped, by the class of the error.
    """

    @property
    def repair_notes(self) -> Mapping[TerminationReason, str]:
        """What the model is told after a dropped turn; our words only, never the model's."""
        ...

    def read_text(self, text: str, calls: Sequence[CompletedCall]) -> AnswerT_co:
        """The answer of a turn without calls; raises ``InvalidTurn`` when it is none."""
        ...

    def read_calls(self, calls: Sequence[CompletedCall]) -> AnswerT_co | None:
        """The answer when a call has ended the conversation, else None."""
        ...

    def read_cut(self, calls: Sequence[CompletedCall]) -> AnswerT_co | None:
        """What calls have answered when the conversation ends early, None when that is nothing."""
        ...


@dataclass(frozen=True)
class TextAnswer(Generic[AnswerT]):
    """An answer in one text, such as a final review as JSON; calls only gather evidence for it.

    ``parse`` raises ``InvalidTurn`` for a text that is no answer.
    """

    parse: Callable[[str], AnswerT]
    repair_notes: Mapping[TerminationReason, str]

    def read_text(self, text: str, calls: Sequence[CompletedCall]) -> AnswerT:  # noqa: ARG002 -- the protocol
        """What ``parse`` makes of the text."""
        return self.parse(text)

    def read_calls(self, calls: Sequence[CompletedCall]) -> None:
        """No call ends the conversation."""

    def read_cut(self, calls: Sequence[CompletedCall]) -> None:
        """A conversation that was cut has said nothing yet."""
