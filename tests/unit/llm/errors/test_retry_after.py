"""How long to wait, as providers say it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.llm.errors.retry_after import retry_delay

NOW = "Mon, 30 Nov 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 7 ", 7.0),
        ("7.5", 7.5),
        ("0", 0.0),
        ("17999", 17999.0),
        ("999999999", 999999999.0),
        ("9999999999", None),
        ("-1", None),
        ("1e9", None),
        ("7, 9", None),
        ("", None),
        ("\u0667", None),
        ("soon", None),
        ("inf", None),
        ("nan", None),
        ("Mon, 30 Nov 2026 10:00:42 GMT", 42.0),
        ("Mon, 30 Nov 2026 09:00:00 GMT", 0.0),
        ("Monday, 30-Nov-26 10:00:42 GMT", 42.0),
        ("Mon, 30 Nov 2026 10:00:42", None),
        ("Mon, 99 Nov 2026 10:00:42 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_or_ignored(value, seconds):
    assert retry_delay({"retry-after": value, "date": NOW}, None, "") == seconds


def test_a_date_needs_the_servers_own_clock():
    """Ours may be wrong, and nothing here reads it."""
    assert retry_delay({"retry-after": "Mon, 30 Nov 2026 10:00:42 GMT"}, None, "") is None


def test_milliseconds_win_over_seconds():
    assert retry_delay({"retry-after-ms": "1500", "retry-after": "9"}, None, "") == 1.5


def test_a_gateway_passes_its_upstreams_header_on():
    headers = {"llm_provider-retry-after": "9"}
    assert retry_delay(headers, None, "") == 9.0
    assert retry_delay(headers | {"retry-after": "2"}, None, "") == 2.0


def test_malformed_headers_fall_through_to_the_body():
    body = [{"error": {"details": [{"@type": "x"}, 5, {"retryDelay": "17.5s"}]}}]
    assert retry_delay({"retry-after": "soon", "retry-after-ms": "x"}, body, "") == 17.5


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("please try again in 4.77s. visit", 4.77),
        ("please try again in 28ms", 0.028),
        ("please try again in 7m12s", 432.0),
        ("please try again in 7m12.5s", 432.5),
        ("try again in 1h2m", 3720.0),
        ("retry in 3s", 3.0),
        ("try again in a while", None),
        ("try again in 5", None),
        ("wait 4.77s", None),
    ],
)
def test_the_message_may_hold_the_delay(text, seconds):
    assert retry_delay({}, None, text) == (pytest.approx(seconds) if seconds is not None else None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["error", "details", "retryDelay", "x"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "date"]), st.text()), JSON, st.text()
)
def test_anything_gives_a_number_of_seconds_or_none(headers, body, text):
    delay = retry_delay(headers, body, text)
    assert delay is None or delay >= 0


NUMBERS = st.sampled_from([
    "1e400", "-1e400", "inf", "-inf", "Infinity", "nan", "-1", "-0", "9" * 400, "0." + "9" * 400, "1e9",
]) | st.floats().map(str) | st.integers().map(str)  # fmt: skip
HEADERS = st.sampled_from(["retry-after-ms", "retry-after", "llm_provider-retry-after", "date"])


@given(st.dictionaries(HEADERS, NUMBERS), NUMBERS, NUMBERS)
def test_no_number_of_a_server_makes_a_wait_that_never_ends(headers, in_body, in_text):
    body = {"error": {"details": [{"retryDelay": f"{in_body}s"}]}}
    seconds = retry_delay(headers, body, f"please try again in {in_text}s")
    assert seconds is None or 0 <= seconds < 10**9
