"""Decision 8: every finding is placed, or moved to the notes with the reason; none is lost."""

from dataclasses import dataclass, field

import pytest

from pr_review.domain.change import ChangedFile, Diff, FileStatus, Hunk, HunkLine, LineKind
from pr_review.domain.finding import Category, Confidence, Edit, Side
from pr_review.review.placement import parse_line, place
from pr_review.review.submission import Submission, SubmittedFinding

SHA = "0" * 40


@dataclass
class Trees:
    head: dict[str, list[str]] = field(default_factory=dict)
    base: dict[str, list[str]] = field(default_factory=dict)

    def head_lines(self, path):
        return self.head.get(path)

    def base_lines(self, path):
        return self.base.get(path)

    def head_text(self, path):
        return "".join(f"{line}\n" for line in self.head.get(path, ()))


HUNK = Hunk(
    old_start=2,
    old_count=2,
    new_start=2,
    new_count=3,
    text="@@ -2,2 +2,3 @@\n two\n+new\n three\n",
    lines=(
        HunkLine(LineKind.CONTEXT, "two", 2, 2),
        HunkLine(LineKind.ADDED, "new", None, 3),
        HunkLine(LineKind.CONTEXT, "three", 3, 4),
    ),
)
DIFF = Diff(
    merge_base_sha=SHA,
    head_sha=SHA,
    files=(
        ChangedFile(path="src/a.py", status=FileStatus.MODIFIED, header="", hunks=(HUNK,)),
        ChangedFile(path="gone.py", status=FileStatus.DELETED, header=""),
    ),
)
TREES = Trees(
    head={"src/a.py": ["one", "two", "new", "three", "four"], "other.py": ["x"], "a/b.py": ["x"]},
    base={"gone.py": ["old"], "src/a.py": ["one", "two", "three", "four"]},
)


def finding(**fields):
    base = {
        "severity": "high",
        "title": "t",
        "explanation": "e",
        "path": "src/a.py",
        "line": 3,
        "evidence": "v",
        "recommendation": "r",
    }
    return SubmittedFinding.model_validate(base | fields)


def placed(*findings, mask=lambda text: text, notes=()):
    submission = Submission(summary="s", findings=list(findings), notes=list(notes))
    return place(submission, DIFF, TREES, mask)


def test_a_line_the_change_added_is_in_the_diff():
    [found] = placed(finding()).findings
    assert (found.line, found.in_diff, found.on_added_line, found.side) == (3, True, True, Side.RIGHT)
    assert found.excerpt is not None
    assert (found.excerpt.start_line, found.excerpt.lines) == (1, ("one", "two", "new", "three", "four"))


def test_a_context_line_is_in_the_diff_but_not_added():
    [found] = placed(finding(line=2)).findings
    assert (found.in_diff, found.on_added_line) == (True, False)


def test_a_line_outside_the_hunks_and_an_unchanged_file_are_kept_and_marked():
    far, other = placed(finding(line=5), finding(path="other.py", line=1)).findings
    assert [far.in_diff, other.in_diff] == [False, False]


@pytest.mark.parametrize("prefix", ["./", "a/", "b/"])
def test_prefixes_are_taken_off(prefix):
    assert placed(finding(path=prefix + "src/a.py")).findings[0].path == "src/a.py"


def test_a_real_path_wins_over_a_prefix():
    assert placed(finding(path="a/b.py", line=1)).findings[0].path == "a/b.py"


def test_a_path_of_the_merge_base_is_placed_on_the_left():
    [found] = placed(finding(path="gone.py", line=1)).findings
    assert (found.side, found.line, found.in_diff, found.on_added_line) == (Side.LEFT, 1, True, False)


@pytest.mark.parametrize("path", ["nowhere.py", "../etc/passwd", "", "src", "a/nowhere.py", "/src/a.py"])
def test_an_unknown_path_moves_the_finding_to_the_notes(path):
    review = placed(finding(path=path, title="Real title"), notes=["mine"])
    assert review.findings == ()
    assert review.notes[0] == "mine"
    assert "neither the head nor the merge base" in review.notes[1]
    assert "Real title" in review.notes[1]


@pytest.mark.parametrize(
    ("value", "line"),
    [(1, 1), (5, 5), (6, None), (0, None), (-3, None), (10**9, None), ("3", None), (3.0, 3), (3.5, None)],
)
def test_a_bad_line_becomes_null(value, line):
    [found] = placed(finding(line=value)).findings
    assert found.line == line
    assert (found.excerpt is None) == (line is None)


@pytest.mark.parametrize("value", [None, True, False, [], {}, "x", float("inf"), float("nan")])
def test_what_is_no_number_is_no_line(value):
    assert parse_line(value) is None


def test_a_finding_about_a_changed_file_as_a_whole_is_in_the_diff():
    [found] = placed(finding(line=None)).findings
    assert (found.line, found.in_diff, found.on_added_line) == (None, True, False)


@pytest.mark.parametrize(
    ("end", "kept"), [(4, 4), (3, None), (2, None), (99, None), ("4", None), (None, None)]
)
def test_a_bad_end_line_is_dropped(end, kept):
    assert placed(finding(end_line=end)).findings[0].end_line == kept


def test_hints_outside_the_closed_lists_are_dropped():
    good, bad = placed(
        finding(category="security", confidence="low"),
        finding(title="other", category="style", confidence=0.9),
    ).findings
    assert (good.category, good.confidence) == (Category.SECURITY, Confidence.LOW)
    assert (bad.category, bad.confidence) == (Category.OTHER, None)


def test_findings_in_the_diff_come_first_then_by_severity():
    review = placed(
        finding(title="far", severity="critical", line=5),
        finding(title="low", severity="low"),
        finding(title="high"),
    )
    assert [found.title for found in review.findings] == ["high", "low", "far"]


def test_secrets_are_masked_in_every_text():
    def mask(text):
        return text.replace("hunter2", "***").replace("new", "***")

    texts = dict.fromkeys(
        ["title", "explanation", "evidence", "recommendation", "existing_code", "suggestion"], "hunter2"
    )
    review = placed(finding(**texts), finding(path="hunter2", title="hunter2"), mask=mask, notes=["hunter2"])
    assert "hunter2" not in review.model_dump_json()
    assert review.findings[0].excerpt.lines[2] == "***"


def test_a_long_range_has_a_bounded_excerpt():
    trees = Trees(head={"src/a.py": ["x" * 999] * 100})
    submission = Submission(summary="", findings=[finding(line=3, end_line=90)], notes=[])
    [found] = place(submission, DIFF, trees, lambda text: text).findings
    assert len(found.excerpt.lines) == 12
    assert {len(line) for line in found.excerpt.lines} == {240}


def test_an_exact_suggestion_is_an_edit():
    """The quote stands once in the head, so the suggestion can be applied."""
    [found] = placed(finding(existing_code="new", suggestion="newer")).findings
    assert found.edit == Edit(
        start_line=3, before=("one", "two"), removed=("new",), added=("newer",), after=("three", "four")
    )


def test_a_masked_suggestion_is_no_edit():
    """What is masked in a report is no code to put into a file."""
    quoted = finding(existing_code="new", suggestion="SECRET")
    [found] = placed(quoted, mask=lambda text: text.replace("SECRET", "****")).findings
    assert (found.suggestion, found.edit) == ("****", None)
