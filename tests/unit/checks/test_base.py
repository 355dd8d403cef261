from hypothesis import given
from hypothesis import strategies as st

from pr_review.checks.base import MAX_EVIDENCE_CHARS, LineIndex, Source, clip


def test_clip_keeps_a_line_of_the_limit_and_cuts_a_longer_one():
    for length in (MAX_EVIDENCE_CHARS - 1, MAX_EVIDENCE_CHARS):
        assert clip("x" * length) == "x" * length
    assert clip("x" * (MAX_EVIDENCE_CHARS + 1)) == "x" * (MAX_EVIDENCE_CHARS - 1) + "…"


def test_clip_drops_indentation_before_it_counts():
    assert clip(" " * 50 + "x" * MAX_EVIDENCE_CHARS + "\r") == "x" * MAX_EVIDENCE_CHARS


@given(st.text(alphabet="a\n\r\f\u2028", min_size=1))
def test_line_index_counts_line_feeds_only(text):
    index = LineIndex(text)
    for offset in range(len(text)):
        assert index.line_at(offset) == text.count("\n", 0, offset) + 1


def test_lines_of_an_unread_file_are_the_added_ones():
    assert Source("a", None, {3: "x"}).lines == {3: "x"}
    assert Source("a", "1\n2", {2: "2"}).lines == {1: "1", 2: "2"}
