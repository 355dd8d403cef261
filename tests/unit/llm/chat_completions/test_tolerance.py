"""What profiles normalise, and that nothing is touched without one."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.chat import ToolSpec
from pr_review.llm.chat_completions.deviations import Deviations
from pr_review.llm.chat_completions.profile import OF_STREAMS, OF_TEXT_MODE, Profile, Tolerance
from pr_review.llm.chat_completions.tolerance import TurnContext, normalise_calls, synthetic_id

TOOLS = (
    ToolSpec(name="read", description="", parameters={"type": "object", "required": ["path"]}),
    ToolSpec(name="diff", description="", parameters={"type": "object", "required": []}),
    ToolSpec(name="list", description="", parameters={"type": "object"}),
)
GOOD = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path":"a"}'}}


def profile(*tolerances: Tolerance) -> Profile:
    return Profile(name="x", server="", endpoint="", model="", tolerances=frozenset(tolerances))


def normalise_all(calls, *tolerances: Tolerance, turn: TurnContext):
    """Calls under a profile with exactly these tolerances, and the deviations that were found in them."""
    deviations = Deviations(profile(*tolerances))
    normalised = normalise_calls(calls, deviations, turn)
    assert deviations.accepted.keys() <= set(tolerances)
    assert deviations.refused.keys().isdisjoint(tolerances)
    return normalised, deviations.accepted.keys() | deviations.refused.keys()


def normalise(call, *tolerances: Tolerance):
    (normalised,), found = normalise_all([call], *tolerances, turn=TurnContext(2, TOOLS))
    return normalised, found


def with_arguments(name: str, arguments: object) -> dict:
    return GOOD | {"function": {"name": name, "arguments": arguments}}


DEVIATIONS = [
    (Tolerance.MISSING_TYPE, {"id": "c1", "function": GOOD["function"]}, "type", "function"),
    (Tolerance.MISSING_TYPE, GOOD | {"type": None}, "type", "function"),
    (Tolerance.MISSING_IDS, GOOD | {"id": ""}, "id", "r002i0000"),
    (Tolerance.MISSING_IDS, GOOD | {"id": None}, "id", "r002i0000"),
    (Tolerance.MISSING_IDS, GOOD | {"id": "null"}, "id", "r002i0000"),
    (Tolerance.MISSING_IDS, {"type": "function", "function": GOOD["function"]}, "id", "r002i0000"),
    (
        Tolerance.POLLUTED_NAMES,
        with_arguments("read<|channel|>commentary", "{}"),
        "function",
        {"name": "read", "arguments": "{}"},
    ),
    (
        Tolerance.OBJECT_ARGUMENTS,
        with_arguments("read", {"path": "é"}),
        "function",
        {"name": "read", "arguments": '{"path":"é"}'},
    ),
    (Tolerance.EMPTY_ARGUMENTS, with_arguments("diff", ""), "function", {"name": "diff", "arguments": "{}"}),
    (
        Tolerance.EMPTY_ARGUMENTS,
        with_arguments("list", None),
        "function",
        {"name": "list", "arguments": "{}"},
    ),
    (
        Tolerance.EMPTY_ARGUMENTS,
        GOOD | {"function": {"name": "diff"}},
        "function",
        {"name": "diff", "arguments": "{}"},
    ),
    (
        Tolerance.DOUBLE_ENCODING,
        with_arguments("read", '"{\\"path\\":\\"a\\"}"'),
        "function",
        {"name": "read", "arguments": '{"path":"a"}'},
    ),
]


@pytest.mark.parametrize(("tolerance", "call", "key", "value"), DEVIATIONS)
def test_a_deviation_is_normalised_only_under_its_tolerance(tolerance, call, key, value):
    normalised, found = normalise(call, tolerance)
    assert normalised[key] == value
    assert found == {tolerance}
    untouched, named = normalise(call, *(other for other in Tolerance if other is not tolerance))
    assert untouched == call
    assert named == {tolerance}


@pytest.mark.parametrize(
    "call",
    [
        GOOD,
        GOOD | {"type": "custom"},
        GOOD | {"id": 7},
        with_arguments("read", ""),
        with_arguments("unknown", ""),
        with_arguments("read", [1]),
        with_arguments("read", 5),
        with_arguments("read", True),
        with_arguments("read", '"[1]"'),
        with_arguments("read", '"\\"{}\\""'),
        with_arguments("read", json.dumps('{"path":"\\ud800"}')),  # cannot be sent back as UTF-8
        with_arguments("read", "{broken"),
        GOOD | {"function": None},
        "call",
        None,
        5,
    ],
)
def test_what_no_profile_accepts_stays_as_it_is(call):
    """The round's validation refuses it."""
    assert normalise(call, *Tolerance) == (call, set())


def test_the_second_of_two_equal_ids_is_replaced():
    calls = [GOOD, GOOD, GOOD | {"id": "c2"}]
    normalised, found = normalise_all(calls, Tolerance.DUPLICATE_IDS, turn=TurnContext(3, TOOLS))
    assert [call["id"] for call in normalised] == ["c1", "r003i0001", "c2"]
    assert found == {Tolerance.DUPLICATE_IDS}
    assert normalise_all(calls, turn=TurnContext(3, TOOLS)) == (calls, {Tolerance.DUPLICATE_IDS})


def test_missing_ids_are_not_also_duplicates():
    calls = [GOOD | {"id": ""}, GOOD | {"id": ""}]
    assert normalise_all(calls, turn=TurnContext(3, TOOLS)) == (calls, {Tolerance.MISSING_IDS})


@pytest.mark.parametrize("tolerances", [(), (Tolerance.REPEATED_IDS,)])
@pytest.mark.parametrize("call_id", ["c1", "functions.read:0", "0", "call_é", "r001i0000"])
def test_an_id_of_an_earlier_turn_is_found_and_stays_as_it_is(call_id, tolerances):
    """Kimi answers worse when its ids are rewritten."""
    call, turn = GOOD | {"id": call_id}, TurnContext(2, TOOLS, frozenset({"other", call_id}))
    assert normalise_all([call], *tolerances, turn=turn) == ([call], {Tolerance.REPEATED_IDS})


def test_each_deviation_is_counted():
    deviations = Deviations(profile(Tolerance.MISSING_IDS))
    calls = [GOOD | {"id": ""}, GOOD | {"id": None, "type": None}, GOOD]
    normalise_calls(calls, deviations, TurnContext(2, TOOLS))
    assert (deviations.accepted, deviations.refused) == (
        {Tolerance.MISSING_IDS: 2},
        {Tolerance.MISSING_TYPE: 1},
    )
    assert list(deviations.events()) == [(f"Put right under profile x: {Tolerance.MISSING_IDS}.", 2)]


def test_unknown_keys_of_a_call_survive():
    """Gemini's signatures are there."""
    extra = {"google": {"thought_signature": "c2ln"}}
    normalised, _ = normalise(GOOD | {"id": "", "extra_content": extra}, *Tolerance)
    assert normalised["extra_content"] == extra
    assert list(normalised) == [*GOOD, "extra_content"]


@given(st.integers(1, 999), st.integers(0, 9999))
def test_ids_of_ours_are_taken_everywhere(round_number, index):
    assert re.fullmatch(r"[A-Za-z0-9]{9}", synthetic_id(round_number, index))


def test_ids_of_ours_differ_by_place():
    places = [(round_number, index) for round_number in range(1, 30) for index in range(30)]
    assert len({synthetic_id(*place) for place in places}) == len(places)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "type", "function", "name", "arguments"]), inner, max_size=4)
    ),
    max_leaves=12,
)


OPTIONAL = sorted(set(Tolerance) - OF_TEXT_MODE - OF_STREAMS)


@given(st.lists(JSON, max_size=4), st.sets(st.sampled_from(OPTIONAL)))
def test_any_calls_give_as_many_calls(calls, tolerances):
    normalised, found = normalise_all(calls, *tolerances, turn=TurnContext(1, TOOLS, {"read"}))
    assert len(normalised) == len(calls)
    if not found & tolerances:
        assert normalised == calls
