"""Tool calls in plain text, for models without native ones (tool-mode ``text``).

The system message describes the same tools, the model calls them in one fenced JSON block that ends its
reply, and their results come back in a user message. Prose is never read as a call, because repository text
that a model quotes could hold one.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

from pydantic import JsonValue

from pr_review.domain import strict_json
from pr_review.domain.chat import FinishReason, Message, Reply, RequestedCall, Role, ToolSpec
from pr_review.errors import InvalidTurn, TerminationReason
from pr_review.llm.chat_completions.tolerance import synthetic_id

FENCE = "```"
NATURAL_FINISHES = frozenset({"stop", "eos", "end_turn", ""})
INSTRUCTIONS = """

## How to call tools

You have no native tool calls. To call tools, end your reply with one fenced block, with nothing behind it:

```json
{{"tool_calls":[{{"name":"read_repository_file","arguments":{{"path":"src/example.py"}}}}]}}
```

Up to eight calls fit into one block. Their results come in the next message. The final review JSON is sent in
place of calls, alone in its reply. The tools, with the JSON Schema of their arguments:

```json
{tools}
```
"""


def write_as_text(conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> list[Message]:
    """The conversation without native calls; the results of a round become one user message."""
    described = INSTRUCTIONS.format(tools=_describe(tools))
    written: list[Message] = []
    for role, group in groupby(conversation, key=lambda message: message.role):
        if role is Role.TOOL:
            written.append(_results(group))
        elif role is Role.SYSTEM:
            written += [m.model_copy(update={"content": m.content + described}) for m in group]
        else:
            written += [_without_calls(message) for message in group]
    return written


def read_text_turn(reply: Reply, turn_number: int) -> Reply:
    """The reply with the calls that its text holds, or with its final text, without the fence around it.

    Raises ``InvalidTurn`` for a block that is not clean, and for native calls, which were not offered.
    """
    if reply.calls:
        raise _invalid("The model sent native tool calls although none were offered.")
    text = reply.text or ""
    block = _last_block(text)
    calls = _calls_in(text if block is None else block)
    if calls is None:
        return reply.model_copy(update={"text": reply.text if block is None else block})
    requested = tuple(_requested(call, turn_number, index) for index, call in enumerate(calls))
    ended = reply.finish is FinishReason.STOP or reply.finish_word in NATURAL_FINISHES
    finish = FinishReason.TOOL_CALLS if ended else reply.finish
    return reply.model_copy(update={"calls": requested, "finish": finish})


def _describe(tools: Iterable[ToolSpec]) -> str:
    return strict_json.dumps([tool.model_dump() for tool in tools]).decode()


def _results(results: Iterable[Message]) -> Message:
    texts = [f"Result of call {result.tool_call_id}: {result.content}" for result in results]
    return Message(role=Role.USER, content="\n\n".join(texts))


def _without_calls(message: Message) -> Message:
    if message.raw is None:
        return message
    return message.model_copy(
        update={"raw": {key: value for key, value in message.raw.items() if key != "tool_calls"}}
    )


def _last_block(text: str) -> str | None:
    """The body of the only fenced block; None without one. Text behind a block makes it unclean."""
    lines = text.rstrip().split("\n")
    fences = [number for number, line in enumerate(lines) if line.strip().startswith(FENCE)]
    if not fences:
        return None
    if len(fences) != 2 or fences[1] != len(lines) - 1:  # noqa: PLR2004 -- opened and closed
        raise _invalid("The model's reply holds more than one fenced block, or text behind it.")
    return "\n".join(lines[fences[0] + 1 : fences[1]])


def _calls_in(text: str) -> list[JsonValue] | None:
    try:
        value = strict_json.loads(text.encode())
    except ValueError:
        return None
    calls = value.get("tool_calls") if isinstance(value, dict) and len(value) == 1 else None
    return calls if isinstance(calls, list) and calls else None


def _requested(call: JsonValue, turn_number: int, index: int) -> RequestedCall:
    """A call with an id of ours; the conversation refuses what is wrong with its name or arguments."""
    described = call if isinstance(call, dict) else {}
    name, arguments = described.get("name"), described.get("arguments", {})
    return RequestedCall(
        id=synthetic_id(turn_number, index),
        name=name if isinstance(name, str) else None,
        arguments=arguments if isinstance(arguments, str | dict) else None,
    )


def _invalid(detail: str) -> InvalidTurn:
    return InvalidTurn(
        TerminationReason.INVALID_MODEL_RESPONSE,
        detail,
        "Run again; if it persists choose a model that follows instructions, or one with native tool calls.",
    )
