"""What reports say of one finding."""

import pytest

from pr_review.domain.finding import AnchorStatus, Category, Edit, Finding, Place, Review, Side
from pr_review.report.html import render as render_html
from pr_review.report.summary import render as render_summary
from pr_review.report.terminal import render as render_terminal
from pr_review.report.wording.finding import (
    anchor_note,
    evidence_to_show,
    labels,
    place_labels,
    removed_lines,
    replacement,
)

ELSEWHERE = (Place(side=Side.RIGHT, line=90), Place(side=Side.LEFT, line=3, end_line=4))


@pytest.fixture
def found(outcomes):
    """``found(**fields)``: a finding of line 41 and 42."""

    def change(**fields) -> Finding:
        return outcomes.rich.review.findings[3].model_copy(update=fields)

    return change


@pytest.mark.parametrize(
    ("anchor", "alternatives", "label", "note"),
    [
        (
            AnchorStatus.NEAREST,
            ELSEWHERE,
            "nearest of 3 places",
            "by far the nearest to the reviewer's line.",
        ),
        (AnchorStatus.AMBIGUOUS, ELSEWHERE, "one of 3 places", "which place is meant cannot be told."),
        (AnchorStatus.AMBIGUOUS, ELSEWHERE[:1], "one of 2 places", "also stands at line 90; which"),
        (
            AnchorStatus.UNVERIFIED,
            (),
            "unverified",
            "was not found in this file; the line is the reviewer's.",
        ),
    ],
)
def test_a_place_that_is_not_exact_is_said(found, anchor, alternatives, label, note):
    """In a word beside the place, in a sentence below it."""
    finding = found(anchor=anchor, alternatives=alternatives)
    assert place_labels(finding) == [label]
    assert note in anchor_note(finding)


def test_code_that_says_nothing_is_said(found):
    """Braces alone stand everywhere, also where there are no alternatives to list."""
    finding = found(anchor=AnchorStatus.AMBIGUOUS)
    assert place_labels(finding) == []
    assert anchor_note(finding) == "The quoted code is too little to tell which place is meant."


@pytest.mark.parametrize(
    "anchor",
    [AnchorStatus.HUNK, AnchorStatus.OLD, AnchorStatus.FILE, AnchorStatus.LINE, AnchorStatus.FILE_LEVEL],
)
def test_a_located_place_needs_no_words(found, anchor):
    finding = found(anchor=anchor)
    assert (place_labels(finding), anchor_note(finding)) == ([], "")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"side": Side.LEFT}, "Removed lines 41-42 of the merge base."),
        ({"side": Side.LEFT, "end_line": None}, "Removed line 41 of the merge base."),
        ({"side": Side.LEFT, "line": None}, ""),
        ({}, ""),
    ],
)
def test_removed_lines_are_named(found, fields, sentence):
    finding = found(**fields)
    assert removed_lines(finding) == sentence
    assert place_labels(finding) == (["removed line"] if sentence else [])


@pytest.mark.parametrize(("merged", "words"), [(0, []), (1, ["reported 2 times"]), (2, ["reported 3 times"])])
def test_merged_findings_are_counted(found, merged, words):
    assert [word for word in labels(found(merged=merged)) if "reported" in word] == words


def test_replacement_is_that_of_the_file_when_it_is_exact(found):
    """Else the reviewer's own quote; without one there is nothing to compare with."""
    edit = Edit(start_line=42, removed=("    a\r", "\r"), added=("    b\r",))
    assert replacement(found(edit=edit)) == "-    a\r\n-\r\n+    b\r"
    assert replacement(found(existing_code="a\r\n\n", suggestion="b\x0cc\n")) == "-a\n-\n+b\x0cc"
    assert replacement(found(existing_code=None)) == ""
    assert replacement(found(suggestion=None)) == ""


@pytest.mark.parametrize("render", [render_summary, render_terminal])
def test_every_page_shows_them(outcomes, found, render):
    """Place, certainty, how often, and the exact change with its indentation."""
    finding = found(
        anchor=AnchorStatus.AMBIGUOUS,
        alternatives=ELSEWHERE,
        merged=2,
        edit=Edit(start_line=42, removed=("    old()",), added=("    new()",)),
    )
    review = outcomes.rich.review.model_copy(update={"findings": (finding,)})
    text = render(outcomes.rich.model_copy(update={"review": review})).replace("\\", "")
    assert "src/shop/invoice.py:41-42" in text
    assert "reported 3 times · one of 3 places" in text
    assert "The quoted code also stands at line 90, removed lines 3-4; which place" in text
    assert "-    old()" in text
    assert "+    new()" in text


@pytest.mark.parametrize(
    ("evidence", "shown"),
    [
        ('    subprocess.run(f"lp {name}", shell=True)', False),
        ('# print it\n\nsubprocess.run(f"lp {name}"', False),
        ('    name = request.args["name"]', True),
        ("It runs `subprocess.run`.", True),
    ],
)
def test_evidence_that_the_marked_lines_hold_is_not_repeated(found, outcomes, evidence, shown):
    """Lines 41 and 42 are marked, line 40 is only shown."""
    finding = found(evidence=evidence)
    assert bool(evidence_to_show(finding)) is shown
    outcome = outcomes.rich.model_copy(update={"review": Review(summary="", findings=(finding,))})
    assert ("Evidence: " in render_terminal(outcome)) is shown
    assert ("**Evidence**" in render_summary(outcome)) is shown
    assert (">Evidence<" in render_html(outcome)) is shown


def test_evidence_without_an_excerpt_is_shown(found):
    assert evidence_to_show(found(evidence="x = 1", excerpt=None)) == "x = 1"


def test_every_finding_names_its_category(found):
    assert labels(found(category=Category.OTHER))[0] == "other"
