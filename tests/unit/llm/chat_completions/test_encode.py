"""The conversation on the wire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain import strict_json
from pr_review.domain.chat import Message, Role
from pr_review.llm.chat_completions.encode import encode_message, encode_messages
from pr_review.llm.chat_completions.profiles import PROFILES

GENERIC = PROFILES["generic"]
SYSTEM = Message(role=Role.SYSTEM, content="s")
USER = Message(role=Role.USER, content="u")


def calling(*ids: str, **extra: object) -> Message:
    calls = [
        {"id": call_id, "type": "function", "function": {"name": "t", "arguments": "{}"}} for call_id in ids
    ]
    return Message(
        role=Role.ASSISTANT, raw={"role": "assistant", "content": None, "tool_calls": calls, **extra}
    )


def result(call_id: str) -> Message:
    return Message(role=Role.TOOL, content='{"ok":true}', tool_call_id=call_id)


def test_plain_messages_have_role_and_content():
    assert encode_messages([SYSTEM, USER], GENERIC) == [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "u"},
    ]


def test_a_result_names_its_call_and_its_content_is_text():
    assert encode_message(result("c1"), GENERIC) == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": '{"ok":true}',
    }


NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | NAMES, lambda inner: st.lists(inner, max_size=3)
)


@given(st.dictionaries(NAMES, VALUES, max_size=6).filter(lambda raw: "tool_calls" not in raw))
def test_an_assistant_message_goes_back_byte_for_byte(extra):
    """Unknown keys, nulls and the order of keys survive, because providers check them."""
    raw = {"reasoning_content": "", "role": "assistant", **extra, "content": None}
    message = Message(role=Role.ASSISTANT, raw=raw)
    assert strict_json.dumps(encode_message(message, GENERIC)) == strict_json.dumps(raw)


@pytest.mark.parametrize("name", ["groq", "mistral"])
def test_reasoning_is_not_replayed_where_the_server_refuses_it(name):
    """The generic profile keeps it."""
    message = calling(reasoning_content="long thought")
    assert "reasoning_content" not in encode_message(message, PROFILES[name])
    assert "reasoning_content" in encode_message(message, GENERIC)


@pytest.mark.parametrize("name", ["groq", "mistral", "gemini-compat"])
def test_null_fields_are_not_replayed_where_the_server_refuses_them(name):
    """Sample 30: only these nulls, and content is never dropped."""
    message = calling("c1", refusal=None, audio=None, function_call=None, other=None)
    encoded = encode_message(message, PROFILES[name])
    assert list(encoded) == ["role", "content", "tool_calls", "other"]
    assert encode_message(message, GENERIC) == message.raw


def test_a_refusal_that_says_something_is_kept():
    assert encode_message(calling(refusal="no"), PROFILES["groq"])["refusal"] == "no"


@pytest.mark.parametrize(
    "history",
    [
        [calling("a", "b"), result("a"), result("b"), USER],
        [calling("a"), result("a"), calling("a"), result("a")],
        [calling("a", "a"), result("a"), result("a")],
        [Message(role=Role.ASSISTANT, raw={"role": "assistant", "content": "x", "tool_calls": None}), USER],
    ],
)
def test_paired_histories_are_sent(history):
    assert len(encode_messages([SYSTEM, *history], GENERIC)) == len(history) + 1


@pytest.mark.parametrize(
    "history",
    [
        [calling("a")],
        [calling("a", "b"), result("a")],
        [calling("a", "b"), result("b"), result("a")],
        [calling("a"), USER, result("a")],
        [calling("a"), result("a"), result("a")],
        [result("a")],
        [calling("a"), result("b")],
        [calling("a"), calling("b"), result("a"), result("b")],
    ],
)
def test_a_history_that_servers_refuse_is_never_sent(history):
    """Only a bug of ours can make one, so it is not an error of the tree."""
    with pytest.raises(RuntimeError):
        encode_messages([SYSTEM, *history], GENERIC)
