"""Tool calls in text: one clean fenced block, and never anything out of prose."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.chat import Message, Reply, Role
from pr_review.errors import InvalidTurn, TerminationReason
from pr_review.llm.chat_completions.text_tools import read_calls, write_as_text
from pr_review.llm.chat_completions.tolerance import Round
from pr_review.llm.scripted import calling, saying

CALLS = '{"tool_calls":[{"name":"a","arguments":{"x":"é"}},{"name":"b","arguments":{}}]}'
REVIEW = '{"summary":"ok","findings":[],"notes":[]}'


def read(content: str | None, finish: str | None = "stop") -> Reply:
    reply = saying(content or "").model_copy(update={"content": content, "finish_reason": finish})
    return read_calls(reply, Round(2, ()))


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
def test_calls_become_native_ones(content):
    reply = read(content)
    assert reply.tool_calls == (
        {"id": "r002i0000", "type": "function", "function": {"name": "a", "arguments": '{"x":"é"}'}},
        {"id": "r002i0001", "type": "function", "function": {"name": "b", "arguments": "{}"}},
    )
    assert (reply.calls_signal, reply.text_calls) == (True, True)
    assert reply.message["content"] == content


@pytest.mark.parametrize(
    ("finish", "signal"), [("stop", True), ("eos", True), ("length", False), (None, False)]
)
def test_a_cut_answer_does_not_signal_calls(finish, signal):
    assert read(fenced(CALLS), finish).calls_signal is signal


@pytest.mark.parametrize("content", [REVIEW, fenced(REVIEW), "Here it is.\n" + fenced(REVIEW)])
def test_a_final_review_is_the_content(content):
    reply = read(content)
    assert (reply.content, reply.tool_calls, reply.text_calls) == (REVIEW, (), True)


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
    assert (reply.tool_calls, reply.content) == ((), content)


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
    reply = read(json.dumps({"tool_calls": [call]}))
    assert len(reply.tool_calls) == 1
    assert reply.tool_calls[0]["id"] == "r002i0000"


def test_native_calls_were_not_offered():
    with pytest.raises(InvalidTurn, match="native"):
        read_calls(calling(("c1", "a", {})), Round(1, ()))


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
    assert reply.text_calls


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
