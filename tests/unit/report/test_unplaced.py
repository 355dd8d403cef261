"""A finding without a place, and a refused one, in every report."""

import json

import pytest

from pr_review.domain.finding import AnchorStatus, Finding, RefusedFinding, Review, Severity
from pr_review.domain.run import Conclusion
from pr_review.report.annotations import build
from pr_review.report.artifact.build import build as build_artifact
from pr_review.report.artifact.build import to_json
from pr_review.report.artifact.load import load
from pr_review.report.formats import BY_NAME
from pr_review.report.links import finding_url
from pr_review.report.step_outputs import step_outputs

UNPLACED = Finding(
    severity=Severity.HIGH,
    title="The lock is never released",
    explanation="A second caller waits for ever.",
    path="src/nowhere.py",
    line=None,
    evidence="lock.acquire()",
    recommendation="Release it.",
    anchor=AnchorStatus.UNPLACED,
    fingerprint="0123456789abcdef",
)
REFUSED = (
    RefusedFinding(
        number=2, title="Totals are negative", path="src/t.py", reason="severity: must be one of x"
    ),
    RefusedFinding(number=5, reason="must be an object"),
)


@pytest.fixture
def run_with(outcomes):
    """``run_with(**fields)``: a run whose only finding has no place."""

    def run(**fields):
        review = Review(summary="", findings=(UNPLACED.model_copy(update=fields),), refused=REFUSED)
        return outcomes.rich.model_copy(update={"review": review, "conclusion": Conclusion.FINDINGS})

    return run


@pytest.mark.parametrize("name", [name for name in BY_NAME if name != "patch"])
def test_every_report_shows_it_and_says_why_it_has_no_place(run_with, name):
    text = BY_NAME[name].render(run_with())
    for words in (UNPLACED.title, "src/nowhere.py", "names no file of the change"):
        assert words in text
    assert "Outside the diff" not in text
    assert "outside the diff" not in text


@pytest.mark.parametrize("name", [name for name in BY_NAME if name != "patch"])
def test_every_report_names_the_files_that_its_path_fits(run_with, name):
    text = BY_NAME[name].render(run_with(path="a.py", candidates=("one/a.py", "two/a.py")))
    assert "fits several files" in text
    assert "one/a.py" in text
    assert "two/a.py" in text


@pytest.mark.parametrize("name", [name for name in BY_NAME if name not in {"patch", "annotations"}])
def test_every_report_lists_what_was_refused(run_with, name):
    text = BY_NAME[name].render(run_with())
    for words in ("Totals are negative", "src/t.py", "severity: must be one of x", "finding 5 of the answer"):
        assert words in text


def test_it_counts_as_one_inside_the_diff_does(run_with):
    outcome = run_with()
    assert (outcome.highest_severity, outcome.highest_new_severity) == ("high", "high")
    outputs = step_outputs(outcome, report_path="", summary_path="")
    assert (outputs["findings-count"], outputs["highest-severity"]) == ("1", "high")
    [note] = build(outcome).shown
    assert note.properties == {"title": UNPLACED.title}
    assert note.level == "error"


def test_no_link_and_no_location_lies_about_its_place(run_with):
    outcome = run_with()
    assert finding_url(outcome, UNPLACED) is None
    [result] = json.loads(BY_NAME["sarif"].render(outcome))["runs"][0]["results"]
    [location] = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "no-file-associated-with-this-finding", "uriBaseId": "SRCROOT"}
    }
    assert result["properties"]["path"] == "src/nowhere.py"


def test_the_artifact_keeps_all_of_it(run_with):
    outcome = run_with(candidates=("one/a.py", "two/a.py"))
    again = load(to_json(build_artifact(outcome)).encode())
    assert again.review == outcome.review


@pytest.mark.parametrize("path", ["", "a\nb|c`d", "::error::x", "<b>", "\x1b[31m\u202e"])
def test_any_path_can_be_shown(run_with, path):
    outcome = run_with(path=path)
    for name, each in BY_NAME.items():
        text = each.render(outcome)
        assert name == "patch" or UNPLACED.title in text
        assert "\x1b" not in text
        assert name != "html" or "<b>" not in text
    assert ("no file named" in BY_NAME["md"].render(outcome)) is (path == "")
