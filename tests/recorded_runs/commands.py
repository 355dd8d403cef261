"""Scenarios about what a person types: ``local``, ``check``, ``render``, ``schema`` and help."""

from collections.abc import Mapping
from dataclasses import replace

from tests.conftest import Answer, ChatServer
from tests.recorded_runs.model_turns import DIVISION, NO_TOOLS
from tests.recorded_runs.replies import asks, call, ends, fenced, final, lists, refuses
from tests.recorded_runs.repositories import EARLIER, ORDERS, STORED
from tests.recorded_runs.scenario import MODEL, OFFLINE, Nothing, Sample, Scenario

ON_REPO = ("local", "--repo", "{workspace}")
RULES = (*ON_REPO, "--provider", "offline")
LOCAL = (
    Scenario("local-sample", (*RULES, "--base", "origin/main"), Sample()),
    Scenario("local-offline", RULES, ORDERS),
    Scenario("local-in-colour", (*RULES, "--color", "always"), ORDERS),
    Scenario(
        "local-patterns",
        (*RULES, "--include", "*.py", "--include", "*.sh", "--exclude", "old.*", "--output-dir", "mine"),
        ORDERS,
    ),
    Scenario("local-unknown-ref", (*RULES, "--base", "nowhere"), ORDERS),
    Scenario("local-no-repository", ("local", "--provider", "offline"), Nothing()),
    Scenario("local-dry-run", (*ON_REPO, "--dry-run"), ORDERS),
    Scenario("local-without-key", ON_REPO, ORDERS),
    Scenario("local-bad-options", (*ON_REPO, "--max-rounds", "many", "--fail-on", "worst"), ORDERS),
    Scenario("local-with-a-model", ON_REPO, ORDERS, inputs=MODEL, answers=(lists(), final(DIVISION))),
    Scenario(
        "local-with-dotenv",
        ON_REPO,
        ORDERS,
        environ={"OPENCODE_BASE_URL": "{model}/v1/chat/completions"},
        answers=(final(),),
        loose={".env": "# ours\nOPENCODE_API_KEY='sk-from-dotenv'\nOPENCODE_MODEL=m-3\nOTHER=1\n"},
    ),
    Scenario(
        "local-with-a-bad-dotenv", RULES, ORDERS, loose={".env": "OPENCODE_MODEL\n"}
    ),
    Scenario(
        "local-with-a-baseline",
        (*RULES, "--baseline", "last/review.json", "--fail-on-new", "low"),
        ORDERS,
        loose={"last/review.json": EARLIER},
    ),
)  # fmt: skip

CALL = call("c1", "inspect_git_diff", paths=["README.md"])
TEXT_CALL = fenced({"tool_calls": [{"name": "inspect_git_diff", "arguments": {}}]})


def checks(name: str, *answers: Answer, inputs: Mapping[str, str] | None = None) -> Scenario:
    """A scenario of ``check`` against the model server."""
    return Scenario(f"check-{name}", ("check",), inputs=MODEL | dict(inputs or {}), answers=answers)


CHECK = (
    checks("native", asks(CALL)),
    checks("no-call", ChatServer.completion("Hello!")),
    checks("stop-with-calls", ends("stop", None, [CALL])),
    checks("call-without-id-tolerated", asks(("", *CALL[1:])), inputs={"provider-profile": "ollama"}),
    checks("unknown-tool", asks(call("c1", "bash"))),
    checks("tools-refused", NO_TOOLS, ChatServer.completion(TEXT_CALL)),
    checks("text", ChatServer.completion(TEXT_CALL), inputs={"tool-mode": "text"}),
    checks("401", refuses(401, "bad key")),
    checks("bad-settings", inputs={"tool-mode": "loud"}),
    Scenario("check-offline", ("check", "--provider", "offline")),
    Scenario("check-without-key", ("check",)),
)

RENDER = (
    *(
        Scenario(
            f"render-{kind}",
            ("render", "review.json", "--format", kind),
            loose={"review.json": STORED},
            timed=False,
        )
        for kind in ("annotations", "html", "md", "patch", "sarif", "text")
    ),
    Scenario(
        "render-patch-in-actions",
        ("render", "review.json", "--format", "patch"),
        loose={"review.json": STORED},
        environ={"GITHUB_ACTIONS": "true"},
    ),
    Scenario("render-no-patch", ("render", "-", "--format", "patch"), stdin=EARLIER.encode()),
    Scenario("render-no-report", ("render", "review.json"), loose={"review.json": '{"schema_version":"9"}'}),
    Scenario("render-no-file", ("render", "nowhere.json")),
)  # fmt: skip

USAGE = (
    Scenario("schema", ("schema",)),
    Scenario("version", ("--version",)),
    Scenario("help", ("--help",)),
    *(Scenario(f"help-of-{name}", (name, "--help")) for name in ("local", "check", "render", "schema")),
    Scenario("usage-unknown-command", ("nothing",)),
    Scenario("usage-unknown-option", ("local", "--nothing")),
    replace(Scenario("action-outside-a-workflow", ("--debug", "action")), inputs=OFFLINE),
)

COMMANDS = (*LOCAL, *CHECK, *RENDER, *USAGE)
