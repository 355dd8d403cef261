"""What a server's finish reason means."""

from collections.abc import Collection

from pr_review.domain.chat import FinishReason

MEANINGS = {
    "stop": FinishReason.STOP,
    "tool_calls": FinishReason.TOOL_CALLS,
    "length": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
}


def read_finish(word: str | None, *, calls: bool, calls_imply_tools: Collection[str]) -> FinishReason:
    """The meaning of a finish reason; after the words in ``calls_imply_tools``, ``calls`` decide it."""
    if word in calls_imply_tools:
        return FinishReason.TOOL_CALLS if calls else FinishReason.STOP
    return MEANINGS.get(word or "", FinishReason.UNKNOWN)
