"""Coverage: every changed file ends reviewed, or listed with its reason."""

from pr_review.domain.change import ChangedFile, Diff, FileStatus, Hunk, HunkLine, LineKind
from pr_review.domain.run import CoverageStatus, Unreviewed
from pr_review.domain.shown import NOTHING_SHOWN, ShownLines
from pr_review.review.coverage import Seen, build_coverage

SHA = "0" * 40
ADDED = HunkLine(LineKind.ADDED, "x", None, 1)
CONTEXT = HunkLine(LineKind.CONTEXT, "x", 1, 1)


def changed(path, hunks=1, **fields):
    """Each hunk is a line of context, two added lines and another line of context."""
    hunk = Hunk(1, 2, 1, 4, "@@ -1,2 +1,4 @@\n x\n+x\n+x\n x\n", (CONTEXT, ADDED, ADDED, CONTEXT))
    facts = {"additions": 2 * hunks} | fields
    return ChangedFile(path=path, status=FileStatus.MODIFIED, header="", hunks=(hunk,) * hunks, **facts)


DIFF = Diff(
    merge_base_sha=SHA,
    head_sha=SHA,
    files=(changed("a.py", 2), changed("b.py"), changed("x.lock"), changed("mode.sh", 0)),
)


def lines(*places):
    """The header and some lines of each patch: (path, first, one after the last)."""
    return ShownLines.union(
        part
        for path, start, stop in places
        for part in (ShownLines.of(path, 0, 1), ShownLines.of(path, start, stop))
    )


SENT = "changed lines had been sent to the reviewer"
A, B, MODE = lines(("a.py", 1, 9)), lines(("b.py", 1, 5)), lines(("mode.sh", 0, 1))
ALL = A | B | MODE


def test_a_file_without_hunks_is_reviewed_once_its_header_was_shown():
    """A rename can make a text file a workflow."""
    coverage, files = cover(A | B)
    assert files["mode.sh"] == ("not_reviewed", Unreviewed.HEADER)
    assert not coverage.complete


def answered(name, shown):
    return Seen(name, shown, shown)


def cover(shown=ALL, diff=DIFF, excluded=None, **options):
    coverage = build_coverage(
        diff, excluded or {"x.lock": "lock file"}, [answered("find-1", shown)], **options
    )
    return coverage, {file.path: (file.status.value, file.reason) for file in coverage.files}


def test_a_file_is_reviewed_when_every_changed_line_was_shown():
    coverage, files = cover()
    assert files == {
        "a.py": ("reviewed", None),
        "b.py": ("reviewed", None),
        "x.lock": ("excluded", "lock file"),
        "mode.sh": ("reviewed", None),
    }
    assert coverage.complete
    assert [coverage.count(status) for status in CoverageStatus] == [3, 1, 0]


def test_lines_of_context_need_not_be_shown():
    _, files = cover(lines(("a.py", 2, 4), ("a.py", 6, 8)) | B | MODE)
    assert files["a.py"] == ("reviewed", None)


def test_a_file_that_was_shown_in_part_says_how_many_lines_are_missing():
    """Header and context count for nothing, and it does not matter in how many pieces the rest was shown."""
    for shown, missing in (
        (lines(("a.py", 1, 5)), 2),
        (lines(("a.py", 1, 3)), 3),
        (lines(("a.py", 1, 3), ("a.py", 7, 8)), 2),
        (lines(("a.py", 1, 7)), 1),
        (lines(("a.py", 1, 2), ("a.py", 4, 6), ("a.py", 8, 9)), 4),
        (NOTHING_SHOWN, 4),
    ):
        coverage, files = cover(shown | B | MODE)
        assert files["a.py"] == ("not_reviewed", f"{missing} of 4 {Unreviewed.UNSEEN}")
        assert not coverage.complete


def test_a_line_that_was_cut_is_not_reviewed_and_says_why():
    _, files = cover(lines(("a.py", 1, 3), ("a.py", 4, 9)) | ShownLines.of_cut("a.py", 3) | B | MODE)
    assert files["a.py"] == ("not_reviewed", f"1 of 4 {Unreviewed.TOO_LONG}")
    _, files = cover(lines(("a.py", 1, 3)) | ShownLines.of_cut("a.py", 3) | B | MODE)
    assert files["a.py"] == (
        "not_reviewed",
        f"2 of 4 {Unreviewed.UNSEEN}; 1 of 4 {Unreviewed.TOO_LONG}",
    )


def test_a_line_that_was_cut_and_later_shown_whole_is_reviewed():
    _, files = cover(A | ShownLines.of_cut("a.py", 3) | B | MODE)
    assert files["a.py"] == ("reviewed", None)


def test_without_a_final_review_nothing_counts_as_reviewed():
    coverage, files = cover(unfinished="the review did not finish (max_rounds)")
    assert {status for status, _ in files.values()} == {"not_reviewed", "excluded"}
    assert files["b.py"][1] == f"the review did not finish (max_rounds); 2 of 2 {SENT}"
    assert not coverage.complete


def test_an_oversized_patch_is_said():
    diff = Diff(merge_base_sha=SHA, head_sha=SHA, files=(changed("big.py", 0, additions=9, oversized=True),))
    assert cover(diff=diff)[1]["big.py"] == ("not_reviewed", "its patch is too large to show")


def test_checks_are_named_on_reviewed_files_only():
    checks = {"a.py": ("ruff", "secrets"), "x.lock": ("secrets",)}
    coverage, _ = cover(checks=checks)
    assert [file.checks for file in coverage.files] == [("ruff", "secrets"), (), (), ()]


def test_a_file_reviewed_in_part_says_so():
    """But a reason not to count it at all wins."""
    _, files = cover(in_part={"a.py"})
    assert files["a.py"] == ("reviewed", "only its added lines could be checked")
    assert files["b.py"] == ("reviewed", None)
    _, files = cover(in_part={"a.py", "x.lock"}, unfinished="stopped")
    assert (files["a.py"], files["x.lock"]) == (
        ("not_reviewed", f"stopped; 4 of 4 {SENT}"),
        ("excluded", "lock file"),
    )


def test_a_check_that_did_not_run_leaves_its_file_unreviewed_and_no_other():
    reasons = {"a.py": "ruff did not run: it crashed", "x.lock": "r"}
    coverage, files = cover(not_run=reasons, checks={"a.py": ("secrets",)}, in_part={"a.py"})
    assert files["a.py"] == ("not_reviewed", "ruff did not run: it crashed")
    assert (files["b.py"], files["x.lock"]) == (("reviewed", None), ("excluded", "lock file"))
    assert coverage.files[0].checks == ("secrets",)
    assert not coverage.complete


def cover_by(*seen):
    coverage = build_coverage(DIFF, {"x.lock": "lock file"}, seen)
    return {file.path: (file.status.value, file.reason, file.conversations) for file in coverage.files}


def test_lines_may_have_reached_different_conversations():
    """A large file is split between conversations; together they saw it whole."""
    files = cover_by(
        answered("find-1", lines(("a.py", 1, 3)) | MODE), answered("find-2", lines(("a.py", 3, 9)) | B)
    )
    assert files["a.py"] == ("reviewed", None, ("find-1", "find-2"))
    assert files["b.py"] == ("reviewed", None, ("find-2",))


def test_a_conversation_that_failed_covers_nothing_and_says_why():
    failure = "the review did not finish (provider_timeout)"
    failed = Seen("find-2", NOTHING_SHOWN, lines(("b.py", 1, 3), ("a.py", 5, 9)), failure)
    files = cover_by(answered("find-1", A), failed)
    assert files["a.py"] == ("reviewed", None, ("find-1",))
    assert files["b.py"] == ("not_reviewed", f"{failure}; 1 of 2 {SENT}", ())
    assert files["mode.sh"] == ("not_reviewed", Unreviewed.HEADER, ())


def test_what_was_shown_after_an_answer_does_not_count():
    asked_again = Seen("find-1", A, ALL)
    assert cover_by(asked_again)["b.py"] == ("not_reviewed", f"2 of 2 {Unreviewed.UNSEEN}", ())


def test_files_that_only_github_knows_come_last():
    coverage, files = cover(unlisted=["new.py", "b/c.py"])
    assert [file.path for file in coverage.files][-2:] == ["new.py", "b/c.py"]
    assert files["new.py"] == files["b/c.py"] == ("not_reviewed", Unreviewed.UNLISTED)
    assert not coverage.complete
