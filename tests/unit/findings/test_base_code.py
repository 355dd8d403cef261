"""A suppression covers what its owner has looked at, and no line that the pull request adds beside it."""

import re
from dataclasses import dataclass
from difflib import unified_diff

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.findings.base_code import BaseCode
from pr_review.findings.placement import place
from pr_review.findings.reviewed_files import ReviewedFiles
from pr_review.findings.submission import Submission, SubmittedFinding
from pr_review.git.file_patch import parse_hunks

SHA = "0" * 40


def hide(text):
    """What hides secrets, made simple."""
    return re.sub(r"token-\w+", "…", text)


@dataclass
class Trees:
    """One file, perhaps under another name in the merge base; an empty list is a file that is no text."""

    head: list[str] | None
    base: list[str] | None
    base_path: str = "a.py"

    def head_names(self):
        return ("a.py",)

    def real_path(self, _path):
        return None

    def head_lines(self, path):
        return self.head if path == "a.py" else None

    def base_lines(self, path):
        return self.base if path == self.base_path else None

    def head_text(self, _path):
        return None


def diff(base, head, old_path=None):
    parts = [[f"{line}\n" for line in side or ()] for side in (base, head)]
    hunks = tuple(parse_hunks("".join([*unified_diff(*parts)][2:])))
    status = FileStatus.RENAMED if old_path else FileStatus.MODIFIED
    return Diff(
        SHA, SHA, (ChangedFile(path="a.py", status=status, header="", old_path=old_path, hunks=hunks),)
    )


def find(change, trees, quote, line):
    said = SubmittedFinding(
        severity="high",
        title="t",
        explanation="e",
        path="a.py",
        line=line,
        evidence="",
        recommendation="",
        existing_code=quote,
    )
    submission = Submission(summary="", findings=[said], notes=[])
    return place(submission, change, trees, hide).findings[0]


def fingerprint_in(lines, quote, line):
    """The fingerprint of a finding in a file that the review knows as it stands."""
    return find(diff([], lines), Trees(lines, None), quote, line).fingerprint


def known_as(base, head, quote, line, *, tip=None, old_path=None):
    change, trees = diff(base, head, old_path), Trees(head, base, old_path or "a.py")
    code = BaseCode(ReviewedFiles(change, trees), lambda path: tip if path == "a.py" else None, hide)
    return code.known_as(find(change, trees, quote, line))


CODE = ["def probe(host):", "    call(host, check=False)", "    return True", "# end", "# of", "# it"]
CALL = "    call(host, check=False)"
KNOWN = fingerprint_in(CODE, CALL, 2)


@pytest.mark.parametrize(
    ("head", "line"),
    [
        (["def pay(host):", CALL, "    return 1", *CODE], 2),
        ([*CODE, "def pay(host):", CALL], 8),
        ([*CODE[:1], *CODE[2:], "def moved(host):", CALL], 7),
        (["def other():", "  call( host, check = False )", *CODE[2:]], 2),
        (["if x:", *(f"    {line}" for line in CODE)], 3),
    ],
    ids=["above", "below", "moved", "replaced", "indented"],
)
def test_a_line_that_repeats_what_the_base_holds_is_never_covered(head, line):
    assert known_as(CODE, head, CALL, line) is None


def test_of_two_equal_lines_one_is_the_added_one():
    head = [CODE[0], CALL, CALL, *CODE[2:]]
    assert {known_as(CODE, head, CALL, line) for line in (2, 3)} == {KNOWN, None}


@pytest.mark.parametrize("base", [["x = 1", *CODE[2:]], None])
def test_a_line_that_the_base_does_not_hold_is_covered(base):
    """The suppression was merged to the base while the pull request was open."""
    assert known_as(base, CODE, CALL, 2) == KNOWN


def test_the_tip_of_the_base_counts_like_the_merge_base():
    assert known_as(CODE[2:], CODE, CALL, 2, tip=CODE) is None
    assert known_as(CODE[2:], CODE, CALL, 2, tip=CODE[2:]) == KNOWN


@pytest.mark.parametrize("above", [1, 2, 5])
def test_an_old_line_keeps_its_fingerprint_when_copies_are_added_above(above):
    head = [line for _ in range(above) for line in ("def pay(host):", CALL)] + CODE
    change, trees = diff(CODE, head), Trees(head, CODE)
    assert find(change, trees, CALL, 2 * above + 2).fingerprint != KNOWN
    assert known_as(CODE, head, CALL, 2 * above + 2) == KNOWN


def test_an_old_line_keeps_its_fingerprint_when_a_copy_above_is_removed():
    base = [CALL, "a", "b", "c", "d", *CODE]
    second = fingerprint_in(base, CALL, 7)
    assert second != KNOWN
    assert known_as(base, base[1:], CALL, 6) == second


def test_a_renamed_file_is_compared_with_its_old_name():
    assert known_as(CODE, [*CODE, CALL], CALL, 7, old_path="b.py") is None


def test_another_secret_in_the_same_code_is_not_covered():
    """A report shows both alike, and so does a fingerprint."""
    old, new = "key = 'token-one'", "key = 'token-two'"
    assert known_as([old, *CODE], [new, *CODE], new, 1) is None


def test_a_base_file_that_is_no_text_may_hold_anything():
    change = diff(["x", "y"], ["x", CALL, "y"])
    trees = Trees(["x", CALL, "y"], [])
    code = BaseCode(ReviewedFiles(change, trees), lambda _: None, hide)
    assert code.known_as(find(change, trees, CALL, 2)) is None


def test_a_base_file_that_is_empty_holds_nothing():
    change, trees = diff([], CODE), Trees(CODE, [])
    code = BaseCode(ReviewedFiles(change, trees), lambda _: [], hide)
    assert code.known_as(find(change, trees, CALL, 2)) == KNOWN


def test_a_quote_that_may_mean_an_added_line_is_not_covered():
    """Without a line nobody knows which of the two places is meant."""
    head = ["z", *CODE, "def pay(host):", CALL]
    assert known_as(CODE, head, CALL, None) is None


LINES = st.lists(st.sampled_from(["a = 1", "b = 2", "}", "  a = 1", "f(x)"]), min_size=1, max_size=9)


@given(LINES, LINES)
def test_what_is_covered_is_as_in_the_base_or_is_new_to_it(base, head):
    change, trees = diff(base, head), Trees(head, base)
    code = BaseCode(ReviewedFiles(change, trees), lambda _: base, hide)
    squeezed = ["".join(line.split()) for line in base]
    in_base = {fingerprint_in(base, text, number) for number, text in enumerate(base, start=1)}
    added = change.files[0].added_lines
    for number, text in enumerate(head, start=1):
        found = find(change, trees, text, number)
        if not found.anchor.is_located or found.line != number or found.alternatives:
            continue
        name = code.known_as(found)
        if number not in added:
            assert name in in_base
        else:
            assert (name is None) == ("".join(text.split()) in squeezed)
