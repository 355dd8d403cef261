"""Findings that the base silences: apart, with the reason, and never lost."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.finding import Finding, Review, Severity, Suppression
from pr_review.findings import suppression

TODAY = date(2026, 3, 1)


def finding(fingerprint: str) -> Finding:
    return Finding(
        severity=Severity.HIGH,
        title=fingerprint,
        explanation="e",
        path="a.py",
        line=1,
        evidence="e",
        recommendation="r",
        fingerprint=fingerprint,
    )


def rule(fingerprint: str, expires: str | None = None) -> Suppression:
    return Suppression(fingerprint=fingerprint, reason=f"Why {fingerprint}.", expires=expires)


def suppress(found, rules, today, added=()):
    """With findings known by their fingerprints, but for those on lines that no suppression may cover."""
    return suppression.suppress(
        found, rules, today, lambda each: None if each.fingerprint in added else each.fingerprint
    )


def review(*fingerprints: str) -> Review:
    return Review(summary="s", findings=tuple(map(finding, fingerprints)), notes=("n",))


def test_a_suppressed_finding_is_apart_with_its_reason():
    changed, notes = suppress(review("a", "b", "c"), [rule("b", "2026-12-31")], TODAY)
    assert [found.fingerprint for found in changed.findings] == ["a", "c"]
    [silenced] = changed.suppressed
    assert (silenced.finding, silenced.reason, silenced.expires) == (finding("b"), "Why b.", "2026-12-31")
    assert (changed.summary, changed.notes, notes) == ("s", ("n",), ())


@pytest.mark.parametrize(
    ("expires", "counts"), [("2026-02-28", True), ("2026-03-01", False), ("2026-03-02", False), (None, False)]
)
def test_a_suppression_holds_through_its_last_day(expires, counts):
    """Then its finding counts again, and a note says so."""
    changed, notes = suppress(review("a"), [rule("a", expires)], TODAY)
    assert bool(changed.findings) is counts
    assert bool(changed.suppressed) is not counts
    expected = ("The suppression of a ended on 2026-02-28: its finding counts again.",)
    assert notes == (expected if counts else ())


def test_what_silences_nothing_is_one_note():
    """Also when it has ended: there is nothing that could count again."""
    _, notes = suppress(review("a"), [rule("b"), rule("c", "2020-01-01")], TODAY)
    assert notes == ("Suppressions that match no finding of this review: b, c.",)


@pytest.mark.parametrize("number", [9, 10, 11])
def test_the_note_names_at_most_ten(number):
    _, (note,) = suppress(review(), [rule(f"f{index}") for index in range(number)], TODAY)
    named = note.partition(": ")[2].removesuffix(".").removesuffix(" and 1 more").split(", ")
    assert named == [f"f{index}" for index in range(min(number, 10))]
    assert note.endswith(" and 1 more.") == (number == 11)


NAMES = st.lists(st.text("abcdef", min_size=1, max_size=2), unique=True, max_size=8)


@given(NAMES, NAMES, st.lists(st.sampled_from([None, "2026-02-28", "2026-03-01"]), min_size=8, max_size=8))
def test_nothing_is_lost_and_nothing_counts_twice(reported, silenced, ends):
    rules = [rule(name, end) for name, end in zip(silenced, ends, strict=False)]
    changed, _ = suppress(review(*reported), rules, TODAY)
    kept = [found.fingerprint for found in changed.findings]
    apart = [each.finding.fingerprint for each in changed.suppressed]
    assert sorted(kept + apart) == sorted(reported)
    assert set(apart) <= set(silenced)


def test_an_added_line_counts_and_a_note_says_why():
    changed, notes = suppress(review("a", "b"), [rule("a"), rule("b")], TODAY, added={"a"})
    assert [found.fingerprint for found in changed.findings] == ["a"]
    assert [each.finding.fingerprint for each in changed.suppressed] == ["b"]
    [note] = notes
    assert note.startswith("The suppression of a does not cover a line that the pull request adds")


def test_an_ended_suppression_of_an_added_line_needs_no_note():
    assert suppress(review("a"), [rule("a", "2020-01-01")], TODAY, added={"a"})[1] == ()


def test_a_finding_is_silenced_by_the_name_that_it_had():
    changed, notes = suppression.suppress(review("new"), [rule("old")], TODAY, lambda _: "old")
    assert [each.finding.fingerprint for each in changed.suppressed] == ["new"]
    assert notes == ()
