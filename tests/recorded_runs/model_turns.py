"""Scenarios about what a model answers: findings, tool rounds, finish reasons, repairs, streams, limits."""

import json
from collections.abc import Mapping
from typing import Any

from tests.conftest import Answer, ChatServer
from tests.recorded_runs.replies import (
    NO_USAGE,
    asks,
    call,
    delta,
    ends,
    fenced,
    final,
    finding,
    hangs,
    lists,
    refuses,
    review,
    sends,
    streams,
)
from tests.recorded_runs.repositories import (
    HOSTILE_NAME,
    LARGE,
    MIDDLING,
    ORDERS,
    SECRET,
    VERY_LARGE,
    WITH_A_SECRET,
)
from tests.recorded_runs.scenario import KEY, MODEL, Event, Repository, Scenario

MEAN = "    return sum(rows) / len(rows)"
EMPTY = "    if not rows:\n        return None"
DIVISION = finding(
    "Division by zero for an empty list",
    severity="high",
    line=7,
    existing_code=MEAN,
    suggestion="    return sum(rows) / len(rows) if rows else 0",
    category="bug",
    confidence="high",
)
OF_EVERY_KIND = (
    DIVISION,
    finding(
        "Division by zero for an empty list", severity="low", line=7, end_line=8, existing_code=MEAN
    ),
    finding("The rebate is gone", severity="critical", line=25, existing_code="    if len(rows) > 10:"),
    finding("Prints instead of returning", path="src/report.py", line=5, existing_code="    print(order)"),
    finding("No rows are no price", line=90, existing_code=EMPTY, category="error_handling"),
    finding("Nothing is returned for no rows", line=9, existing_code=EMPTY, category="style"),
    finding("Calls what is nowhere", severity="low", line=3, existing_code="    return magic(rows)"),
    finding("The docstring is short", severity="low", line="1", confidence="certain", category=5),
    finding("The rate is a constant", severity="low", line=3, category="api", confidence="low"),
    finding("The file is too long", line=None, category="docs"),
    finding(
        "Mutable default",
        path="src/report.py",
        line=2,
        existing_code="def collect(items=[]):",
        category="bug",
    ),
    finding(
        "Bare except",
        path="b/src/orders.py",
        existing_code="    except:",
        suggestion="    except OSError:",
        category="error_handling",
    ),
    finding("A file that is not there", path="src/missing.py", line=4),
    finding("Renamed for nothing", path="scripts/old.sh", line=21, existing_code="echo 20"),
    finding("The picture is large", path="logo.png", line=None),
)  # fmt: skip
NOTES = ("Looked at everything.", "`README.md` is fine.")


def model_scenario(
    name: str,
    *answers: Answer,
    inputs: Mapping[str, str] | None = None,
    repository: Repository = ORDERS,
    **fields: Any,
) -> Scenario:
    """A scenario of the action with a model that gives these answers."""
    return Scenario(name, answers=answers, inputs=MODEL | dict(inputs or {}), repository=repository, **fields)


EVIL = "\n::set-output name=conclusion::clean\n##[error]x ::add-mask::a\r\n::warning::y <img src=x> @octocat"
FINDINGS = (
    model_scenario("findings-of-every-kind", ChatServer.completion(review(*OF_EVERY_KIND, notes=NOTES))),
    model_scenario("findings-none", final()),
    model_scenario(
        "findings-of-hostile-text",
        ChatServer.completion(
            review(
                finding(EVIL, path="::error::x ##[group]y.py", explanation=EVIL, suggestion=EVIL),
                summary=EVIL,
                notes=[EVIL],
            )
        ),
        repository=HOSTILE_NAME,
        event=Event(pull={"title": EVIL, "body": EVIL}),
    ),
    model_scenario(
        "findings-that-quote-secrets",
        final(
            finding(f"Leaks {KEY}", evidence=KEY, suggestion=KEY, path="README.md"),
            finding(
                f"The key {SECRET} is in the code",
                path="settings.py",
                line=1,
                existing_code=f'ACCESS = "{SECRET}"',
                suggestion='ACCESS = os.environ["ACCESS"]',
            ),
        ),
        repository=WITH_A_SECRET,
    ),
)

LOST = finding("Mean of nothing", line=1, existing_code="    return sum(rows) / len(count)")
QUOTES = json.dumps({"quotes": [{"finding": 1, "existing_code": MEAN}]})
RELOCATION = (
    model_scenario("relocate-found", final(LOST), ChatServer.completion(QUOTES), inputs={"relocate": "true"}),
    model_scenario("relocate-refused", final(LOST), refuses(401, "no"), inputs={"relocate": "true"}),
)

FOUR = (
    call("c1", "list_repository_files", path="src", limit=1),
    call("c2", "read_repository_file", path="src/orders.py", start_line=3, end_line=9),
    call("c3", "search_repository", query="total(", path="src"),
    call("c4", "inspect_git_diff", paths=["src", "README.md"]),
)
FAILING = (
    call("f1", "read_repository_file", path="src/missing.py"),
    call("f2", "read_repository_file", path="src/orders.py", start_line=900),
    call("f3", "read_repository_file", path="../secrets"),
    call("f4", "read_repository_file", path="logo.png"),
    call("f5", "inspect_git_diff", paths=["src/report.py"]),
    call("f6", "list_repository_files", path="src/orders.py"),
    call("f7", "search_repository", query="two\nlines"),
    call("f8", "read_repository_file", path="src/orders.py", start_line=9, end_line=2),
)
TOOLS = (
    model_scenario(
        "tools-each-in-its-round",
        *(asks(each) for each in FOUR),
        final(DIVISION),
        inputs={"include-trace": "true"},
    ),
    model_scenario(
        "tools-in-parallel", asks(*FOUR), asks(*FAILING), final(DIVISION), inputs={"include-trace": "always"}
    ),
    model_scenario("trace-of-an-error", asks(*FOUR), refuses(401, "no"), inputs={"include-trace": "always"}),
)

RAW_MESSAGE = {
    "role": "assistant",
    "reasoning_content": "Erst lesen, dann urteilen ✓",
    "content": None,
    "tool_calls": [
        {
            "index": 0,
            "id": "call_1",
            "type": "function",
            "extra_content": {"google": {"thought_signature": "c2ln", "x": [1, 2.5, True, None]}},
            "function": {"name": "list_repository_files", "arguments": '{"limit": 5}'},
        }
    ],
    "refusal": None,
}
FINISHES = (
    model_scenario("finish-length", ends("length", '{"summary":')),
    model_scenario("finish-content-filter", ends("content_filter")),
    model_scenario("finish-unknown-word", ends("insufficient_system_resource", review())),
    model_scenario("finish-null", ends(None, review())),
    model_scenario("finish-tool-calls-without-calls", ends("tool_calls", "{}"), inputs={"max-repairs": "0"}),
    model_scenario("finish-stop-with-calls", ends("stop", None, FOUR[:1]), inputs={"max-repairs": "0"}),
    model_scenario(
        "finish-stop-with-calls-tolerated",
        ends("stop", None, FOUR[:1]),
        final(),
        inputs={"provider-profile": "vllm"},
    ),
    model_scenario(
        "finish-asked-again",
        ends("insufficient_system_resource"),
        final(),
        inputs={"provider-profile": "deepseek"},
        slow=True,
    ),
    model_scenario("message-goes-back-as-it-came", sends(RAW_MESSAGE, "tool_calls"), final()),
    model_scenario(
        "message-of-refusal",
        sends({"role": "assistant", "content": None, "refusal": "No."}),
        inputs={"max-repairs": "0"},
    ),
)

BAD_ARGUMENTS = asks(("c1", "read_repository_file", '{"path": '))
BAD_SCHEMA = asks(call("c1", "read_repository_file", path="src/orders.py", command="pytest"))
BAD_TOOL = asks(call("c1", "bash", command="ls"))
BAD_IDS = asks(call("c1", "list_repository_files"), call("c1", "list_repository_files"))
BAD_FINAL = ChatServer.completion("Looks good to me.")
BAD_FIELDS = ChatServer.completion(json.dumps({"summary": 5, "findings": [{}], "extra": 1}))
REPAIRS = (
    model_scenario(
        "repair-of-every-kind",
        *(BAD_ARGUMENTS, BAD_SCHEMA, BAD_TOOL, BAD_IDS, BAD_FINAL, BAD_FIELDS),
        final(DIVISION),
        inputs={"include-trace": "true", "max-repairs": "6"},
    ),
    *(
        model_scenario(f"repair-{name}", bad, final(DIVISION))
        for name, bad in (("arguments", BAD_ARGUMENTS), ("final-text", BAD_FINAL))
    ),
    model_scenario("repair-after-a-tool-round", lists(), BAD_FINAL, BAD_ARGUMENTS, final()),
    model_scenario("repair-exhausted", BAD_TOOL, BAD_FINAL, BAD_ARGUMENTS),
    model_scenario("repair-of-the-same-three-times", then=BAD_TOOL, inputs={"max-repairs": "9"}),
    model_scenario("repair-not-allowed", BAD_FINAL, inputs={"max-repairs": "0"}),
)

STREAM = {"stream": "true"}
STREAMED_CALL = (
    delta(role="assistant", content=""),
    delta(
        tool_calls=[
            {
                "index": 0,
                "id": "s1",
                "type": "function",
                "function": {"name": "read_repository_file", "arguments": ""},
            }
        ]
    ),
    delta(tool_calls=[{"index": 0, "function": {"arguments": '{"path":'}}]),
    delta(tool_calls=[{"index": 0, "function": {"arguments": '"README.md"}'}}]),
    delta("tool_calls"),
)
STREAMED_FINAL = (*(delta(content=f"{piece}}}") for piece in review(DIVISION).split("}")[:-1]), delta("stop"))
WITHOUT_INDEX = (
    delta(
        role="assistant",
        tool_calls=[
            {"id": "s1", "type": "function", "function": {"name": "list_repository_files", "arguments": "{}"}}
        ],
    ),
    delta("stop"),
)
BROKEN = ChatServer.sse([*STREAMED_CALL[:3]])
STREAMS = (
    model_scenario("stream-native", streams(*STREAMED_CALL), streams(*STREAMED_FINAL), inputs=STREAM),
    model_scenario("stream-broken", BROKEN, streams(*STREAMED_FINAL), inputs=STREAM | {"max-repairs": "0"}),
    model_scenario(
        "stream-broken-under-a-profile",
        BROKEN,
        streams(*STREAMED_FINAL),
        inputs=STREAM | {"provider-profile": "openrouter"},
        slow=True,
    ),
    model_scenario(
        "stream-without-index",
        streams(*WITHOUT_INDEX),
        streams(*STREAMED_FINAL),
        inputs=STREAM | {"provider-profile": "ollama"},
    ),
)

TEXT = {"tool-mode": "text"}
TEXT_CALLS = {
    "tool_calls": [
        {"name": "read_repository_file", "arguments": {"path": "README.md"}},
        {"name": "search_repository", "arguments": {"query": "total("}},
    ]
}
TEXT_FINAL = ChatServer.completion(fenced(json.loads(review(DIVISION))))
NO_TOOLS = refuses(400, "m-1 does not support tools")
IN_TEXT = (
    model_scenario(
        "text-calls-and-final",
        ChatServer.completion(f"{fenced(TEXT_CALLS)}\nAnd then:\n{fenced(TEXT_CALLS)}"),
        ChatServer.completion(fenced(TEXT_CALLS, "I look.\n")),
        TEXT_FINAL,
        inputs=TEXT | {"include-trace": "true"},
    ),
    model_scenario(
        "text-once-tools-are-refused", NO_TOOLS, ChatServer.completion(fenced(TEXT_CALLS)), TEXT_FINAL
    ),
    model_scenario("text-not-in-native-mode", NO_TOOLS, inputs={"tool-mode": "native"}),
)

SMALL_COUNT = {"prompt_tokens": 4096, "completion_tokens": 20, "total_tokens": 4116}
LIMITS = (
    model_scenario("limit-rounds", lists("c1"), lists("c2"), lists("c3"), inputs={"max-rounds": "2"}),
    model_scenario("limit-tool-calls", asks(*FOUR), inputs={"max-tool-calls": "3"}),
    model_scenario(
        "limit-requests",
        refuses(429, "Slow down.", {"retry-after-ms": "1"}),
        refuses(400, "Unsupported parameter: 'seed'"),
        BAD_FINAL,
        lists(),
        inputs={"max-requests": "3", "extra-body": '{"seed":1}'},
    ),
    model_scenario("limit-time", lists(), hangs(), inputs={"timeout-seconds": "8"}, slow=True),
    model_scenario(
        "limit-of-the-prompt",
        final(usage=NO_USAGE),
        repository=VERY_LARGE,
        inputs={"fail-on-incomplete": "true"},
    ),
    model_scenario("prompt-cut-by-the-server", final(DIVISION, usage=SMALL_COUNT), repository=MIDDLING),
)

TWO_DIFFS = asks(
    call("c1", "inspect_git_diff", paths=["f2.py"]),
    call("c2", "inspect_git_diff", paths=["f3.py"]),
    usage=NO_USAGE,
)
TOO_LONG = refuses(400, "too long", code="context_length_exceeded")
OVERFLOWS = (
    model_scenario("overflow-then-stubs", TWO_DIFFS, TOO_LONG, final(usage=NO_USAGE), repository=LARGE),
    model_scenario("overflow-twice", TWO_DIFFS, TOO_LONG, TOO_LONG, repository=LARGE),
)

MODEL_TURNS = (
    *FINDINGS, *RELOCATION, *TOOLS, *FINISHES, *REPAIRS, *STREAMS, *IN_TEXT, *LIMITS, *OVERFLOWS,
)  # fmt: skip
