import json

import pytest

from pr_review.checks.hit import Hit
from pr_review.checks.registry import CheckReport
from pr_review.domain.finding import Category, Severity
from pr_review.domain.run import MAX_FIELD_BYTES, MAX_FINDINGS, MAX_NOTES
from pr_review.findings.submission import parse_rule_submission
from pr_review.offline.answer import CheckedFile, compose
from pr_review.offline.reviewed_file import ReviewedFile

KEY = "AKIA" + "Q7ZB3DXV9KLMN2PT"


def hit(line, severity=Severity.HIGH, end_line=None):
    return Hit(
        rule="r", line=line, end_line=end_line, severity=severity, category=Category.BUG, title="t",
        explanation="e", evidence="v", recommendation="f", cause="r",
    )  # fmt: skip


def file_with(lines, path="a.py"):
    file = ReviewedFile(path, shown=True)
    file.added = dict(enumerate(lines, start=1))
    return file


def answer_about(file, *hits):
    """The answer about one file that the checks found these defects in."""
    return compose([file], [CheckedFile(file, CheckReport(hits, ("c",)))])


def found(count, severity=Severity.HIGH):
    file = file_with(["x"] * count)
    return file, [hit(line + 1, severity) for line in range(count)]


def test_a_finding_has_the_fields_of_the_wire_schema():
    file = file_with(["", "  code()"])
    answer = answer_about(file, hit(2, end_line=5))
    assert answer["findings"] == [
        {
            "severity": "high",
            "title": "t",
            "explanation": "e",
            "path": "a.py",
            "line": 2,
            "evidence": "v",
            "recommendation": "f",
            "category": "bug",
            "confidence": "high",
            "rule": "r",
            "end_line": 5,
            "existing_code": "  code()",
        }
    ]


def test_it_is_the_answer_that_the_review_expects_of_rules():
    submission = parse_rule_submission(json.dumps(answer_about(file_with(["x"]), hit(1))))
    assert (submission.findings[0].line, submission.findings[0].rule) == (1, "r")
    assert submission.checks == {"a.py": ("c",)}


def test_checks_are_named_by_path_and_files_seen_in_part_are_listed():
    whole, part = file_with(["x"], "whole.py"), file_with(["x"], "part.py")
    whole.readable = True
    unseen = ReviewedFile("unseen.py", problems=["p"])
    checked = [CheckedFile(part, CheckReport((), ("c",))), CheckedFile(whole, CheckReport((), ("c", "d")))]
    answer = compose([part, unseen, whole], checked)
    assert answer["checks"] == {"part.py": ["c"], "whole.py": ["c", "d"]}
    assert answer["checked_in_part"] == ["part.py"]


def test_of_a_file_without_added_lines_nothing_was_left_out():
    assert answer_about(file_with([]))["checked_in_part"] == []


@pytest.mark.parametrize("code", ["", "  ", f"k = '{KEY}'", "x" * (MAX_FIELD_BYTES + 1)])
def test_code_that_is_blank_secret_or_too_long_is_not_quoted(code):
    file = file_with([code])
    assert "existing_code" not in answer_about(file, hit(1))["findings"][0]


@pytest.mark.parametrize("length", [MAX_FIELD_BYTES - 1, MAX_FIELD_BYTES])
def test_code_up_to_the_limit_is_quoted(length):
    file = file_with(["x" * length])
    assert len(answer_about(file, hit(1))["findings"][0]["existing_code"]) == length


@pytest.mark.parametrize("count", [MAX_FINDINGS - 1, MAX_FINDINGS])
def test_findings_up_to_the_limit_are_all_there(count):
    file, hits = found(count)
    answer = answer_about(file, *hits)
    assert len(answer["findings"]) == count
    assert answer["notes"] == []


def test_beyond_the_limit_the_worst_stay_and_a_note_says_how_many_are_missing():
    file, hits = found(MAX_FINDINGS, Severity.LOW)
    file.added[101] = "y"
    answer = answer_about(file, *hits, hit(101, Severity.CRITICAL))
    assert len(answer["findings"]) == MAX_FINDINGS
    assert answer["findings"][0]["severity"] == "critical"
    (note,) = answer["notes"]
    assert note == (
        "1 more finding of severity low or less, in 1 file, did not fit: "
        f"a review holds at most {MAX_FINDINGS}."
    )
    assert "found 101 defects" in answer["summary"]


@pytest.mark.parametrize("count", [MAX_NOTES - 3, MAX_NOTES - 2, MAX_NOTES - 1, 3 * MAX_NOTES])
def test_notes_stay_within_the_limit_and_the_rest_is_counted(count):
    files = [ReviewedFile(f"{number}", problems=["p"]) for number in range(count)]
    file, hits = found(MAX_FINDINGS + 1)
    notes = compose([*files, file], [CheckedFile(file, CheckReport(tuple(hits), ()))])["notes"]
    assert len(notes) <= MAX_NOTES
    assert sum(note.endswith(": p.") for note in notes) == min(count, MAX_NOTES - 2)
    assert (f"{count - (MAX_NOTES - 2)} more note" in notes[-1]) == (count > MAX_NOTES - 2)


def test_the_summary_names_rules_and_counts_what_was_seen():
    file = file_with(["x"])
    checked = [CheckedFile(file, CheckReport((), ()))]
    answer = compose([file, ReviewedFile("b", problems=["p"])], checked)
    assert answer["summary"] == "The rules checked 1 added line in 1 file and found 0 defects."
    assert answer["notes"] == ["`b`: p."]
    assert answer["findings"] == []


@pytest.mark.parametrize(
    ("failed", "reason"),
    [
        ((("ruff", "it crashed"),), "ruff did not run: it crashed"),
        ((("a", "x"), ("b", "x")), "a, b did not run: x"),
        ((("a", "x"), ("b", "y"), ("c", "x")), "a, c did not run: x; b did not run: y"),
    ],
)
def test_checks_that_did_not_run_are_told_with_the_reason(failed, reason):
    file = file_with(["x"])
    answer = compose([file], [CheckedFile(file, CheckReport((), (), failed=failed))])
    assert answer["not_run"] == {"a.py": reason}
    assert parse_rule_submission(json.dumps(answer)).not_run == {"a.py": reason}
