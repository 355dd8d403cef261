"""From a body to a turn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.chat import CallIdScope, FinishReason, Reply, RequestedCall, Usage
from pr_review.errors import InvalidTurn, TerminationReason
from pr_review.llm.chat_completions.decode import (
    CALL_MARKERS,
    MAX_NAME_CHARS,
    Decoder,
)
from pr_review.llm.chat_completions.deviations import Deviations
from pr_review.llm.chat_completions.envelope import MAX_FINISH_CHARS
from pr_review.llm.chat_completions.profile import Tolerance
from pr_review.llm.chat_completions.profiles import PROFILES
from pr_review.llm.chat_completions.tolerance import TurnContext
from pr_review.llm.chat_completions.usage import MAX_COUNT, find_usage
from pr_review.llm.errors import kinds
from pr_review.llm.errors.failure import ProviderFailure

CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "read_repository_file", "arguments": '{"path":"a"}'},
}
READ = RequestedCall(id="c1", name="read_repository_file", arguments='{"path":"a"}')
REVIEW = '{"summary":"ok","findings":[],"notes":[]}'


def body(finish: object = "stop", *, message: object = None, **extra: object) -> dict:
    message = {"role": "assistant", "content": REVIEW} if message is None else message
    return {
        "id": "r1",
        "model": "m",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
    } | extra


def called(calls: object = (CALL,), finish: str = "tool_calls", **extra: object) -> dict:
    message = {"role": "assistant", "content": None, "tool_calls": list(calls) if calls else calls, **extra}
    return body(finish, message=message)


@pytest.fixture
def decode_turn(tools):
    """The reply of a turn, or the failure, and the deviations that were put right."""

    def run(value: object, profile: str = "generic", *, headers: dict | None = None, in_text: bool = False):
        deviations = Deviations(PROFILES[profile])
        decoded = Decoder(deviations, in_text).decode(value, headers or {}, TurnContext(1, tools))
        return decoded, deviations.accepted

    return run


@pytest.fixture
def decode(decode_turn):
    return lambda *args, **options: decode_turn(*args, **options)[0]


def test_a_final_answer(decode):
    reply = decode(body(usage={"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}))
    assert reply == Reply(
        request_id="r1",
        model="m",
        finish=FinishReason.STOP,
        finish_word="stop",
        message={"role": "assistant", "content": REVIEW},
        text=REVIEW,
        usage=Usage(prompt_tokens=3, completion_tokens=2, total_tokens=5),
    )


def test_calls_and_the_message_as_it_came(decode):
    value = called(reasoning_content="", refusal=None)
    reply = decode(value)
    assert reply.calls == (READ,)
    assert reply.finish is FinishReason.TOOL_CALLS
    assert list(reply.message.items()) == list(value["choices"][0]["message"].items())


MALFORMED = {
    "list": [],
    "null": None,
    "number": 5,
    "no choices": {"id": "r"},
    "null choices": {"choices": None},
    "empty choices": {"choices": []},
    "two choices": {"choices": body()["choices"] * 2},
    "choice is text": {"choices": ["x"]},
    "index 1": {"choices": [body()["choices"][0] | {"index": 1}]},
    "index false": {"choices": [body()["choices"][0] | {"index": False}]},
    "index 0.0": {"choices": [body()["choices"][0] | {"index": 0.0}]},
    "index text": {"choices": [body()["choices"][0] | {"index": "0"}]},
    "index missing": {
        "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "x"}}]
    },
    "finish is a number": body(7),
    "finish is a list": body(["stop"]),
    "no message": {"choices": [{"index": 0, "finish_reason": "stop"}]},
    "message is text": body(message="x"),
    "wrong role": body(message={"role": "user", "content": "x"}),
    "no role": body(message={"content": "x"}),
    "calls are text": body(message={"role": "assistant", "tool_calls": "x"}),
    "calls are an object": body(message={"role": "assistant", "tool_calls": {"0": CALL}}),
    "lone surrogate": body(message={"role": "assistant", "content": "\ud800"}),
    "lone surrogate in a key": body(message={"role": "assistant", "content": "x", "\udc00": 1}),
    "lone surrogate elsewhere": body(system_fingerprint="\ud800"),
}


@pytest.mark.parametrize("value", MALFORMED.values(), ids=MALFORMED.keys())
@pytest.mark.parametrize("profile", ["generic", "ollama"])
def test_outside_the_envelope_is_an_invalid_response(decode, value, profile):
    with pytest.raises(InvalidTurn) as error:
        decode(value, profile)
    assert error.value.reason is TerminationReason.INVALID_MODEL_RESPONSE


@pytest.mark.parametrize("calls", [[], None, ...])
def test_no_calls_are_the_same_in_three_spellings(decode, calls):
    message = {"role": "assistant", "content": REVIEW} | ({} if calls is ... else {"tool_calls": calls})
    reply = decode(body(message=message))
    assert reply.calls == ()
    assert reply.message == message


@pytest.mark.parametrize("finish", ["tool_calls", "length", None, "", "eos", "whatever"])
def test_the_providers_word_is_kept(decode, finish):
    assert decode(body(finish)).finish_word == finish


def test_a_missing_finish_reason_is_null(decode):
    value = body()
    del value["choices"][0]["finish_reason"]
    assert decode(value).finish_word is None


@pytest.mark.parametrize(("length", "kept"), [(63, 63), (64, 64), (65, 64)])
def test_a_finish_reason_is_bounded(decode, length, kept):
    assert MAX_FINISH_CHARS == 64
    assert len(decode(body("x" * length)).finish_word) == kept


@pytest.mark.parametrize(("length", "kept"), [(255, 255), (256, 256), (257, 256)])
def test_names_are_bounded(decode, length, kept):
    assert MAX_NAME_CHARS == 256
    reply = decode(body() | {"id": "i" * length, "model": "m" * length})
    assert (len(reply.request_id), len(reply.model)) == (kept, kept)


@pytest.mark.parametrize("value", [None, "", 5, {}])
def test_ids_that_are_no_text_are_none(decode, value):
    reply = decode(body() | {"id": value, "model": value})
    assert (reply.request_id, reply.model) == (None, None)


def test_the_request_id_may_come_from_a_header(decode):
    assert decode(body() | {"id": None}, headers={"x-request-id": "req-7"}).request_id == "req-7"
    assert decode(body(), headers={"x-request-id": "req-7"}).request_id == "r1"


@pytest.mark.parametrize(
    ("value", "usage"),
    [
        ({}, None),
        ({"usage": None}, None),
        ({"usage": {}}, None),
        ({"usage": []}, None),
        ({"usage": {"prompt_tokens": "3", "completion_tokens": -1, "total_tokens": True}}, None),
        ({"usage": {"prompt_tokens": 3.0}}, None),
        ({"usage": {"prompt_tokens": 0}}, Usage(prompt_tokens=0)),
        ({"usage": {"total_tokens": MAX_COUNT - 1}}, Usage(total_tokens=MAX_COUNT - 1)),
        ({"usage": {"total_tokens": MAX_COUNT}}, Usage(total_tokens=MAX_COUNT)),
        ({"usage": {"total_tokens": MAX_COUNT + 1}}, None),
        ({"usage": {"prompt_tokens": 3, "completion_tokens": None}}, Usage(prompt_tokens=3)),
        ({"choices": [{"usage": {"total_tokens": 12}}]}, Usage(total_tokens=12)),
        ({"x_groq": {"usage": {"total_tokens": 12}}}, Usage(total_tokens=12)),
        ({"choices": 5, "x_groq": []}, None),
    ],
)
def test_usage_is_found_in_its_odd_places_and_is_never_zero_by_guess(value, usage):
    assert find_usage(value) == usage


@pytest.mark.parametrize("calls", [True, False])
@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("stop", FinishReason.STOP),
        ("tool_calls", FinishReason.TOOL_CALLS),
        ("length", FinishReason.LENGTH),
        ("content_filter", FinishReason.CONTENT_FILTER),
        ("eos", FinishReason.UNKNOWN),
        ("", FinishReason.UNKNOWN),
        (None, FinishReason.UNKNOWN),
    ],
)
def test_the_word_decides_what_the_turn_is(decode, word, meaning, calls):
    """The conversation refuses calls that contradict it."""
    assert decode(called(finish=word) if calls else body(word)).finish is meaning


@pytest.mark.parametrize("word", ["stop", "tool_call", "function_call", "eos", "end_turn", ""])
def test_calls_decide_under_a_loose_profile_only(decode, word):
    assert decode(called(finish=word), "vllm").finish is FinishReason.TOOL_CALLS
    assert decode(body(word), "vllm").finish is FinishReason.STOP
    strict = decode(called(finish=word))
    assert strict.finish is (FinishReason.STOP if word == "stop" else FinishReason.UNKNOWN)
    assert "vllm" in strict.advice


@pytest.mark.parametrize("word", ["length", "content_filter", None, "weird"])
def test_after_other_words_calls_never_decide(decode, word):
    assert decode(called(finish=word), "vllm").finish is decode(body(word)).finish
    assert decode(called(finish=word)).advice == ""


def test_announced_calls_that_are_missing_are_not_a_final_turn(decode):
    assert decode(body("tool_calls"), "vllm").finish is FinishReason.TOOL_CALLS


def test_the_advice_names_the_profiles_that_accept_everything_wrong(decode):
    advice = decode(called([CALL | {"id": ""}])).advice
    assert {"mistral", "gemini-compat", "llamacpp", "ollama"} <= set(advice.replace(",", "").split())
    both = decode(called([{**CALL, "id": "", "function": {"name": "x", "arguments": {}}}])).advice
    assert set(both.replace(",", "").split()) & PROFILES.keys() == {"mistral", "ollama"}
    assert decode(called()).advice == ""
    assert decode(called([CALL | {"id": ""}]), "ollama").advice == ""


def test_normalised_calls_are_in_the_message_too(decode):
    """Both sides carry the same id."""
    value = called([CALL | {"id": ""}, CALL | {"id": ""}], extra=1)
    reply = decode(value, "ollama")
    assert [call.id for call in reply.calls] == ["r001i0000", "r001i0001"]
    assert [call["id"] for call in reply.message["tool_calls"]] == ["r001i0000", "r001i0001"]
    assert list(reply.message) == list(value["choices"][0]["message"])


def test_what_was_normalised_is_named_and_replaced_ids_are_kept(decode_turn):
    calls = [CALL | {"id": given} for given in ("", None, "null", 7, "c1", "c1")] + ["no call"]
    reply, accepted = decode_turn(called(calls), "ollama")
    originals = [call.original_id for call in reply.calls]
    assert originals == ["", "", "null", None, None, "c1", None]
    assert accepted == {Tolerance.MISSING_IDS: 3, Tolerance.DUPLICATE_IDS: 1}
    assert decode_turn(called(calls))[1] == {}
    thinking = body(message={"role": "assistant", "content": "<think>x</think>{}"})
    assert decode_turn(thinking, "vllm")[1] == {Tolerance.THINK_BLOCK: 1}


@pytest.mark.parametrize(
    ("value", "profile"),
    [
        (called(finish="stop"), "vllm"),
        (called(finish="function_call"), "ollama"),
        (called(finish=""), "litellm"),
        (body("eos"), "llamacpp"),
        (body("end_turn"), "vllm"),
        (called(finish="stop"), "gemini-compat"),
    ],
)
def test_a_finish_reason_that_a_profile_reads_otherwise_is_recorded(decode_turn, value, profile):
    assert decode_turn(value, profile)[1] == {Tolerance.LOOSE_FINISH: 1}


@pytest.mark.parametrize("value", [called(), body(), called(finish="length"), body("sensitive"), body(None)])
def test_a_finish_reason_that_is_read_as_it_stands_is_not_recorded(decode_turn, value):
    assert decode_turn(value, "vllm")[1] == {}


def test_a_server_that_gave_up_and_an_error_in_a_success_are_recorded(decode_turn):
    assert decode_turn(body("network_error"), "litellm")[1] == {Tolerance.GAVE_UP: 1}
    assert decode_turn({"error": {"code": 500}}, "openrouter")[1] == {Tolerance.ERROR_IN_SUCCESS: 1}


NO_FUNCTION = "A tool call is not of type function."
NO_ID = "A tool call has no id, or one that is too long."
NO_NAME = "A tool call names no function."
MISSHAPEN = [
    ("call", NO_FUNCTION),
    (None, NO_FUNCTION),
    (CALL | {"type": "custom"}, NO_FUNCTION),
    (CALL | {"type": None}, NO_FUNCTION),
    (CALL | {"id": 7}, NO_ID),
    (CALL | {"id": None}, NO_ID),
    (CALL | {"function": None}, NO_NAME),
    (CALL | {"function": "read"}, NO_NAME),
    ({"type": "custom"}, NO_FUNCTION),
    ({"type": "function"}, NO_ID),
]


@pytest.mark.parametrize(("call", "fault"), MISSHAPEN)
def test_a_call_without_the_wires_shape_says_so(decode, call, fault):
    """The conversation refuses the turn, so its usage and its request are still recorded."""
    reply = decode(called([CALL, call]))
    assert [call.fault for call in reply.calls] == ["", fault]
    assert (reply.finish_word, reply.request_id) == ("tool_calls", "r1")


def test_a_misshapen_call_that_a_profile_accepts_is_advice(decode):
    reply = decode(called([CALL | {"type": None}]))
    assert reply.calls[0].fault == NO_FUNCTION
    assert "provider-profile mistral" in reply.advice


@pytest.mark.parametrize("finish", ["stop", "length", "content_filter", None, "weird"])
def test_misshapen_calls_count_as_calls_of_the_turn(decode, finish):
    """The finish reason is refused first, and it has to know that there are calls."""
    reply = decode(called(["call", CALL], finish))
    assert reply.calls == (RequestedCall(id="", name=None, arguments=None, fault=NO_FUNCTION), READ)


@pytest.mark.parametrize("name", [None, 5, ["read"], {}])
@pytest.mark.parametrize("arguments", [None, 5, True, [1], {"path": "a"}])
def test_a_name_or_arguments_in_no_form_of_the_wire_are_none(decode, name, arguments):
    """The conversation refuses them after it has checked ids and counts."""
    call = CALL | {"function": {"name": name, "arguments": arguments}}
    assert decode(called([call])).calls == (RequestedCall(id="c1", name=None, arguments=None),)


def test_arguments_as_an_object_are_text_under_a_profile(decode):
    call = CALL | {"function": {"name": "read_repository_file", "arguments": {"path": "a"}}}
    assert decode(called([call]), "ollama").calls == (READ,)


def test_repeated_ids_are_the_profiles_to_allow(decode):
    assert decode(called(), "kimi").call_ids is CallIdScope.TURN
    assert decode(called()).call_ids is CallIdScope.CONVERSATION


PARTS = [
    {"type": "thinking", "thinking": "hm"},
    {"type": "text", "text": '{"a"'},
    {"type": "text", "text": ":1}"},
]


@pytest.mark.parametrize(
    ("content", "strict", "tolerant"),
    [
        (PARTS, None, '{"a":1}'),
        ([{"type": "thinking", "thinking": "hm"}], None, ""),
        ([5, {"type": "text", "text": 5}], None, ""),
        (7, None, None),
        ({"a": 1}, None, None),
        (None, None, None),
        ("x", "x", "x"),
    ],
)
def test_content_parts(decode, content, strict, tolerant):
    message = {"role": "assistant", "content": content}
    assert decode(body(message=message)).text == strict
    assert decode(body(message=message), "mistral").text == tolerant
    assert decode(body(message=message), "mistral").message == message


@pytest.mark.parametrize(
    ("content", "tolerant"),
    [
        ("<think>check\nit</think>\n{}", "{}"),
        ("  <think></think>{}", "{}"),
        ("<think>unclosed {}", "<think>unclosed {}"),
        ("x <think>a</think>{}", "x <think>a</think>{}"),
        ("<think>a</think><think>b</think>{}", "<think>b</think>{}"),
    ],
)
def test_one_closed_think_block_at_the_start_is_taken_off(decode, content, tolerant):
    message = {"role": "assistant", "content": content}
    assert decode(body(message=message)).text == content
    assert decode(body(message=message), "vllm").text == tolerant
    assert decode(body(message=message), "vllm").message == message


def test_reasoning_is_never_an_answer(decode):
    """A model may spend all of its output on reasoning."""
    reply = decode(body(message={"role": "assistant", "content": "", "reasoning_content": REVIEW}))
    assert reply.text == ""


def test_a_refusal_is_named_and_its_text_dropped(decode):
    message = {"role": "assistant", "content": None, "refusal": "I can't help with SECRET."}
    with pytest.raises(InvalidTurn, match="refused to answer") as error:
        decode(body(message=message))
    assert "SECRET" not in f"{error.value} {error.value.advice}"


MARKERS = [
    "<tool_call>\n{}", "[TOOL_CALLS][{}]", "<|python_tag|>x", "<function=read>{}",
    "<\uff5ctool\u2581calls\u2581begin\uff5c>", "<|tool_calls_section_begin|>",
]  # fmt: skip


@pytest.mark.parametrize("text", MARKERS)
def test_a_call_in_prose_is_named_and_never_read(decode, text):
    """Repository text that a model quotes could hold one."""
    message = {"role": "assistant", "content": "Let me look. " + text}
    assert CALL_MARKERS.search(text)
    with pytest.raises(InvalidTurn, match="tool call as text") as error:
        decode(body(message=message))
    assert "tool-mode" in error.value.advice
    assert decode(body(message=message), in_text=True).text == message["content"]


def test_words_beside_calls_do_not_matter(decode):
    assert decode(called(content="<tool_call>", refusal="no")).calls == (READ,)


def test_a_review_that_quotes_a_marker_is_a_review(decode):
    content = '{"summary":"prints <tool_call>","findings":[],"notes":[]}'
    assert decode(body(message={"role": "assistant", "content": content})).text == content


def test_an_error_inside_a_success(decode):
    """Malformed by the protocol, handled as its status under a profile."""
    value = {"error": {"code": 429, "message": "upstream SECRET", "metadata": {"raw": "SECRET"}}}
    strict = decode(value)
    assert isinstance(strict, ProviderFailure)
    assert not strict.retryable
    assert strict.error().termination_reason is TerminationReason.INVALID_MODEL_RESPONSE
    assert "openrouter" in strict.error().advice
    assert decode(value, "openrouter").kind is kinds.RATE_LIMITED
    assert decode({"error": {"code": "429"}}, "openrouter").kind is kinds.RATE_LIMITED
    assert decode({"error": {"code": 402}}, "openrouter").kind is kinds.QUOTA
    assert decode({"error": "bad"}, "openrouter").kind is kinds.SERVER_ERROR


@pytest.mark.parametrize("empty", [None, {}, "", False])
def test_an_empty_error_is_none(decode, empty):
    assert decode(body(error=empty)).text == REVIEW


def test_a_server_that_gave_up_is_asked_again_under_its_profile(decode):
    value = body("insufficient_system_resource", message={"role": "assistant", "content": ""})
    assert decode(value, "deepseek").kind is kinds.GAVE_UP
    assert decode(value).finish_word == "insufficient_system_resource"


KEYS = [
    "id",
    "model",
    "choices",
    "index",
    "finish_reason",
    "message",
    "role",
    "content",
    "tool_calls",
    "error",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=20,
)


@given(JSON | st.builds(body, JSON, message=JSON), st.sampled_from(sorted(PROFILES)))
def test_any_body_is_a_reply_a_failure_or_an_invalid_turn(value, profile):
    try:
        outcome = Decoder(Deviations(PROFILES[profile])).decode(value, {}, TurnContext(1, ()))
    except InvalidTurn:
        return
    assert isinstance(outcome, Reply | ProviderFailure)
