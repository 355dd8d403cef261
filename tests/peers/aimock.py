"""The scripted answers of npm ``@copilotkit/aimock``, and the fixture that starts it."""

import json

import pytest
from tests.peers.serving import KEY, free_port, serving

FINDING = {
    "severity": "high",
    "title": "Division by zero for an empty list",
    "explanation": "total([]) returned 0 and now raises ZeroDivisionError.",
    "path": "app.py",
    "line": 2,
    "evidence": "return sum(rows) / len(rows)",
    "recommendation": "Return 0 for an empty list.",
}
REVIEW = {"content": json.dumps({"summary": "Averages rows.", "findings": [FINDING], "notes": []})}
DIFF = {"name": "inspect_git_diff", "arguments": {}}
READ = {"name": "read_repository_file", "arguments": {"path": "app.py", "end_line": 2}}
SEARCH = {"name": "search_repository", "arguments": {"query": "total"}}
BASH = {"name": "bash", "arguments": {"command": "id"}}


def refusal(status, message, **more):
    return {"error": {"message": message, **more}, "status": status}


# The answers of each named model, turn by turn. The number of assistant turns selects one of several.
ROUNDS = {
    "ends-at-once": [REVIEW],
    "two-rounds": [{"toolCalls": [DIFF, READ]}, {"content": "And callers?", "toolCalls": [SEARCH]}, REVIEW],
    "thinks": [{"reasoning": "Let me see.", "toolCalls": [DIFF]}, {"reasoning": "So.", **REVIEW}],
    "calls-first": [{"blocks": [{"type": "toolCall", **DIFF}, {"type": "text", "text": "Hm."}]}, REVIEW],
    "talks": [{"content": "Looks good to me."}],
    "escapes": [{"toolCalls": [DIFF, BASH]}],
    "is-cut": [{"content": '{"summary"', "finishReason": "length"}],
    "is-filtered": [{"content": "I", "finishReason": "content_filter"}],
    "overflows": [
        refusal(400, "This model's maximum context length is 9 tokens.", code="context_length_exceeded")
    ],
    "is-broke": [refusal(429, "You exceeded your current quota.", code="insufficient_quota")],
    "is-unknown": [refusal(404, "The model does not exist", code="model_not_found")],
}


def fixtures():
    for model, answers in ROUNDS.items():
        for turn, response in enumerate(answers):
            where = {"turnIndex": turn} if len(answers) > 1 else {}
            yield {"match": {"model": model, **where}, "response": response}
    for model in ("limited-false", "limited-true"):
        limited = refusal(429, "Slow down.", type="rate_limit_error") | {"retryAfter": 1}
        yield {"match": {"model": model, "sequenceIndex": 0}, "response": limited}
        yield {"match": {"model": model}, "response": REVIEW}
    for chaos in ("malformed", "disconnect", "drop"):
        yield {"match": {"model": chaos}, "response": REVIEW, "chaos": {f"{chaos}Rate": 1}}


@pytest.fixture(scope="session")
def aimock(environment, tmp_path_factory):
    folder, port = tmp_path_factory.mktemp("aimock"), free_port()
    (folder / "fixtures.json").write_text(json.dumps({"fixtures": list(fixtures())}), encoding="utf-8")
    command = [
        *(environment("aimock") / "node_modules/.bin/llmock", "--port", port, "--chunk-size", 7),
        *("--fixtures", folder / "fixtures.json", "--validate-on-load", "--strict"),
    ]
    environ = {"AIMOCK_API_KEYS": KEY, "AIMOCK_STRICT_TURN_INDEX": "1"}
    with serving([str(part) for part in command], port, "/health", folder / "log", environ) as url:
        yield url
