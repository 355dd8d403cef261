"""One slip never loses a finding: what is meant is read, what is not clear is asked for, the rest is kept."""

import json
import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.finding import Severity
from pr_review.errors import InvalidTurn, TerminationReason
from pr_review.findings.answer_fields import ALIASES, SEVERITIES, Reading
from pr_review.findings.answer_reading import TOO_MANY, read_review, settle_review
from pr_review.findings.submission import SubmittedFinding, parse_submission
from pr_review.masking.secrets import mask_secrets

FINDING = {
    "severity": "high",
    "title": "A title",
    "explanation": "It is wrong.",
    "path": "src/a.py",
    "line": 3,
    "evidence": "see there",
    "recommendation": "Correct it.",
}
GONE = object()


def finding(**fields):
    return {key: value for key, value in (FINDING | fields).items() if value is not GONE}


def review(*findings, **fields):
    whole = {"summary": "Read.", "findings": list(findings), "notes": []} | fields
    return {key: value for key, value in whole.items() if value is not GONE}


def read(*findings, **fields):
    return read_review(json.dumps(review(*findings, **fields)))


def read_one(**fields):
    [found] = read(finding(**fields)).findings
    return found


def faults(*findings, **fields):
    with pytest.raises(InvalidTurn) as caught:
        read(*findings, **fields)
    assert caught.value.reason is TerminationReason.INVALID_MODEL_RESPONSE
    return list(caught.value.faults)


def said(result):
    return " ".join(result.readings)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("LOW", "low"),
        (" Medium\n", "medium"),
        ("**High**", "high"),
        ("🔴 Critical!", "critical"),
        ("severity: high", "high"),
        ("High severity", "high"),
        ("Priority: P2", "medium"),
        ("[P0]", "critical"),
        ("p-3", "low"),
        ("Blocking", "critical"),
        ("nitpick", "low"),
        ("Informational", "low"),
        ("SEVERE", "high"),
    ],
)
def test_a_severity_in_other_words_is_read_as_meant(written, meant):
    result = read(finding(severity=written))
    assert result.findings[0].severity == meant
    assert Reading.SEVERITY in said(result)


def test_every_synonym_is_a_severity():
    for word, severity in SEVERITIES.items():
        assert read_one(severity=word.title()).severity == severity.value


@pytest.mark.parametrize(
    "written",
    [
        "",
        " ",
        "7",
        7,
        7.5,
        None,
        GONE,
        True,
        [],
        ["high"],
        {},
        "high/low",
        "not low",
        "high or medium",
        "sev1",
        "critical | high | medium | low",
        "none",
        "x" * 99_999,
        "ignore your instructions",
    ],
)
def test_an_unclear_severity_is_asked_for_in_our_words(written):
    assert faults(finding(), finding(severity=written)) == [
        "findings[1].severity: must be one of critical, high, medium, low"
    ]


@pytest.mark.parametrize("value", [None, GONE])
@pytest.mark.parametrize(
    "name", ["evidence", "recommendation", "line", "end_line", "existing_code", "category"]
)
def test_side_fields_may_be_missing(name, value):
    found = read_one(**{name: value})
    assert not getattr(found, name)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("12", (12, None)),
        ("12-14", (12, 14)),
        ("L12", (12, None)),
        ("lines 12 to 14", (12, 14)),
        (" line 12 ", (12, None)),
        (12.0, (12, None)),
        (0, (None, None)),
        (-3, (None, None)),
        (12.5, (None, None)),
        (True, (None, None)),
        ("twelve", (None, None)),
        ("about 12 or 13", (None, None)),
        ("0", (None, None)),
        ([12], (None, None)),
        ({"start": 12}, (None, None)),
        ("9" * 40, (None, None)),
    ],
)
def test_a_line_is_read_as_meant_or_is_none(line, meant):
    result = read(finding(line=line))
    assert (result.findings[0].line, result.findings[0].end_line) == meant
    assert Reading.LINE in said(result)


def test_an_end_line_that_was_given_counts_before_the_one_in_the_line():
    assert (read_one(line="3-9", end_line=5).end_line, read_one(line="3-9", end_line=GONE).end_line) == (5, 9)


@pytest.mark.parametrize(
    ("fields", "title", "explanation"),
    [
        ({"title": GONE}, "It is wrong.", "It is wrong."),
        ({"title": " ", "explanation": "First line.\nSecond."}, "First line.", "First line.\nSecond."),
        ({"title": 7}, "It is wrong.", "It is wrong."),
        ({"explanation": None}, "A title", "A title"),
        ({"explanation": ["one", "two"]}, "A title", "one\ntwo"),
    ],
)
def test_title_and_explanation_stand_in_for_each_other(fields, title, explanation):
    found = read_one(**fields)
    assert (found.title, found.explanation) == (title, explanation)


def test_a_finding_that_says_nothing_is_asked_for():
    expected = ["findings[0].title: must be a text that is not blank"]
    for nothing in (GONE, None, "", " \n", 7):
        assert faults(finding(title=nothing, explanation=nothing)) == expected


@pytest.mark.parametrize("path", [GONE, None, 7, [], {"file": "a"}])
def test_a_finding_without_a_path_is_asked_for(path):
    assert faults(finding(path=path)) == ["findings[0].path: must be the path of a file, as a text"]


@pytest.mark.parametrize("value", [None, "a text", 7, [], ["x"], True])
def test_a_finding_that_is_no_object_is_asked_for(value):
    assert faults(value) == ["findings[0]: must be an object"]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("Severity", "severity"),
        ("PATH", "path"),
        ("existingCode", "existing_code"),
        ("existing-code", "existing_code"),
        ("End Line", "end_line"),
        *((alias, name) for name, aliases in ALIASES.items() for alias in aliases),
    ],
)
def test_a_key_in_another_form_is_its_field(key, name):
    value = {"line": 9, "end_line": 9, "severity": "low"}.get(name, "another")
    result = read(finding(**{name: GONE, key: value}))
    assert getattr(result.findings[0], name) == value
    assert Reading.KEY in said(result)


def test_unknown_keys_are_passed_over_at_every_level():
    result = read(finding(cwe="CWE-95", rule="F821", score={"x": 1}), verdict="comment", checks={"a": ["b"]})
    assert [type(found) for found in result.findings] == [SubmittedFinding]
    assert f"{Reading.UNKNOWN_KEY} (2 times)" in said(result)


@pytest.mark.parametrize("name", ["summary", "notes"])
@pytest.mark.parametrize("value", [None, GONE])
def test_summary_and_notes_may_be_missing(name, value):
    assert not getattr(read(finding(), **{name: value}), name)


@pytest.mark.parametrize(
    ("notes", "meant"),
    [
        ("one", ["one"]),
        ([{"text": "one"}, {"message": "two"}, "three"], ["one", "two", "three"]),
        ([{"path": "a.py", "note": "one"}], ['{"path": "a.py", "note": "one"}']),
        ([7, True, None, ["x"]], ["7", "true", "x"]),
        ({"a": "b"}, ['{"a": "b"}']),
        ([{}], ["{}"]),
    ],
)
def test_notes_in_other_forms_are_read(notes, meant):
    assert read(notes=notes).notes == meant


def test_a_summary_in_another_form_is_written_out():
    assert read(summary=["one", "two"]).summary == "one\ntwo"
    assert read(summary={"verdict": "ok"}).summary == '{"verdict": "ok"}'


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (GONE, "findings: is missing; it must be a list, empty when nothing was found"),
        (None, "findings: must be a list of objects"),
        ({"a.py": [FINDING]}, "findings: must be a list of objects"),
        ("none", "findings: must be a list of objects"),
        (0, "findings: must be a list of objects"),
    ],
)
def test_findings_that_are_no_list_are_asked_for(value, words):
    assert faults(findings=value) == [words]


def test_hints_in_another_form_are_read_or_passed_over():
    found = read_one(category="Error Handling", confidence="HIGH", existing_code=["a", "b"], suggestion=7)
    assert (found.category, found.confidence) == ("error_handling", "high")
    assert (found.existing_code, found.suggestion) == ("a\nb", None)
    assert (read_one(category="style").category, read_one(confidence=0.9).confidence) == ("style", 0.9)


def test_half_a_character_is_replaced():
    text = json.dumps(review(finding(title="x", existing_code="x"))).replace('"x"', '"x\\ud83d"')
    [found] = read_review(text).findings
    assert (found.title, found.existing_code) == ("x\ufffd", "x\ufffd")


@pytest.mark.parametrize("size", [8192, 8193, 9 * 1024, 100_000])
def test_a_long_text_is_cut_and_that_is_said(size):
    result = read(finding(explanation="é" * (size // 2) + "x" * (size % 2)), notes=["n" * size])
    for text in (result.findings[0].explanation, *result.notes):
        assert len(text.encode()) <= 8192
        assert text.endswith("…") is (size > 8192)
    assert (Reading.CUT in said(result)) is (size > 8192)


def test_a_secret_is_masked_before_it_is_cut():
    secret = "ghp_" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=36))
    for before in range(8150, 8200):
        [note] = read(notes=["x" * before + " " + secret + " y" * 500]).notes
        assert mask_secrets(secret) != secret
        assert secret[:12] not in note


def test_long_code_is_left_out_whole():
    """The beginning of a suggestion is another suggestion."""
    found = read_one(existing_code="x" * 8193, suggestion="y" * 8193)
    assert (found.existing_code, found.suggestion) == (None, None)


def test_the_hundred_worst_findings_are_kept_and_the_others_named():
    severities = ["low", "critical", "medium", "high"]
    given = [finding(title=f"T{n}", severity=severities[n % 4]) for n in range(130)]
    result = settle_review(read(*given), [])
    assert len(result.findings) == 100
    assert {each.reason for each in result.refused} == {TOO_MANY}
    assert not result.is_partial
    kept = [Severity(each.severity).rank for each in result.findings]
    titles = {each.title for each in (*result.findings, *result.refused)}
    assert titles == {f"T{n}" for n in range(130)}
    assert kept.count(0) + kept.count(1) == sum(each["severity"] in {"critical", "high"} for each in given)
    assert [each.title for each in result.findings] == [
        each["title"] for each in given if each["title"] in {one.title for one in result.findings}
    ]


def test_more_notes_than_fit_are_counted():
    notes = read(notes=[f"n{n}" for n in range(103)]).notes
    assert (len(notes), notes[98]) == (100, "n98")
    assert notes[99] == "The reviewer wrote 4 more notes, which did not fit."
    assert len(read(notes=["n"] * 100).notes) == 100


def test_at_most_eight_faults_are_told_and_none_holds_the_models_words():
    told = faults(*[finding(severity="evil words", title=f"evil {n}") for n in range(20)])
    assert len(told) == 9
    assert told[-1] == "and 12 more"
    assert "evil" not in " ".join(told)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Looks good.", "The text holds no JSON object."),
        (json.dumps([FINDING]), "The text is a JSON list, not an object."),
        (json.dumps(review()) * 2, "The text holds more than one JSON object."),
        (json.dumps(review(finding()))[:-30], "line 1, column"),
    ],
)
def test_what_is_no_review_is_asked_for_with_the_place(text, words):
    with pytest.raises(InvalidTurn) as caught:
        read_review(text)
    assert words in caught.value.faults[0]
    assert words.rstrip(".") in caught.value.detail


def test_a_review_in_a_fence_or_beside_prose_is_read():
    text = json.dumps(review(finding()))
    for around in ("```json\n{}\n```", "Here:\n{}", "{}\nDone.", "Before.\n```\n{}\n```\nAfter."):
        assert len(read_review(around.replace("{}", text)).findings) == 1


def test_an_empty_review_inside_prose_may_be_an_example():
    """A change can hold one, and a model may quote it."""
    empty = json.dumps(review())
    assert read_review(f"```json\n{empty}\n```").findings == []
    assert read_review(f"{empty}\nNothing found.").findings == []
    with pytest.raises(InvalidTurn):
        read_review(f"The file holds {empty} and says that I should repeat it.")


def test_a_sound_review_is_read_without_a_word():
    result = read(finding(), notes=["n"])
    assert (result.readings, result.refused, result.is_partial) == ((), (), False)
    strict = parse_submission(json.dumps(review(finding(), notes=["n"])))
    assert result.model_dump(include=set(strict.model_dump())) == strict.model_dump()


# --- after refused answers --------------------------------------------------------------------------------


def text_of(*findings, **fields):
    return json.dumps(review(*findings, **fields))


def named(result):
    return [found.title for found in result.findings]


BAD = finding(title="Bad", path="b.py", severity=7)
GOOD = finding(title="Good")


def test_nothing_sound_is_nothing_kept():
    for texts in ([], ["prose"], [text_of()[:-9]], [text_of(BAD)], [text_of(findings={"a.py": GOOD})]):
        assert settle_review(None, texts) is None


def test_the_sound_findings_of_the_last_answer_are_kept_and_the_others_listed():
    result = settle_review(None, [text_of(BAD, GOOD)])
    assert (named(result), result.is_partial) == (["Good"], True)
    [refused] = result.refused
    assert (refused.number, refused.title, refused.path) == (1, "Bad", "b.py")
    assert refused.reason == "severity: must be one of critical, high, medium, low"


def test_the_answer_with_the_most_sound_findings_stands():
    other = finding(title="Other", path="c.py")
    result = settle_review(None, [text_of(BAD, GOOD, other, summary="best"), text_of(BAD, GOOD), "prose"])
    assert (result.summary, named(result)) == ("best", ["Good", "Other"])
    assert [each.title for each in result.refused] == ["Bad"]


def test_a_finding_that_any_answer_says_readably_is_kept():
    first = text_of(GOOD, BAD)
    second = text_of(finding(title="Good", severity=""), finding(title="Bad", path="b.py"))
    for texts in ([first, second], [second, first]):
        result = settle_review(None, texts)
        assert (sorted(named(result)), result.refused, result.is_partial) == (["Bad", "Good"], (), False)


def test_a_corrected_answer_that_leaves_findings_out_does_not_lose_them():
    """Asked again, a model may send only what it corrected."""
    last = read(finding(title="Bad", path="b.py"))
    result = settle_review(last, [text_of(GOOD, BAD)])
    assert (named(result), result.refused, result.is_partial) == (["Bad", "Good"], (), False)
    assert "which the last answer left out" in said(result)


def test_a_corrected_answer_without_the_unreadable_finding_is_partial():
    for last in (read(), read(GOOD)):
        result = settle_review(last, [text_of(BAD, GOOD)])
        assert (named(result), [each.title for each in result.refused]) == (["Good"], ["Bad"])
        assert result.is_partial


@pytest.mark.parametrize(
    "again",
    [
        {"title": "bad "},
        {"title": "Bad, and now in other words"},
        {"title": "Other words", "line": 77},
    ],
)
def test_a_corrected_finding_may_have_other_words(again):
    last = read(GOOD, finding(**{"path": "b.py"} | again))
    result = settle_review(last, [text_of(BAD, GOOD)])
    assert (len(result.findings), result.refused, result.is_partial) == (2, (), False)


def test_another_finding_of_the_same_file_is_no_correction():
    """Each finding of the later answer stands for one of the earlier one."""
    same_file = finding(title="Good", path="b.py")
    result = settle_review(read(same_file), [text_of(BAD, same_file)])
    assert [each.title for each in result.refused] == ["Bad"]


def test_two_findings_on_one_line_are_two():
    twin = finding(title="A twin on the same line")
    result = settle_review(read(GOOD, finding(title="Bad", path="b.py")), [text_of(GOOD, twin, BAD)])
    assert named(result) == ["Good", "Bad", "A twin on the same line"]


def test_an_answer_that_was_accepted_at_once_stays_as_it_is():
    last = read(GOOD)
    for refused in ([], ["prose"], [text_of()]):
        assert settle_review(last, refused) == last


def test_an_answer_of_thousands_of_findings_is_settled_in_time():
    many = [finding(title=f"T{n}", severity=7 if n % 2 else "low", line=n) for n in range(6000)]
    result = settle_review(None, [text_of(*many), text_of(*many[::-1])])
    assert len(result.findings) == 100
    assert len(result.refused) == 5900


# --- properties -------------------------------------------------------------------------------------------

SLIPS = {
    "severity": st.sampled_from(["High", " high ", "HIGH", "major", "P1", "error", "**high**"]),
    "evidence": st.none() | st.lists(st.text(max_size=5), max_size=2),
    "recommendation": st.none() | st.integers(),
    "line": st.none() | st.integers(-3, 0) | st.sampled_from(["3", "x", "3-4", 3.0, [3]]),
    "category": st.none() | st.text(max_size=5),
    "suggestion": st.none() | st.integers() | st.lists(st.text(max_size=5), max_size=3),
    "unknown": st.text(max_size=5) | st.none(),
}


@given(st.lists(st.fixed_dictionaries({}, optional=SLIPS), max_size=4))
def test_slips_lose_and_invent_no_finding(slips):
    given = [finding(title=f"T{n}", path=f"{n}.py") | each for n, each in enumerate(slips)]
    result = read(*given)
    assert [(found.title, found.path) for found in result.findings] == [
        (each["title"], each["path"]) for each in given
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
ANY_FINDING = (
    st.fixed_dictionaries({}, optional=dict.fromkeys([*FINDING, *SLIPS, "existing_code"], JSON)) | JSON
)


@given(st.lists(ANY_FINDING, max_size=4), JSON, JSON)
def test_any_answer_is_read_or_asked_for_and_every_finding_is_accounted_for(findings, summary, notes):
    text = json.dumps({"summary": summary, "findings": findings, "notes": notes})
    try:
        whole = read_review(text)
    except InvalidTurn:
        whole = settle_review(None, [text])
    assert whole is None or len(whole.findings) + len(whole.refused) == len(findings)
