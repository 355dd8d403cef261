"""The envelope of a reply: exactly one choice of index 0, with a finish reason and an assistant message.

Whole replies and the chunks of a stream share these checks. Each raises ``InvalidTurn``.
"""

from pydantic import JsonValue

from pr_review.domain import strict_json
from pr_review.domain.frozen import JsonObject
from pr_review.errors import InvalidTurn, TerminationReason
from pr_review.llm.errors.kinds import MALFORMED

MAX_FINISH_CHARS = 64  # the word goes into the artifact


def malformed(detail: str, advice: str = MALFORMED.advice) -> InvalidTurn:
    """The error of a reply outside the envelope."""
    return InvalidTurn(TerminationReason.INVALID_MODEL_RESPONSE, detail, advice)


def require_unicode(body: JsonObject) -> None:
    """Refuse a reply with a lone surrogate, which would break the next request and the artifact."""
    try:
        strict_json.dumps(body)
    except ValueError:
        raise malformed("The provider's reply holds text that is not valid Unicode.") from None


def only_choice(body: JsonObject) -> JsonObject:
    """The one choice."""
    choices = body.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        raise malformed("The provider's reply does not hold exactly one choice.")
    index = choices[0].get("index")
    if index != 0 or isinstance(index, bool | float):
        raise malformed("The choice of the provider's reply does not have index 0.")
    return choices[0]


def finish_word(choice: JsonObject) -> str | None:
    """The provider's word for why the turn ended, bounded; absent counts as null."""
    finish = choice.get("finish_reason")
    if finish is not None and not isinstance(finish, str):
        raise malformed("The finish reason of the provider's reply is neither text nor null.")
    return finish[:MAX_FINISH_CHARS] if finish is not None else None


def assistant_message(choice: JsonObject) -> JsonObject:
    """The message, which must be the assistant's."""
    message = choice.get("message")
    if not isinstance(message, dict) or message.get("role") != "assistant":
        raise malformed("The provider's reply holds no assistant message.")
    return message


def sent_calls(message: JsonObject) -> list[JsonValue]:
    """The call objects as they came; absent, null and empty are the same case."""
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        raise malformed("The tool calls of the provider's reply are not a list.")
    return calls or []
