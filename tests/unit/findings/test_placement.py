"""Every finding is placed, or stays one without a place; none is lost."""

from dataclasses import dataclass, field

import pytest

from pr_review.domain.change import ChangedFile, Diff, FileStatus, Hunk, HunkLine, LineKind
from pr_review.domain.finding import Category, Confidence, Edit, Place, Severity, Side
from pr_review.findings.placement import parse_line, place
from pr_review.findings.submission import RuleFinding, Submission, SubmittedFinding

SHA = "0" * 40


@dataclass
class Trees:
    head: dict[str, list[str]] = field(default_factory=dict)
    base: dict[str, list[str]] = field(default_factory=dict)

    def head_names(self):
        return self.head.keys()

    def real_path(self, _path):
        return None

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


def rule_finding(rule="F821", **fields):
    return RuleFinding(**finding(**fields).model_dump(), rule=rule)


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


@pytest.mark.parametrize("path", ["nowhere.py", "../etc/passwd", "", "src", "a/nowhere.py", " x.py\n"])
def test_a_finding_whose_path_names_no_file_stays_without_a_place(path):
    review = placed(finding(path=path, title="Real title", line=3), notes=["mine"])
    [found] = review.findings
    assert (found.title, found.path, found.line) == ("Real title", path.strip(), None)
    assert (found.anchor, found.is_placed, found.in_diff, found.counts) == ("unplaced", False, False, True)
    assert (found.excerpt, found.edit, found.side, found.candidates) == (None, None, Side.RIGHT, ())
    assert review.notes == ("mine",)


def test_a_path_that_fits_two_files_names_both():
    trees = Trees(head={"one/a.py": ["x"], "two/a.py": ["y"]})
    [found] = placed_in([], trees, finding(path="a.py"))
    assert (found.path, found.anchor, found.candidates) == ("a.py", "unplaced", ("one/a.py", "two/a.py"))


def test_findings_without_a_place_stay_apart_from_each_other():
    """Their fingerprints tell them apart, and the same one is the same in the next run."""
    titles = ("The lock is never released", "Negative totals are accepted")
    first, again = (
        [one.fingerprint for one in placed(*(finding(path="no.py", title=t) for t in titles)).findings]
        for _ in range(2)
    )
    assert first == again
    assert len(set(first)) == len(titles)


def test_findings_without_a_place_are_merged_only_when_they_quote_the_same():
    same = {"path": "no.py", "title": "The lock is never released"}
    quotes = ("first.acquire()", "second.acquire()", "second.acquire()")
    found = placed(*(finding(**same, existing_code=quote) for quote in quotes)).findings
    assert sorted((each.existing_code, each.merged) for each in found) == [
        ("first.acquire()", 0),
        ("second.acquire()", 1),
    ]


def test_a_line_behind_the_path_stands_in_for_a_missing_one():
    trees = Trees(head={"a.py": ["x", "y", "z"]})
    by_path, given = placed_in(
        [],
        trees,
        finding(path="a.py:2-3", line=None),
        finding(path="a.py#L3", line=1, title="other", explanation="different"),
    )
    assert {(by_path.line, by_path.end_line), (given.line, given.end_line)} == {(2, 3), (1, None)}


@pytest.mark.parametrize("name", ["c:evil.py", "src\\\\evil.py", "ev\\xffil.py", "link", "library"])
def test_what_no_tool_can_read_keeps_its_place(name):
    """An odd name, a link that leads nowhere, a submodule: the tree or the change knows it, without text."""

    class Unreadable(Trees):
        def head_lines(self, _path):
            return None

    changed = added(name, "code()", addressable=False)
    [found] = placed_in([changed], Unreadable(head={name: []}), finding(path=name, line=1))
    assert (found.path, found.line, found.side, found.in_diff) == (name, 1, Side.RIGHT, True)
    [unchanged] = placed_in([], Unreadable(head={name: []}), finding(path=name, line=1))
    assert (unchanged.anchor, unchanged.side, unchanged.counts) == ("file_level", Side.RIGHT, False)


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


LONG = "result = compute(first, second)"
OTHERS = "other_result = compute(third, fourth)"


def added(path, *lines, status=FileStatus.ADDED, **fields):
    rows = tuple(HunkLine(LineKind.ADDED, line, None, number) for number, line in enumerate(lines, start=1))
    hunk = Hunk(0, 0, 1, len(rows), "", rows)
    return ChangedFile(path=path, status=status, header="", hunks=(hunk,), **fields)


def removed(path, *lines, status=FileStatus.DELETED, **fields):
    rows = tuple(HunkLine(LineKind.REMOVED, line, number, None) for number, line in enumerate(lines, start=1))
    hunk = Hunk(1, len(rows), 0, 0, "", rows)
    return ChangedFile(path=path, status=status, header="", hunks=(hunk,), **fields)


def reviewed(files, trees, *findings, **options):
    submission = Submission(summary="s", findings=list(findings), notes=[])
    return place(submission, Diff(SHA, SHA, tuple(files)), trees, options.pop("mask", str), **options)


def placed_in(files, trees, *findings, **options):
    return reviewed(files, trees, *findings, **options).findings


def test_the_quote_decides_and_the_line_is_a_hint():
    [found] = placed(finding(existing_code="new", line=1)).findings
    assert (found.line, found.anchor, found.in_diff, found.on_added_line) == (3, "hunk", True, True)


def test_a_quoted_range_has_its_end():
    [found] = placed(finding(existing_code="two\nnew\nthree", line=1)).findings
    assert (found.line, found.end_line) == (2, 4)
    assert (found.in_diff, found.on_added_line) == (True, True)


def test_a_range_that_reaches_into_a_hunk_is_in_the_diff():
    inside, outside = placed(
        finding(existing_code="one\ntwo", title="in"), finding(existing_code="four", title="out", line=None)
    ).findings
    assert (inside.anchor, inside.line, inside.in_diff, inside.on_added_line) == ("file", 1, True, False)
    assert (outside.anchor, outside.line, outside.in_diff) == ("file", 5, False)


@pytest.mark.parametrize(
    ("line", "end", "expected"), [(2, 4, 4), (2, 3, 3), (2, 2, 3), (2, 99, 3), (1, 4, 3), (None, 4, 3)]
)
def test_a_later_end_counts_only_where_the_finding_began_as_it_said(line, end, expected):
    [found] = placed(finding(existing_code="two\nnew", line=line, end_line=end)).findings
    assert (found.line, found.end_line) == (2, expected)


def test_an_end_line_that_nothing_proves_does_not_reach_into_the_diff():
    """Line 1 is outside; that the reviewer says "to line 5" must not make it gate."""
    [found] = placed(finding(line=1, end_line=5)).findings
    assert (found.line, found.end_line, found.in_diff) == (1, 5, False)


def test_a_removed_line_is_not_an_added_one_of_the_same_number():
    rows = (HunkLine(LineKind.REMOVED, "old()", 1, None), HunkLine(LineKind.ADDED, "new()", None, 1))
    file = ChangedFile("a.py", FileStatus.MODIFIED, "", hunks=(Hunk(1, 1, 1, 1, "", rows),))
    [found] = placed_in(
        [file], Trees(head={"a.py": ["new()"]}), finding(path="a.py", existing_code="old()", line=1)
    )
    assert (found.side, found.in_diff, found.on_added_line) == (Side.LEFT, True, False)


def test_a_removed_line_is_placed_on_the_left():
    files = [removed("a.py", LONG, status=FileStatus.MODIFIED)]
    trees = Trees(head={"a.py": ["kept"]})
    [found] = placed_in(files, trees, finding(path="a.py", existing_code=LONG, line=40))
    assert (found.side, found.line, found.anchor) == (Side.LEFT, 1, "old")
    assert (found.in_diff, found.on_added_line) == (True, False)
    assert found.excerpt.lines == (LONG,)


def test_alternatives_are_told():
    trees = Trees(head={"a.py": ["x()", "y()", "x()"]})
    [found] = placed_in([], trees, finding(path="a.py", existing_code="x()", line=2))
    assert (found.anchor, found.line, found.alternatives) == (
        "ambiguous",
        1,
        (Place(side=Side.RIGHT, line=3),),
    )


def test_a_quote_that_is_nowhere_keeps_the_line_unverified():
    [found] = placed(finding(existing_code="nowhere", line=2)).findings
    assert (found.anchor, found.line, found.end_line) == ("unverified", 2, None)


def test_a_quote_that_is_nowhere_without_a_line_is_about_the_file():
    [found] = placed(finding(existing_code="nowhere", line=99)).findings
    assert (found.anchor, found.line, found.in_diff, found.excerpt) == ("file_level", None, True, None)


def test_evidence_that_is_code_stands_in_for_a_missing_quote():
    trees = Trees(head={"a.py": ["x", LONG]})
    for quote in (None, "", " \n"):
        [found] = placed_in(
            [], trees, finding(path="a.py", evidence=f"`{LONG}`", existing_code=quote, line=1)
        )
        assert (found.anchor, found.line) == ("file", 2)


@pytest.mark.parametrize("evidence", ["x", "result = compute(first, second) is slow", "a" * 40])
def test_evidence_that_is_short_or_no_code_says_nothing_about_the_line(evidence):
    trees = Trees(head={"a.py": ["y", LONG, "x"]})
    [found] = placed_in([], trees, finding(path="a.py", evidence=evidence, line=1))
    assert (found.anchor, found.line) == ("line", 1)


def test_the_quote_counts_before_the_evidence():
    trees = Trees(head={"a.py": [LONG, "x()"]})
    [found] = placed_in([], trees, finding(path="a.py", evidence=LONG, existing_code="x()", line=1))
    assert found.line == 2
    [found] = placed_in([], trees, finding(path="a.py", evidence=LONG, existing_code="z()", line=2))
    assert (found.anchor, found.line) == ("unverified", 2)


TWO = Trees(head={"a.py": ["x", "y"], "b.py": [OTHERS, "", LONG], "c.py": [OTHERS]})
TWO_FILES = [added("a.py", "x", "y"), added("b.py", OTHERS, "", LONG), added("c.py", OTHERS)]


@pytest.mark.parametrize("path", ["a.py", "nowhere.py", "../a.py"])
def test_a_quote_of_exactly_one_other_changed_file_refiles_the_finding(path):
    """Also when the path that was given does not exist; a note says so."""
    review = reviewed(TWO_FILES, TWO, finding(path=path, existing_code=LONG, line=1, title="Slow"))
    [found] = review.findings
    assert (found.path, found.line, found.anchor, found.in_diff) == ("b.py", 3, "hunk", True)
    assert review.notes == (
        f"Reported for {path}, shown in b.py, the only other changed file with the code it quotes: Slow",
    )


@pytest.mark.parametrize(
    ("quote", "status"),
    [(OTHERS, "unverified"), ("not anywhere in this change", "unverified"), (None, "line"), ("x", "hunk")],
)
def test_a_quote_of_several_files_of_none_or_of_the_file_itself_refiles_nothing(quote, status):
    review = reviewed(TWO_FILES, TWO, finding(path="a.py", existing_code=quote, line=1))
    assert [(found.path, found.line, found.anchor) for found in review.findings] == [("a.py", 1, status)]
    assert review.notes == ()


@pytest.mark.parametrize(("length", "path"), [(19, "a.py"), (20, "b.py"), (21, "b.py")])
def test_only_a_quote_of_twenty_characters_refiles(length, path):
    code = "z" * length
    trees = Trees(head={"a.py": ["x"], "b.py": [code]})
    [found] = placed_in([added("b.py", code)], trees, finding(path="a.py", existing_code=code, line=1))
    assert found.path == path


def test_a_quote_of_the_named_file_stays_though_another_patch_holds_it():
    """The code stands in the named file, only not in its hunks."""
    trees = Trees(head={"a.py": ["x", LONG], "b.py": [LONG]})
    review = reviewed([added("b.py", LONG)], trees, finding(path="a.py", existing_code=LONG, line=2))
    assert [(found.path, found.line) for found in review.findings] == [("a.py", 2)]
    assert review.notes == ()


def test_an_unchanged_file_is_no_other_home():
    trees = Trees(head={"a.py": ["x"], "b.py": [LONG]})
    [found] = placed_in([], trees, finding(path="a.py", existing_code=LONG, line=1))
    assert (found.path, found.anchor) == ("a.py", "unverified")


def test_secrets_are_masked_in_the_note_of_a_refiled_finding():
    review = reviewed(
        TWO_FILES,
        TWO,
        finding(path="a.py", existing_code=LONG, title="hunter2"),
        mask=lambda text: text.replace("hunter2", "***"),
    )
    assert "hunter2" not in review.model_dump_json()


def test_the_old_name_of_a_renamed_file_means_the_new_one():
    """Left lines count in the old file, under the new name."""
    files = [removed("new.py", LONG, status=FileStatus.RENAMED, old_path="old.py")]
    trees = Trees(head={"new.py": ["x"]}, base={"old.py": [LONG, "x"]})
    [found] = placed_in(files, trees, finding(path="old.py", existing_code=LONG, line=1))
    assert (found.path, found.side, found.line, found.in_diff) == ("new.py", Side.LEFT, 1, True)


def test_an_old_name_that_is_taken_again_means_the_file_of_that_name():
    files = [removed("new.py", LONG, status=FileStatus.RENAMED, old_path="old.py")]
    trees = Trees(head={"new.py": ["x"], "old.py": ["y"]}, base={"old.py": [LONG]})
    [found] = placed_in(files, trees, finding(path="old.py", existing_code="y", line=1))
    assert found.path == "old.py"


def test_a_file_too_large_to_read_is_placed_by_its_patch():
    """Its head has no lines for us, but the hunks do."""
    trees = Trees(head={"big.py": []})
    lined, quoted = placed_in(
        [added("big.py", "x", LONG)],
        trees,
        finding(path="big.py", existing_code=LONG, line=None),
        finding(path="big.py", line=1, title="other", explanation="different"),
    )
    assert (lined.line, lined.anchor, lined.excerpt.lines) == (1, "line", ("x", LONG))
    assert (quoted.line, quoted.anchor) == (2, "hunk")


def test_what_says_the_same_is_merged():
    review = placed(finding(severity="low"), finding(severity="critical", existing_code="new", line=1))
    assert [(found.severity, found.merged) for found in review.findings] == [(Severity.CRITICAL, 1)]


def test_fingerprints_are_of_masked_code():
    """A digest of a secret could be searched for."""
    one, other = (
        placed_in(
            [],
            Trees(head={"a.py": [f"key = {secret}"]}),
            finding(path="a.py", line=1),
            mask=lambda text: text.replace("hunter1", "***").replace("hunter2", "***"),
        )[0]
        for secret in ("hunter1", "hunter2")
    )
    assert one.fingerprint == other.fingerprint


def test_the_fingerprint_is_of_the_line_the_quote_or_the_title():
    """In that order; the line number is no part of it."""
    by_line, by_quote, same_line = (
        placed(finding(**fields)).findings[0].fingerprint
        for fields in ({"line": 3}, {"existing_code": "new", "line": 1}, {"line": 3, "title": "other"})
    )
    assert by_line == by_quote == same_line
    unverified = {"existing_code": "gone", "title": "a"}
    at_3, at_4 = (placed(finding(line=line, **unverified)).findings[0].fingerprint for line in (3, 4))
    assert at_3 == at_4 != by_line
    whole, other = (placed(finding(line=None, title=title)).findings[0].fingerprint for title in "ab")
    assert whole != other


def test_a_rule_keeps_its_lines_and_its_findings():
    """Deterministic findings are not moved, not merged, and need no quote."""
    trees = Trees(head={"a.py": ["x = 1", LONG, "x = 1", LONG, "}", "}"]})
    findings = [
        rule_finding(path="a.py", line=3, existing_code="x = 1", title="same"),
        rule_finding(path="a.py", line=3, existing_code="x = 1", title="same"),
        rule_finding(path="a.py", line=1, evidence=LONG),
        rule_finding(path="a.py", line=5, existing_code="}"),
        rule_finding(path="a.py", line=6, existing_code="nowhere to be found at all"),
    ]
    found = placed_in([], trees, *findings)
    assert [(each.line, each.anchor, each.merged) for each in found] == [
        (1, "line", 0),
        (3, "file", 0),
        (3, "file", 0),
        (5, "file", 0),
        (6, "line", 0),
    ]
    assert len({each.fingerprint for each in found}) == 5


def test_a_rule_is_never_refiled():
    review = reviewed(TWO_FILES, TWO, rule_finding(path="a.py", existing_code=LONG, line=1))
    assert [(found.path, found.anchor) for found in review.findings] == [("a.py", "line")]


def test_an_excerpt_holds_only_lines_that_are_known():
    """Two hunks with a line between them that nobody has read."""
    rows = [HunkLine(LineKind.ADDED, f"line {number}", None, number) for number in (1, 2, 4, 5)]
    file = ChangedFile(
        path="big.py", status=FileStatus.MODIFIED, header="", hunks=(Hunk(0, 0, 1, 4, "", tuple(rows)),)
    )
    [found] = placed_in([file], Trees(head={"big.py": []}), finding(path="big.py", line=4))
    assert (found.excerpt.start_line, found.excerpt.lines) == (4, ("line 4", "line 5"))


def test_a_rule_is_named_on_its_finding():
    """Each rule on its own finding, also where two rules say the same of one line."""
    both = [rule_finding(rule, path="a.py", title="T", line=1) for rule in ("F821", "S105")]
    found = reviewed(TWO_FILES, TWO, *both, finding(path="c.py", line=1)).findings
    assert [(one.path, one.rule) for one in found] == [("a.py", "F821"), ("a.py", "S105"), ("c.py", None)]


def test_a_rule_without_its_file_has_no_place():
    [found] = placed_in(TWO_FILES, TWO, rule_finding(path="nowhere.py", existing_code=LONG))
    assert (found.path, found.anchor, found.rule) == ("nowhere.py", "unplaced", "F821")


def test_an_ambiguous_finding_is_in_the_diff_when_one_of_its_places_is():
    """A removed guard that also stands elsewhere must not leave the diff, where nothing gates it."""
    guard = "if order.customer is None:"
    rows = [HunkLine(LineKind.CONTEXT, "def label():", 3, 3), HunkLine(LineKind.REMOVED, guard, 4, None)]
    file = ChangedFile(
        path="a.py", status=FileStatus.MODIFIED, header="", hunks=(Hunk(3, 2, 3, 1, "", tuple(rows)),)
    )
    head = ["def discount():", guard, "def label():", "end"]
    trees = Trees(head={"a.py": head}, base={"a.py": [head[0], guard, head[2], guard, "end"]})
    [found] = placed_in([file], trees, finding(path="a.py", existing_code=guard, line=4))
    assert (found.anchor, found.in_diff) == ("ambiguous", True)


def test_the_old_name_of_a_renamed_file_is_kept_for_its_removed_lines():
    rows = [HunkLine(LineKind.REMOVED, "gone = 1", 1, None), HunkLine(LineKind.CONTEXT, "kept = 1", 2, 1)]
    file = ChangedFile(
        path="new.py",
        old_path="old.py",
        status=FileStatus.RENAMED,
        header="",
        hunks=(Hunk(1, 2, 1, 1, "", tuple(rows)),),
    )
    trees = Trees(head={"new.py": ["kept = 1"]}, base={"old.py": ["gone = 1", "kept = 1"]})
    [found] = placed_in([file], trees, finding(path="new.py", existing_code="gone = 1", line=1))
    assert (found.side, found.path, found.base_path) == (Side.LEFT, "new.py", "old.py")
