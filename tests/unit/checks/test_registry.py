import pytest

from pr_review.checks.registry import run_checks
from pr_review.checks.source import Source

KEY = "AKIA" + "Q7ZB3DXV9KLMN2PT"


def check(source, linter):
    (report,) = run_checks([source], linter)
    return report


def rules(report):
    return [(hit.line, hit.rule) for hit in report.hits]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("a.py", ("conflict-markers", "secrets", "left-overs", "tls-verification", "ruff")),
        ("a.js", ("conflict-markers", "secrets", "left-overs", "tls-verification")),
        ("a.sh", ("conflict-markers", "secrets", "tls-verification")),
        ("a.md", ("conflict-markers", "secrets")),
        ("LICENSE", ("conflict-markers", "secrets")),
    ],
)
def test_the_checks_of_a_file_are_named(linter, make_source, path, names):
    report = check(make_source(path, "x = 1\n"), linter)
    assert report.checks == names
    assert report.failed == ()
    assert report.hits == ()


def test_an_unread_file_gets_what_single_lines_can_prove(linter):
    report = check(Source("a.py", None, {1: "breakpoint()", 2: f"K = '{KEY}'"}), linter)
    assert report.checks == ("conflict-markers", "secrets")
    assert rules(report) == [(2, "secret-aws")]


@pytest.mark.parametrize(
    "text",
    [
        "import requests\nrequests.get(u, verify=False, timeout=1)",
        "import ssl\nssl._create_unverified_context()",
        "import pdb\npdb.set_trace()",
        "\nbreakpoint()",
    ],
)
def test_one_cause_on_a_line_is_one_hit(linter, make_source, text):
    source = make_source("a.py", "u = 1;" + text)
    assert len(check(source, linter).hits) == 1
    assert check(source, linter).hits[0].line == 2


def test_a_bare_except_that_passes_is_one_hit_and_the_worse(linter, make_source):
    report = check(make_source("a.py", "try:\n    x = 1\nexcept:\n    pass"), linter)
    assert rules(report) == [(3, "S110")]


def test_different_causes_on_a_line_are_all_reported_in_line_order(linter, make_source):
    text = f"x = undefined\ndef f(a=[], k='{KEY}'): breakpoint()\n"
    report = check(make_source("a.py", text), linter)
    assert rules(report) == [(1, "F821"), (2, "B006"), (2, "debugger-left"), (2, "secret-aws")]


def test_a_conflict_explains_the_syntax_errors(linter, make_source):
    text = "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> b\n"
    assert rules(check(make_source("a.py", text), linter)) == [(1, "conflict-marker")]


def test_a_secret_is_masked_in_the_findings_of_every_rule(linter, make_source):
    source = make_source("a.py", f"def f(a=['{KEY}']): pass\n{KEY}\n")
    report = check(source, linter)
    assert {hit.rule for hit in report.hits} == {"B006", "secret-aws", "F821"}
    for hit in report.hits:
        assert KEY not in repr(hit)
        assert "AKIA****" in hit.evidence


@pytest.mark.parametrize(
    ("binary", "reason"), [(None, "it is not installed"), ("gone", "it could not be started")]
)
def test_a_check_that_cannot_run_is_named_apart_and_the_others_still_run(
    tmp_path, make_source, ruff_at, binary, reason
):
    linter = ruff_at(tmp_path / binary) if binary else None
    report = check(make_source("a.py", "breakpoint()"), linter)
    assert report.failed == (("ruff", reason),)
    assert "ruff" not in report.checks
    assert rules(report) == [(1, "debugger-left")]


def test_without_a_linter_other_languages_miss_nothing(make_source):
    assert check(make_source("a.js", "x"), None).failed == ()


def test_what_needs_the_whole_file_did_not_run_on_a_file_that_was_not_read(linter):
    why = "the file could not be read whole"
    report = check(Source("a.py", None, {1: "x"}), linter)
    assert report.failed == (("left-overs", why), ("tls-verification", why), ("ruff", why))
    report = check(Source("a.sh", None, {1: "x"}), linter)
    assert report.failed == (("tls-verification", why),)


@pytest.mark.parametrize("path", ["a.py", "a.js"])
def test_on_a_file_without_added_lines_every_check_has_run(linter, path):
    report = check(Source(path, None, {}), linter)
    assert report.failed == ()
    assert {"left-overs", "tls-verification"} <= set(report.checks)


def test_a_link_is_no_code_whatever_its_name(linter):
    report = check(Source("a.py", None, {1: "../b.py"}, is_link=True), linter)
    assert (report.checks, report.failed) == (("conflict-markers", "secrets"), ())


def test_a_bug_in_a_check_costs_one_file_and_is_told(make_source, linter):
    no_text = Source("a.py", "x = undefined", {1: None})  # a bug of the caller, which every check meets
    bad, good = run_checks([no_text, make_source("b.md", f"K = '{KEY}'")], linter)
    assert ("secrets", "it failed with TypeError") in bad.failed
    assert "secrets" not in bad.checks
    assert rules(good) == [(1, "secret-aws")]


def test_reports_come_in_the_order_of_the_files(make_source, linter):
    reports = run_checks(
        [make_source("a.md", "x"), make_source("b.py", "x = undefined"), make_source("c.js", "debugger;")],
        linter,
    )
    assert [rules(report) for report in reports] == [[], [(1, "F821")], [(1, "debugger-left")]]
