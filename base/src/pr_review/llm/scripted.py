"""A deterministic model for tests and demos: it says what its script says, and asks nobody."""

from collections.abc import Iterable, Sequence

from pr_review.domain.chat import FinishReason, Message, Reply, RequestedCall, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.errors import ModelError, PrReviewError

MODEL = "scripted"

Call = tuple[str, str, JsonObject]


class ScriptedModel:
    """Plays replies in order; an error in the script is raised in its turn.

    ``requests`` keeps every conversation and tool list it was given.
    """

    def __init__(self, script: Iterable[Reply | PrReviewError]) -> None:
        self._script = iter(script)
        self.requests: list[tuple[tuple[Message, ...], tuple[ToolSpec, ...]]] = []

    async def complete(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        """Return the next reply; raises ``ModelError`` when the script has ended."""
        self.requests.append((tuple(conversation), tuple(tools)))
        turn = next(self._script, None)
        if turn is None:
            raise ModelError("script_ended", "The scripted model has no further reply.")
        if isinstance(turn, PrReviewError):
            raise turn
        return turn


def calling(*calls: Call, request_id: str = MODEL) -> Reply:
    """A turn that calls tools; a call is (id, tool name, arguments)."""
    requested = tuple(RequestedCall(id=call_id, name=name, arguments=given) for call_id, name, given in calls)
    return Reply(
        message={"calls": [call_id for call_id, _, _ in calls]},
        finish=FinishReason.TOOL_CALLS,
        finish_word=FinishReason.TOOL_CALLS.value,
        calls=requested,
        request_id=request_id,
        model=MODEL,
    )


def saying(text: str, *, request_id: str = MODEL) -> Reply:
    """A turn that ends with text, such as the final review."""
    return Reply(
        message={"text": text},
        finish=FinishReason.STOP,
        finish_word=FinishReason.STOP.value,
        text=text,
        request_id=request_id,
        model=MODEL,
    )
