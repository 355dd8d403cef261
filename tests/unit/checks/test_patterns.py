from hypothesis import given
from hypothesis import strategies as st

from pr_review.checks.patterns import LineIndex


@given(st.text(alphabet="a\n\r\f\u2028", min_size=1))
def test_line_index_counts_line_feeds_only(text):
    index = LineIndex(text)
    for offset in range(len(text)):
        assert index.line_at(offset) == text.count("\n", 0, offset) + 1
