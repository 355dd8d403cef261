"""Items 52-54: what a final review must look like."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.finding import Severity
from pr_review.errors import InvalidTurn, TerminationReason
from pr_review.findings.submission import Submission, parse_submission, unfence

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


def refused(content, **options):
    with pytest.raises(InvalidTurn) as caught:
        parse_submission(content, **options)
    assert caught.value.reason is TerminationReason.INVALID_MODEL_RESPONSE


def accepted(value) -> Submission:
    return parse_submission(json.dumps(value))


def test_a_clean_review_is_valid():
    assert accepted(review()).findings == []


@pytest.mark.parametrize(
    "content", [None, "", " ", "null", "[]", "7", "looks good", '{"summary":"s"', "{}{}"]
)
def test_anything_but_a_json_object_is_refused(content):
    refused(content)


def test_a_fence_is_refused_unless_the_tool_mode_is_text():
    fenced = "```json\n" + json.dumps(review()) + "\n```"
    refused(fenced)
    assert parse_submission(fenced, fenced=True).summary == "s"
    assert parse_submission(json.dumps(review()), fenced=True).summary == "s"
    refused("Here it is:\n" + fenced, fenced=True)


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


@given(st.text().filter(lambda text: not text.startswith("`")))
def test_unfence_is_the_inverse_of_a_fence(text):
    body = text.strip()
    assert unfence(f"```json\n{body}\n```") == body
    assert unfence(body) == body
