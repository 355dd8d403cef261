"""Streams: any chunking of a message gives the message, and nothing partial is ever used."""

import itertools
import json
import time
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain import strict_json
from pr_review.errors import InvalidTurn, TerminationReason
from pr_review.llm.chat_completions.deviations import Deviations
from pr_review.llm.chat_completions.profile import OF_STREAMS, Tolerance
from pr_review.llm.chat_completions.profiles import PROFILES
from pr_review.llm.chat_completions.stream import StreamAssembler, join_surrogates, merge
from pr_review.llm.errors import kinds
from pr_review.llm.errors.failure import ProviderFailure

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)


def sse(events: Iterable[Any], *, done: bool = True) -> bytes:
    lines = [f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events]
    return ("".join(lines) + ("data: [DONE]\n\n" if done else "")).encode()


def chunk(delta: dict | None = None, finish: str | None = None, **extra: Any) -> dict:
    return {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **extra}


def assemble(stream: bytes | Iterable[bytes], profile: str = "generic") -> Any:
    assembler = StreamAssembler(Deviations(PROFILES[profile]))
    for piece in [stream] if isinstance(stream, bytes) else stream:
        assembler.feed(piece)
    return assembler.body()


def message_of(events: Iterable[Any], profile: str = "generic") -> Any:
    return assemble(sse(events), profile)["choices"][0]["message"]


def cut(data: Any, at: list[int]) -> list[Any]:
    """The text or bytes in pieces."""
    bounds = [0, *sorted(place % (len(data) + 1) for place in at), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(bounds)]


# --- the same message in one piece and in many ------------------------------------------------------------

CALLS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.uuids().map(str),
            "type": st.just("function"),
            "function": st.fixed_dictionaries({"name": st.sampled_from(["a", "b"]), "arguments": TEXT}),
            "extra_content": st.fixed_dictionaries({"google": st.fixed_dictionaries({"signature": TEXT})}),
        }
    ),
    max_size=3,
)
MESSAGES = st.fixed_dictionaries({
    "content": st.none() | TEXT,
    "role": st.just("assistant"),
    "reasoning_content": TEXT,
    "refusal": st.none(),
    "reasoning_details": st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": TEXT}), max_size=3),
    "tool_calls": CALLS,
})  # fmt: skip


def as_deltas(message: dict, cuts: list[int]) -> list[dict]:
    """The message as servers stream it: a first delta with its shape, then fragments."""
    calls = message["tool_calls"]
    first = {key: ([] if isinstance(value, list) else value and "") for key, value in message.items()}
    deltas = [first | {"role": "assistant"}]
    for key in ("reasoning_content", "content"):
        deltas += [{key: piece} for piece in cut(message[key] or "", cuts) if message[key] is not None]
    deltas += [{"reasoning_details": [detail]} for detail in message["reasoning_details"]]
    for index, call in enumerate(calls):
        function = call["function"]
        start = {"index": index} | call | {"function": function | {"arguments": ""}}
        deltas.append({"tool_calls": [start]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            for piece in cut(function["arguments"], cuts)
        ]
    return deltas


@given(
    MESSAGES,
    st.lists(st.integers(0, 40), max_size=4),
    st.lists(st.integers(0, 5000), max_size=12),
    st.booleans(),
)
def test_any_chunking_gives_the_message_byte_for_byte(message, cuts, byte_cuts, done):
    """Cut into deltas anywhere, and the bytes cut anywhere, also inside a character."""
    events = [chunk(delta) for delta in as_deltas(message, cuts)]
    events.append(chunk({}, "stop", id="r1", model="m", usage={"prompt_tokens": 1}))
    body = assemble(cut(sse(events, done=done), byte_cuts))
    assembled = body["choices"][0]["message"]
    assert strict_json.dumps(assembled) == strict_json.dumps(message)
    assert (body["id"], body["model"], body["choices"][0]["finish_reason"]) == ("r1", "m", "stop")


def test_byte_by_byte_with_comments_and_carriage_returns():
    events = [chunk({"role": "assistant", "content": "é✓😀"}), chunk({"content": "x"}, "stop")]
    stream = b": hello\r\n\r\n" + sse(events).replace(b"\n", b"\r\n")
    body = assemble(stream[place : place + 1] for place in range(len(stream)))
    assert body["choices"][0]["message"] == {"role": "assistant", "content": "é✓😀x"}


def test_halves_of_a_character_in_two_deltas_are_joined():
    stream = (
        b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"\\ud83d"}}]}\n\n'
        b'data: {"choices":[{"index":0,"delta":{"content":"\\ude00"},"finish_reason":"stop"}]}\n\n'
    )
    assert assemble(stream)["choices"][0]["message"]["content"] == "😀"


@given(st.dictionaries(TEXT, st.none() | st.booleans() | st.integers() | TEXT, max_size=3))
def test_joining_surrogates_changes_nothing_else(value):
    assert join_surrogates(value) == value


def test_usage_ids_and_model_come_from_any_chunk():
    body = assemble(
        sse(
            [
                {"choices": [], "prompt_filter_results": [{}]},
                chunk({"role": "assistant"}, id="", model="m"),
                chunk({"content": "x"}, id="r1", model="other"),
                chunk({}, "stop"),
                {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}},
            ]
        )
    )
    assert (body["id"], body["model"], body["usage"]["total_tokens"]) == ("r1", "m", 2)


@pytest.mark.parametrize("late", [None, "", "stop", "length"])
def test_the_first_finish_reason_wins(late):
    """Some servers send an empty one until the end."""
    assert assemble(sse([chunk({}, ""), chunk({}, "tool_calls"), chunk({}, late)]))["choices"][0][
        "finish_reason"
    ] == ("tool_calls")


def test_only_empty_finish_reasons_stay_empty():
    assert assemble(sse([chunk({}, ""), chunk({}, None)]))["choices"][0]["finish_reason"] == ""


def test_nothing_behind_done_is_read():
    stream = sse([chunk({"role": "assistant", "content": "a"}, "stop")]) + sse([chunk({"content": "b"})])
    assembler = StreamAssembler(Deviations(PROFILES["generic"]))
    assert assembler.feed(stream)
    assert assembler.body()["choices"][0]["message"]["content"] == "a"


# --- calls in fragments -----------------------------------------------------------------------------------


def fragment(
    index: int | None, call_id: str | None = None, name: str | None = None, arguments: str = ""
) -> dict:
    function = ({"name": name} if name else {}) | {"arguments": arguments}
    head = ({} if index is None else {"index": index}) | ({} if call_id is None else {"id": call_id})
    return chunk({"tool_calls": [head | {"function": function}]})


def calls_of(*events: dict, profile: str = "generic") -> list[tuple[Any, Any, Any]]:
    calls = message_of([*events, chunk({}, "tool_calls")], profile)["tool_calls"]
    return [(call.get("id"), call["function"].get("name"), call["function"]["arguments"]) for call in calls]


def test_interleaved_calls_are_told_apart_by_index():
    assert calls_of(
        fragment(0, "c1", "a", "{"),
        fragment(1, "c2", "b", "["),
        fragment(0, None, None, "}"),
        fragment(1, arguments="]"),
    ) == [("c1", "a", "{}"), ("c2", "b", "[]")]


def test_repeated_ids_and_names_continue_a_call():
    assert calls_of(fragment(0, "c1", "a", "{"), fragment(0, "c1", "a", "}")) == [("c1", "a", "{}")]


def test_a_sparse_index_is_in_order_of_appearance():
    assert calls_of(fragment(7, "c1", "a", "1"), fragment(2, "c2", "b", "2")) == [
        ("c1", "a", "1"),
        ("c2", "b", "2"),
    ]


def test_a_missing_index_needs_a_profile():
    events = [
        fragment(None, "c1", "a", "{"),
        fragment(None, None, None, "}"),
        fragment(None, "c2", "b", "[]"),
    ]
    with pytest.raises(InvalidTurn) as error:
        calls_of(*events)
    assert error.value.reason is TerminationReason.INVALID_MODEL_RESPONSE
    assert "gemini-compat" in error.value.advice
    assert calls_of(*events, profile="gemini-compat") == [("c1", "a", "{}"), ("c2", "b", "[]")]


def test_without_index_and_id_a_name_starts_a_call():
    events = [fragment(None, "", "a", "{}"), fragment(None, "", "b", "{"), fragment(None, "", None, "}")]
    assert calls_of(*events, profile="ollama") == [("", "a", "{}"), ("", "b", "{}")]


def test_without_index_a_known_id_continues_its_call():
    events = [fragment(None, "c1", "a", "{"), fragment(None, "c2", "b", "["), fragment(None, "c1", None, "}")]
    assert calls_of(*events, profile="ollama") == [("c1", "a", "{}"), ("c2", "b", "[")]


def test_many_calls_without_index_are_read_in_linear_time():
    """2 MiB of them must not hold the event loop."""
    event = b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"id":"%d"}]}}]}\n\n'
    stream = b"".join(event % number for number in range(26_000))
    started = time.process_time()
    StreamAssembler(Deviations(PROFILES["ollama"])).feed(stream)
    assert time.process_time() - started < 5.0


def test_a_shared_index_needs_a_profile():
    events = [fragment(0, "c1", "a", "{}"), fragment(0, "c2", "b", "["), fragment(0, "c2", None, "]")]
    with pytest.raises(InvalidTurn) as error:
        calls_of(*events)
    assert error.value.reason is TerminationReason.INVALID_TOOL_CALL
    assert calls_of(*events, profile="ollama") == [("c1", "a", "{}"), ("c2", "b", "[]")]


def test_a_fragment_without_name_under_its_own_index_is_not_merged_by_guess():
    """The call without id and name is refused later."""
    assert calls_of(fragment(0, "c1", "a"), fragment(1, None, None, "{}"), profile="ollama") == [
        ("c1", "a", ""),
        (None, None, "{}"),
    ]


def test_a_final_chunk_that_repeats_a_call_does_not_double_its_arguments():
    whole = fragment(0, "c1", "a", '{"path":"x"}')
    last = chunk(whole["choices"][0]["delta"], "tool_calls")
    message = message_of([fragment(0, "c1", "a", '{"pa'), fragment(0, arguments='th":"x"}'), last])
    assert message["tool_calls"][0]["function"]["arguments"] == '{"path":"x"}'


def test_only_a_final_chunk_can_repeat():
    """Some servers say id and name with every fragment."""
    assert calls_of(fragment(0, "c1", "a", "1"), fragment(0, "c1", "a", "1")) == [("c1", "a", "11")]


def test_a_final_chunk_may_hold_the_only_or_the_last_piece():
    whole = fragment(0, "c1", "a", "{}")["choices"][0]["delta"]
    assert message_of([chunk(whole, "tool_calls")])["tool_calls"][0]["function"]["arguments"] == "{}"
    last = chunk(fragment(0, arguments="}")["choices"][0]["delta"], "tool_calls")
    message = message_of([fragment(0, "c1", "a", "{"), last])
    assert message["tool_calls"][0]["function"]["arguments"] == "{}"


def test_a_stream_that_names_no_role_is_the_assistants():
    assert message_of([chunk({"content": "x"}, "stop")]) == {"role": "assistant", "content": "x"}


def test_null_calls_stay_null_until_there_is_one():
    empty = {"role": "assistant", "tool_calls": None, "content": None}
    assert message_of([chunk(empty, "stop")]) == empty
    first = chunk({"role": "assistant", "tool_calls": None})
    assert len(message_of([first, fragment(0, "c1", "a", "{}"), chunk({}, "tool_calls")])["tool_calls"]) == 1


# --- what is refused --------------------------------------------------------------------------------------

REFUSED = {
    "not JSON": b"data: {broken\n\n",
    "not an object": b"data: [1]\n\n",
    "not UTF-8": b'data: {"a":"\xff"}\n\n',
    "duplicate keys": b'data: {"a":1,"a":2}\n\n',
    "two choices": sse([{"choices": [chunk()["choices"][0]] * 2}]),
    "index 1": sse([{"choices": [{"index": 1, "delta": {}}]}]),
    "delta is text": sse([{"choices": [{"index": 0, "delta": "x"}]}]),
    "finish is a number": sse([{"choices": [{"index": 0, "delta": {}, "finish_reason": 7}]}]),
    "calls are text": sse([chunk({"tool_calls": "x"})]),
    "calls are one call": sse([chunk({"tool_calls": {"index": 0, "id": "c1"}})]),
    "a call is text": sse([chunk({"tool_calls": ["x"]})]),
    "role changes": sse([chunk({"role": "assistant"}), chunk({"role": "user"})]),
    "name changes": sse([fragment(0, "c1", "a"), fragment(0, "c1", "b")]),
}


@pytest.mark.parametrize("stream", REFUSED.values(), ids=REFUSED.keys())
def test_a_stream_outside_the_protocol_is_refused(stream):
    with pytest.raises(InvalidTurn) as error:
        assemble(stream, "ollama")
    assert error.value.reason is TerminationReason.INVALID_MODEL_RESPONSE


ROLE = {"role": "assistant"}
WHOLE_CALL = fragment(0, "c1", "a", "{}")
PUT_RIGHT = {
    "a role that is missing": ([chunk({"content": "x"}, "stop")], "generic", Tolerance.MISSING_ROLE),
    "a call said twice": (
        [WHOLE_CALL, WHOLE_CALL | {"choices": [WHOLE_CALL["choices"][0] | {"finish_reason": "tool_calls"}]}],
        "generic",
        Tolerance.REPEATED_CALL,
    ),
    "a second finish": (
        [chunk({"content": "x"}, "stop"), chunk(finish="length")],
        "generic",
        Tolerance.SECOND_FINISH,
    ),
    "no index": (
        [fragment(None, "c1", "a", "{}"), chunk(finish="tool_calls")],
        "ollama",
        Tolerance.MISSING_INDEX,
    ),
    "a shared index": (
        [fragment(0, "c1", "a", "{}"), fragment(0, "c2", "a", "{}"), chunk(finish="tool_calls")],
        "ollama",
        Tolerance.SHARED_INDEX,
    ),
    "a break": ([chunk({"content": "x"})], "openrouter", Tolerance.BROKEN_STREAM),
    "an error": ([{"error": {"code": 502}}], "openrouter", Tolerance.BROKEN_STREAM),
}


@pytest.mark.parametrize(("events", "profile", "tolerance"), PUT_RIGHT.values(), ids=PUT_RIGHT.keys())
def test_what_was_put_right_is_recorded(events, profile, tolerance):
    deviations = Deviations(PROFILES[profile])
    assembler = StreamAssembler(deviations)
    named = [] if tolerance is Tolerance.MISSING_ROLE else [chunk(ROLE)]
    assembler.feed(sse([*named, *events]))
    assembler.body()
    assert deviations.accepted == {tolerance: 1}


@pytest.mark.parametrize(("events", "profile", "tolerance"), PUT_RIGHT.values(), ids=PUT_RIGHT.keys())
def test_strictly_only_what_is_in_no_doubt_is_put_right(events, profile, tolerance):
    deviations = Deviations(PROFILES[profile].strictly())
    assembler = StreamAssembler(deviations)
    try:
        assembler.feed(sse([chunk(ROLE), *events]))
        refused = isinstance(assembler.body(), ProviderFailure)
    except InvalidTurn as error:
        refused = "max-repairs above 0" in error.advice
    assert refused is (tolerance not in OF_STREAMS)


PARTIAL = sse([fragment(0, "c1", "a", '{"pa')], done=False)
BROKEN = {
    "nothing": b"",
    "only a comment": b": hi\n\n",
    "no finish": PARTIAL,
    "done without finish": PARTIAL + b"data: [DONE]\n\n",
}


@pytest.mark.parametrize("name", ["not JSON", "not UTF-8", "duplicate keys"])
def test_a_garbled_chunk_is_asked_for_again_under_a_profile(name):
    """A chunk behind it changes nothing."""
    with pytest.raises(InvalidTurn) as error:
        assemble(REFUSED[name])
    assert "openrouter" in error.value.advice
    whole = sse([chunk({"role": "assistant", "content": "x"}, "stop")])
    assert assemble(REFUSED[name] + whole, "openrouter").kind is kinds.STREAM_BROKEN


@pytest.mark.parametrize("stream", BROKEN.values(), ids=BROKEN.keys())
def test_a_stream_that_breaks_off_gives_nothing(stream):
    """Refused, or asked again under a profile."""
    strict, tolerant = assemble(stream), assemble(stream, "openrouter")
    assert isinstance(strict, ProviderFailure)
    assert not strict.retryable
    assert strict.error().termination_reason is TerminationReason.INVALID_MODEL_RESPONSE
    assert "openrouter" in strict.error().advice
    assert tolerant.kind is kinds.STREAM_BROKEN
    assert tolerant.retryable


def test_an_error_in_a_stream_ends_it():
    events = [chunk({"content": "{"}), {"error": {"code": 502, "message": "gone"}, "choices": []}]
    assembler = StreamAssembler(Deviations(PROFILES["generic"]))
    assert assembler.feed(sse(events, done=False))
    assert not assembler.body().retryable
    assert assemble(sse(events), "openrouter").kind is kinds.SERVER_ERROR
    assert assemble(sse([{"error": {"code": 401}}]), "openrouter").kind is kinds.AUTHENTICATION


def test_done_may_be_missing_after_a_finish_reason():
    assert assemble(sse([chunk({"role": "assistant", "content": "x"}, "stop")], done=False))["choices"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "index", "delta", "finish_reason", "tool_calls", "function", "id", "content"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(
    st.lists(
        JSON | st.builds(chunk, st.dictionaries(st.sampled_from(["tool_calls", "content", "role"]), JSON)),
        max_size=4,
    )
)
def test_any_events_are_a_body_a_failure_or_an_invalid_turn(events):
    for profile in ("generic", "ollama", "openrouter"):
        try:
            body = assemble(sse(events), profile)
        except InvalidTurn:
            continue
        assert isinstance(body, dict | ProviderFailure)


@given(JSON, JSON)
def test_merging_never_erases_by_null(old, new):
    assert merge("x", old, None) == old
    assert merge("x", None, new) == new
