"""Scenarios about servers that fail or have their own ways, and about runs that are ended."""

from signal import SIGINT, SIGTERM

from tests.conftest import Answer, ChatServer
from tests.recorded_runs.model_turns import DIVISION, model_scenario
from tests.recorded_runs.replies import asks, call, ends, final, hangs, lists, refuses, sends
from tests.recorded_runs.repositories import ORDERS
from tests.recorded_runs.scenario import OFFLINE, Cancel, Scenario

AT_ONCE = {"retry-after": "0"}
MIB = 1024 * 1024
CHOICE = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "{}"}}

ONCE = (
    ("401", refuses(401, "Incorrect API key provided: sk-***", code="invalid_api_key")),
    ("402-quota", refuses(402, "Insufficient Balance")),
    ("403", refuses(403, "Forbidden")),
    ("404-model", refuses(404, "The model `m-1` does not exist", code="model_not_found")),
    ("404-endpoint", ChatServer.raw(b"404 page not found", status=404)),
    ("413", ChatServer.raw(b"<html>413 Request Entity Too Large</html>", status=413)),
    ("429-beyond-the-deadline", refuses(429, "Slow down.", {"retry-after": "3600"})),
    ("redirect", ChatServer.raw(b"", status=307, headers={"Location": "https://example.com/"})),
    ("too-large", ChatServer.raw(b" " * (2 * MIB + 1))),
)
MALFORMED = (
    ("html", ChatServer.raw(b"<html>Welcome</html>", headers={"Content-Type": "text/html"})),
    ("not-json", ChatServer.raw(b'{"choices": [')),
    ("error-inside", ChatServer.json({"error": {"code": 429, "message": "Slow down."}})),
    ("no-choice", ChatServer.json({"choices": []})),
    ("two-choices", ChatServer.json({"choices": [CHOICE, CHOICE | {"index": 1}]})),
)
FAILURES = (
    *(model_scenario(f"error-{name}", answer) for name, answer in ONCE),
    *(model_scenario(f"reply-{name}", answer, inputs={"max-repairs": "0"}) for name, answer in MALFORMED),
    model_scenario(
        "reply-error-inside-under-a-profile",
        ChatServer.json({"error": {"code": 429, "message": "Slow down."}}, headers=AT_ONCE),
        final(),
        inputs={"provider-profile": "litellm"},
    ),
    model_scenario("error-500-until-spent", then=refuses(500, "Oops.", AT_ONCE)),
    model_scenario("error-529-until-spent", then=refuses(529, "x", AT_ONCE, type="overloaded_error")),
    model_scenario("error-neutral", refuses(402, "Insufficient Balance"), inputs={"on-error": "neutral"}),
    model_scenario(
        "connection-refused",
        inputs={"endpoint": "{closed}/v1/chat/completions"},
        slow=True,
    ),
    model_scenario("connection-lost", then=Answer(body=b'{"id":', hang_up=True), slow=True),
)

ADAPTED = (
    model_scenario(
        "adapted-step-by-step",
        refuses(429, "Slow down.", AT_ONCE),
        refuses(400, "Unsupported parameter: 'seed'"),
        refuses(400, "Unsupported parameter: 'max_tokens'", param="max_tokens", code="unsupported_parameter"),
        lists(),
        final(DIVISION),
        inputs={"extra-body": '{"seed":1,"max_tokens":900,"user":"ü","nested":{"a":[1,null]}}'},
    ),
    model_scenario(
        "reasoning-switched-off",
        refuses(400, "Function tools with reasoning_effort are not supported", param="reasoning_effort"),
        final(),
        inputs={"provider-profile": "openai"},
    ),
    model_scenario(
        "refused-call-asked-again",
        refuses(400, "Failed to call a function.", AT_ONCE, code="tool_use_failed"),
        final(),
        inputs={"provider-profile": "groq"},
    ),
)

ODD_CALL = {
    "role": "assistant",
    "content": [{"type": "text", "text": "I look."}],
    "refusal": None,
    "reasoning_content": "So.",
    "tool_calls": [
        {"id": None, "function": {"name": "read_repository_file", "arguments": {"path": "README.md"}}}
    ],
}


def _thinks() -> Answer:
    """A final review behind a think block."""
    return ends("stop", '<think>Hm.</think>{"summary":"s","findings":[],"notes":[]}')


PROFILES = (
    model_scenario("profile-opencode", lists(), lists(), ONCE[0][1], inputs={"provider-profile": "opencode"}),
    model_scenario(
        "profile-azure",
        lists(),
        final(),
        inputs={"provider-profile": "azure", "extra-body": '{"max_tokens":900}'},
    ),
    model_scenario(
        "profile-mistral", sends(ODD_CALL, "tool_calls"), final(), inputs={"provider-profile": "mistral"}
    ),
    model_scenario(
        "profile-gemini",
        asks(("c1", "list_repository_files", ""), finish_reason="stop"),
        final(),
        inputs={"provider-profile": "gemini-compat", "extra-body": '{"response_format":{"type":"text"}}'},
    ),
    model_scenario("profile-llamacpp", lists(), _thinks(), inputs={"provider-profile": "llamacpp"}),
    model_scenario(
        "profile-openrouter",
        asks(call("c1", "list_repository_files"), call("c1", "list_repository_files")),
        final(),
        inputs={"provider-profile": "openrouter", "stream": "true"},
    ),
    model_scenario("profile-unknown", inputs={"provider-profile": "nobody"}),
)

HANGING_GIT = 'touch "{moment}"; exec sleep 60'
CANCELLED = (
    model_scenario("cancelled-by-sigterm", hangs(), cancel=Cancel(SIGTERM, requests=1)),
    model_scenario("cancelled-by-sigint", hangs(), cancel=Cancel(SIGINT, requests=1)),
    model_scenario(
        "cancelled-after-a-round",
        refuses(503, "Wait.", AT_ONCE),
        lists(),
        hangs(),
        inputs={"include-trace": "always", "on-error": "neutral"},
        cancel=Cancel(SIGTERM, requests=3),
    ),
    *(
        Scenario(
            f"cancelled-during-start-up-{number.name.lower()}",
            repository=ORDERS,
            inputs=OFFLINE,
            cancel=Cancel(number, module="pydantic_core"),
        )
        for number in (SIGTERM, SIGINT)
    ),
    Scenario(
        "cancelled-during-git",
        repository=ORDERS,
        inputs=OFFLINE,
        git={"ls-tree": HANGING_GIT},
        cancel=Cancel(SIGTERM, git=True),
    ),
    Scenario(
        "time-is-up-during-git",
        repository=ORDERS,
        inputs=OFFLINE | {"timeout-seconds": "6"},
        git={"ls-tree": "exec sleep 60"},
        slow=True,
    ),
    Scenario(
        "bug-of-ours", repository=ORDERS, inputs=OFFLINE, git={"ls-tree": 'printf "nonsense\\0"; exit 0'}
    ),
)

SERVER_FAILURES = (*FAILURES, *ADAPTED, *PROFILES, *CANCELLED)
