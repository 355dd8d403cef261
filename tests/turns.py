"""Replies and turns of a chat-completions conversation, for tests over HTTP."""

import json

from pr_review.domain.chat import Message, Role

KEY = "sk-test-5f0e4b1c"
REVIEW = '{"summary":"ok","findings":[],"notes":[]}'
CALL = ("c1", "read_repository_file", '{"path":"a"}')


def refused(server, message="no", *, status=400, **fields):
    return server.json({"error": {"message": message, **fields}}, status=status)


def result(call_id: str, size: int = 10) -> Message:
    return Message(role=Role.TOOL, content=json.dumps({"ok": True, "x": "y" * size}), tool_call_id=call_id)


def round_of(*ids: str, size: int = 10) -> list[Message]:
    """An assistant turn with its results."""
    calls = [{"id": i, "type": "function", "function": {"name": "t", "arguments": "{}"}} for i in ids]
    turn = Message(role=Role.ASSISTANT, raw={"role": "assistant", "content": None, "tool_calls": calls})
    return [turn, *(result(i, size) for i in ids)]
