"""Puts right what a profile accepts, in the calls that run and in the message that goes back alike.

Each repair looks at one call and returns the call as it should have been, or None when there is nothing to
put right. Under a profile that does not accept the deviation the call stays as it is, for the round's
validation to refuse, and the deviation is named.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from pr_review.domain import strict_json
from pr_review.domain.chat import ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.llm.chat_completions.profile import Profile, Tolerance

NO_ID = (None, "", "null")
CONTROL_TOKEN = "<|"  # noqa: S105 -- the start of a chat template's token, as in name<|channel|>commentary


def synthetic_id(round_number: int, index: int) -> str:
    """A call id of ours: 9 of ``[A-Za-z0-9]``, which every server takes; equal for equal places."""
    return f"r{round_number:03d}i{index:04d}"


@dataclass
class Round:
    """What a repair may know: where it is, the tools on offer, and the ids seen in this turn."""

    number: int
    tools: Sequence[ToolSpec]
    seen: set[str] = field(default_factory=set)

    def requires_arguments(self, name: JsonValue) -> bool:
        """Whether the tool has required arguments; an unknown tool counts as having some."""
        offered = [tool for tool in self.tools if tool.name == name]
        return not offered or any(tool.parameters.get("required") for tool in offered)


Repair = Callable[[JsonObject, int, Round], JsonObject | None]


def repair_calls(
    calls: Sequence[JsonValue], profile: Profile, current: Round
) -> tuple[list[JsonValue], set[Tolerance]]:
    """The calls put right as far as the profile goes, and every deviation found, accepted or not."""
    found: set[Tolerance] = set()
    repaired = [_repair_call(call, index, profile, current, found) for index, call in enumerate(calls)]
    return repaired, found


def _repair_call(
    call: JsonValue, index: int, profile: Profile, current: Round, found: set[Tolerance]
) -> JsonValue:
    if not isinstance(call, dict):
        return call
    for tolerance, repair in REPAIRS:
        better = repair(call, index, current)
        if better is not None:
            found.add(tolerance)
            call = better if profile.accepts(tolerance) else call
    if isinstance(call_id := call.get("id"), str) and call_id not in NO_ID:
        current.seen.add(call_id)
    return call


def _missing_id(call: JsonObject, index: int, current: Round) -> JsonObject | None:
    return (
        call | {"id": synthetic_id(current.number, index)} if call.get("id") in (None, "", "null") else None
    )


def _duplicate_id(call: JsonObject, index: int, current: Round) -> JsonObject | None:
    call_id = call.get("id")
    if not isinstance(call_id, str) or call_id not in current.seen:
        return None
    return call | {"id": synthetic_id(current.number, index)}


def _missing_type(call: JsonObject, _index: int, _round: Round) -> JsonObject | None:
    return call | {"type": "function"} if call.get("type") is None else None


def _polluted_name(call: JsonObject, _index: int, _round: Round) -> JsonObject | None:
    name = _function(call).get("name")
    if not isinstance(name, str) or CONTROL_TOKEN not in name:
        return None
    return _with_function(call, "name", name.partition(CONTROL_TOKEN)[0])


def _object_arguments(call: JsonObject, _index: int, _round: Round) -> JsonObject | None:
    arguments = _function(call).get("arguments")
    return _with_arguments(call, arguments) if isinstance(arguments, dict) else None


def _empty_arguments(call: JsonObject, _index: int, current: Round) -> JsonObject | None:
    function = _function(call)
    if function.get("arguments") not in ("", None) or current.requires_arguments(function.get("name")):
        return None
    return _with_arguments(call, {})


def _double_encoding(call: JsonObject, _index: int, _round: Round) -> JsonObject | None:
    """One extra decoding, and only when an object comes out of it."""
    arguments = _function(call).get("arguments")
    once = _parsed(arguments)
    twice = _parsed(once)
    return _with_arguments(call, twice) if isinstance(once, str) and isinstance(twice, dict) else None


REPAIRS: tuple[tuple[Tolerance, Repair], ...] = (
    (Tolerance.MISSING_TYPE, _missing_type),
    (Tolerance.MISSING_IDS, _missing_id),
    (Tolerance.DUPLICATE_IDS, _duplicate_id),
    (Tolerance.POLLUTED_NAMES, _polluted_name),
    (Tolerance.OBJECT_ARGUMENTS, _object_arguments),
    (Tolerance.EMPTY_ARGUMENTS, _empty_arguments),
    (Tolerance.DOUBLE_ENCODING, _double_encoding),
)


def _function(call: JsonObject) -> JsonObject:
    function = call.get("function")
    return function if isinstance(function, dict) else {}


def _with_function(call: JsonObject, key: str, value: JsonValue) -> JsonObject:
    return call | {"function": _function(call) | {key: value}}


def _with_arguments(call: JsonObject, arguments: JsonObject) -> JsonObject:
    return _with_function(call, "arguments", strict_json.dumps(arguments).decode())


def _parsed(text: JsonValue) -> JsonValue:
    try:
        return strict_json.loads(text.encode()) if isinstance(text, str) else None
    except ValueError:
        return None
