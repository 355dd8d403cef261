"""How a conversation comes to its answer: what ends it, and what a cut one keeps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from pr_review.domain.chat import ToolCall, ToolResult
from pr_review.errors import InvalidTurn, TerminationReason

AnswerT = TypeVar("AnswerT")


class CompletedCall(NamedTuple):
    """A call that ran, and its result."""

    call: ToolCall
    result: ToolResult


class AnswerProtocol(Protocol[AnswerT]):
    """Reads the answer of one kind of conversation, out of texts, out of tool calls, or out of both.

    ``calls`` are all calls that ran so far, in order. ``repair_notes`` tell the model what it has to do after
    a turn that was dropped, by the class of the error.
    """

    @property
    def repair_notes(self) -> Mapping[TerminationReason, str]:
        """What the model is told after a dropped turn; our words only, never the model's."""
        ...

    def read_text(self, text: str, calls: Sequence[CompletedCall]) -> AnswerT:
        """The answer of a turn without calls; raises ``InvalidTurn`` when it is none."""
        ...

    def settle(self, last: AnswerT | None, refused: Sequence[str]) -> AnswerT | None:
        """The answer, with what still counts of the texts that were ``refused`` before, the oldest first.

        ``last`` is None when the model is not asked again. None is returned when nothing can be kept.
        """
        ...

    def read_calls(self, calls: Sequence[CompletedCall]) -> AnswerT | None:
        """The answer when a call has ended the conversation, else None."""
        ...

    def read_cut(self, calls: Sequence[CompletedCall]) -> AnswerT | None:
        """What calls have answered when the conversation ends early, None when that is nothing."""
        ...


def repair_note(notes: Mapping[TerminationReason, str], error: InvalidTurn) -> str:
    """What the model is told after a dropped turn, with each field and the rule that it broke."""
    faults = f" What was wrong: {'; '.join(error.faults)}" if error.faults else ""
    return notes[error.reason] + faults


def _last_alone(last: AnswerT | None, _refused: Sequence[str]) -> AnswerT | None:
    return last


@dataclass(frozen=True)
class TextAnswer(Generic[AnswerT]):
    """An answer in one text, such as a final review as JSON; calls only gather evidence for it.

    ``parse`` raises ``InvalidTurn`` for a text that is no answer. ``join`` is ``settle`` of the protocol;
    without one, nothing of a refused answer counts.
    """

    parse: Callable[[str], AnswerT]
    repair_notes: Mapping[TerminationReason, str]
    join: Callable[[AnswerT | None, Sequence[str]], AnswerT | None] = _last_alone

    def read_text(self, text: str, calls: Sequence[CompletedCall]) -> AnswerT:  # noqa: ARG002 -- the protocol
        """What ``parse`` makes of the text."""
        return self.parse(text)

    def settle(self, last: AnswerT | None, refused: Sequence[str]) -> AnswerT | None:
        """What ``join`` makes of them."""
        return self.join(last, refused)

    def read_calls(self, calls: Sequence[CompletedCall]) -> None:
        """No call ends the conversation."""

    def read_cut(self, calls: Sequence[CompletedCall]) -> None:
        """A conversation that was cut has said nothing yet."""
