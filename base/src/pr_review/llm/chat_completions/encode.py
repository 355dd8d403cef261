"""The messages of a conversation as a server reads them."""

from collections import deque
from collections.abc import Sequence

from pydantic import JsonValue

from pr_review.domain.chat import Message, Role
from pr_review.domain.frozen import JsonObject
from pr_review.llm.chat_completions.profile import Profile


def encode_messages(conversation: Sequence[Message], profile: Profile) -> list[JsonValue]:
    """Each message on its own, so that equal prefixes of conversations stay equal bytes for prompt caches.

    Raises ``RuntimeError`` when calls and results do not pair up. Servers refuse such a history, and only a
    bug of ours can make one.
    """
    encoded = [encode_message(message, profile) for message in conversation]
    _check_pairs(encoded)
    return [*encoded]


def encode_message(message: Message, profile: Profile) -> JsonObject:
    """An assistant message goes back as it came, without the keys that the profile's server refuses."""
    if message.raw is not None:
        return {key: value for key, value in message.raw.items() if not _unsent(key, value, profile)}
    if message.role is Role.TOOL:
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    return {"role": message.role.value, "content": message.content}


def _unsent(key: str, value: JsonValue, profile: Profile) -> bool:
    return key in profile.unsent_keys or (value is None and key in profile.unsent_nulls)


def _check_pairs(messages: Sequence[JsonObject]) -> None:
    """Every call is followed by exactly its results, in order, with nothing else in between."""
    owed: deque[JsonValue] = deque()
    for message in messages:
        is_result = message.get("role") == "tool"
        if is_result != bool(owed) or (is_result and owed.popleft() != message.get("tool_call_id")):
            raise RuntimeError("tool calls and their results do not pair up")
        calls = message.get("tool_calls")
        if isinstance(calls, list):
            owed.extend(call.get("id") for call in calls if isinstance(call, dict))
    if owed:
        raise RuntimeError("a tool call has no result")
