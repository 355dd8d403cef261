"""Lines that were shown: a union of spans, and the gaps in them."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.shown import NOTHING_SHOWN, ShownLines

LINE = st.integers(0, 30)
SPAN = st.tuples(LINE, LINE).map(lambda pair: (min(pair), max(pair)))
SPANS = st.lists(SPAN, max_size=6)


def shown(spans, cut=()):
    whole = ShownLines.union(ShownLines.of("a", *span) for span in spans)
    return whole | ShownLines.union(ShownLines.of_cut("a", line) for line in cut)


def numbers(spans):
    return {line for start, stop in spans for line in range(start, stop)}


@given(SPANS, SPANS, st.lists(LINE, max_size=4), SPAN)
def test_the_gaps_are_the_lines_that_no_part_shows(one, other, cut, within):
    both = shown(one) | shown(other, cut)
    wanted = set(range(*within))
    assert numbers(both.missing("a", within)) == wanted - numbers(one) - numbers(other)
    assert numbers(both.unread("a", within)) == wanted - numbers(one) - numbers(other) - set(cut)


@given(SPANS, SPANS, SPANS)
def test_a_union_does_not_depend_on_the_order(one, two, three):
    a, b, c = map(shown, (one, two, three))
    assert (a | b) | c == a | (b | c) == c | b | a == ShownLines.union([b, a, c, a])
    assert a | a == a | NOTHING_SHOWN == a


@given(SPANS)
def test_spans_are_kept_in_order_and_apart(spans):
    """So that equal sets of lines are equal values, however they were collected."""
    kept = shown(spans).whole.get("a", ())
    assert numbers(kept) == numbers(spans)
    assert all(start < stop for start, stop in kept)
    assert all(before[1] < after[0] for before, after in pairwise(kept))


def test_files_do_not_mix():
    known = ShownLines.of("a", 0, 3) | ShownLines.of_cut("b", 1)
    assert (known.shows("a"), known.shows("b"), known.shows("c")) == (True, True, False)
    assert known.missing("b", (0, 3)) == ((0, 3),)
    assert known.unread("b", (0, 3)) == ((0, 1), (2, 3))
    assert not ShownLines.of("a", 2, 2).shows("a")
