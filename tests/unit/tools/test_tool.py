import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.errors import ToolFailure
from pr_review.tools.tool import compact_json, json_byte_count, largest_fit


def test_results_are_compact_json_without_ascii_escapes():
    assert compact_json({"ok": True, "path": "é"}) == '{"ok":true,"path":"é"}'
    assert json_byte_count({"path": "é"}) == len('{"path":"é"}'.encode())


@given(st.lists(st.text(max_size=8), max_size=12), st.integers(0, 150), st.integers(0, 1))
def test_the_largest_prefix_within_the_bound_is_found(units, bound, least):
    def payload_of(count):
        return {"units": units[:count]}

    best = max((n for n in range(len(units) + 1) if json_byte_count(payload_of(n)) <= bound), default=-1)
    if best < min(least, len(units)):
        with pytest.raises(ToolFailure, match="context_budget"):
            largest_fit(len(units), payload_of, bound, least=least)
    else:
        assert largest_fit(len(units), payload_of, bound, least=least) == best


@pytest.mark.parametrize(("slack", "expected"), [(-1, 2), (0, 3), (1, 3)])
def test_a_complete_payload_fits_at_its_exact_size(slack, expected):
    def payload_of(count):
        return ["x"] * count

    assert largest_fit(3, payload_of, json_byte_count(payload_of(3)) + slack) == expected


def test_a_complete_payload_may_be_smaller_than_the_one_before():
    def payload_of(count):
        return ["x"] * count + (["a cursor"] if count < 3 else [])

    assert json_byte_count(payload_of(2)) > json_byte_count(payload_of(3))
    assert largest_fit(3, payload_of, json_byte_count(payload_of(3))) == 3
