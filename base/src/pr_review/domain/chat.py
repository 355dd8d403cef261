"""The conversation with a model, in the vocabulary of chat completions but bound to no wire format."""

from enum import StrEnum

from pr_review.domain.frozen import Frozen, JsonObject


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Message(Frozen):
    """One message.

    An assistant message is carried as ``raw``, the object exactly as the provider sent it: unknown
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
    """Tokens of one reply; a number the provider did not report is None, never zero."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None


class FinishReason(StrEnum):
    """Why a turn of the model ended, whatever word its provider uses.

    ``TOOL_CALLS``: it waits for tool results. ``STOP``: it is done. ``LENGTH``: it was cut
    at the output limit. ``CONTENT_FILTER``: the provider withheld it. ``UNKNOWN``: none of these.
    """

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"
    UNKNOWN = "unknown"


class RequestedCall(Frozen):
    """A tool call as the model asks for it: untrusted, and valid only once its whole round was checked.

    ``arguments`` is JSON text, or an object where the wire format carries one. ``name`` and ``arguments`` are
    None when the provider sent neither in a form that its wire format allows. ``original_id`` is the
    provider's id where another one replaced it ("" when there was none), else None. ``fault`` says in a
    sentence what its wire format does not allow about the call as a whole, or is "".
    """

    id: str
    name: str | None
    arguments: str | JsonObject | None
    original_id: str | None = None
    fault: str = ""


class CallIdScope(StrEnum):
    """Within what a provider gives each tool call an id of its own."""

    CONVERSATION = "conversation"
    TURN = "turn"


class Reply(Frozen):
    """One turn of the model, decoded: its envelope is valid, and nothing of its content is yet.

    ``message`` is the assistant message as it must be echoed, in the provider's own form. ``text`` is what it
    says. ``finish`` decides what the turn is; ``finish_word`` is the provider's own word for it, for the
    record. ``call_ids`` says within what the ids of ``calls`` are unique. ``advice`` is what the user can
    change when the turn is refused, or "".
    """

    message: JsonObject
    finish: FinishReason
    finish_word: str | None = None
    text: str | None = None
    calls: tuple[RequestedCall, ...] = ()
    call_ids: CallIdScope = CallIdScope.CONVERSATION
    usage: Usage | None = None
    request_id: str | None = None
    model: str | None = None
    advice: str = ""


class ToolCall(Frozen):
    """A call that passed the validation of its whole round; ``arguments`` is the parsed object.

    ``original_id``: as in ``RequestedCall``.
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
