"""Section D: the whole round is validated, in order, before anything runs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.conversation import tool_calls
from pr_review.domain.run import Limits, ProtocolAction
from pr_review.domain.strict_json import load_object
from pr_review.errors import InvalidTurn, ModelError, ReviewStopped, TerminationReason

LIMITS = Limits()
DEEP = '{"text":"a","x":' + "[" * 300 + "]" * 300 + "}"  # JSON, but more than our records can hold


def plan(reply, toolbox, *, seen=frozenset(), so_far=0, limits=LIMITS):
    return tool_calls.plan(reply, toolbox, limits, seen_ids=seen, calls_so_far=so_far)


def refused(reply, toolbox, **options):
    with pytest.raises(InvalidTurn) as caught:
        plan(reply, toolbox, **options)
    assert caught.value.reason is TerminationReason.INVALID_TOOL_CALL
    return caught.value.detail


def test_a_replaced_id_keeps_its_original(reply, call, toolbox):
    """Decision 5."""
    planned = plan(reply(call("r001i0000"), call("c2"), original_ids=("", None)), toolbox)
    assert [item.call.original_id for item in planned] == ["", None]
    assert [item.call.original_id for item in plan(reply(call()), toolbox)] == [None]


def test_finish_reasons_decide(reply, call):
    assert tool_calls.classify(reply(call())) is ProtocolAction.EXECUTE_TOOLS
    assert tool_calls.classify(reply(content="{}")) is ProtocolAction.RETURN_REVIEW


@pytest.mark.parametrize("finish", ["length", "content_filter", "", "eos", "function_call"])
@pytest.mark.parametrize("with_call", [True, False])
def test_other_finish_reasons_end_the_review(reply, call, finish, with_call):
    turn = reply(*([call()] if with_call else []), content="{}").model_copy(update={"finish_reason": finish})
    with pytest.raises(ModelError) as caught:
        tool_calls.classify(turn)
    assert caught.value.termination_reason is TerminationReason.UNSUPPORTED_FINISH_REASON
    assert not isinstance(caught.value, InvalidTurn)


def test_a_null_finish_reason_ends_the_review(reply):
    with pytest.raises(ModelError, match="unsupported_finish_reason"):
        tool_calls.classify(reply(content="{}").model_copy(update={"finish_reason": None}))


def test_calls_and_finish_reason_must_agree(reply, call):
    with pytest.raises(InvalidTurn, match="invalid_tool_call"):
        tool_calls.classify(reply(call(), finish="stop"))
    with pytest.raises(InvalidTurn, match="invalid_tool_call"):
        tool_calls.classify(reply(content="{}", finish="tool_calls"))


def test_a_profile_lets_the_calls_decide_but_never_a_cut_answer(reply, call):
    assert (
        tool_calls.classify(reply(call(), finish="stop", calls_signal=True)) is ProtocolAction.EXECUTE_TOOLS
    )
    assert tool_calls.classify(reply(call(), finish="odd", calls_signal=True)) is ProtocolAction.EXECUTE_TOOLS
    final = reply(content="{}", finish="tool_calls", calls_signal=True)
    assert tool_calls.classify(final) is ProtocolAction.RETURN_REVIEW
    ended = reply(content="{}", finish="eos", calls_signal=True)
    assert tool_calls.classify(ended) is ProtocolAction.RETURN_REVIEW
    with pytest.raises(ModelError, match="unsupported_finish_reason"):
        tool_calls.classify(reply(call(), finish="length", calls_signal=True))


def test_the_refusal_names_the_profile_that_would_accept(reply, call):
    with pytest.raises(InvalidTurn) as caught:
        tool_calls.classify(reply(call(), finish="stop", hint="Set provider-profile: vllm."))
    assert caught.value.advice == "Set provider-profile: vllm."


@pytest.mark.parametrize(
    "bad",
    [
        None,
        7,
        "call",
        {"type": "function", "function": {"name": "echo", "arguments": "{}"}},
        {"id": 7, "type": "function", "function": {"name": "echo", "arguments": "{}"}},
        {"id": "", "type": "function", "function": {"name": "echo", "arguments": "{}"}},
        {"id": "c\x00", "type": "function", "function": {"name": "echo", "arguments": "{}"}},
        {"id": "c\n", "type": "function", "function": {"name": "echo", "arguments": "{}"}},
        {"id": "c", "type": "tool", "function": {"name": "echo", "arguments": "{}"}},
        {"id": "c", "function": {"name": "echo", "arguments": "{}"}},
        {"id": "c", "type": "function", "function": None},
        {"id": "c", "type": "function", "function": {"name": None, "arguments": "{}"}},
        {"id": "c", "type": "function", "function": {"name": ["echo"], "arguments": "{}"}},
        {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}},
        {"id": "c", "type": "function", "function": {"name": "echo", "arguments": {"text": "a"}}},
        {"id": "c", "type": "function", "function": {"name": "echo", "arguments": None}},
        {"id": "c", "type": "function", "function": {"name": "echo", "arguments": ""}},
        {"id": "c", "type": "function", "function": {"name": "echo", "arguments": "[]"}},
        {"id": "c", "type": "function", "function": {"name": "echo", "arguments": '{"text":'}},
        {"id": "c", "type": "function", "function": {"name": "echo", "arguments": '{"text":"a","text":"b"}'}},
        {"id": "c", "type": "function", "function": {"name": "echo", "arguments": '{"text":NaN}'}},
        {"id": "c", "type": "function", "function": {"name": "echo", "arguments": '{"a":' * 9999}},
        {"id": "c", "type": "function", "function": {"name": "echo", "arguments": DEEP}},
        {"id": "c", "type": "function", "function": {"name": "echo", "arguments": "{}"}},
        {"id": "c", "type": "function", "function": {"name": "echo", "arguments": '{"text":7}'}},
        {
            "id": "c",
            "type": "function",
            "function": {"name": "echo", "arguments": '{"text":"a","command":"pytest"}'},
        },
        {
            "id": "c",
            "type": "function",
            "function": {"name": "echo", "arguments": '{"text":"a","repeat":"1"}'},
        },
        {
            "id": "c",
            "type": "function",
            "function": {"name": "echo", "arguments": '{"text":"a","repeat":true}'},
        },
    ],
)
def test_one_bad_call_refuses_the_whole_round(reply, call, toolbox, bad):
    """Items 32-38: the good call before it is not planned either."""
    refused(reply(call("good"), bad), toolbox)


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


def test_a_profile_lets_ids_repeat_in_later_rounds_only(reply, call, toolbox):
    assert plan(reply(call("c1"), repeats_ids=True), toolbox, seen=frozenset({"c1"}))
    refused(reply(call("c1"), call("c1"), repeats_ids=True), toolbox)


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
    assert caught.value.detail == "Review exceeded the configured tool call limit."


def test_the_order_is_ids_then_counts_then_arguments_then_names_then_schemas(reply, call, toolbox):
    """Item 31: the first class of fault in that order is the one reported, wherever it stands."""
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
    assert "type function" in refused(reply(schema, name, arguments, *many, many[0], None), toolbox)


def test_a_planned_call_carries_parsed_and_validated_arguments(reply, call, toolbox):
    [planned] = plan(reply(call(arguments='{"text":"x","repeat":2}')), toolbox)
    assert planned.call.arguments == {"text": "x", "repeat": 2}
    assert (planned.args.text, planned.args.repeat) == ("x", 2)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=8), children, max_size=3)
    ),
    max_leaves=8,
)


@given(json_values)
def test_any_json_as_a_call_is_refused_or_planned(value):
    """No shape of a call gets past, and none raises anything else."""
    from pr_review.domain.chat import Reply
    from pr_review.tools.toolbox import Toolbox

    turn = Reply(
        request_id=None, model=None, finish_reason="tool_calls", message={}, content=None, tool_calls=(value,)
    )
    with pytest.raises(InvalidTurn):
        plan(turn, Toolbox([]))


@given(st.text() | json_values.map(json.dumps))
def test_parse_json_object_is_total(text):
    parsed = load_object(text)
    assert parsed is None or json.loads(text) == parsed
