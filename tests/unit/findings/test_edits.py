"""The indentation that a quote lost comes back to the suggestion, if only one reading of it is possible."""

import pytest

from pr_review.domain.finding import AnchorStatus
from pr_review.findings.edits import make_edit
from pr_review.findings.matching import Anchor

FILE = ("        one()", "        two()", "        three()")

# The quote by what it lost, as lines of the file.
QUOTES = {
    "nothing": FILE,
    "the indentation of its only line": ("    one()",),
    "the whole indentation of its only line": ("one()",),
    "the indentation of its first line": ("    one()", *FILE[1:]),
    "the indentation of every line": ("    one()", "    two()", "    three()"),
    "the indentation of its first line and some others": ("    one()", "    two()", FILE[2]),
    "the indentation of another line": (FILE[0], "    two()", FILE[2]),
    "different indentation": ("    one()", "two()", "    three()"),
}
# The suggestion by which of its lines lack four spaces.
SUGGESTIONS = {
    "none": ("        a()", "        b()"),
    "unclear": ("    a()", "    b()"),
    "only the first": ("a()", "    b()"),
    "all": ("a()", "b()"),
}
AS_IT_IS, FIRST, EVERY, UNKNOWN = "as it is", "first line indented", "every line indented", "no edit"

TABLE = [
    # The quote lost                                     the suggestion lacks indentation in lines:
    #                                                     none      unclear   only the first  all
    ("nothing",                                           AS_IT_IS, AS_IT_IS, AS_IT_IS,       AS_IT_IS),
    ("the indentation of its only line",                  AS_IT_IS, UNKNOWN,  UNKNOWN,        EVERY),
    ("the indentation of its first line",                 AS_IT_IS, UNKNOWN,  FIRST,          FIRST),
    ("the indentation of every line",                     AS_IT_IS, UNKNOWN,  EVERY,          EVERY),
    ("the indentation of its first line and some others", AS_IT_IS, UNKNOWN,  UNKNOWN,        UNKNOWN),
    ("the indentation of another line",                   UNKNOWN,  UNKNOWN,  UNKNOWN,        UNKNOWN),
    ("different indentation",                             UNKNOWN,  UNKNOWN,  UNKNOWN,        UNKNOWN),
]  # fmt: skip
CASES = [
    (lost, lacks, result)
    for lost, *results in TABLE
    for lacks, result in zip(SUGGESTIONS, results, strict=True)
]


def added(quote, suggestion, text=FILE):
    """The lines that the edit adds; None without an edit."""
    anchor = Anchor(AnchorStatus.HUNK, line=1, end_line=len(quote))
    source = "".join(f"{line}\n" for line in text)
    edit = make_edit("\n".join(quote), "\n".join(suggestion), anchor, source, lambda lines: lines)
    return edit and edit.added


@pytest.mark.parametrize(("lost", "lacks", "result"), CASES)
def test_the_table(lost, lacks, result):
    first, *later = SUGGESTIONS[lacks]
    expected = {
        AS_IT_IS: (first, *later),
        FIRST: (f"    {first}", *later),
        EVERY: (f"    {first}", *(f"    {line}" for line in later)),
        UNKNOWN: None,
    }[result]
    assert added(QUOTES[lost], SUGGESTIONS[lacks]) == expected


def test_a_blank_line_gets_no_indentation():
    assert added(("one()",), ("a()", "", " ", "b()")) == ("        a()", "", " ", "        b()")


def test_later_lines_that_are_blank_say_nothing():
    """They neither have the indentation nor lack it."""
    assert added(("    one()",), ("a()", "", "    b()")) is None
    assert added(("    one()",), ("a()", "    ", "b()")) == ("    a()", "    ", "    b()")


def test_blank_lines_of_the_quote_lost_nothing():
    text = ("    one()", "", "    two()")
    assert added(("one()", "", "two()"), ("a()", "b()"), text) == ("    a()", "    b()")


@pytest.mark.parametrize("quote", [("ne()",), ("- one()",), ("one()", "two()", "other()"), FILE[:1] * 2])
def test_a_quote_that_lacks_more_than_white_space_is_not_the_code(quote):
    assert added(quote, ("a()",)) is None


def test_tabs_are_indentation_too():
    assert added(("one()",), ("a()",), ("\t\tone()",)) == ("\t\ta()",)
