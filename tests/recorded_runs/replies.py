"""Answers of a chat-completions server, in few words."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.conftest import Answer, ChatServer

Call = tuple[str, str, str]
NO_USAGE: dict[str, int] = {}


def finding(title: str, **fields: Any) -> dict[str, Any]:
    """A finding as a model submits it; ``fields`` replace or add."""
    return {
        "severity": "medium",
        "title": title,
        "explanation": f"{title}, explained.",
        "path": "src/orders.py",
        "line": 1,
        "evidence": "As the change shows.",
        "recommendation": "Change it.",
    } | fields


def review(*findings: Mapping[str, Any], summary: str = "Changes prices.", notes: Iterable[str] = ()) -> str:
    """The text of a final review."""
    return json.dumps({"summary": summary, "findings": list(findings), "notes": list(notes)})


def final(*findings: Mapping[str, Any], **options: Any) -> Answer:
    """A final review as a whole reply."""
    return ChatServer.completion(review(*findings), **options)


def call(call_id: str, name: str, **arguments: Any) -> Call:
    """One tool call."""
    return call_id, name, json.dumps(arguments)


def asks(*calls: Call, **options: Any) -> Answer:
    """A turn that calls tools."""
    return ChatServer.completion(calls=calls, **options)


def lists(call_id: str = "c1", **options: Any) -> Answer:
    """A turn that lists the repository's files."""
    return asks(call(call_id, "list_repository_files"), **options)


def refuses(status: int, message: str, headers: Mapping[str, str] | None = None, **fields: Any) -> Answer:
    """An error as OpenAI words it."""
    return ChatServer.json(
        {"error": {"message": message, **fields}}, status=status, headers=dict(headers or {})
    )


def hangs() -> Answer:
    """No answer before the run is over."""
    return ChatServer.completion("{}", delay=120)


def ends(finish: str | None, content: str | None = None, calls: Iterable[Call] = ()) -> Answer:
    """A reply with any finish reason, null among them."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    tool_calls = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for call_id, name, arguments in calls
    ]
    return sends(message | ({"tool_calls": tool_calls} if tool_calls else {}), finish)


def sends(message: Mapping[str, Any], finish: str | None = "stop") -> Answer:
    """A reply with this message as it stands."""
    choice = {"index": 0, "finish_reason": finish, "message": dict(message)}
    return ChatServer.json({"id": "chatcmpl-2", "model": "m-1", "choices": [choice]})


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """One chunk of a stream."""
    choice = {"index": 0, "delta": fields, "finish_reason": finish}
    return {"id": "chatcmpl-3", "model": "m-1", "choices": [choice]}


def streams(*chunks: Mapping[str, Any] | str, **options: Any) -> Answer:
    """A stream of chunks, with usage and the end mark behind them."""
    usage = {"prompt_tokens": 31, "completion_tokens": 9, "total_tokens": 40}
    return ChatServer.sse([*chunks, {"choices": [], "usage": usage}, "[DONE]"], **options)


def fenced(value: Any, before: str = "") -> str:
    """A JSON value in a Markdown fence, as tool-mode text wants it at the end of a reply."""
    return f"{before}```json\n{json.dumps(value)}\n```"
