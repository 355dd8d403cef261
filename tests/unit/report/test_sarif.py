"""review.sarif: valid against the published schema, and never a removed line as a line of the head."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft4Validator

from pr_review.domain.finding import AnchorStatus, Category, Edit, Place, Review, Severity, Side
from pr_review.report.sarif import DESCRIPTIONS, render

SCHEMA = json.loads((Path(__file__).parent / "data" / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))
NAMES = [
    *("rich", "clean", "many", "hostile", "rules_only", "rules_found"),
    *("incomplete", "skipped", "failed", "crashed"),
]


def run_of(outcome) -> dict:
    log = json.loads(render(outcome))
    Draft4Validator(SCHEMA).validate(log)
    [run] = log["runs"]
    return run


@pytest.fixture
def result_of(outcomes):
    """``result_of(**fields)``: the result of one finding, valid against the schema."""

    def result(**fields) -> dict:
        finding = outcomes.rich.review.findings[3].model_copy(update=fields)
        review = Review(summary="", findings=(finding,))
        [found] = run_of(outcomes.rich.model_copy(update={"review": review}))["results"]
        return found

    return result


def test_the_schema_is_the_one_of_sarif_2_1_0():
    Draft4Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["version"]["enum"] == ["2.1.0"]
    assert not Draft4Validator(SCHEMA).is_valid({"version": "2.1.0", "runs": [{}]})


@pytest.mark.parametrize("name", NAMES)
def test_every_outcome_is_valid(outcomes, name):
    outcome = getattr(outcomes, name)
    findings = outcome.review.findings if outcome.review else ()
    assert len(run_of(outcome)["results"]) == len(findings)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_it_is_obeyed_when_printed(outcomes, name):
    """No workflow command, no control character, no bidirectional override."""
    text = render(getattr(outcomes, name))
    assert not re.search(r"^\s*::|##\[", text, re.MULTILINE)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_what_cannot_be_seen_is_shown(result_of):
    """Not only escaped in the file: a viewer must not obey or hide it either."""
    assert result_of(title="a\u202eb\u200b\x1b[31m")["message"]["text"].startswith(
        "a<U+202E>b<U+200B>\N{SYMBOL FOR ESCAPE}[31m"
    )


def test_a_deterministic_rule_is_the_rule(outcomes):
    """After the categories, once, with its own words; a rule named as a category is that category."""
    finding = outcomes.rules_found.review.findings[0]
    findings = [
        finding.model_copy(update={"rule": rule, "line": n})
        for n, rule in enumerate(["S602", "secret-aws", "S602", "docs", None], 1)
    ]
    review = outcomes.rules_found.review.model_copy(update={"findings": tuple(findings)})
    run = run_of(outcomes.rules_found.model_copy(update={"review": review}))
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [*Category, "S602", "secret-aws"]
    expected = ["S602", "secret-aws", "S602", "docs", "security"]
    assert [found["ruleId"] for found in run["results"]] == expected
    assert [rules[found["ruleIndex"]]["id"] for found in run["results"]] == expected
    assert rules[len(Category)]["shortDescription"]["text"] == finding.title
    assert rules[[*Category].index("docs")]["shortDescription"]["text"] == DESCRIPTIONS[Category.DOCS]
    assert rules[len(Category)]["properties"]["tags"] == ["security"]


def test_rules_are_the_categories(outcomes):
    """Each result points at its rule by id and by index."""
    run = run_of(outcomes.rich)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [*Category] == [*DESCRIPTIONS]
    for found in run["results"]:
        assert rules[found["ruleIndex"]]["id"] == found["ruleId"]
    assert all(rule["help"]["text"] and rule["shortDescription"]["text"] for rule in rules)


@pytest.mark.parametrize(
    ("severity", "level"), [*zip(Severity, ["error", "error", "warning", "note"], strict=True)]
)
def test_levels_follow_the_severity(result_of, severity, level):
    assert result_of(severity=severity)["level"] == level


def test_region_of_a_finding(result_of):
    """Both ends of a range; a single line ends where it starts."""
    location = {"uri": "src/shop/invoice.py", "uriBaseId": "SRCROOT"}
    [place] = result_of()["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": location,
        "region": {"startLine": 41, "endLine": 42},
    }
    [place] = result_of(end_line=None)["locations"]
    assert place["physicalLocation"]["region"] == {"startLine": 41, "endLine": 41}


def test_a_finding_without_a_line_is_about_the_file(result_of):
    [place] = result_of(line=None, end_line=None)["locations"]
    assert "region" not in place["physicalLocation"]


def test_a_removed_line_is_not_a_line_of_the_head(result_of):
    """The location is the file; the line is related, at the merge base, and said in the message."""
    found = result_of(side=Side.LEFT, line=88, end_line=90)
    [place] = found["locations"]
    assert "region" not in place["physicalLocation"]
    [related] = found["relatedLocations"]
    assert related["physicalLocation"]["region"] == {"startLine": 88, "endLine": 90}
    assert related["physicalLocation"]["artifactLocation"]["uriBaseId"] == "MERGEBASE"
    assert "Removed lines 88-90 of the merge base." in found["message"]["text"]


def test_alternatives_are_related_locations(result_of):
    places = (Place(side=Side.RIGHT, line=7), Place(side=Side.LEFT, line=9, end_line=10))
    found = result_of(anchor=AnchorStatus.AMBIGUOUS, alternatives=places)
    shown = [place["physicalLocation"] for place in found["relatedLocations"]]
    assert [place["artifactLocation"]["uriBaseId"] for place in shown] == ["SRCROOT", "MERGEBASE"]
    assert [place["region"] for place in shown] == [
        {"startLine": 7, "endLine": 7},
        {"startLine": 9, "endLine": 10},
    ]
    assert len({place["id"] for place in found["relatedLocations"]}) == 2
    assert "also stands at line 7, removed lines 9-10" in found["message"]["text"]


def test_fingerprint_is_given_under_two_names(result_of):
    """A versioned one of ours, and the one that GitHub compares between runs."""
    assert result_of(fingerprint="0123456789abcdef")["partialFingerprints"] == {
        "prReview/v1": "0123456789abcdef",
        "primaryLocationLineHash": "0123456789abcdef:1",
    }
    assert "partialFingerprints" not in result_of(fingerprint="")


@pytest.mark.parametrize(
    ("path", "uri"),
    [("a b/ü#?.py", "a%20b/%C3%BC%23%3F.py"), ("a:b/%41.py", "a%3Ab/%2541.py"), ("a\nb", "a%0Ab")],
)
def test_paths_are_uri_references(result_of, path, uri):
    [place] = result_of(path=path)["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == uri


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (Edit(start_line=4, removed=("a", "b"), added=("c",)), "c"),
        (Edit(start_line=4, removed=("a\r", "b\r"), added=("c\r", "d\r")), "c\r\nd"),
    ],
)
def test_an_exact_suggestion_is_a_fix(result_of, edit, text):
    """Of whole lines, without the newline of the last one on either side."""
    [fix] = result_of(edit=edit)["fixes"]
    [change] = fix["artifactChanges"]
    [replacement] = change["replacements"]
    assert replacement["deletedRegion"] == {"startLine": 4, "endLine": 5}
    assert replacement["insertedContent"] == {"text": text}


def test_a_suggestion_that_is_not_exact_is_no_fix(result_of):
    assert "fixes" not in result_of()


def test_no_text_becomes_a_link(result_of):
    """Brackets before a parenthesis would be one (§3.11.6); an index in code is left alone."""
    text = result_of(title="[here](https://e.example) a[0](x) {0} b[1]")["message"]["text"]
    assert text.startswith("\\[here](https://e.example) a\\[0](x) {0} b[1]")


def test_provenance_names_both_commits(outcomes):
    head, base = run_of(outcomes.rich)["versionControlProvenance"]
    assert (head["repositoryUri"], head["revisionId"], head["branch"]) == (
        "https://github.com/octo/shop",
        "a" * 40,
        "retry",
    )
    assert (base["revisionId"], base["mappedTo"]) == ("b" * 40, {"uriBaseId": "MERGEBASE"})


def test_a_local_review_has_no_provenance(outcomes):
    """It has commits but no server."""
    local = outcomes.rich.pull_request.model_copy(update={"url": "local"})
    assert run_of(outcomes.rich.model_copy(update={"pull_request": local}))["versionControlProvenance"] == []


def test_a_failed_run_says_so(outcomes):
    """So that nobody takes its empty results for a clean bill."""
    [invocation] = run_of(outcomes.failed)["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 3
    [note] = invocation["toolExecutionNotifications"]
    assert (note["level"], note["descriptor"]["id"]) == ("error", "opencode_authentication_failed")
    assert run_of(outcomes.clean)["invocations"][0]["executionSuccessful"] is True


def test_incomplete_coverage_is_a_warning(outcomes):
    outcome = outcomes.incomplete.model_copy(update={"error": None})
    run = run_of(outcome)
    [note] = run["invocations"][0]["toolExecutionNotifications"]
    assert (note["level"], note["message"]["text"]) == (
        "warning",
        "1 of 6 changed files could not be reviewed.",
    )
    assert run["properties"]["not_reviewed"] == 1
