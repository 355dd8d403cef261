"""Validation of one turn of the model: the whole round, before anything of it runs."""

import unicodedata
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, NoReturn

from pydantic import ValidationError

from pr_review.domain.chat import CallIdScope, FinishReason, Reply, RequestedCall, ToolCall
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import MAX_CALL_ID_CHARS
from pr_review.domain.strict_json import load_object
from pr_review.errors import InvalidTurn, ModelError, TerminationReason
from pr_review.tools.tool import ToolArgs
from pr_review.tools.toolbox import Toolbox

CONTINUING = frozenset({FinishReason.STOP, FinishReason.TOOL_CALLS})
CUT = {
    FinishReason.LENGTH: "The model's answer was cut at its output limit.",
    FinishReason.CONTENT_FILTER: "The provider's content filter stopped the answer.",
    FinishReason.UNKNOWN: "The model stopped for a reason this protocol does not know.",
}


class PlannedCall(NamedTuple):
    """A call that may run: every call of its round is valid."""

    call: ToolCall
    args: ToolArgs


def asks_for_tools(reply: Reply) -> bool:
    """Whether the turn is a round of tool calls; otherwise its text is an answer.

    Raises ``InvalidTurn`` when calls and finish reason contradict each other, ``ModelError`` for a finish
    reason from which nothing can go on.
    """
    if reply.finish not in CONTINUING:
        _refuse_finish(reply.finish)
    if reply.calls and reply.finish is not FinishReason.TOOL_CALLS:
        raise _bad_call(
            "The model sent tool calls with a finish reason that is not tool_calls.", reply.advice
        )
    if not reply.calls and reply.finish is FinishReason.TOOL_CALLS:
        raise _bad_call("The model announced tool calls and sent none.", reply.advice)
    return bool(reply.calls)


def check_ids(reply: Reply, seen_ids: AbstractSet[str]) -> None:
    """Raise ``InvalidTurn`` unless each call has a usable id that no other call of the conversation has."""
    for call in reply.calls:
        _check_identity(call, reply.advice)
    ids = [call.id for call in reply.calls]
    earlier = frozenset[str]() if reply.call_ids is CallIdScope.TURN else seen_ids
    if len(set(ids)) != len(ids) or not earlier.isdisjoint(ids):
        raise _bad_call("Two tool calls share an id.", reply.advice)


def plan_round(reply: Reply, toolbox: Toolbox) -> tuple[PlannedCall, ...]:
    """The calls of a round, ready to run; one bad call and none of them runs.

    Ids and counts were checked before. All arguments are read first, then all names, then all schemas, so
    that the first defect of a round is always named the same way. Raises ``InvalidTurn``.
    """
    arguments = [_parse_arguments(call, reply.advice) for call in reply.calls]
    names = [_check_name(call.name, toolbox, reply.advice) for call in reply.calls]
    args = [_check_schema(toolbox, name, parsed) for name, parsed in zip(names, arguments, strict=True)]
    return tuple(_planned(reply.calls, names, arguments, args))


def _planned(
    calls: Sequence[RequestedCall],
    names: Sequence[str],
    arguments: Sequence[JsonObject],
    args: Sequence[ToolArgs],
) -> list[PlannedCall]:
    return [
        PlannedCall(ToolCall(id=call.id, name=name, arguments=parsed, original_id=call.original_id), valid)
        for call, name, parsed, valid in zip(calls, names, arguments, args, strict=True)
    ]


def _refuse_finish(finish: FinishReason) -> NoReturn:
    reason = TerminationReason.UNSUPPORTED_FINISH_REASON
    advice = "Run again, or choose a model with a larger output limit or another filter."
    raise ModelError(reason.value, CUT[finish], advice, termination_reason=reason)


def _bad_call(detail: str, advice: str = "") -> InvalidTurn:
    general = "Run again; if it persists choose a model with reliable tool calling."
    return InvalidTurn(TerminationReason.INVALID_TOOL_CALL, detail, advice or general)


def _check_identity(call: RequestedCall, advice: str) -> None:
    if call.fault:
        raise _bad_call(call.fault, advice)
    if not 1 <= len(call.id) <= MAX_CALL_ID_CHARS:
        raise _bad_call("A tool call has no id, or one that is too long.", advice)
    if any(unicodedata.category(char) == "Cc" for char in call.id):
        raise _bad_call("A tool call's id holds control characters.", advice)


def _parse_arguments(call: RequestedCall, advice: str) -> JsonObject:
    parsed = load_object(call.arguments) if isinstance(call.arguments, str) else call.arguments
    if parsed is None:
        raise _bad_call("A tool call's arguments are not a JSON object in a string.", advice)
    return parsed


def _check_name(name: str | None, toolbox: Toolbox, advice: str) -> str:
    if name is None or not toolbox.has(name):
        raise _bad_call("The model called a tool that it was not offered.", advice)
    return name


def _check_schema(toolbox: Toolbox, name: str, arguments: JsonObject) -> ToolArgs:
    try:
        return toolbox.parse(name, arguments)
    except ValidationError as error:
        raise _bad_call("A tool call's arguments do not match the tool's schema.") from error
