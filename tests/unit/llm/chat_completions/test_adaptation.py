"""Over real HTTP: what is tried again, what is changed once a server refused it, and what that costs."""

import pytest
from tests.turns import REVIEW, refused, round_of

from pr_review.errors import (
    ConfigError,
    ContextOverflow,
    InvalidTurn,
    ModelError,
    ReviewStopped,
    TerminationReason,
)
from pr_review.llm.request_budget import RequestBudget

pytestmark = pytest.mark.anyio


# --- retries and budgets ----------------------------------------------------------------------------------


async def test_rate_limits_are_waited_out_and_counted(
    chat_server, open_model, conversation, tools, waits, budget
):
    limited = chat_server.json({"error": {"message": "slow"}}, status=429, headers={"Retry-After": "7"})
    chat_server.add(limited, refused(chat_server, status=503), chat_server.completion(REVIEW))
    model = open_model()
    await model.complete(conversation, tools)
    assert waits.slept == [7.0, 2.0]
    assert (budget.stats.requests, budget.stats.retries, budget.stats.waited_seconds) == (3, 2, 9.0)
    assert chat_server.requests[0].body == chat_server.requests[2].body


async def test_a_broken_connection_is_tried_again(chat_server, open_model, conversation, tools):
    chat_server.add(chat_server.raw(b"{", hang_up=True), chat_server.completion(REVIEW))
    assert (await open_model().complete(conversation, tools)).text == REVIEW


async def test_a_wait_beyond_the_deadline_ends_at_once(chat_server, open_model, conversation, tools, waits):
    chat_server.add(
        chat_server.json({"error": {"message": "slow"}}, status=429, headers={"retry-after": "17999"})
    )
    with pytest.raises(ModelError) as error:
        await open_model("opencode").complete(conversation, tools)
    assert error.value.code == "opencode_rate_limited"
    assert "17999 seconds" in error.value.advice
    assert waits.slept == []


async def test_without_time_nothing_is_sent(chat_server, open_model, conversation, tools, waits, budget):
    waits.left = 0.0
    model = open_model()
    with pytest.raises(ReviewStopped) as stopped:
        await model.complete(conversation, tools)
    assert stopped.value.termination_reason is TerminationReason.REVIEW_TIMEOUT
    assert (chat_server.requests, budget.stats.requests) == ([], 0)


@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_no_cause_costs_more_requests_than_allowed(
    chat_server, open_model, conversation, tools, waits, limit
):
    """Nor is anything waited for that could not be sent."""
    chat_server.rule = lambda _: refused(chat_server, status=500)
    budget = RequestBudget(limit)
    model = open_model(budget=budget)
    with pytest.raises(ReviewStopped) as stopped:
        await model.complete(conversation, tools)
    assert stopped.value.code == "max_requests"
    assert stopped.value.termination_reason is TerminationReason.MAX_ROUNDS
    assert len(chat_server.requests) == budget.stats.requests == limit
    assert len(waits.slept) == budget.stats.retries == limit - 1


async def test_adaptations_are_within_the_budget_too(chat_server, open_model, conversation, tools):
    chat_server.rule = lambda request: refused(chat_server, "bad", param=list(request.json)[-1])
    with pytest.raises(ReviewStopped, match="max_requests"):
        await open_model(budget=RequestBudget(3), extra_body={f"p{n}": n for n in range(9)}).complete(
            conversation, tools
        )
    assert len(chat_server.requests) == 3


async def test_a_model_that_answers_at_once_costs_one_request(
    chat_server, open_model, conversation, tools, budget
):
    chat_server.add(chat_server.completion(REVIEW))
    model = open_model()
    await model.complete(conversation, tools)
    assert budget.stats.requests == len(chat_server.requests) == 1


@pytest.mark.parametrize(("profile", "requests"), [("generic", 1), ("groq", 3)])
async def test_a_server_that_refuses_its_own_models_call(
    chat_server, open_model, conversation, tools, profile, requests
):
    """An invalid call; asked again at most twice under its profile."""
    chat_server.rule = lambda _: refused(
        chat_server, code="tool_use_failed", failed_generation="<function=SECRET>"
    )
    with pytest.raises(InvalidTurn) as error:
        await open_model(profile).complete(conversation, tools)
    assert error.value.reason is TerminationReason.INVALID_TOOL_CALL
    assert "SECRET" not in f"{error.value} {error.value.advice}"
    assert len(chat_server.requests) == requests


async def test_capacity_turns_are_not_turns(chat_server, open_model, conversation, tools):
    """Two give up, the third answers, nothing of them stays."""
    gave_up = chat_server.completion("", finish_reason="insufficient_system_resource")
    chat_server.add(gave_up, gave_up, chat_server.completion(REVIEW))
    assert (await open_model("deepseek").complete(conversation, tools)).text == REVIEW
    assert chat_server.bodies[2] == chat_server.bodies[0]


# --- adaptations ------------------------------------------------------------------------------------------


async def test_a_refused_parameter_is_dropped_once_and_for_all(
    chat_server, open_model, conversation, tools, budget
):
    chat_server.add(
        refused(chat_server, "invalid temperature: only 1 is allowed"),
        chat_server.completion(REVIEW),
        chat_server.completion(REVIEW),
    )
    model = open_model(extra_body={"temperature": 0, "seed": 1})
    await model.complete(conversation, tools)
    await model.complete(conversation, tools)
    assert ["temperature" in body for body in chat_server.bodies] == [True, False, False]
    assert all(body["seed"] == 1 for body in chat_server.bodies)
    assert budget.stats.events == ("The provider refused temperature; sent without it.",)
    assert (budget.stats.requests, budget.stats.retries) == (3, 0)


async def test_an_output_cap_is_renamed_then_dropped(chat_server, open_model, conversation, tools, budget):
    def refuse_both(request):
        names = [name for name in ("max_tokens", "max_completion_tokens") if name in request.json]
        if not names:
            return chat_server.completion(REVIEW)
        return refused(chat_server, "Unsupported parameter", param=names[0], code="unsupported_parameter")

    chat_server.rule = refuse_both
    model = open_model(extra_body={"max_tokens": 9})
    await model.complete(conversation, tools)
    assert [sorted(set(body) & {"max_tokens", "max_completion_tokens"}) for body in chat_server.bodies] == [
        ["max_tokens"],
        ["max_completion_tokens"],
        [],
    ]
    assert len(budget.stats.events) == 2


async def test_tool_choice_may_be_dropped_but_tools_never(chat_server, open_model, conversation, tools):
    chat_server.add(
        refused(chat_server, "bad", param="tool_choice"), refused(chat_server, "bad", param="tools")
    )
    with pytest.raises(ModelError, match="provider_rejected_request"):
        await open_model().complete(conversation, tools)
    assert [list(body) for body in chat_server.bodies] == [
        ["model", "messages", "tools", "tool_choice"],
        ["model", "messages", "tools"],
    ]


async def test_the_stream_itself_is_the_operators_to_switch_off(chat_server, open_model, conversation, tools):
    chat_server.rule = lambda _: refused(chat_server, "bad", param="stream")
    with pytest.raises(ModelError, match="provider_rejected_request"):
        await open_model(stream=True).complete(conversation, tools)
    assert len(chat_server.requests) == 1


async def test_a_parameter_that_was_not_sent_is_an_error(chat_server, open_model, conversation, tools):
    chat_server.add(
        refused(chat_server, "Unsupported parameter", param="top_p", code="unsupported_parameter")
    )
    with pytest.raises(ConfigError, match="provider_unsupported_parameter"):
        await open_model().complete(conversation, tools)
    assert len(chat_server.requests) == 1


async def test_what_a_server_refused_is_learned_by_one_conversation_and_counted_by_the_run(
    chat_server, open_model, conversation, tools, budget
):
    """A model is one conversation: another one starts anew, over the same budget."""
    chat_server.rule = lambda request: (
        refused(chat_server, "bad", param="seed")
        if "seed" in request.json
        else chat_server.completion(REVIEW)
    )
    first, second = open_model(extra_body={"seed": 1}), open_model(extra_body={"seed": 1})
    for model in (first, first, second):
        await model.complete(conversation, tools)
    assert ["seed" in body for body in chat_server.bodies] == [True, False, False, True, False]
    assert budget.stats.requests == 5
    assert budget.stats.events == ("The provider refused seed; sent without it.",)


REASONING = "Function tools with reasoning_effort are not supported for this model. Please use /v1/responses"


async def test_reasoning_is_switched_off_where_the_profile_allows_it(
    chat_server, open_model, conversation, tools, budget
):
    chat_server.add(refused(chat_server, REASONING, param="reasoning_effort"), chat_server.completion(REVIEW))
    model = open_model("openai")
    await model.complete(conversation, tools)
    assert chat_server.bodies[1]["reasoning_effort"] == "none"
    assert len(budget.stats.events) == 1


async def test_a_model_that_cannot_switch_reasoning_off_is_a_configuration_error(
    chat_server, open_model, conversation, tools
):
    chat_server.rule = lambda _: refused(chat_server, REASONING, param="reasoning_effort")
    with pytest.raises(ConfigError, match="reasoning_with_tools"):
        await open_model("openai").complete(conversation, tools)
    assert len(chat_server.requests) == 2
    with pytest.raises(ConfigError, match="reasoning_with_tools"):
        await open_model().complete(conversation, tools)
    assert len(chat_server.requests) == 3


async def test_the_operators_reasoning_effort_is_dropped_when_refused(
    chat_server, open_model, conversation, tools
):
    chat_server.add(refused(chat_server, REASONING, param="reasoning_effort"), chat_server.completion(REVIEW))
    await open_model(extra_body={"reasoning_effort": "high"}).complete(conversation, tools)
    assert "reasoning_effort" not in chat_server.bodies[1]


OVERFLOW = {"code": "context_length_exceeded"}


OVERFLOWS = {
    "a status": ("generic", {"error": OVERFLOW}, 400),
    "an error in a success": (
        "openrouter",
        {"error": OVERFLOW | {"code": 413, "type": OVERFLOW["code"]}},
        200,
    ),
}


@pytest.mark.parametrize(("profile", "body", "status"), OVERFLOWS.values(), ids=OVERFLOWS.keys())
async def test_an_overflow_says_how_large_the_request_was(
    chat_server, open_model, conversation, tools, budget, profile, body, status
):
    """The conversation may shrink and ask again; the model does not do it by itself."""
    history = [*conversation, *round_of("a", "b", size=4000), *round_of("c", "d", size=4000)]
    chat_server.add(chat_server.json(body, status=status), chat_server.completion(REVIEW))
    model = open_model(profile)
    with pytest.raises(ContextOverflow) as overflow:
        await model.complete(history, tools)
    (sent,) = chat_server.requests
    assert overflow.value.request_bytes == len(sent.body) > 16_000
    assert (overflow.value.code, overflow.value.termination_reason) == (
        "context_overflow",
        TerminationReason.INVALID_MODEL_RESPONSE,
    )
    assert budget.stats.requests == 1
    assert len(budget.stats.events) == (status == 200)


async def test_auto_falls_back_to_text_once(chat_server, open_model, conversation, tools, budget):
    chat_server.rule = lambda request: (
        refused(chat_server, "does not support tools")
        if "tools" in request.json
        else chat_server.completion(REVIEW)
    )
    model = open_model()
    reply = await model.complete(conversation, tools)
    await model.complete(conversation, tools)
    assert reply.text == REVIEW
    assert model.text_mode
    assert ["tools" in body for body in chat_server.bodies] == [True, False, False]
    assert "tool_choice" not in chat_server.bodies[1]
    assert len(budget.stats.events) == 1


async def test_a_server_that_refuses_tools_in_text_too_is_an_error(
    chat_server, open_model, conversation, tools
):
    chat_server.rule = lambda _: refused(chat_server, "does not support tools")
    with pytest.raises(ConfigError, match="tools_not_supported"):
        await open_model().complete(conversation, tools)
    assert len(chat_server.requests) == 2


async def test_native_never_falls_back(chat_server, open_model, conversation, tools):
    chat_server.rule = lambda _: refused(chat_server, "does not support tools")
    with pytest.raises(ConfigError, match="tools_not_supported"):
        await open_model(tool_mode="native").complete(conversation, tools)
    assert len(chat_server.requests) == 1


async def test_a_history_of_native_calls_is_not_retold_in_text(chat_server, open_model, conversation, tools):
    chat_server.rule = lambda _: refused(chat_server, "does not support tools")
    with pytest.raises(ConfigError, match="tools_not_supported"):
        await open_model().complete([*conversation, *round_of("a")], tools)
    assert len(chat_server.requests) == 1
