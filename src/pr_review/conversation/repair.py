"""What a model is told after a turn that was dropped whole (decision 6): its error class, no more."""

import json

from pr_review.domain.chat import Message, Role
from pr_review.errors import TerminationReason
from pr_review.tools.tool import compact_json

REPAIR_NOTES = {
    TerminationReason.INVALID_TOOL_CALL: (
        "Your last reply was discarded: invalid_tool_call. No call of it ran. Call only the offered tools, "
        "with a unique id and arguments that match the schema exactly."
    ),
    TerminationReason.INVALID_MODEL_RESPONSE: (
        "Your last reply was discarded: invalid_model_response. Either call tools, or reply with nothing but "
        "the final review JSON object."
    ),
}


def with_note(message: Message, note: str) -> Message:
    """The message with a note that stays: a ``note`` key in a tool result, a paragraph elsewhere.

    Providers refuse a user message right after tool results, so nothing is appended as a message of its own.
    """
    if message.role is Role.TOOL:
        payload = json.loads(message.content)
        known = payload.get("note", "")
        payload["note"] = known if note in known else f"{known} {note}".strip()
        return message.model_copy(update={"content": compact_json(payload)})
    if note in message.content:
        return message
    return message.model_copy(update={"content": f"{message.content}\n\n{note}"})
