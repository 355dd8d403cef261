"""Real tools of the smallest kind, and replies as a wire format decodes them."""

from typing import Any, ClassVar

import pytest

from pr_review.domain.chat import FinishReason, Reply, RequestedCall, ToolResult, ToolSpec, Usage
from pr_review.domain.shown import NOTHING_SHOWN, ShownLines
from pr_review.errors import ToolFailure
from pr_review.tools.tool import Integer, ToolArgs
from pr_review.tools.toolbox import Toolbox


class EchoArgs(ToolArgs):
    text: str
    repeat: Integer = 1


class Echo:
    """Repeats a text; records what it was asked, so that a test can prove that it never ran."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="echo", description="Repeats.", parameters={"type": "object", "properties": {}}
    )
    args_model: ClassVar[type[ToolArgs]] = EchoArgs

    def __init__(self) -> None:
        self.ran: list[str] = []

    def run(self, args: EchoArgs, max_bytes: int) -> ToolResult:
        self.ran.append(args.text)
        if args.text == "missing":
            raise ToolFailure("path_not_found", "The requested path does not exist.")
        text = (args.text * args.repeat).encode()[: max_bytes - 50].decode(errors="ignore")
        shown = ShownLines.of(args.text, 0, 1) if args.text.endswith(".py") else NOTHING_SHOWN
        return ToolResult(
            payload={"ok": True, "text": text},
            truncated=len(text) < len(args.text) * args.repeat,
            shown=shown,
        )


@pytest.fixture
def echo() -> Echo:
    return Echo()


@pytest.fixture
def toolbox(echo):
    return Toolbox([echo])


def make_call(
    call_id: str = "c1", name: str | None = "echo", arguments: Any = '{"text":"a"}'
) -> RequestedCall:
    return RequestedCall(id=call_id, name=name, arguments=arguments)


def make_reply(
    *calls: RequestedCall, text: str | None = None, finish: FinishReason | None = None, **fields: Any
) -> Reply:
    finish = finish or (FinishReason.TOOL_CALLS if calls else FinishReason.STOP)
    known: dict[str, Any] = {
        "message": {"role": "assistant", "content": text, "calls": [call.id for call in calls]},
        "finish": finish,
        "finish_word": finish.value,
        "text": text,
        "calls": calls,
        "usage": Usage(prompt_tokens=100, completion_tokens=10, total_tokens=110),
        "request_id": "r1",
        "model": "m-1",
    }
    return Reply(**known | fields)


@pytest.fixture
def call():
    return make_call


@pytest.fixture
def reply():
    return make_reply
