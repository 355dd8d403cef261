"""Call objects of a reply as the calls that a conversation validates."""

from collections.abc import Sequence

from pydantic import JsonValue

from pr_review.domain.chat import RequestedCall
from pr_review.domain.frozen import JsonObject


def read_call(sent: JsonValue, normalised: JsonValue) -> RequestedCall:
    """One call, total over JSON values: ``call_fault`` says whether it has the wire format's shape.

    ``normalised`` is ``sent`` after everything that the profile accepts was put right.
    """
    call = normalised if isinstance(normalised, dict) else {}
    function = function_of(call)
    call_id, name, arguments = call.get("id"), function.get("name"), function.get("arguments")
    return RequestedCall(
        id=call_id if isinstance(call_id, str) else "",
        name=name if isinstance(name, str) else None,
        arguments=arguments if isinstance(arguments, str) else None,
        original_id=_original_id(sent, call),
    )


def call_fault(calls: Sequence[JsonValue]) -> str | None:
    """What is wrong with the first call that does not have the wire format's shape, in a sentence.

    A call is an object of type ``function`` with an id that is text and a ``function`` object. Bounds of the
    id, the name and the arguments are the same in every wire format, so the conversation checks them.
    """
    return next(filter(None, map(_fault, calls)), None)


def function_of(call: JsonObject) -> JsonObject:
    """The call's ``function`` object, empty when there is none."""
    function = call.get("function")
    return function if isinstance(function, dict) else {}


def _fault(call: JsonValue) -> str | None:
    if not isinstance(call, dict) or call.get("type") != "function":
        return "A tool call is not of type function."
    if not isinstance(call.get("id"), str):
        return "A tool call has no id, or one that is too long."
    if not isinstance(call.get("function"), dict):
        return "A tool call names no function."
    return None


def _original_id(sent: JsonValue, call: JsonObject) -> str | None:
    """The id that ours replaced, "" unless it was text; None where the provider's stayed."""
    if not isinstance(sent, dict) or sent.get("id") == call.get("id"):
        return None
    return sent_id if isinstance(sent_id := sent.get("id"), str) else ""
