"""Call objects of a reply as the calls that a conversation validates."""

from pydantic import JsonValue

from pr_review.domain.chat import RequestedCall
from pr_review.domain.frozen import JsonObject


def read_call(sent: JsonValue, normalised: JsonValue) -> RequestedCall:
    """One call, total over JSON values; its ``fault`` says what keeps it from being a call.

    ``normalised`` is ``sent`` after everything that the profile accepts was put right. Bounds of the id, the
    name and the arguments are the same in every wire format, so the conversation checks them.
    """
    call = normalised if isinstance(normalised, dict) else {}
    function = function_of(call)
    call_id, name, arguments = call.get("id"), function.get("name"), function.get("arguments")
    return RequestedCall(
        id=call_id if isinstance(call_id, str) else "",
        name=name if isinstance(name, str) else None,
        arguments=arguments if isinstance(arguments, str) else None,
        original_id=_original_id(sent, call),
        fault=_fault(normalised),
    )


def function_of(call: JsonObject) -> JsonObject:
    """The call's ``function`` object, empty when there is none."""
    function = call.get("function")
    return function if isinstance(function, dict) else {}


def _fault(call: JsonValue) -> str:
    """A call is an object of type ``function`` with an id that is text and a ``function`` object."""
    if not isinstance(call, dict) or call.get("type") != "function":
        return "A tool call is not of type function."
    if not isinstance(call.get("id"), str):
        return "A tool call has no id, or one that is too long."
    if not isinstance(call.get("function"), dict):
        return "A tool call names no function."
    return ""


def _original_id(sent: JsonValue, call: JsonObject) -> str | None:
    """The id that ours replaced, "" unless it was text; None where the provider's stayed."""
    if not isinstance(sent, dict) or sent.get("id") == call.get("id"):
        return None
    return sent_id if isinstance(sent_id := sent.get("id"), str) else ""
