"""The messages of one conversation, and which of its tool results have reached the model."""

import json
from collections.abc import Sequence

from pr_review.domain.chat import HunkId, Message, Role
from pr_review.domain.frozen import JsonObject
from pr_review.tools.tool import compact_json

KEPT_SHARE = 0.6  # of a request that overflowed the context window
STUB = compact_json({
    "ok": False,
    "error": {"code": "dropped", "message": "Dropped to fit the context window; call again if still needed."},
})  # fmt: skip


class History:
    """Messages in order; the oldest tool results may be sent as one-line stubs.

    Calls and results always stay paired: providers refuse a history in which they do not.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = list(messages)
        self._results = 0
        self._stubs = 0
        self._unread: dict[int, tuple[HunkId, ...]] = {}  # by the number of the tool result that shows them

    @property
    def has_stubs(self) -> bool:
        """Some results are sent as stubs."""
        return self._stubs > 0

    def sent(self) -> list[Message]:
        """The messages as the next request carries them."""
        left = self._stubs
        sent: list[Message] = []
        for message in self._messages:
            stubbed = message.role is Role.TOOL and left > 0
            left -= stubbed
            sent.append(message.model_copy(update={"content": STUB}) if stubbed else message)
        return sent

    def ask(self, question: str) -> None:
        """Add a message of the user."""
        self._messages.append(Message(role=Role.USER, content=question))

    def add_turn(self, message: JsonObject) -> None:
        """Add a turn of the model, exactly as its provider sent it."""
        self._messages.append(Message(role=Role.ASSISTANT, raw=message))

    def add_result(self, call_id: str, content: str, shown: tuple[HunkId, ...]) -> None:
        """Add a tool result; ``shown`` are the hunks in it."""
        self._unread[self._results] = shown
        self._results += 1
        self._messages.append(Message(role=Role.TOOL, content=content, tool_call_id=call_id))

    def note(self, note: str) -> None:
        """Put a note into the last message, where it stays.

        Providers refuse a message of the user right after tool results, so the note is no message of its own.
        """
        self._messages[-1] = with_note(self._messages[-1], note)

    def take_read(self) -> set[HunkId]:
        """The hunks that the reply just received has read: what a stub replaced was not among them."""
        read = {hunk for number, hunks in self._unread.items() if number >= self._stubs for hunk in hunks}
        self._unread.clear()
        return read

    def shrink(self, request_bytes: int) -> bool:
        """Replace the oldest results by stubs until ``KEPT_SHARE`` of the request is left, once.

        The last result always stays. Returns whether anything became smaller.
        """
        if self._stubs:
            return False
        sizes = [len(message.content.encode()) for message in self._messages if message.role is Role.TOOL]
        excess = request_bytes * (1 - KEPT_SHARE)
        for size in sizes[:-1]:
            if excess <= 0:
                break
            excess -= size - len(STUB)
            self._stubs += 1
        return self.has_stubs


def with_note(message: Message, note: str) -> Message:
    """The message with a note that stays: a ``note`` key in a tool result, a paragraph elsewhere."""
    if message.role is Role.TOOL:
        payload = json.loads(message.content)
        known = payload.get("note", "")
        payload["note"] = known if note in known else f"{known} {note}".strip()
        return message.model_copy(update={"content": compact_json(payload)})
    if note in message.content:
        return message
    return message.model_copy(update={"content": f"{message.content}\n\n{note}"})
