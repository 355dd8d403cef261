"""The shape of a final review: one JSON object with exactly the documented fields, all of them bounded."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.finding import Severity
from pr_review.errors import InvalidTurn, TerminationReason
from pr_review.findings.submission import (
    RuleSubmission,
    Submission,
    parse_rule_submission,
    parse_submission,
)

FINDING = {
    "severity": "high",
    "title": "t",
    "explanation": "e",
    "path": "a.py",
    "line": 1,
    "evidence": "v",
    "recommendation": "r",
}


def review(**fields):
    return {"summary": "s", "findings": [], "notes": [], **fields}


def refused(content, parse=parse_submission):
    with pytest.raises(InvalidTurn) as caught:
        parse(content)
    assert caught.value.reason is TerminationReason.INVALID_MODEL_RESPONSE
    return caught.value.detail


def accepted(value) -> Submission:
    return parse_submission(json.dumps(value))


def test_a_clean_review_is_valid():
    assert accepted(review()).findings == []


@pytest.mark.parametrize(
    "content", [None, "", " ", "null", "[]", "7", "looks good", '{"summary":"s"', "{}{}"]
)
def test_anything_but_a_json_object_is_refused(content):
    assert refused(content) == "The model's final answer is not a JSON object."
    assert refused(content, parse_rule_submission) == "The model's final answer is not a JSON object."


def test_a_fence_is_refused():
    """The decoder takes off the fence of a text in which a fence is allowed."""
    refused("```json\n" + json.dumps(review()) + "\n```")


def test_the_error_counts_the_invalid_fields():
    detail = refused(json.dumps(review(notes=[7], findings=[FINDING | {"title": 7}])))
    assert detail == "The model's final review has 2 invalid fields."


def test_a_list_that_is_too_long_is_one_invalid_field():
    """Whatever else is wrong in the list: what is beyond the limit is not read."""
    findings = [FINDING | {"title": 7}] * 3 + [FINDING] * 101
    detail = refused(json.dumps(review(findings=findings)))
    assert detail == "The model's final review has 1 invalid fields."


@pytest.mark.parametrize("missing", ["summary", "findings", "notes"])
def test_no_field_may_be_missing(missing):
    refused(json.dumps({key: value for key, value in review().items() if key != missing}))


@pytest.mark.parametrize("missing", sorted(FINDING))
def test_no_field_of_a_finding_may_be_missing(missing):
    finding = {key: value for key, value in FINDING.items() if key != missing}
    refused(json.dumps(review(findings=[finding])))


@pytest.mark.parametrize(
    "value",
    [
        review(extra=1),
        review(findings=[FINDING | {"extra": 1}]),
        review(findings=[FINDING | {"severity": "blocker"}]),
        review(findings=[FINDING | {"severity": "HIGH"}]),
        review(findings=[FINDING | {"title": " \n"}]),
        review(findings=[FINDING | {"title": 7}]),
        review(findings=[FINDING | {"existing_code": 7}]),
        review(findings={"0": FINDING}),
        review(notes=[7]),
        review(notes="n"),
        review(summary=None),
    ],
)
def test_wrong_shapes_are_refused(value):
    refused(json.dumps(value))


def test_every_severity_is_known():
    for severity in Severity:
        assert accepted(review(findings=[FINDING | {"severity": severity.value}]))


@pytest.mark.parametrize("field", ["findings", "notes"])
@pytest.mark.parametrize(("count", "ok"), [(99, True), (100, True), (101, False)])
def test_at_most_100_findings_and_100_notes(field, count, ok):
    value = review(**{field: [FINDING if field == "findings" else "n"] * count})
    if ok:
        assert len(getattr(accepted(value), field)) == count
    else:
        refused(json.dumps(value))


@pytest.mark.parametrize(
    "field", ["title", "explanation", "path", "evidence", "recommendation", "suggestion"]
)
@pytest.mark.parametrize(("size", "ok"), [(8191, True), (8192, True), (8193, False)])
def test_a_text_has_at_most_8_kib_of_utf8(field, size, ok):
    text = "é" * (size // 2) + "x" * (size % 2)
    value = review(findings=[FINDING | {field: text}])
    if ok:
        assert accepted(value)
    else:
        refused(json.dumps(value))


@pytest.mark.parametrize(("size", "ok"), [(8191, True), (8192, True), (8193, False)])
def test_summary_and_notes_have_the_same_bound(size, ok):
    for value in (review(summary="x" * size), review(notes=["x" * size])):
        if ok:
            assert accepted(value)
        else:
            refused(json.dumps(value))


@pytest.mark.parametrize("line", [None, 0, -3, 10**9, "12", 12.0, True, [1], {}])
def test_a_bad_line_is_no_reason_to_lose_the_finding(line):
    value = review(
        findings=[FINDING | {"line": line, "end_line": line, "category": line, "confidence": line}]
    )
    assert len(accepted(value).findings) == 1


@given(st.text())
def test_parsing_is_total(text):
    with contextlib.suppress(InvalidTurn):
        parse_submission(text)


RULE_FINDING = FINDING | {"rule": "F821"}


def rule_review(**fields):
    return review(
        **{"findings": [RULE_FINDING], "checks": {"a.py": ["ruff", "secrets"]}, "checked_in_part": ["b.py"]}
        | fields
    )


def test_the_offline_reviewer_submits_its_facts_too():
    submission = parse_rule_submission(json.dumps(rule_review()))
    assert isinstance(submission, RuleSubmission)
    assert [(found.rule, found.title) for found in submission.findings] == [("F821", "t")]
    assert submission.checks == {"a.py": ("ruff", "secrets")}
    assert submission.checked_in_part == ("b.py",)


def test_facts_may_be_empty():
    submission = parse_rule_submission(json.dumps(rule_review(findings=[], checks={}, checked_in_part=[])))
    assert (submission.findings, submission.checks, submission.checked_in_part) == ([], {}, ())


@pytest.mark.parametrize(
    "value",
    [
        review(),
        review(findings=[RULE_FINDING]),
        rule_review(findings=[FINDING]),
        rule_review(findings=[RULE_FINDING | {"rule": 7}]),
        rule_review(findings=[RULE_FINDING] * 101),
        rule_review(checks=["ruff"]),
        rule_review(checks={"a.py": "ruff"}),
        rule_review(checks={"a.py": [1]}),
        rule_review(checks=None),
        rule_review(checked_in_part="b.py"),
        rule_review(checked_in_part=[1]),
        rule_review(extra=1),
    ],
)
def test_wrong_shapes_of_a_rule_review_are_refused(value):
    refused(json.dumps(value), parse_rule_submission)


def test_a_model_submits_no_rules():
    """A finding with a rule would keep its line and escape the merging of duplicates."""
    refused(json.dumps(review(findings=[RULE_FINDING])))
    refused(json.dumps(rule_review(findings=[])))
