"""Every finding of an earlier review is unchanged, resolved or not seen, and nothing is guessed."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.change import ChangedFile, Diff, FileStatus, Hunk, HunkLine, LineKind, PullRequest
from pr_review.domain.finding import (
    AnchorStatus,
    BaselineState,
    Edit,
    Excerpt,
    Finding,
    Review,
    Severity,
    Side,
    SuppressedFinding,
)
from pr_review.domain.run import (
    Comparison,
    Conclusion,
    Coverage,
    CoverageStatus,
    FileCoverage,
    Outcome,
)
from pr_review.findings.baseline import (
    Baseline,
    baseline_notes,
    code_of,
    compare,
    find_code_gone,
    take_baseline,
    why_unusable,
    with_baseline_states,
)

SHA = "0" * 40
NOTHING = Review(summary="s")


def finding(fingerprint="f", **fields):
    base = {
        "severity": Severity.HIGH,
        "title": "t",
        "explanation": "e",
        "path": "a.py",
        "line": 2,
        "evidence": "e",
        "recommendation": "r",
        "existing_code": "two()",
        "anchor": AnchorStatus.HUNK,
        "fingerprint": fingerprint,
    }
    return Finding(**base | fields)


@dataclass
class Trees:
    """Head and merge base; ``None`` in the head is a file that is no text."""

    head: dict = field(default_factory=dict)
    base: dict = field(default_factory=dict)

    def head_lines(self, path):
        return None if path not in self.head else self.head[path] or ()

    def base_lines(self, path):
        return self.base.get(path)

    def head_text(self, path):
        lines = self.head.get(path)
        return None if lines is None else "".join(f"{line}\n" for line in lines)


def hunk(*lines, start=1):
    """Lines with their marker, counted from ``start`` on both sides."""
    old = new = start - 1
    shown = []
    for marked in lines:
        kind = LineKind(marked[0])
        old, new = old + (kind is not LineKind.ADDED), new + (kind is not LineKind.REMOVED)
        sides = (None if kind is LineKind.ADDED else old, None if kind is LineKind.REMOVED else new)
        shown.append(HunkLine(kind, marked[1:], *sides))
    return Hunk(start, old - start + 1, start, new - start + 1, "", tuple(shown))


def diff(*hunks, path="a.py", status=FileStatus.MODIFIED):
    return Diff(SHA, SHA, (ChangedFile(path=path, status=status, header="", hunks=hunks),))


def gone(known, change, trees, *, review=NOTHING, mask=lambda line: line):
    return bool(find_code_gone(Baseline(SHA, (known,)), review, change, trees, mask))


CHANGE = diff(hunk(" one()", "+two()", " three()"))
HEAD = ["one()", "two()", "three()"]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (HEAD, False),
        (["two()", "one()", "three()"], False),
        (["one()", "  two( )", "three()"], False),
        (["one()", "# two()", "three()"], True),
        (["one()", "three()"], True),
    ],
    ids=["there", "elsewhere in the file", "other white space", "changed", "removed"],
)
def test_code_is_gone_when_it_stands_nowhere_in_the_file(head, expected):
    change = diff(hunk(*(f"+{line}" for line in head)))
    assert gone(finding(), change, Trees({"a.py": head})) is expected


def test_a_file_outside_the_change_says_nothing():
    assert not gone(finding(path="b.py"), CHANGE, Trees({"a.py": HEAD, "b.py": ["one()"]}))


def test_a_file_that_is_no_text_says_nothing():
    """Or one beyond 1 MiB: only its hunks are known."""
    assert not gone(finding(), diff(hunk("+one()")), Trees({"a.py": None}))


def test_an_empty_file_holds_nothing():
    assert gone(finding(), diff(hunk("-two()")), Trees({"a.py": []}))


def test_a_deleted_file_holds_nothing():
    deleted = diff(hunk("-one()", "-two()"), status=FileStatus.DELETED)
    assert gone(finding(), deleted, Trees(base={"a.py": ["one()", "two()"]}))


def test_what_was_reported_again_is_not_gone():
    """Its code may have been rewritten: the fingerprint decides."""
    again = Review(summary="s", findings=(finding(),))
    silenced = Review(summary="s", suppressed=(SuppressedFinding(finding=finding(), reason="r"),))
    change, trees = diff(hunk("+one()")), Trees({"a.py": ["one()"]})
    assert gone(finding(), change, trees)
    assert not gone(finding(), change, trees, review=again)
    assert not gone(finding(), change, trees, review=silenced)


def test_removed_code_is_gone_when_nothing_removes_it():
    known = finding(side=Side.LEFT, anchor=AnchorStatus.OLD)
    kept = diff(hunk(" one()", " two()", "+three()"))
    assert not gone(known, diff(hunk(" one()", "-two()", "+three()")), Trees({"a.py": ["one()", "three()"]}))
    assert gone(known, kept, Trees({"a.py": HEAD}))


def test_code_of_the_head_is_gone_when_only_a_hunk_removes_it():
    assert gone(finding(), diff(hunk(" one()", "-two()")), Trees({"a.py": ["one()"]}))


def test_a_quote_that_goes_on_in_another_hunk_is_not_gone():
    """It was placed on its longer part then, and still would be."""
    known = finding(existing_code="one()\ntwo()")
    change = diff(hunk("+one()"), hunk("+two()", start=9))
    head = ["one()", *("x" * 7), "two()"]
    assert not gone(known, change, Trees({"a.py": head}))


def test_a_masked_quote_is_compared_with_masked_code():
    known = finding(existing_code='key = "****"')
    head = ['key = "secret"']
    change = diff(hunk(f"+{head[0]}"))
    assert not gone(known, change, Trees({"a.py": head}), mask=lambda line: line.replace("secret", "****"))
    assert gone(known, diff(hunk("+key = load()")), Trees({"a.py": ["key = load()"]}))


def test_masked_code_outside_the_hunks_too():
    """In the head, and in the merge base of a deleted file."""
    known = finding(existing_code='key = "****"')
    lines = ["one()", 'key = "secret"']
    mask = {"mask": lambda line: line.replace("secret", "****")}
    assert not gone(known, diff(hunk("+one()")), Trees({"a.py": lines}), **mask)
    old = known.model_copy(update={"side": Side.LEFT, "anchor": AnchorStatus.OLD})
    deleted = diff(status=FileStatus.DELETED)
    assert not gone(old, deleted, Trees(base={"a.py": lines}), **mask)
    assert gone(old, deleted, Trees(base={"a.py": lines[:1]}), **mask)


def test_masked_code_of_a_hunk_too():
    """On the old side there is nothing else."""
    known = finding(existing_code='key = "****"', side=Side.LEFT, anchor=AnchorStatus.OLD)
    change = diff(hunk('-key = "secret"', "+key = load()"))
    trees = Trees({"a.py": ["key = load()"]})
    assert not gone(known, change, trees, mask=lambda line: line.replace("secret", "****"))


EXCERPT = Excerpt(start_line=1, lines=("one()", "two()", "three()"))


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "two()"),
        ({"anchor": AnchorStatus.AMBIGUOUS}, "two()"),
        ({"anchor": AnchorStatus.UNVERIFIED}, ""),
        ({"anchor": AnchorStatus.FILE_LEVEL, "line": None}, ""),
        ({"existing_code": None}, ""),
        ({"existing_code": " \n", "excerpt": EXCERPT}, "two()"),
        ({"existing_code": None, "excerpt": EXCERPT, "end_line": 3}, "two()\nthree()"),
        ({"existing_code": None, "excerpt": EXCERPT, "end_line": 4}, ""),
        ({"existing_code": None, "excerpt": Excerpt(start_line=2, lines=("x" * 239,))}, "x" * 239),
        ({"existing_code": None, "excerpt": Excerpt(start_line=2, lines=("x" * 240,))}, ""),
        ({"existing_code": None, "excerpt": Excerpt(start_line=2, lines=("",))}, ""),
        ({"existing_code": None, "excerpt": EXCERPT, "end_line": 10**9}, ""),
        ({"existing_code": None, "excerpt": EXCERPT, "end_line": 10**15}, ""),
        ({"existing_code": None, "excerpt": EXCERPT, "line": 10**15}, ""),
        ({"existing_code": None, "excerpt": EXCERPT, "line": 10**15, "end_line": 10**15 + 1}, ""),
        ({"existing_code": None, "excerpt": EXCERPT, "line": -(10**15)}, ""),
        ({"existing_code": None, "excerpt": EXCERPT, "end_line": 1}, ""),
        ({"existing_code": None, "excerpt": Excerpt(start_line=10**15, lines=("x",))}, ""),
    ],
)
def test_the_code_of_a_finding_is_its_quote_or_all_its_lines_of_the_excerpt(fields, code):
    """Never a part: what the excerpt may have cut proves nothing. No number becomes a size."""
    assert code_of(finding(**fields)) == code


def test_without_code_nothing_is_gone():
    known = finding(existing_code=None)
    assert not gone(known, CHANGE, Trees({"a.py": ["one()"]}))


def test_findings_are_marked_suppressed_ones_too():
    review = Review(
        summary="s",
        findings=(finding("a"), finding("b")),
        suppressed=(SuppressedFinding(finding=finding("c"), reason="r"),),
    )
    marked = with_baseline_states(review, Baseline(SHA, (finding("a"), finding("c"))))
    assert [found.baseline_state for found in marked.findings] == [BaselineState.UNCHANGED, BaselineState.NEW]
    assert [each.finding.baseline_state for each in marked.suppressed] == [BaselineState.UNCHANGED]


def covered(path="a.py", status=CoverageStatus.REVIEWED):
    return Coverage(files=(FileCoverage(path=path, status=status),))


@pytest.mark.parametrize(
    ("gone_ones", "coverage", "resolved"),
    [
        ({"f"}, covered(), True),
        (set(), covered(), False),
        ({"f"}, covered(status=CoverageStatus.EXCLUDED), False),
        ({"f"}, covered(status=CoverageStatus.NOT_REVIEWED), False),
        ({"f"}, covered("b.py"), False),
        ({"f"}, Coverage(), False),
    ],
)
def test_resolved_needs_a_reviewed_file_without_the_code(gone_ones, coverage, resolved):
    compared = compare(NOTHING, Baseline(SHA, (finding(),)), frozenset(gone_ones), coverage)
    assert [found.baseline_state for found in compared.resolved] == [BaselineState.RESOLVED] * resolved
    assert [found.baseline_state for found in compared.not_seen] == [BaselineState.NOT_SEEN] * (not resolved)


def test_without_a_review_everything_known_is_not_seen():
    compared = compare(None, Baseline(SHA, (finding(),)), frozenset(), Coverage())
    assert (compared.head_sha, compared.new, compared.unchanged) == (SHA, 0, 0)
    assert [found.fingerprint for found in compared.not_seen] == ["f"]


NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(NAMES, NAMES, NAMES, st.sets(st.sampled_from("abcdefgh")))
def test_every_known_finding_has_exactly_one_fate(known, reported, silenced, gone_ones):
    baseline = Baseline(SHA, tuple(map(finding, known)))
    review = with_baseline_states(
        Review(
            summary="s",
            findings=tuple(finding(name) for name in reported if name not in silenced),
            suppressed=tuple(SuppressedFinding(finding=finding(name), reason="r") for name in silenced),
        ),
        baseline,
    )
    compared = compare(review, baseline, frozenset(gone_ones), covered())
    resolved = {found.fingerprint for found in compared.resolved}
    not_seen = {found.fingerprint for found in compared.not_seen}
    here = set(reported) | set(silenced)
    assert resolved | not_seen == set(known) - here
    assert resolved & not_seen == set()
    assert resolved <= gone_ones
    assert compared.new + compared.unchanged == len(review.findings)
    assert compared.new == len(set(reported) - set(silenced) - set(known))


def pull_request(number=7, url="https://github.com/o/r/pull/7"):
    return PullRequest(
        url=url,
        owner="o",
        repository="r",
        number=number,
        title="",
        body="",
        author="",
        base_ref="main",
        head_ref="topic",
        base_sha=SHA,
        head_sha="1" * 40,
    )


LOCAL = pull_request(number=0, url="")


def earlier(**fields):
    base = {"conclusion": Conclusion.FINDINGS, "exit_code": 0, "provider": "offline", "review": NOTHING}
    return Outcome(**base | {"pull_request": pull_request()} | fields)


def carried_on(*names):
    return Comparison(head_sha=SHA, not_seen=tuple(map(finding, names)))


@pytest.mark.parametrize(
    ("outcome", "problem"),
    [
        (earlier(), ""),
        (earlier(review=None, comparison=carried_on("a")), ""),
        (earlier(pull_request=pull_request(url="https://GitHub.com/O/R/pull/1")), ""),
        (earlier(pull_request=None), "it is of a run that ended before its review"),
        (earlier(review=None), "it is of a run that ended before its review"),
        (
            earlier(pull_request=pull_request(url="https://github.com/o/s/pull/7")),
            "it is of another repository",
        ),
        (earlier(pull_request=LOCAL), "it is of another repository"),
    ],
)
def test_a_baseline_is_a_review_of_the_same_repository(outcome, problem):
    """In any case of its letters, and of any pull request."""
    assert why_unusable(outcome, pull_request()) == problem


def test_a_local_review_takes_any_baseline():
    """A person picks the file, and a local review has no server to compare with."""
    assert why_unusable(earlier(), LOCAL) == ""
    assert why_unusable(earlier(pull_request=LOCAL), LOCAL) == ""


def test_known_is_what_was_reported_suppressed_or_carried_on():
    """In this order; of one fingerprint the first counts, and a finding without one is not known."""
    review = Review(
        summary="s",
        findings=(finding("a", title="reported"), finding("")),
        suppressed=(SuppressedFinding(finding=finding("b"), reason="r"),),
    )
    comparison = Comparison(head_sha=SHA, not_seen=(finding("c"), finding("a", title="carried on")))
    baseline = take_baseline(earlier(review=review, comparison=comparison))
    assert baseline.head_sha == "1" * 40
    assert [(found.fingerprint, found.title) for found in baseline.findings] == [
        ("a", "reported"),
        ("b", "t"),
        ("c", "t"),
    ]
    assert baseline.fingerprints == {"a", "b", "c"}


def test_a_known_finding_has_no_edit():
    """The edit is one of the earlier head."""
    edit = Edit(start_line=1, removed=("a",), added=("b",))
    outcome = earlier(review=Review(summary="s", findings=(finding(edit=edit),)))
    assert [found.edit for found in take_baseline(outcome).findings] == [None]


@pytest.mark.parametrize(
    ("number", "kept", "notes"),
    [
        (399, 399, []),
        (400, 400, []),
        (401, 400, ["The baseline knows 1 findings more than are kept; those are new if they are found."]),
    ],
)
def test_at_most_400_findings_are_known(number, kept, notes):
    outcome = earlier(comparison=carried_on(*map(str, range(number))))
    assert len(take_baseline(outcome).findings) == kept
    assert list(baseline_notes(outcome, pull_request())) == notes


@pytest.mark.parametrize(
    ("here", "notes"),
    [
        (pull_request(), []),
        (LOCAL, []),
        (pull_request(number=8), ["The baseline is of pull request 7, not of this one."]),
    ],
)
def test_the_baseline_of_another_pull_request_is_noted(here, notes):
    assert list(baseline_notes(earlier(), here)) == notes
