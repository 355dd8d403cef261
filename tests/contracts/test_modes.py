"""The same reviews over every way a model can speak: whole replies, streams, and calls in text."""

import itertools
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import SecretStr

from pr_review.conversation.conversation import Conversation
from pr_review.domain.chat import Message, Role, ToolResult
from pr_review.domain.run import ConversationLimits, ProtocolAction, Purpose
from pr_review.errors import PrReviewError, ToolFailure
from pr_review.findings.submission import Submission
from pr_review.llm.chat_completions.chat_model import ChatCompletionsModel
from pr_review.llm.chat_completions.chat_settings import ChatSettings
from pr_review.llm.chat_completions.profiles import PROFILES
from pr_review.llm.http import open_client
from pr_review.llm.request_budget import RequestBudget
from pr_review.llm.retry import Pacing
from pr_review.review.passes.find import FINAL_REVIEW, STRICT_REVIEW
from pr_review.tools.canonical.inspect_git_diff import InspectGitDiff
from pr_review.tools.canonical.read_repository_file import ReadRepositoryFile
from pr_review.tools.toolbox import Toolbox

pytestmark = pytest.mark.anyio

REVIEW = '{"summary":"ok","findings":[],"notes":[]}'
READ = ("read_repository_file", {"path": "src/a.py"})
DIFF = ("inspect_git_diff", {})
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
MODES = {
    "whole": {"tool_mode": "native"},
    "stream": {"stream": True, "tool_mode": "native"},
    "text": {"tool_mode": "text"},
    "streamed text": {"stream": True, "tool_mode": "text"},
}


class Recorder:
    """A tool with the real arguments that remembers its calls, and fails for one path."""

    def __init__(self, tool: Any, ran: list[Any]) -> None:
        self.spec, self.args_model = tool.spec, tool.args_model
        self._ran = ran

    def run(self, args: Any, _max_bytes: int) -> ToolResult:
        if getattr(args, "path", None) == "gone.py":
            raise ToolFailure("path_not_found", "The requested path does not exist.")
        self._ran.append(args)
        return ToolResult(payload={"ok": True, "number": len(self._ran)})


class Mode:
    """How a server of this mode says things, and one review against it."""

    def __init__(self, server: Any, name: str) -> None:
        self.server = server
        self.options: dict[str, Any] = dict(MODES[name])
        self.ran: list[Any] = []
        self.turns = 0

    @property
    def in_text(self) -> bool:
        return self.options["tool_mode"] == "text"

    def says(self, content: str, finish: str = "stop") -> Any:
        return self._answer({"role": "assistant", "content": content}, finish)

    def calls(self, *calls: tuple[str, Any]) -> Any:
        """A turn that calls tools; arguments that are text go out as they are."""
        self.turns += 1
        if self.in_text:
            block = {"tool_calls": [{"name": name, "arguments": arguments} for name, arguments in calls]}
            return self.says(f"Let me look.\n```json\n{json.dumps(block)}\n```")
        native = [
            {
                "id": f"call_{self.turns}_{index}",
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
                },
            }
            for index, (name, arguments) in enumerate(calls)
        ]
        return self._answer({"role": "assistant", "content": None, "tool_calls": native}, "tool_calls")

    def _answer(self, message: dict[str, Any], finish: str) -> Any:
        if not self.options.get("stream"):
            choice = {"index": 0, "finish_reason": finish, "message": message}
            return self.server.json({"id": "r", "model": "m", "choices": [choice], "usage": USAGE})
        deltas = [{key: value for key, value in message.items() if key != "tool_calls"}]
        for index, call in enumerate(message.get("tool_calls", ())):
            text = call["function"]["arguments"]
            head = {"index": index} | call | {"function": call["function"] | {"arguments": ""}}
            pieces = [{"index": index, "function": {"arguments": piece}} for piece in (text[:3], text[3:])]
            deltas += [{"tool_calls": [piece]} for piece in (head, *pieces)]
        chunks = [{"id": "r", "model": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": USAGE})
        return self.server.sse([*chunks, "[DONE]"])

    async def review(
        self, *answers: Any, budget: int = 24, **limits: int
    ) -> tuple[str, Conversation[Submission]]:
        """How the review ends, and its conversation."""
        self.server.add(*answers)
        async with open_client(self.server.url) as client:
            model = ChatCompletionsModel(
                ChatSettings(self.server.url, "m", PROFILES["generic"], "s", SecretStr("k"), **self.options),
                client=client,
                budget=RequestBudget(budget),
                pacing=Pacing(lambda: 900.0, _no_wait, lambda: 0.0),
            )
            tools = [Recorder(tool, self.ran) for tool in (ReadRepositoryFile, InspectGitDiff)]
            held = Conversation(
                "find-1",
                Purpose.FIND,
                model=model,
                toolbox=Toolbox(tools),
                limits=ConversationLimits(**limits),
                answers=STRICT_REVIEW if limits.get("max_repairs") == 0 else FINAL_REVIEW,
                clock=time.monotonic,
            )
            try:
                await held.run([Message(role=Role.SYSTEM, content="s"), Message(role=Role.USER, content="u")])
            except PrReviewError as error:
                return error.code, held
        return "final_review", held

    @property
    def last_message(self) -> str:
        content: str = self.server.bodies[-1]["messages"][-1]["content"]
        return content


async def _no_wait(_: float) -> None:
    return None


@pytest.fixture(params=MODES)
def mode(request, chat_server) -> Mode:
    return Mode(chat_server, request.param)


def actions(held: Conversation[Submission]) -> list[ProtocolAction]:
    return [turn.protocol_action for turn in held.record.turns]


async def test_a_tool_round_then_the_final_review(mode):
    end, held = await mode.review(mode.calls(READ, DIFF), mode.says(REVIEW), max_rounds=4)
    assert end == "final_review"
    assert [type(args).__name__ for args in mode.ran] == ["ReadArgs", "DiffArgs"]
    assert actions(held) == [ProtocolAction.EXECUTE_TOOLS, ProtocolAction.RETURN_REVIEW]
    assert [[call.name for call in turn.tool_calls] for turn in held.record.turns] == [[READ[0], DIFF[0]], []]
    assert '{"ok":true,"number":2,"remaining":' in mode.last_message
    assert held.record.usage.total_tokens == 36
    assert len(mode.server.requests) == 2


async def test_a_model_that_ends_at_once_costs_one_request(mode):
    end, _ = await mode.review(mode.says(REVIEW))
    assert (end, len(mode.server.requests)) == ("final_review", 1)


async def test_several_rounds_keep_their_order(mode):
    end, held = await mode.review(*(mode.calls(READ) for _ in range(3)), mode.says(REVIEW))
    assert (end, len(mode.ran), len(held.record.turns)) == ("final_review", 3, 4)


async def test_a_tools_own_failure_reaches_the_model(mode):
    end, _ = await mode.review(mode.calls((READ[0], {"path": "gone.py"})), mode.says(REVIEW))
    assert end == "final_review"
    assert '"error":{"code":"path_not_found"' in mode.last_message


BAD_CALLS: dict[str, tuple[str, Any]] = {
    "unknown tool": ("bash", {"command": "ls"}),
    "extra argument": (READ[0], {"path": "a", "command": "pytest"}),
    "wrong type": (READ[0], {"path": "a", "start_line": "1"}),
    "not an object": (READ[0], "[1]"),
}


@pytest.mark.parametrize("bad", BAD_CALLS.values(), ids=BAD_CALLS.keys())
async def test_one_bad_call_and_none_of_its_round_runs(mode, bad):
    end, held = await mode.review(mode.calls(READ, bad), max_repairs=0)
    assert (end, mode.ran) == ("invalid_tool_call", [])
    assert actions(held) == [ProtocolAction.REFUSE]


async def test_a_bad_turn_is_repaired_and_leaves_nothing(mode):
    end, held = await mode.review(mode.calls(BAD_CALLS["unknown tool"]), mode.says(REVIEW))
    assert end == "final_review"
    assert actions(held) == [ProtocolAction.REPAIR, ProtocolAction.RETURN_REVIEW]
    assert [message["role"] for message in mode.server.bodies[1]["messages"]] == ["system", "user"]
    assert "invalid_tool_call" in mode.last_message
    assert "bash" not in json.dumps(mode.server.bodies[1])


@pytest.mark.parametrize("repairs", [0, 1, 2, 9])
async def test_prose_stops_within_the_repairs_and_at_the_third_time(mode, repairs):
    mode.server.rule = lambda _: mode.says("The code looks good to me.")
    end, _ = await mode.review(max_repairs=repairs, max_rounds=20)
    assert (end, len(mode.server.requests)) == ("invalid_model_response", min(repairs + 1, 3))


async def test_a_model_that_only_calls_is_stopped_by_rounds(mode):
    mode.server.rule = lambda _: mode.calls(READ)
    end, _ = await mode.review(max_rounds=3)
    assert (end, len(mode.server.requests), len(mode.ran)) == ("max_rounds", 3, 2)


async def test_a_model_that_only_calls_is_stopped_by_calls(mode):
    end, _ = await mode.review(mode.calls(READ), mode.calls(READ), max_tool_calls=1)
    assert (end, len(mode.ran)) == ("max_tool_calls", 1)


async def test_a_model_that_only_calls_is_stopped_by_requests(mode):
    mode.server.rule = lambda _: mode.calls(READ)
    end, _ = await mode.review(budget=2)
    assert (end, len(mode.server.requests)) == ("max_requests", 2)


def refusal(mode: Mode, status: int, message: str) -> Any:
    return mode.server.json({"error": {"message": message}}, status=status)


def refused_field(mode: Mode) -> Any:
    """Each request is refused for another of the operator's fields."""
    return refusal(mode, 400, f"Unsupported parameter: 'field_{len(mode.server.requests)}'")


def overflow(mode: Mode) -> Any:
    """Two rounds, so that there is a result to stub; then the window overflows."""
    return mode.calls(READ) if mode.turns < 2 else refusal(mode, 400, "maximum context length is 1 token")


def bad_turn(mode: Mode) -> Any:
    """Never twice the same failure in a row, which would stop sooner."""
    return mode.says("No.") if len(mode.server.requests) % 2 else mode.calls(BAD_CALLS["unknown tool"])


COSTLY: dict[str, Callable[[Mode], Any]] = {
    "rate limits": lambda mode: refusal(mode, 429, "Slow down."),
    "overload": lambda mode: refusal(mode, 503, "Overloaded."),
    "broken connections": lambda mode: mode.server.raw(b"{", hang_up=True),
    "refused fields": refused_field,
    "context overflow": overflow,
    "bad turns": bad_turn,
    "tool rounds": lambda mode: mode.calls(READ),
}


@pytest.mark.parametrize("budget", [1, 2, 3])
@pytest.mark.parametrize("cause", COSTLY)
async def test_nothing_costs_more_than_max_requests_whatever_the_cause(mode, cause, budget):
    mode.options |= {"extra_body": {f"field_{number}": 1 for number in range(1, 9)}}
    mode.server.rule = lambda _: COSTLY[cause](mode)
    end, _ = await mode.review(budget=budget, max_rounds=20, max_repairs=20)
    assert (end, len(mode.server.requests)) == ("max_requests", budget)


async def test_an_answer_that_was_cut_ends_the_review(mode):
    end, _ = await mode.review(mode.says('{"summ', "length"))
    assert end == "unsupported_finish_reason"


def all_but_the_last_message(body: bytes) -> bytes:
    return body[: body.rindex(b'{"role":')]


def tools_of(body: bytes) -> str:
    return json.dumps(json.loads(body).get("tools"))


async def test_each_request_begins_with_all_but_the_last_message_of_the_one_before(mode):
    """Prompt caches depend on it."""
    await mode.review(*(mode.calls(READ, DIFF) for _ in range(3)), mode.says(REVIEW))
    for earlier, later in itertools.pairwise(request.body for request in mode.server.requests):
        assert later.startswith(all_but_the_last_message(earlier))
        assert tools_of(later) == tools_of(earlier)


async def test_only_text_mode_takes_a_fence_off_the_final_review(mode):
    """With repairs on it is read as meant, in every mode."""
    fenced = f"```json\n{REVIEW}\n```"
    assert (await mode.review(mode.says(fenced)))[0] == "final_review"
    end, _ = await mode.review(mode.says(fenced), max_repairs=0)
    assert end == ("final_review" if mode.in_text else "invalid_model_response")


async def test_text_mode_sends_no_tools_and_every_other_mode_does(mode):
    await mode.review(mode.says(REVIEW))
    assert ({"tools", "tool_choice"} & mode.server.bodies[0].keys() == set()) == mode.in_text
    assert ("read_repository_file" in mode.server.bodies[0]["messages"][0]["content"]) == mode.in_text
