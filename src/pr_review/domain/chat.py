"""The conversation with a model, in the vocabulary of chat completions but bound to no wire format."""

from enum import StrEnum

from pydantic import JsonValue

from pr_review.domain.base import Frozen, JsonObject


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Message(Frozen):
    """One message.

    An assistant message is carried as ``raw``, the object exactly as the provider sent it (item 21): unknown
    fields (``reasoning_content``, signatures) must come back unchanged, so it is never rebuilt from parts.
    """

    role: Role
    content: str = ""
    tool_call_id: str | None = None
    raw: JsonObject | None = None


class ToolSpec(Frozen):
    """A tool as the model sees it; ``parameters`` is its canonical JSON Schema."""

    name: str
    description: str
    parameters: JsonObject


class Usage(Frozen):
    """Tokens of one reply; a number the provider did not report is None, never zero (item 28)."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None


class Reply(Frozen):
    """One decoded provider turn: the envelope is valid, nothing of its content is yet.

    ``message`` is the assistant object as it must be echoed. ``tool_calls`` are its raw calls; each is still
    untrusted JSON of any type. ``finish_reason`` is the raw value; ``calls_signal`` says that a profile
    accepts the calls although the finish reason is not ``tool_calls``. ``text_calls`` marks a reply whose
    calls were read from text (tool-mode text), where a fenced final answer is accepted.
    """

    request_id: str | None
    model: str | None
    finish_reason: str | None
    message: JsonObject
    content: str | None
    tool_calls: tuple[JsonValue, ...] = ()
    usage: Usage | None = None
    calls_signal: bool = False
    text_calls: bool = False


class ToolCall(Frozen):
    """A call that passed the whole round's validation; ``arguments`` is the parsed object."""

    id: str
    name: str
    arguments: JsonObject


class HunkId(Frozen):
    """Names one hunk of the diff: the head path and the hunk's index in its file, from 0."""

    path: str
    index: int


class ToolResult(Frozen):
    """A bounded result: ``payload`` is what the model will read as compact JSON.

    ``shown`` names the hunks that are whole in it (only ``inspect_git_diff`` shows any), for coverage.
    """

    payload: JsonObject
    ok: bool = True
    truncated: bool = False
    shown: tuple[HunkId, ...] = ()
