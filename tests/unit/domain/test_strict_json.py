"""JSON on the wire: what is refused, and that what is accepted comes back unchanged."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain import strict_json

TEXT = st.text(st.characters(exclude_categories=("Cs",)))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda children: st.lists(children) | st.dictionaries(TEXT, children),
    max_leaves=20,
)


@given(VALUES)
def test_what_was_written_reads_back_equal(value):
    assert strict_json.loads(strict_json.dumps(value)) == value


def test_output_is_compact_unescaped_and_keeps_the_order_of_keys():
    assert strict_json.dumps({"b": "é✓", "a": [1, None]}) == '{"b":"é✓","a":[1,null]}'.encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"a":1} x',
        b'{"a":1,"a":2}',
        b'[{"a":{"b":1,"b":2}}]',
        b'{"a":NaN}',
        b'{"a":-Infinity}',
        b'{"a":1e999}',
        b"\xef\xbb\xbf{}",
        b'{"a":"\xff"}',
        "{}".encode("utf-16"),
        b"<html>502</html>",
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
    ids=lambda data: repr(data[:12]),
)
def test_ambiguous_or_broken_input_is_refused(data):
    with pytest.raises(ValueError):  # noqa: PT011 -- JSONDecodeError and UnicodeDecodeError alike
        strict_json.loads(data)


@pytest.mark.parametrize(("depth", "accepted"), [(199, True), (200, True), (201, False)])
def test_nesting_is_bounded(depth, accepted):
    """Beyond the bound pydantic would fail with an error of its own."""
    data = b"[" * depth + b"]" * depth
    if accepted:
        assert strict_json.loads(data) is not None
    else:
        with pytest.raises(ValueError, match="deeply"):
            strict_json.loads(data)


def test_integers_are_bounded_by_the_interpreter():
    digits = sys.get_int_max_str_digits()
    assert strict_json.loads(b"1" * digits) > 0
    with pytest.raises(ValueError, match="digits"):
        strict_json.loads(b"1" * (digits + 1))


def test_a_lone_surrogate_cannot_be_written():
    with pytest.raises(ValueError):  # noqa: PT011 -- UnicodeEncodeError
        strict_json.dumps({"a": "\ud800"})
    with pytest.raises(ValueError):  # noqa: PT011
        strict_json.dumps({"\udc00": 1})


def test_nan_cannot_be_written():
    with pytest.raises(ValueError, match="JSON compliant"):
        strict_json.dumps([float("nan")])
