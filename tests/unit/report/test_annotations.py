"""Annotations: worst first, within the runner's limits, and what did not fit is counted."""

import pytest

from pr_review.domain.finding import Finding, Review, Severity, Side
from pr_review.domain.run import Conclusion, Outcome
from pr_review.report.annotations import PER_LEVEL, build, render


def finding(severity="high", **fields):
    base = {
        "severity": Severity(severity),
        "title": "Title",
        "explanation": "Why.",
        "path": "a.py",
        "line": 3,
        "evidence": "x",
        "recommendation": "Fix.",
        "in_diff": True,
    }
    return Finding(**(base | fields))


def outcome(*findings):
    review = Review(summary="s", findings=findings)
    return Outcome(conclusion=Conclusion.FINDINGS, exit_code=0, provider="p", review=review)


def annotate(*findings):
    return build(outcome(*findings))


def test_each_severity_has_its_level():
    shown = annotate(*(finding(severity) for severity in ("low", "medium", "high", "critical"))).shown
    assert [note.level for note in shown] == ["error", "error", "warning", "notice"]


def test_a_finding_is_placed_on_its_lines():
    [note] = annotate(finding(end_line=5)).shown
    assert note.properties == {"title": "Title", "file": "a.py", "line": 3, "endLine": 5}
    assert note.message == "Why.\n\nFix."


def test_a_removed_line_is_named_but_never_placed_as_a_head_line():
    [note] = annotate(finding(side=Side.LEFT)).shown
    assert "line" not in note.properties
    assert note.message.startswith("Removed line 3 of the merge base.")


def test_a_finding_without_a_line_is_about_the_file():
    [note] = annotate(finding(line=None)).shown
    assert note.properties == {"title": "Title", "file": "a.py"}


def test_findings_outside_the_diff_are_not_annotated():
    assert annotate(finding(in_diff=False)) == ((), 0)


@pytest.mark.parametrize(("count", "left_out"), [(8, 0), (9, 0), (10, 1)])
def test_at_most_nine_of_a_level(count, left_out):
    annotations = annotate(*(finding() for _ in range(count)), finding("low"))
    assert len(annotations.shown) == min(count, 9) + 1
    assert annotations.left_out == left_out


def test_the_worst_stay_when_not_all_fit():
    shown = annotate(
        *(finding(title=f"high {n}") for n in range(9)), finding("critical", title="worst")
    ).shown
    assert shown[0].properties["title"] == "worst"
    assert len(shown) == 9


@pytest.mark.parametrize(("size", "cut"), [(4088, False), (4090, False), (4091, True)])
def test_a_message_has_at_most_4096_characters(size, cut):
    [note] = annotate(finding(explanation="x" * size)).shown
    assert len(note.message) <= 4096
    assert note.message.endswith("…") is cut


def test_no_review_has_no_annotations():
    assert build(Outcome(conclusion=Conclusion.FAILED, exit_code=3, provider="p")) == ((), 0)


def test_rendered_annotations_are_commands_that_carry_text_only():
    """One line each, whatever a finding holds; what does not fit is counted."""
    hostile = finding(title="a,b:c\n::error::x", explanation="100%\r\n##[error]y", path="a,b.py", line=7)
    text = render(outcome(*[hostile] * (PER_LEVEL + 2)))
    first, *_, last = text.splitlines()
    assert first == (
        "::error title=a%2Cb%3Ac%0A%3A %3Aerror%3A%3Ax,file=a%2Cb.py,line=7::100%25%0A# #[error]y%0A%0AFix."
    )
    assert text.count("\n") == PER_LEVEL + 1
    assert last == "2 more findings are not annotated."
    assert render(outcome()) == ""
