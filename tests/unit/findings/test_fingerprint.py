"""A finding stays the same one when lines move."""

import re

from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.domain.finding import Category, Finding, Severity
from pr_review.findings.fingerprint import fingerprint, tell_apart
from pr_review.findings.placement import place
from pr_review.findings.submission import Submission, SubmittedFinding

BASE = ("x = 1\ny = 2", "a.py", Category.BUG, 0)


def test_every_part_counts():
    others = [
        ("x = 1\ny = 3", "a.py", Category.BUG, 0),
        ("x = 1", "a.py", Category.BUG, 0),
        ("x = 1\ny = 2", "b.py", Category.BUG, 0),
        ("x = 1\ny = 2", "a.py", Category.SECURITY, 0),
        ("x = 1\ny = 2", "a.py", Category.BUG, 1),
    ]
    assert len({fingerprint(*parts) for parts in (BASE, *others)}) == 6


def test_white_space_does_not_count():
    assert fingerprint("\tx  =  1\r\n\n  y=2\n", *BASE[1:]) == fingerprint(*BASE)


def test_the_published_form():
    """A change of the recipe makes every known finding a new one: it is a change of the artifact's format."""
    assert fingerprint(*BASE) == "7b04f646943eaf60"
    assert re.fullmatch(r"[0-9a-f]{16}", fingerprint("\ud800", *BASE[1:]))


def found(mark):
    return Finding(
        severity=Severity.LOW,
        title="",
        explanation="",
        path="",
        line=None,
        evidence="",
        recommendation="",
        fingerprint=mark,
    )


def test_findings_on_the_same_code_are_numbered():
    marks = [each.fingerprint for each in tell_apart([found("a"), found("b"), found("a"), found("a")])]
    assert marks[:2] == ["a", "b"]
    assert len(set(marks)) == 4
    assert marks == [
        each.fingerprint for each in tell_apart([found("a"), found("b"), found("a"), found("a")])
    ]


class Head:
    """A head of one file; nothing is asked of the base."""

    def __init__(self, lines):
        self.lines = lines

    def head_names(self):
        return {"a.py"}

    def real_path(self, _path):
        return None

    def head_lines(self, path):
        return self.lines if path == "a.py" else None

    def base_lines(self, _path):
        return None

    def head_text(self, _path):
        return "\n".join(self.lines)


def marks(lines, quotes, hints):
    submitted = [
        SubmittedFinding(
            severity="high",
            title=f"Defect {number}",
            explanation=f"{number}",
            path="a.py",
            line=hint,
            evidence="",
            recommendation="",
            existing_code=quote,
        )
        for number, (quote, hint) in enumerate(zip(quotes, hints, strict=True))
    ]
    file = ChangedFile(path="a.py", status=FileStatus.MODIFIED, header="")
    diff = Diff("0" * 40, "0" * 40, (file,))
    review = place(Submission(summary="", findings=submitted, notes=[]), diff, Head(lines), lambda text: text)
    return {each.title: each.fingerprint for each in review.findings}


LINES = st.lists(st.sampled_from(["a = 1", "b = 2", "return a", "}", "", "  a = 1"]), min_size=3, max_size=12)


@given(LINES, st.data())
def test_fifty_lines_above_change_no_fingerprint(lines, data):
    """Neither do other changes elsewhere, as a rebase brings them; recurring lines keep their numbers."""
    numbers = data.draw(st.lists(st.integers(1, len(lines)), min_size=1, max_size=4, unique=True))
    quotes = [data.draw(st.sampled_from([None, lines[number - 1]])) for number in numbers]
    above = [f"import module_{number}" for number in range(50)]
    below = ["def later():", "    return 3"]
    shifted = marks(above + lines + below, quotes, [number + 50 for number in numbers])
    assert shifted == marks(lines, quotes, numbers)


def test_what_else_is_reported_does_not_count():
    """The second of two equal lines keeps its fingerprint when the first is not reported, or fixed."""
    both = marks(["a = 1", "x", "a = 1"], ["a = 1", "a = 1"], [1, 3])
    [only] = marks(["a = 1", "x", "a = 1"], ["a = 1"], [3]).values()
    assert only == both["Defect 1"] != both["Defect 0"]


def test_lines_that_recur_have_their_own_fingerprints():
    assert len(set(marks(["a = 1", "x", "a = 1", "y", "a = 1"], ["a = 1"] * 3, [1, 3, 5]).values())) == 3
