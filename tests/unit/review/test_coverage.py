"""Coverage: every changed file ends reviewed, or listed with its reason."""

from pr_review.domain.change import ChangedFile, Diff, FileStatus, Hunk
from pr_review.domain.chat import HunkId
from pr_review.domain.run import CoverageStatus
from pr_review.review.coverage import UNSEEN, Seen, build_coverage

SHA = "0" * 40


def changed(path, hunks=1, **fields):
    hunk = Hunk(old_start=1, old_count=1, new_start=1, new_count=1, text="@@\n", lines=())
    return ChangedFile(path=path, status=FileStatus.MODIFIED, header="", hunks=(hunk,) * hunks, **fields)


DIFF = Diff(
    merge_base_sha=SHA,
    head_sha=SHA,
    files=(changed("a.py", 2), changed("b.py"), changed("x.lock"), changed("mode.sh", 0)),
)
ALL = {
    HunkId(path=path, index=index) for path, index in [("a.py", 0), ("a.py", 1), ("b.py", 0), ("mode.sh", 0)]
}


def test_a_file_without_hunks_is_reviewed_once_its_header_was_shown():
    """A rename can make a text file a workflow."""
    coverage, files = cover(ALL - {HunkId(path="mode.sh", index=0)})
    assert files["mode.sh"] == ("not_reviewed", UNSEEN)
    assert not coverage.complete


def cover(shown=ALL, diff=DIFF, excluded=None, **options):
    seen = [Seen("find-1", shown)]
    coverage = build_coverage(diff, excluded or {"x.lock": "lock file"}, seen, **options)
    return coverage, {file.path: (file.status.value, file.reason) for file in coverage.files}


def test_a_file_is_reviewed_when_every_hunk_reached_the_model():
    coverage, files = cover()
    assert files == {
        "a.py": ("reviewed", None),
        "b.py": ("reviewed", None),
        "x.lock": ("excluded", "lock file"),
        "mode.sh": ("reviewed", None),
    }
    assert coverage.complete
    assert [coverage.count(status) for status in CoverageStatus] == [3, 1, 0]


def test_one_hunk_that_was_not_shown_leaves_the_file_unreviewed():
    coverage, files = cover(ALL - {HunkId(path="a.py", index=1)})
    assert files["a.py"] == ("not_reviewed", "1 of 2 hunks never reached the model")
    assert not coverage.complete


def test_without_a_final_review_nothing_counts_as_reviewed():
    coverage, files = cover(unfinished="the review did not finish (max_rounds)")
    assert {status for status, _ in files.values()} == {"not_reviewed", "excluded"}
    assert files["b.py"][1] == "the review did not finish (max_rounds)"
    assert not coverage.complete


def test_an_oversized_patch_is_said():
    diff = Diff(merge_base_sha=SHA, head_sha=SHA, files=(changed("big.py", 0, oversized=True),))
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
    assert (files["a.py"], files["x.lock"]) == (("not_reviewed", "stopped"), ("excluded", "lock file"))


def test_a_check_that_did_not_run_leaves_its_file_unreviewed_and_no_other():
    reasons = {"a.py": "ruff did not run: it crashed", "x.lock": "r"}
    coverage, files = cover(not_run=reasons, checks={"a.py": ("secrets",)}, in_part={"a.py"})
    assert files["a.py"] == ("not_reviewed", "ruff did not run: it crashed")
    assert (files["b.py"], files["x.lock"]) == (("reviewed", None), ("excluded", "lock file"))
    assert coverage.files[0].checks == ("secrets",)
    assert not coverage.complete


def hunks(*places):
    return {HunkId(path=path, index=index) for path, index in places}


def cover_by(*seen):
    coverage = build_coverage(DIFF, {"x.lock": "lock file"}, seen)
    return {file.path: (file.status.value, file.reason, file.conversations) for file in coverage.files}


def test_hunks_may_have_reached_different_conversations():
    """A large file is split between conversations; together they saw it whole."""
    files = cover_by(
        Seen("find-1", hunks(("a.py", 0), ("mode.sh", 0))), Seen("find-2", hunks(("a.py", 1), ("b.py", 0)))
    )
    assert files["a.py"] == ("reviewed", None, ("find-1", "find-2"))
    assert files["b.py"] == ("reviewed", None, ("find-2",))


def test_a_conversation_that_failed_covers_nothing_and_says_why():
    failed = Seen("find-2", hunks(("b.py", 0), ("a.py", 1)), "the review did not finish (provider_timeout)")
    files = cover_by(Seen("find-1", hunks(("a.py", 0), ("a.py", 1))), failed)
    assert files["a.py"] == ("reviewed", None, ("find-1",))
    assert files["b.py"] == ("not_reviewed", "the review did not finish (provider_timeout)", ())
    assert files["mode.sh"] == ("not_reviewed", UNSEEN, ())
