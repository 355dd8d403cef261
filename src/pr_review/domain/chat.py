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
    untrusted JSON of any type. ``finish_reason`` is the raw value; ``calls_signal`` says that under a profile
    the presence of calls decides what the turn is, whatever its finish reason says. ``text_calls`` marks a
    reply in tool-mode text, where calls are read from text and a fenced final answer is accepted.
    ``repeats_ids``: under a profile, ids are unique within a round only (Kimi numbers each turn anew).
    ``hint`` is what to set when the turn is refused: it names a profile that accepts it (decision 5).
    ``put_right`` names what the profile accepted and changed; ``original_ids`` has, call by call, the
    provider's id where ours took its place ("" when there was none), else None. ``stubbed_results``: of the
    tool results in the conversation so many, the oldest, did not fit and were sent as stubs.
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
    repeats_ids: bool = False
    hint: str = ""
    put_right: tuple[str, ...] = ()
    original_ids: tuple[str | None, ...] = ()
    stubbed_results: int = 0


class ToolCall(Frozen):
    """A call that passed the whole round's validation; ``arguments`` is the parsed object.

    ``original_id`` is the provider's id where a profile replaced it ("" when there was none), else None.
    """

    id: str
    name: str
    arguments: JsonObject
    original_id: str | None = None


class HunkId(Frozen):
    """Names one hunk of the diff: the head path and the hunk's index in its file, from 0.

    In a file without hunks 0 is its header, which shows a new name or mode.
    """

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
