"""npm ``@copilotkit/aimock``: scripted conversations over another project's chat-completions server."""

import pytest

STREAM = pytest.mark.parametrize("stream", ["false", "true"])


@STREAM
@pytest.mark.parametrize(
    ("model", "rounds"), [("ends-at-once", 0), ("two-rounds", 2), ("thinks", 1), ("calls-first", 1)]
)
def test_a_conversation_ends_in_its_review(aimock, review, model, rounds, stream):
    """The profile is ``generic``: nothing has to be corrected."""
    ended = review(aimock, model=model, stream=stream)
    assert ended.name == ("findings", "final_review")
    assert ended.actions == ["execute_tools"] * rounds + ["return_review"]
    assert ended.artifact["requests"] == {
        "requests": rounds + 1,
        "retries": 0,
        "waited_seconds": 0.0,
        "events": [],
    }
    assert all(call["ok"] for turn in ended.artifact["turns"] for call in turn["tool_calls"])


@STREAM
def test_a_rate_limit_is_waited_out(aimock, review, stream):
    ended = review(aimock, model=f"limited-{stream}", stream=stream)
    assert ended.name == ("findings", "final_review")
    requests = ended.artifact["requests"]
    assert (requests["requests"], requests["retries"], requests["waited_seconds"]) == (2, 1, 1.0)


@STREAM
@pytest.mark.parametrize(
    ("model", "end"),
    [
        ("talks", ("failed", "invalid_model_response")),
        ("escapes", ("failed", "invalid_tool_call")),
        ("is-cut", ("failed", "unsupported_finish_reason")),
        ("is-filtered", ("failed", "unsupported_finish_reason")),
        ("overflows", ("incomplete", "context_overflow")),
        ("is-broke", ("failed", "provider_quota_exhausted")),
        ("is-unknown", ("failed", "model_not_found")),
        ("malformed", ("failed", "invalid_model_response")),
    ],
)
def test_everything_else_ends_by_name(aimock, review, model, end, stream):
    assert review(aimock, model=model, stream=stream).name == end


@pytest.mark.parametrize("model", ["disconnect", "drop", "nobody-scripted-this"])
def test_what_may_pass_by_itself_is_tried_again(aimock, review, model):
    """A broken connection, a 500 and a 503."""
    ended = review(aimock, model=model, max_requests=2)
    assert (ended.artifact["requests"]["requests"], ended.artifact["requests"]["retries"]) == (2, 1)
    assert ended.name == ("incomplete", "max_requests")


def test_a_wrong_key_is_named(aimock, review):
    ended = review(aimock, model="ends-at-once", api_key="sk-another-0123456789")
    assert (ended.code, ended.name) == (2, ("failed", "provider_authentication_failed"))
    assert "sk-another" not in ended.output
