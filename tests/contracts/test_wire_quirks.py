"""Every known deviation of real servers, in a conversation over real HTTP, strict and under its profile.

``data/wire_quirks.jsonl`` holds one deviation a line: where it was seen, what the client does about it, and
cases. A case has the server's answers, played in order (one with ``when`` stands, and answers every request
that meets its condition; any other request gets a final review), and how the review ends: ``strict`` under
profile ``generic``, ``tolerant`` under the profile named. Repairs are off. With ``max-repairs: 0`` the named
profile ends as ``strict`` says, or as ``without_repairs`` says where the profile sends something else.
"""

import gzip
import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from pr_review.conversation.conversation import Conversation
from pr_review.domain.chat import Message, Role, ToolResult
from pr_review.domain.run import ConversationLimits, Purpose
from pr_review.errors import PrReviewError
from pr_review.llm.chat_completions.chat_model import ChatCompletionsModel
from pr_review.llm.chat_completions.chat_settings import ChatSettings
from pr_review.llm.chat_completions.profile import OF_STREAMS, Profile, Tolerance
from pr_review.llm.chat_completions.profiles import PROFILES
from pr_review.llm.http import open_client
from pr_review.llm.request_budget import RequestBudget
from pr_review.llm.retry import Pacing
from pr_review.review.passes.find import STRICT_REVIEW
from pr_review.tools.canonical.inspect_git_diff import InspectGitDiff
from pr_review.tools.canonical.list_repository_files import ListRepositoryFiles
from pr_review.tools.canonical.read_repository_file import ReadRepositoryFile
from pr_review.tools.canonical.search_repository import SearchRepository
from pr_review.tools.toolbox import Toolbox

pytestmark = pytest.mark.anyio

DATA = Path(__file__).parent / "data" / "wire_quirks.jsonl"
QUIRKS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
REVIEW = '{"summary":"ok","findings":[],"notes":[]}'
KEY = "sk-contract-0d4e"


class Recorder:
    """Stands in for one tool: same spec and arguments; it only remembers that it ran."""

    def __init__(self, tool: Any, ran: list[Any]) -> None:
        self.spec, self.args_model = tool.spec, tool.args_model
        self._ran = ran

    def run(self, args: Any, _max_bytes: int) -> ToolResult:
        self._ran.append(args)
        return ToolResult(payload={"ok": True})


@dataclass
class Run:
    """One review against a scripted server, and all that can be asserted about it."""

    outcome: str = ""
    said: str = ""
    bodies: list[Any] = field(default_factory=list)
    headers: list[Any] = field(default_factory=list)
    ran: list[Any] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    record: Any = None
    events: tuple[str, ...] = ()

    @property
    def last_turn(self) -> dict[str, Any]:
        """The assistant message as the last request holds it."""
        turns = [message for message in self.bodies[-1]["messages"] if message["role"] == "assistant"]
        return turns[-1]


def cases() -> Iterator[Any]:
    for quirk in QUIRKS:
        for number, case in enumerate(quirk["cases"]):
            for mode in ("strict", "tolerant", "without_repairs"):
                yield pytest.param(quirk, case, mode, id=f"{quirk['n']}-{number}-{mode}")


# --- a server that plays a case ---------------------------------------------------------------------------


def unpaired(messages: list[dict[str, Any]]) -> bool:
    """Whether calls and results fail to follow each other one by one."""
    owed: list[Any] = []
    for message in messages:
        if message["role"] == "tool":
            if not owed or owed.pop(0) != message["tool_call_id"]:
                return True
        elif owed:
            return True
        else:
            owed = [call["id"] for call in message.get("tool_calls") or ()]
    return bool(owed)


def is_no_object(message: dict[str, Any]) -> bool:
    return message["role"] == "tool" and not isinstance(json.loads(message["content"] or "null"), dict)


def turns(request: Any) -> list[dict[str, Any]]:
    return [message for message in request.json["messages"] if message["role"] == "assistant"]


CONDITIONS: dict[str, Callable[[Any, Any], bool]] = {
    "lacks_header": lambda request, name: name not in request.headers,
    "body_has": lambda request, name: name in request.json,
    "assistant_has": lambda request, key: any(key in turn for turn in turns(request)),
    "assistant_lacks": lambda request, key: any(key not in turn for turn in turns(request)),
    "unpaired": lambda request, _: unpaired(request.json["messages"]),
    "result_is_no_object": lambda request, _: any(map(is_no_object, request.json["messages"])),
    "no_tools": lambda request, _: not request.json.get("tools"),
}


def play(server: Any, answers: list[dict[str, Any]]) -> None:
    pending, standing = deque(answers), [answer for answer in answers if "when" in answer]

    def rule(request: Any) -> Any:
        if pending and "when" not in pending[0]:
            return answer_of(server, pending.popleft())
        for answer in standing:
            if all(CONDITIONS[name](request, value) for name, value in answer["when"].items()):
                return answer_of(server, answer["reply"])
        return server.completion(REVIEW)

    server.rule = rule


def answer_of(server: Any, answer: dict[str, Any]) -> Any:
    status, headers = answer.get("status", 200), answer.get("headers", {})
    if "generated" in answer:
        return generated(server, answer["generated"])
    if "sse" in answer:
        return server.sse(answer["sse"])
    if "raw" in answer:
        return server.raw(answer["raw"].encode(), status=status, headers=headers)
    if "raw_hex" in answer:
        return server.raw(bytes.fromhex(answer["raw_hex"]), status=status, headers=headers)
    return server.json(answer.get("body"), status=status, headers=headers)


def generated(server: Any, recipe: dict[str, Any]) -> Any:
    """Replies that are too large to write down."""
    if "arguments" in recipe:
        call = ("call_1", "read_repository_file", recipe["arguments"] * recipe["times"])
        return server.completion(None, [call])
    empty = server.completion(REVIEW).body
    body = empty + b" " * (recipe["decoded_bytes"] - len(empty))
    encoding = recipe["content_encoding"]
    if encoding == "gzip":
        return server.raw(gzip.compress(body), headers={"Content-Encoding": "gzip"})
    return server.raw(body)


# --- one review -------------------------------------------------------------------------------------------


async def review(
    server: Any, case: dict[str, Any], profile: str | Profile, *, prompt_bytes: int = 100
) -> Run:
    run = Run()
    chosen = PROFILES[profile] if isinstance(profile, str) else profile
    play(server, case["answers"])

    async def sleep(seconds: float) -> None:
        run.waited.append(seconds)

    tools = (ListRepositoryFiles, ReadRepositoryFile, SearchRepository, InspectGitDiff)
    options = {"tool_mode": "native"} | case.get("options", {})
    budget = RequestBudget(24)
    async with open_client(server.url) as client:
        model = ChatCompletionsModel(
            ChatSettings(server.url, "m", chosen, "session-1", SecretStr(KEY), **options),
            client=client,
            budget=budget,
            pacing=Pacing(lambda: 900.0 - sum(run.waited), sleep, lambda: 0.0),
        )
        held = Conversation(
            "find-1",
            Purpose.FIND,
            model=model,
            toolbox=Toolbox([Recorder(tool, run.ran) for tool in tools]),
            limits=ConversationLimits(max_repairs=0),
            answers=STRICT_REVIEW,
            clock=time.monotonic,
        )
        try:
            await held.run(prompt(prompt_bytes))
            run.outcome = "execute_tools" if run.ran else "final_review"
        except PrReviewError as error:
            run.outcome, run.said = error.code, f"{error} {error.advice} {error.args}"
    run.record, run.events = held.record, budget.stats.events
    run.bodies = [request.json for request in server.requests]
    run.headers = [request.headers for request in server.requests]
    return run


def prompt(size: int) -> list[Message]:
    return [Message(role=Role.SYSTEM, content="s"), Message(role=Role.USER, content="u" * size)]


def texts(value: Any) -> Iterator[str]:
    """Every sentence that a provider says."""
    if isinstance(value, dict):
        for key, child in value.items():
            if key not in {"headers", "code", "type"}:
                yield from texts(child)
    elif isinstance(value, list):
        for child in value:
            yield from texts(child)
    elif isinstance(value, str) and " " in value:
        yield value


ALWAYS = tuple(f"{tolerance}." for tolerance in OF_STREAMS)


def read_under(quirk: dict[str, Any], mode: str) -> Profile:
    named = PROFILES[quirk["profile"]]
    return {"strict": PROFILES["generic"], "tolerant": named, "without_repairs": named.strictly()}[mode]


@pytest.mark.parametrize(("quirk", "case", "mode"), list(cases()))
async def test_a_review_ends_as_the_table_says(chat_server, quirk, case, mode):
    run = await review(chat_server, case, read_under(quirk, mode))
    assert run.outcome == case.get(mode, case["strict"])
    if "requests" in case and mode != "without_repairs":
        assert len(run.bodies) == case["requests"][mode == "tolerant"]
    if mode != "tolerant":
        assert [event for event in run.events if "Put right" in event and not event.endswith(ALWAYS)] == []
    if "waits" in case:
        assert run.waited == case["waits"]
    if run.outcome.startswith("invalid_") and len(case["answers"]) == 1:
        assert run.ran == [], "nothing of a refused turn runs"
    for body in run.bodies:
        assert not unpaired(body["messages"])
        assert not any(map(is_no_object, body["messages"]))
        assert all(call["id"] for message in body["messages"] for call in message.get("tool_calls") or ())
        assert not {"temperature", "parallel_tool_calls", "response_format", "strict"} & (
            body.keys() - case.get("options", {}).get("extra_body", {}).keys()
        )
    assert [text for text in texts(case["answers"]) if text in run.said] == []
    assert KEY not in run.said


# --- what a table cannot say ------------------------------------------------------------------------------


def quirk_case(number: int, case: int = 0) -> dict[str, Any]:
    return QUIRKS[number - 1]["cases"][case]


def test_all_63_deviations_are_there_and_each_names_a_profile():
    assert [quirk["n"] for quirk in QUIRKS] == list(range(1, 64))
    assert {quirk["profile"] for quirk in QUIRKS} <= PROFILES.keys()
    assert all(quirk["cases"] and quirk["title"] and quirk["seen"] and quirk["client"] for quirk in QUIRKS)


def test_every_condition_is_used():
    answers = [answer for quirk in QUIRKS for case in quirk["cases"] for answer in case["answers"]]
    used = {name for answer in answers for name in answer.get("when", ())}
    assert used == CONDITIONS.keys()


@pytest.mark.parametrize(("number", "profile"), [(2, "mistral"), (29, "gemini-compat")])
async def test_missing_ids_are_ours_on_both_sides(chat_server, number, profile):
    run = await review(chat_server, quirk_case(number), profile)
    called = [call["id"] for call in run.last_turn["tool_calls"]]
    results = [message for message in run.bodies[-1]["messages"] if message["role"] == "tool"]
    answered = [message["tool_call_id"] for message in results]
    assert called == answered == ["r001i0000", "r001i0001"]


async def test_a_duplicate_id_is_replaced_and_the_first_stays(chat_server):
    run = await review(chat_server, quirk_case(3), "kimi")
    assert [call["id"] for call in run.last_turn["tool_calls"]] == ["search:0", "r001i0001"]


@pytest.mark.parametrize(
    ("number", "profile", "originals", "deviation"),
    [
        (2, "mistral", ["", ""], Tolerance.MISSING_IDS),
        (3, "kimi", [None, "search:0"], Tolerance.DUPLICATE_IDS),
        (4, "kimi", [None, None], Tolerance.REPEATED_IDS),
        (4, "opencode", [None, None], Tolerance.REPEATED_IDS),
        (3, "opencode", [None, "search:0"], Tolerance.DUPLICATE_IDS),
        (12, "opencode", [None], Tolerance.EMPTY_ARGUMENTS),
        (6, "vllm", [None], Tolerance.LOOSE_FINISH),
        (13, "ollama", [None], Tolerance.OBJECT_ARGUMENTS),
        (18, "vllm", [None], Tolerance.POLLUTED_NAMES),
    ],
)
async def test_what_was_put_right_is_recorded(chat_server, number, profile, originals, deviation):
    """The trace has the id as it came, the artifact names each deviation once and counts it."""
    run = await review(chat_server, quirk_case(number), profile)
    calls = [call for turn in run.record.trace for call in turn.tool_calls]
    assert [call.original_id for call in calls] == originals
    times = f" ({len(originals)} times)" if deviation is Tolerance.MISSING_IDS else ""
    assert run.events == (f"Put right under profile {profile}: {deviation}{times}.",)


async def test_repeated_ids_stay_verbatim_and_each_result_is_its_calls(chat_server):
    run = await review(chat_server, quirk_case(4), "kimi")
    assert [args.path for args in run.ran] == ["src/a.py", "src/b.py"]
    ids = [call.id for turn in run.record.trace for call in turn.tool_calls]
    assert ids == ["functions.read_repository_file:0"] * 2


@pytest.mark.parametrize(
    ("length", "outcome"), [(8191, "execute_tools"), (8192, "execute_tools"), (8193, "invalid_tool_call")]
)
async def test_an_id_is_bounded(chat_server, length, outcome):
    call = ("i" * length, "read_repository_file", '{"path":"a"}')
    chat_server.add(chat_server.completion(None, [call]))
    assert (await review(chat_server, {"answers": []}, "generic")).outcome == outcome


@pytest.mark.parametrize(
    ("number", "profile", "key", "value"),
    [
        (12, "vllm", "arguments", "{}"),
        (13, "ollama", "arguments", '{"path":"src/a.py"}'),
        (14, "vllm", "arguments", '{"path":"src/a.py"}'),
        (18, "vllm", "name", "read_repository_file"),
    ],
)
async def test_what_was_put_right_goes_back_put_right(chat_server, number, profile, key, value):
    """History with the deviation is a 400 on stricter servers."""
    run = await review(chat_server, quirk_case(number), profile)
    assert run.last_turn["tool_calls"][0]["function"][key] == value


async def test_a_missing_type_goes_back_added(chat_server):
    run = await review(chat_server, quirk_case(20), "mistral")
    assert run.last_turn["tool_calls"][0]["type"] == "function"


@pytest.mark.parametrize(("number", "profile"), [(6, "vllm"), (8, "vllm")])
async def test_the_trace_keeps_the_raw_finish_reason(chat_server, number, profile):
    run = await review(chat_server, quirk_case(number), profile)
    sent = quirk_case(number)["answers"][0]["body"]["choices"][0]["finish_reason"]
    assert run.record.trace[0].finish_reason == sent


@pytest.mark.parametrize("number", [2, 3, 6, 12, 13, 14, 20, 53, 54, 57])
async def test_a_refusal_names_the_profile_that_would_accept(chat_server, number):
    run = await review(chat_server, quirk_case(number), "generic")
    assert QUIRKS[number - 1]["profile"] in run.said


async def test_capacity_turns_leave_no_trace_in_the_history(chat_server):
    run = await review(chat_server, quirk_case(9), "deepseek")
    assert run.bodies[0] == run.bodies[2]
    assert len(run.record.turns) == 1


@pytest.mark.parametrize("number", [22, 27, 30])
async def test_the_turn_goes_back_as_it_came(chat_server, number):
    run = await review(chat_server, quirk_case(number), "generic")
    sent = quirk_case(number)["answers"][0]["body"]["choices"][0]["message"]
    assert list(run.last_turn.items()) == list(sent.items())


async def test_signatures_survive(chat_server):
    run = await review(chat_server, quirk_case(29), "gemini-compat")
    first, second = run.last_turn["tool_calls"]
    assert first["extra_content"] == {"google": {"thought_signature": "c2ln"}}
    assert "extra_content" not in second


async def test_null_keys_are_dropped_under_a_profile_but_content_never(chat_server):
    run = await review(chat_server, quirk_case(30), "groq")
    assert run.last_turn.keys() == {"role", "content", "tool_calls", "annotations"}
    assert run.last_turn["content"] is None


async def test_usage_in_an_odd_place_is_found(chat_server):
    run = await review(chat_server, quirk_case(35), "generic")
    assert run.record.usage.model_dump() == {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}


@pytest.mark.parametrize("case", [1, 2, 3])
async def test_unknown_usage_is_null(chat_server, case):
    assert (await review(chat_server, quirk_case(35, case), "generic")).record.usage is None


async def test_refused_calls_cost_one_round(chat_server):
    run = await review(chat_server, quirk_case(42), "groq")
    assert (len(run.bodies), len(run.record.turns)) == (3, 1)


async def test_the_session_header_is_equal_in_every_round_and_absent_elsewhere(chat_server):
    run = await review(chat_server, quirk_case(52), "opencode")
    assert [headers.get("x-opencode-session") for headers in run.headers] == ["session-1"] * 2
    chat_server.requests.clear()
    run = await review(chat_server, quirk_case(52), "generic")
    assert [headers.get("x-opencode-session") for headers in run.headers] == [None] * 2


@pytest.mark.parametrize(("number", "calls"), [(53, 2), (54, 2), (58, 1)])
async def test_streamed_calls_are_told_apart(chat_server, number, calls):
    profile = QUIRKS[number - 1]["profile"]
    run = await review(chat_server, quirk_case(number), profile)
    arguments = [call["function"]["arguments"] for call in run.last_turn["tool_calls"]]
    assert len(run.ran) == len(arguments) == calls
    assert all(isinstance(json.loads(text), dict) for text in arguments)


async def test_a_prompt_that_was_cut_is_noticed(chat_server):
    """60 KB against 4,096 tokens."""
    run = await review(chat_server, quirk_case(59), "ollama", prompt_bytes=60_000)
    assert run.record.truncated_by_server
    run = await review(chat_server, quirk_case(59), "ollama", prompt_bytes=6_000)
    assert not run.record.truncated_by_server


async def test_tools_are_offered_in_the_last_allowed_round_too(chat_server):
    call = quirk_case(61)["answers"][0]
    answers = [json.loads(json.dumps(call).replace("call_1", f"call_{number}")) for number in range(8)]
    run = await review(chat_server, {"answers": answers}, "generic")
    assert run.outcome == "max_rounds"
    assert all(body["tools"] == run.bodies[0]["tools"] for body in run.bodies)
    assert len(run.bodies) == 8
