"""A deterministic model for tests and demos: it says what its script says, and asks nobody."""

from collections.abc import Iterable, Sequence

from pr_review.domain import strict_json
from pr_review.domain.chat import Message, Reply, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import RequestStats
from pr_review.errors import ModelError, PrReviewError

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

    @property
    def stats(self) -> RequestStats:
        """No HTTP request is ever sent."""
        return RequestStats()


def calling(*calls: Call, request_id: str = "scripted") -> Reply:
    """A turn that calls tools; a call is (id, tool name, arguments)."""
    tool_calls: list[JsonObject] = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": _text(arguments)}}
        for call_id, name, arguments in calls
    ]
    message: JsonObject = {"role": "assistant", "content": None, "tool_calls": [*tool_calls]}
    return Reply(
        request_id=request_id,
        model="scripted",
        finish_reason="tool_calls",
        message=message,
        content=None,
        tool_calls=tuple(tool_calls),
    )


def saying(content: str, *, request_id: str = "scripted") -> Reply:
    """A turn that ends with text, such as the final review."""
    return Reply(
        request_id=request_id,
        model="scripted",
        finish_reason="stop",
        message={"role": "assistant", "content": content},
        content=content,
    )


def _text(arguments: JsonObject) -> str:
    return strict_json.dumps(arguments).decode()
