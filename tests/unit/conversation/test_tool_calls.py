"""The whole round is validated, in order, before anything runs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.conversation.budget import ConversationBudget
from pr_review.conversation.tool_calls import asks_for_tools, check_ids, plan_round
from pr_review.domain.chat import CallIdScope, FinishReason, Reply, RequestedCall
from pr_review.domain.run import ConversationLimits
from pr_review.domain.strict_json import load_object
from pr_review.errors import InvalidTurn, ModelError, ReviewStopped, TerminationReason
from pr_review.tools.toolbox import Toolbox

DEEP = '{"text":"a","x":' + "[" * 300 + "]" * 300 + "}"  # JSON, but deeper than any reader accepts


def plan(reply, toolbox, *, seen=frozenset(), so_far=0):
    """The checks in the order in which a conversation makes them."""
    budget = ConversationBudget(ConversationLimits())
    budget.take_calls(so_far)
    check_ids(reply, seen)
    if refusal := budget.refusal(len(reply.calls)):
        raise refusal
    return plan_round(reply, toolbox)


def refused(reply, toolbox, **options):
    with pytest.raises(InvalidTurn) as caught:
        plan(reply, toolbox, **options)
    assert caught.value.reason is TerminationReason.INVALID_TOOL_CALL
    return caught.value.detail


def test_a_replaced_id_keeps_its_original(reply, call, toolbox):
    replaced = RequestedCall(id="r001i0000", name="echo", arguments='{"text":"a"}', original_id="")
    planned = plan(reply(replaced, call("c2")), toolbox)
    assert [item.call.original_id for item in planned] == ["", None]


def test_finish_reasons_decide(reply, call):
    assert asks_for_tools(reply(call()))
    assert not asks_for_tools(reply(text="{}"))


@pytest.mark.parametrize("finish", [FinishReason.LENGTH, FinishReason.CONTENT_FILTER, FinishReason.UNKNOWN])
@pytest.mark.parametrize("with_call", [True, False])
def test_other_finish_reasons_end_the_conversation(reply, call, finish, with_call):
    with pytest.raises(ModelError) as caught:
        asks_for_tools(reply(*([call()] if with_call else []), text="{}", finish=finish))
    assert caught.value.termination_reason is TerminationReason.UNSUPPORTED_FINISH_REASON
    assert not isinstance(caught.value, InvalidTurn)


def test_calls_and_finish_reason_must_agree(reply, call):
    with pytest.raises(InvalidTurn, match="invalid_tool_call"):
        asks_for_tools(reply(call(), finish=FinishReason.STOP))
    with pytest.raises(InvalidTurn, match="invalid_tool_call"):
        asks_for_tools(reply(text="{}", finish=FinishReason.TOOL_CALLS))


def test_the_refusal_says_what_to_change(reply, call):
    with pytest.raises(InvalidTurn) as caught:
        asks_for_tools(reply(call(), finish=FinishReason.STOP, advice="Set provider-profile: vllm."))
    assert caught.value.advice == "Set provider-profile: vllm."


BAD_CALLS = {
    "not the wire's shape": {"fault": "A tool call is not of type function."},
    "no id": {"id": ""},
    "NUL in the id": {"id": "c\x00"},
    "newline in the id": {"id": "c\n"},
    "no name": {"name": None},
    "an unknown name": {"name": "bash"},
    "no arguments": {"arguments": None},
    "empty arguments": {"arguments": ""},
    "a list": {"arguments": "[]"},
    "cut JSON": {"arguments": '{"text":'},
    "a key twice": {"arguments": '{"text":"a","text":"b"}'},
    "NaN": {"arguments": '{"text":NaN}'},
    "deep and cut": {"arguments": '{"a":' * 9999},
    "deep": {"arguments": DEEP},
    "nothing required": {"arguments": "{}"},
    "an empty object": {"arguments": {}},
    "a wrong type": {"arguments": '{"text":7}'},
    "a wrong type in an object": {"arguments": {"text": 7}},
    "an extra property": {"arguments": '{"text":"a","command":"pytest"}'},
    "text for a number": {"arguments": '{"text":"a","repeat":"1"}'},
    "true for a number": {"arguments": '{"text":"a","repeat":true}'},
}


@pytest.mark.parametrize("bad", BAD_CALLS.values(), ids=BAD_CALLS.keys())
def test_one_bad_call_refuses_the_whole_round(reply, call, toolbox, bad):
    """The good call before it is not planned either."""
    whole = {"id": "c", "name": "echo", "arguments": '{"text":"a"}'}
    refused(reply(call("good"), RequestedCall(**whole | bad)), toolbox)


@pytest.mark.parametrize(("length", "ok"), [(1, True), (8191, True), (8192, True), (8193, False)])
def test_an_id_has_at_most_8192_characters(reply, call, toolbox, length, ok):
    turn = reply(call("x" * length))
    if ok:
        assert plan(turn, toolbox)[0].call.id == "x" * length
    else:
        refused(turn, toolbox)


def test_ids_are_unique_in_the_round_and_before_it(reply, call, toolbox):
    refused(reply(call("c1"), call("c1")), toolbox)
    refused(reply(call("c1")), toolbox, seen=frozenset({"c1"}))
    assert plan(reply(call("c1"), call("c2")), toolbox, seen=frozenset({"c0"}))


def test_ids_of_a_turn_may_repeat_in_later_rounds_only(reply, call, toolbox):
    turn = {"call_ids": CallIdScope.TURN}
    assert plan(reply(call("c1"), **turn), toolbox, seen=frozenset({"c1"}))
    refused(reply(call("c1"), call("c1"), **turn), toolbox)


@pytest.mark.parametrize(("count", "so_far", "ok"), [(7, 0, True), (8, 0, True), (9, 0, False)])
def test_a_round_holds_at_most_8_calls(reply, call, toolbox, count, so_far, ok):
    check_counts(reply(*(call(f"c{n}") for n in range(count))), toolbox, so_far, ok=ok)


@pytest.mark.parametrize(
    ("count", "so_far", "ok"), [(1, 30, True), (1, 31, True), (1, 32, False), (8, 25, False)]
)
def test_a_review_holds_at_most_32_calls(reply, call, toolbox, count, so_far, ok):
    check_counts(reply(*(call(f"c{n}") for n in range(count))), toolbox, so_far, ok=ok)


def check_counts(turn, toolbox, so_far, *, ok):
    if ok:
        assert plan(turn, toolbox, so_far=so_far)
        return
    with pytest.raises(ReviewStopped) as caught:
        plan(turn, toolbox, so_far=so_far)
    assert caught.value.termination_reason is TerminationReason.MAX_TOOL_CALLS
    assert caught.value.detail.startswith(
        "The budget of tool calls (max-tool-calls: 32, at most 8 in one turn)"
    )


def test_the_order_is_ids_then_counts_then_arguments_then_names_then_schemas(reply, call, toolbox):
    """The first class of fault in that order is the one reported, wherever it stands."""
    schema = call("s", arguments='{"x":1}')
    name = call("n", name="bash")
    arguments = call("a", arguments="not json")
    assert "do not match" in refused(reply(schema), toolbox)
    assert "not offered" in refused(reply(schema, name), toolbox)
    assert "JSON object" in refused(reply(schema, name, arguments), toolbox)
    many = [call(f"m{n}") for n in range(6)]
    with pytest.raises(ReviewStopped):
        plan(reply(schema, name, arguments, *many), toolbox)
    assert "share an id" in refused(reply(schema, name, arguments, *many, many[0]), toolbox)
    assert "no id" in refused(reply(schema, name, arguments, *many, many[0], call("")), toolbox)
    odd = RequestedCall(id="x", name="echo", arguments="{}", fault="It has no shape.")
    assert "no shape" in refused(reply(schema, name, arguments, *many, many[0], odd, call("")), toolbox)


def test_a_planned_call_carries_parsed_and_validated_arguments(reply, call, toolbox):
    [planned] = plan(reply(call(arguments='{"text":"x","repeat":2}')), toolbox)
    assert planned.call.arguments == {"text": "x", "repeat": 2}
    assert (planned.args.text, planned.args.repeat) == ("x", 2)


def test_arguments_as_an_object_are_validated_like_text(reply, call, toolbox):
    """Wire formats other than chat completions carry objects."""
    [planned] = plan(reply(call(arguments={"text": "x"})), toolbox)
    assert planned.call.arguments == {"text": "x"}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=8), children, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.text(max_size=9),
    st.none() | st.text(max_size=9),
    st.none() | st.text() | json_values.map(json.dumps) | st.dictionaries(st.text(max_size=8), json_values),
)
def test_any_call_is_refused_or_planned(call_id, name, arguments):
    """No shape of a call gets past, and none raises anything else."""
    call = RequestedCall.model_construct(id=call_id, name=name, arguments=arguments, original_id=None)
    turn = Reply(message={}, finish=FinishReason.TOOL_CALLS).model_copy(update={"calls": (call,)})
    with pytest.raises(InvalidTurn):
        plan(turn, Toolbox([]))


def faults_of(arguments, toolbox, reply, call):
    with pytest.raises(InvalidTurn) as caught:
        plan_round(reply(call(arguments=arguments)), toolbox, tolerant=True)
    return list(caught.value.faults)


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        ("{}", ["echo.text: is missing"]),
        ('{"text":7}', ["echo.text: is not as the schema says"]),
        (
            '{"text":"a","repeat":"evil","evil words":1}',
            ["echo.repeat: is not as the schema says", "echo: takes no such argument"],
        ),
        ('{"text":', ["The JSON ends before it is complete (line 1, column 9)."]),
        ('{"text":"a"} {"text":"b"}', ["Text stands around the JSON object."]),
        ("[1]", ["The text holds no JSON object."]),
    ],
)
def test_a_refused_call_names_the_argument_and_the_rule(toolbox, reply, call, arguments, faults):
    """Never a name that the model made up."""
    assert faults_of(arguments, toolbox, reply, call) == faults


@given(st.text() | json_values.map(json.dumps))
def test_load_object_is_total(text):
    parsed = load_object(text)
    assert parsed is None or json.loads(text) == parsed
