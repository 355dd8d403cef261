"""Validation of one provider turn: the whole round, before anything of it runs (items 29-40)."""

import unicodedata
from collections.abc import Set as AbstractSet
from typing import NamedTuple, NoReturn

from pydantic import JsonValue, ValidationError

from pr_review.domain.chat import Reply, ToolCall
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import MAX_CALL_ID_CHARS, Limits, ProtocolAction
from pr_review.domain.strict_json import load_object
from pr_review.errors import InvalidTurn, ModelError, ReviewStopped, TerminationReason
from pr_review.tools.tool import ToolArgs
from pr_review.tools.toolbox import Toolbox

KNOWN_FINISH = frozenset({"tool_calls", "stop"})
UNSUPPORTED_FINISH = {
    "length": "The model's answer was cut at its output limit.",
    "content_filter": "The provider's content filter stopped the answer.",
}


class PlannedCall(NamedTuple):
    """A call that may run: every call of its round is valid."""

    call: ToolCall
    args: ToolArgs


class RawCall(NamedTuple):
    """A call whose id and type are valid; name and arguments are still the model's."""

    id: str
    name: JsonValue
    arguments: JsonValue


def classify(reply: Reply) -> ProtocolAction:
    """What the finish reason asks for (items 29, 30): run tools, or return the review.

    Under a profile (``calls_signal``) the presence of calls decides between the two. Raises ``InvalidTurn``
    when calls and finish reason contradict each other, ``ModelError`` for a finish reason that cannot be
    continued from.
    """
    finish, calls = reply.finish_reason, bool(reply.tool_calls)
    if finish in UNSUPPORTED_FINISH or (finish not in KNOWN_FINISH and not reply.calls_signal):
        _refuse_finish(finish)
    if calls and finish != "tool_calls" and not reply.calls_signal:
        raise _bad_call("The model sent tool calls with a finish reason that is not tool_calls.", reply.hint)
    if not calls and finish == "tool_calls" and not reply.calls_signal:
        raise _bad_call("The model announced tool calls and sent none.", reply.hint)
    return ProtocolAction.EXECUTE_TOOLS if calls else ProtocolAction.RETURN_REVIEW


def plan(
    reply: Reply, toolbox: Toolbox, limits: Limits, *, seen_ids: AbstractSet[str], calls_so_far: int
) -> tuple[PlannedCall, ...]:
    """Validate every call of a round in the order of item 31; one bad call and none runs (item 38)."""
    raw = [_identify(call, reply.hint) for call in reply.tool_calls]
    originals = reply.original_ids or (None,) * len(raw)
    _check_unique([call.id for call in raw], frozenset() if reply.repeats_ids else seen_ids, reply.hint)
    _check_counts(len(raw), calls_so_far, limits)
    arguments = [_parse_arguments(call.arguments, reply.hint) for call in raw]
    names = [_check_name(call.name, toolbox, reply.hint) for call in raw]
    args = [_check_schema(toolbox, name, parsed) for name, parsed in zip(names, arguments, strict=True)]
    return tuple(
        PlannedCall(ToolCall(id=call.id, name=name, arguments=parsed, original_id=original), valid)
        for call, name, parsed, original, valid in zip(raw, names, arguments, originals, args, strict=True)
    )


def _refuse_finish(finish_reason: str | None) -> NoReturn:
    detail = UNSUPPORTED_FINISH.get(
        finish_reason or "", "The model stopped for a reason this protocol does not know."
    )
    reason = TerminationReason.UNSUPPORTED_FINISH_REASON
    advice = "Run again, or choose a model with a larger output limit or another filter."
    raise ModelError(reason.value, detail, advice, termination_reason=reason)


def _bad_call(detail: str, hint: str = "") -> InvalidTurn:
    advice = hint or "Run again; if it persists choose a model with reliable tool calling."
    return InvalidTurn(TerminationReason.INVALID_TOOL_CALL, detail, advice)


def _identify(call: JsonValue, hint: str) -> RawCall:
    """Item 32: a bounded id without control characters, and the type ``function``."""
    if not isinstance(call, dict) or call.get("type") != "function":
        raise _bad_call("A tool call is not of type function.", hint)
    call_id, function = call.get("id"), call.get("function")
    if not isinstance(call_id, str) or not 1 <= len(call_id) <= MAX_CALL_ID_CHARS:
        raise _bad_call("A tool call has no id, or one that is too long.", hint)
    if any(unicodedata.category(char) == "Cc" for char in call_id):
        raise _bad_call("A tool call's id holds control characters.", hint)
    if not isinstance(function, dict):
        raise _bad_call("A tool call names no function.", hint)
    return RawCall(call_id, function.get("name"), function.get("arguments"))


def _check_unique(ids: list[str], seen_ids: AbstractSet[str], hint: str) -> None:
    if len(set(ids)) != len(ids) or not seen_ids.isdisjoint(ids):
        raise _bad_call("Two tool calls share an id.", hint)


def _check_counts(count: int, calls_so_far: int, limits: Limits) -> None:
    if count > limits.calls_per_round or calls_so_far + count > limits.max_tool_calls:
        raise ReviewStopped(
            TerminationReason.MAX_TOOL_CALLS,
            "Review exceeded the configured tool call limit.",
            "Raise max-tool-calls together with timeout-seconds, or narrow the review with exclude.",
        )


def _parse_arguments(arguments: JsonValue, hint: str) -> JsonObject:
    parsed = load_object(arguments) if isinstance(arguments, str) else None
    if parsed is None:
        raise _bad_call("A tool call's arguments are not a JSON object in a string.", hint)
    return parsed


def _check_name(name: JsonValue, toolbox: Toolbox, hint: str) -> str:
    if not isinstance(name, str) or not toolbox.has(name):
        raise _bad_call("The model called a tool that it was not offered.", hint)
    return name


def _check_schema(toolbox: Toolbox, name: str, arguments: JsonObject) -> ToolArgs:
    try:
        return toolbox.parse(name, arguments)
    except ValidationError as error:
        raise _bad_call("A tool call's arguments do not match the tool's schema.") from error
