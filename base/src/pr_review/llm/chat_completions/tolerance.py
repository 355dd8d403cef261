"""Normalises the calls of a turn as far as the profile accepts their deviations.

The normalised calls run, and go back in the assistant message as well, so that both carry the same ids. Each
normaliser looks at one call and returns the call as it should have been, or None when it does not deviate.
Where the profile does not accept a deviation, the call stays as it came, so that the validation of the round
refuses it, and the deviation is named for the advice.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import JsonValue

from pr_review.domain import strict_json
from pr_review.domain.chat import ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.llm.chat_completions.calls import function_of
from pr_review.llm.chat_completions.profile import Profile, Tolerance

NO_ID = (None, "", "null")
CONTROL_TOKEN = "<|"  # noqa: S105 -- the start of a chat template's token, as in name<|channel|>commentary


def synthetic_id(round_number: int, index: int) -> str:
    """A call id of ours, equal for equal places: 9 of ``[A-Za-z0-9]``, because Mistral takes no other."""
    return f"r{round_number:03d}i{index:04d}"


class TurnContext(NamedTuple):
    """What is known before a turn is read: its number in the conversation, from 1, and the tools on offer."""

    number: int
    tools: Sequence[ToolSpec]

    def requires_arguments(self, name: JsonValue) -> bool:
        """Whether the tool has required arguments; an unknown tool counts as having some."""
        offered = [tool for tool in self.tools if tool.name == name]
        return not offered or any(tool.parameters.get("required") for tool in offered)


@dataclass(frozen=True)
class CallPlace:
    """Where a call stands: its turn, its index from 0, and the ids of the calls before it."""

    turn: TurnContext
    index: int
    earlier_ids: AbstractSet[str]

    @property
    def synthetic_id(self) -> str:
        """The id of ours for this place."""
        return synthetic_id(self.turn.number, self.index)


Normaliser = Callable[[JsonObject, CallPlace], JsonObject | None]


def normalise_calls(
    calls: Sequence[JsonValue], profile: Profile, turn: TurnContext
) -> tuple[list[JsonValue], set[Tolerance]]:
    """The calls, normalised as far as the profile goes, and every deviation found, accepted or not."""
    found: set[Tolerance] = set()
    ids: set[str] = set()
    normalised: list[JsonValue] = []
    for index, call in enumerate(calls):
        if isinstance(call, dict):
            call, deviations = _normalise_call(call, CallPlace(turn, index, ids), profile)  # noqa: PLW2901
            found |= deviations
            ids.update(_given_id(call))
        normalised.append(call)
    return normalised, found


def _normalise_call(
    call: JsonObject, place: CallPlace, profile: Profile
) -> tuple[JsonObject, set[Tolerance]]:
    found: set[Tolerance] = set()
    for tolerance, normaliser in NORMALISERS:
        better = normaliser(call, place)
        if better is not None:
            found.add(tolerance)
            call = better if profile.accepts(tolerance) else call
    return call, found


def _given_id(call: JsonObject) -> list[str]:
    call_id = call.get("id")
    return [call_id] if isinstance(call_id, str) and call_id not in NO_ID else []


def _missing_id(call: JsonObject, place: CallPlace) -> JsonObject | None:
    return call | {"id": place.synthetic_id} if call.get("id") in NO_ID else None


def _duplicate_id(call: JsonObject, place: CallPlace) -> JsonObject | None:
    call_id = call.get("id")
    if not isinstance(call_id, str) or call_id not in place.earlier_ids:
        return None
    return call | {"id": place.synthetic_id}


def _missing_type(call: JsonObject, _place: CallPlace) -> JsonObject | None:
    return call | {"type": "function"} if call.get("type") is None else None


def _polluted_name(call: JsonObject, _place: CallPlace) -> JsonObject | None:
    name = function_of(call).get("name")
    if not isinstance(name, str) or CONTROL_TOKEN not in name:
        return None
    return _with_function(call, "name", name.partition(CONTROL_TOKEN)[0])


def _object_arguments(call: JsonObject, _place: CallPlace) -> JsonObject | None:
    arguments = function_of(call).get("arguments")
    return _with_arguments(call, arguments) if isinstance(arguments, dict) else None


def _empty_arguments(call: JsonObject, place: CallPlace) -> JsonObject | None:
    function = function_of(call)
    if function.get("arguments") not in ("", None) or place.turn.requires_arguments(function.get("name")):
        return None
    return _with_arguments(call, {})


def _double_encoding(call: JsonObject, _place: CallPlace) -> JsonObject | None:
    """One extra decoding, and only when an object comes out of it."""
    arguments = function_of(call).get("arguments")
    once = _parsed(arguments)
    twice = _parsed(once)
    return _with_arguments(call, twice) if isinstance(once, str) and isinstance(twice, dict) else None


NORMALISERS: tuple[tuple[Tolerance, Normaliser], ...] = (
    (Tolerance.MISSING_TYPE, _missing_type),
    (Tolerance.MISSING_IDS, _missing_id),
    (Tolerance.DUPLICATE_IDS, _duplicate_id),
    (Tolerance.POLLUTED_NAMES, _polluted_name),
    (Tolerance.OBJECT_ARGUMENTS, _object_arguments),
    (Tolerance.EMPTY_ARGUMENTS, _empty_arguments),
    (Tolerance.DOUBLE_ENCODING, _double_encoding),
)


def _with_function(call: JsonObject, key: str, value: JsonValue) -> JsonObject:
    return call | {"function": function_of(call) | {key: value}}


def _with_arguments(call: JsonObject, arguments: JsonObject) -> JsonObject:
    return _with_function(call, "arguments", strict_json.dumps(arguments).decode())


def _parsed(text: JsonValue) -> JsonValue:
    """The JSON in a text; None when there is none, or none that can be written again (a lone surrogate)."""
    try:
        value = strict_json.loads(text.encode()) if isinstance(text, str) else None
        strict_json.dumps(value)
    except ValueError:
        return None
    return value
