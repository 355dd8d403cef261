"""PyPI ``litellm``'s proxy with mocked answers: a gateway has its own shapes of calls, streams and errors."""

import pytest


@pytest.mark.parametrize("stream", ["false", "true"])
def test_a_review_ends(litellm, review, stream):
    ended = review(litellm, model="ends-at-once", stream=stream)
    assert (ended.name, ended.artifact["requests"]["requests"]) == (("clean", "final_review"), 1)


@pytest.mark.parametrize("stream", ["false", "true"])
@pytest.mark.parametrize(("model", "rounds"), [("two-rounds", 2), ("thinks", 1)])
def test_rounds_of_tools_pass_through_it(litellm, review, model, rounds, stream):
    ended = review(litellm, model=model, stream=stream)
    assert ended.name == ("findings", "final_review")
    assert ended.actions == ["execute_tools"] * rounds + ["return_review"]


def test_calls_that_end_with_stop_run_under_its_profile(litellm, review):
    """The mock repeats its call, with the same id, until the rounds are used up."""
    ended = review(litellm, model="always-calls", provider_profile="litellm", max_rounds=3)
    assert ended.name == ("incomplete", "max_rounds")
    assert [turn["finish_reason"] for turn in ended.artifact["turns"]] == ["stop"] * 3
    assert [len(turn["tool_calls"]) for turn in ended.artifact["turns"]] == [1, 1, 0]


def test_calls_that_end_with_stop_are_refused_without_it(litellm, review):
    ended = review(litellm, model="always-calls", max_repairs=0)
    assert ended.name == ("failed", "invalid_tool_call")
    assert "litellm" in ended.artifact["error"]["advice"]


@pytest.mark.parametrize("stream", ["false", "true"])
@pytest.mark.parametrize(
    ("model", "end"),
    [
        ("overflows-itself", ("incomplete", "context_overflow")),
        ("overflows", ("incomplete", "context_overflow")),
        ("is-broke", ("failed", "provider_quota_exhausted")),
        ("nobody-configured-this", ("failed", "model_not_found")),
    ],
)
def test_everything_else_ends_by_name(litellm, review, model, end, stream):
    assert review(litellm, model=model, stream=stream, provider_profile="litellm").name == end


@pytest.mark.parametrize("model", ["is-limited", "fails"])
def test_what_may_pass_by_itself_is_tried_again(litellm, review, model):
    ended = review(litellm, model=model, max_requests=2)
    assert (ended.artifact["requests"]["requests"], ended.artifact["requests"]["retries"]) == (2, 1)


def test_a_wrong_key_is_named(litellm, review):
    ended = review(litellm, model="ends-at-once", api_key="sk-another-0123456789")
    assert (ended.code, ended.name) == (2, ("failed", "provider_authentication_failed"))
