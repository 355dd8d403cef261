"""Secrets of a known shape are found and masked wherever they are in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.masking.secret_samples import AWS, BODY, CASES, HEADER

from pr_review.masking.secrets import OVERLAP_CHARS, WINDOW_CHARS, find_spans, mask_secrets

PIECES = st.one_of(
    st.text(alphabet=" \n\t\r=\"'ab,é"), st.sampled_from([key for _, key in CASES] + [HEADER, *BODY])
)


@pytest.mark.parametrize(
    "offset", [0, 1, WINDOW_CHARS - OVERLAP_CHARS, WINDOW_CHARS - 10, WINDOW_CHARS, 9000]
)
@pytest.mark.parametrize(("rule", "key"), CASES)
def test_a_key_is_found_wherever_a_window_ends(offset, rule, key):
    line = " " * offset + key
    for text in (line, line + " " * 3000):
        assert [f"secret-{span.shape.code}" for span in find_spans(text)] == [rule]
        assert key[10:] not in mask_secrets(text)


@pytest.mark.parametrize("length", [WINDOW_CHARS - 1, WINDOW_CHARS, WINDOW_CHARS + 1])
def test_a_key_at_the_end_of_a_line_of_the_window_s_length_is_found(length):
    assert len(find_spans(" " * (length - len(AWS)) + AWS)) == 1


def test_a_private_key_is_masked_line_by_line_and_beside_its_header():
    text = "\n".join([HEADER, *BODY, "-----END"])
    assert mask_secrets(text).split("\n") == [HEADER, "****", "****", "****", "-----END"]
    assert BODY[0] not in mask_secrets(f'"{HEADER}\\n{BODY[0]}"')
    assert mask_secrets(f'  "{BODY[0]}\\n"') == '  "****\\n"'


@pytest.mark.parametrize(
    "line",
    [
        "=" * 80,
        "x" * 80,
        "import a.b.c",
        "# " + "ab/" * 40,
        'url = "https://example.com/' + "path/" * 20 + '"',
    ],
)
def test_masking_leaves_ordinary_lines_alone(line):
    assert mask_secrets(line) == line


@given(st.lists(PIECES, max_size=12).map(" ".join))
def test_masking_keeps_the_lines_and_is_idempotent(text):
    masked = mask_secrets(text)
    assert masked.count("\n") == text.count("\n")
    assert mask_secrets(masked) == masked
    assert not [key for _, key in CASES if key in masked]
