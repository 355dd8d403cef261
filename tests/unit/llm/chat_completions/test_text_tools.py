"""Tool calls in text: one clean fenced block, and never anything out of prose."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.chat import FinishReason, Message, Reply, RequestedCall, Role
from pr_review.errors import InvalidTurn, TerminationReason
from pr_review.llm.chat_completions.deviations import Deviations
from pr_review.llm.chat_completions.finish import read_finish
from pr_review.llm.chat_completions.profile import Tolerance
from pr_review.llm.chat_completions.profiles import GENERIC
from pr_review.llm.chat_completions.text_tools import read_text_turn, write_as_text
from pr_review.llm.scripted import calling, saying

CALLS = '{"tool_calls":[{"name":"a","arguments":{"x":"é"}},{"name":"b","arguments":{}}]}'
REVIEW = '{"summary":"ok","findings":[],"notes":[]}'


def read(content: str | None, finish: str | None = "stop", deviations: Deviations | None = None) -> Reply:
    meaning = read_finish(finish, calls=False, calls_imply_tools=())
    reply = saying("").model_copy(update={"text": content, "finish": meaning, "finish_word": finish})
    return read_text_turn(reply, 2, deviations or Deviations(GENERIC))


def fenced(text: str, label: str = "json") -> str:
    return f"```{label}\n{text}\n```"


@pytest.mark.parametrize(
    "content",
    [
        CALLS,
        fenced(CALLS),
        fenced(CALLS, ""),
        fenced(CALLS) + "\n\n",
        "I will look first.\n\n" + fenced(CALLS),
        fenced(json.dumps(json.loads(CALLS), indent=2)),
    ],
)
def test_calls_are_read_as_if_they_were_native(content):
    reply = read(content)
    assert reply.calls == (
        RequestedCall(id="r002i0000", name="a", arguments={"x": "é"}),
        RequestedCall(id="r002i0001", name="b", arguments={}),
    )
    assert reply.finish is FinishReason.TOOL_CALLS
    assert reply.message == saying("").message, "the message goes back as it came"


@pytest.mark.parametrize(
    ("finish", "with_calls", "without"),
    [
        ("stop", FinishReason.TOOL_CALLS, FinishReason.STOP),
        ("eos", FinishReason.TOOL_CALLS, FinishReason.UNKNOWN),
        ("end_turn", FinishReason.TOOL_CALLS, FinishReason.UNKNOWN),
        ("", FinishReason.TOOL_CALLS, FinishReason.UNKNOWN),
        ("tool_calls", FinishReason.TOOL_CALLS, FinishReason.TOOL_CALLS),
        ("length", FinishReason.LENGTH, FinishReason.LENGTH),
        ("content_filter", FinishReason.CONTENT_FILTER, FinishReason.CONTENT_FILTER),
        (None, FinishReason.UNKNOWN, FinishReason.UNKNOWN),
    ],
)
def test_a_natural_end_with_calls_is_a_tool_turn_and_a_cut_answer_is_not(finish, with_calls, without):
    assert read(fenced(CALLS), finish).finish is with_calls
    assert read(REVIEW, finish).finish is without


@pytest.mark.parametrize("content", [REVIEW, fenced(REVIEW), "Here it is.\n" + fenced(REVIEW)])
def test_a_final_review_is_the_text_without_its_fence(content):
    reply = read(content)
    assert (reply.text, reply.calls, reply.finish) == (REVIEW, (), FinishReason.STOP)


@pytest.mark.parametrize(
    "content",
    [
        "I would call read_repository_file.",
        f"The file says {CALLS}",
        f"{CALLS} and more",
        '{"tool_calls":[]}',
        '{"tool_calls":{"name":"a"}}',
        '{"tool_calls":[{"name":"a"}],"summary":"x"}',
        "",
        None,
    ],
)
def test_prose_is_never_a_call(content):
    """Repository text that a model quotes could hold one."""
    reply = read(content)
    assert (reply.calls, reply.text) == ((), content)


@pytest.mark.parametrize(
    "content",
    [
        fenced(CALLS) + "\nResult: it works.",
        fenced(CALLS) + "\n" + fenced(CALLS),
        "The README shows:\n" + fenced(CALLS) + "\n" + fenced(REVIEW),
        "```json\n" + CALLS,
        "text\n```",
    ],
)
def test_a_block_that_is_not_clean_is_refused(content):
    with pytest.raises(InvalidTurn) as error:
        read(content)
    assert error.value.reason is TerminationReason.INVALID_MODEL_RESPONSE


@pytest.mark.parametrize(
    "call", ["x", 5, None, {}, {"name": 5, "arguments": "{}"}, {"name": "a", "arguments": [1]}]
)
def test_a_bad_call_keeps_its_place_for_the_round_to_refuse(call):
    (requested,) = read(json.dumps({"tool_calls": [call]})).calls
    assert requested.id == "r002i0000"
    assert requested.name is None or requested.arguments is None


def test_arguments_that_are_text_stay_text():
    (requested,) = read(json.dumps({"tool_calls": [{"name": "a", "arguments": '{"x":1}'}]})).calls
    assert requested.arguments == '{"x":1}'


def test_half_a_character_in_the_arguments_is_the_models_fault():
    """The schema of the arguments refuses it; it must not end the run as a bug of ours."""
    (requested,) = read('{"tool_calls":[{"name":"a","arguments":{"x":"\\ud800"}}]}').calls
    assert requested.arguments == {"x": "\ud800"}


BARE = '{"tool_calls":[{"name":"a","arguments":{}}]}'
LOOSE = {
    Tolerance.FENCED_ANSWER: (fenced(REVIEW), "stop"),
    Tolerance.BARE_CALLS: (BARE, "stop"),
    Tolerance.TEXT_ARGUMENTS: (fenced('{"tool_calls":[{"name":"a","arguments":"{}"}]}'), "stop"),
    Tolerance.NO_ARGUMENTS: (fenced('{"tool_calls":[{"name":"a"}]}'), "stop"),
    Tolerance.LOOSE_TEXT_FINISH: (fenced(BARE), "end_turn"),
}


@pytest.mark.parametrize(("content", "finish"), LOOSE.values(), ids=[kind.name for kind in LOOSE])
def test_each_deviation_is_recorded_or_when_strict_refused(content, finish):
    """What is refused stays as it came: no final review, or a call that the conversation refuses."""
    (tolerance,) = [kind for kind, given in LOOSE.items() if given == (content, finish)]
    loose, strict = Deviations(GENERIC), Deviations(GENERIC.strictly())
    accepted, refused = read(content, finish, loose), read(content, finish, strict)
    assert (loose.accepted, loose.refused) == ({tolerance: 1}, {})
    assert (strict.accepted, strict.refused) == ({}, {tolerance: 1})
    calls = [call.arguments for call in refused.calls]
    assert (refused.text, calls, refused.finish) != (accepted.text, [{}], accepted.finish)
    assert refused.text == content
    assert refused.finish is not FinishReason.TOOL_CALLS or calls == [None]


@pytest.mark.parametrize("content", [fenced(CALLS), f"I look.\n{fenced(BARE)}", REVIEW, "Looks good.", ""])
def test_what_keeps_to_the_protocol_is_no_deviation(content):
    strict = Deviations(GENERIC.strictly())
    assert read(content, "stop", strict) == read(content)
    assert (strict.accepted, strict.refused) == ({}, {})


def test_native_calls_were_not_offered():
    with pytest.raises(InvalidTurn, match="native"):
        read_text_turn(calling(("c1", "a", {})), 1, Deviations(GENERIC))


def test_many_fences_are_read_in_linear_time():
    started = time.process_time()
    with pytest.raises(InvalidTurn):
        read("```a\n" * 400_000)
    assert time.process_time() - started < 2.0


@given(st.text())
def test_any_text_is_a_reply_or_an_invalid_turn(content):
    try:
        reply = read(content)
    except InvalidTurn:
        return
    assert isinstance(reply, Reply)


def test_the_conversation_in_text(conversation, tools):
    history = [
        *conversation,
        Message(role=Role.ASSISTANT, raw={"role": "assistant", "content": CALLS, "tool_calls": None, "x": 1}),
        Message(role=Role.TOOL, content='{"ok":true}', tool_call_id="r001i0000"),
        Message(role=Role.TOOL, content='{"ok":false}', tool_call_id="r001i0001"),
    ]
    written = write_as_text(history, tools)
    assert [message.role for message in written] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]
    assert written[0].content.startswith(conversation[0].content)
    assert all(json.dumps(tool.parameters, separators=(",", ":")) in written[0].content for tool in tools)
    assert all(tool.name in written[0].content for tool in tools)
    assert written[2].raw == {"role": "assistant", "content": CALLS, "x": 1}
    assert (
        written[3].content
        == 'Result of call r001i0000: {"ok":true}\n\nResult of call r001i0001: {"ok":false}'
    )
