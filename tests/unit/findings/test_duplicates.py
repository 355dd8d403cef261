"""One root cause is one finding, and two defects on one line stay two."""

import tomllib
from pathlib import Path

import pytest

from pr_review.domain.finding import Finding, Severity, Side
from pr_review.findings.duplicates import merge_duplicates

PAIRS = tomllib.loads(Path(__file__).with_name("data").joinpath("dedupe.toml").read_text(encoding="utf-8"))[
    "pair"
]
SAID = ("Division by zero", "average([]) divides by len(values), which is 0, and raises ZeroDivisionError.")


def finding(said=SAID, **fields):
    base = {
        "severity": Severity.HIGH,
        "title": said[0],
        "explanation": said[1],
        "path": "a.py",
        "line": 5,
        "evidence": "",
        "recommendation": "",
    }
    return Finding(**(base | fields))


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["one"][0] for pair in PAIRS])
@pytest.mark.parametrize("quote", ["total = sum(values)", None])
def test_the_pairs_the_measure_was_chosen_with(pair, quote):
    """Every pair of data/dedupe.toml, in both orders."""
    expected = 1 if pair["same"] and (quote or not pair.get("quoted")) else 2
    both = [finding(pair["one"], existing_code=quote), finding(pair["other"], existing_code=quote)]
    assert len(merge_duplicates(both)) == len(merge_duplicates(both[::-1])) == expected


def test_the_worse_finding_stays_and_counts_the_others():
    low, high, medium = (
        finding(severity=severity) for severity in (Severity.LOW, Severity.HIGH, Severity.MEDIUM)
    )
    [merged] = merge_duplicates([low, high, medium])
    assert (merged.severity, merged.merged) == (Severity.HIGH, 2)
    assert merged.model_copy(update={"merged": 0}) == high


def test_of_equals_the_first_stays():
    [merged] = merge_duplicates([finding(recommendation="first"), finding(recommendation="second")])
    assert (merged.recommendation, merged.merged) == ("first", 1)


def test_what_was_merged_before_still_counts():
    [merged] = merge_duplicates([finding(merged=2), finding(merged=1)])
    assert merged.merged == 4


def test_a_suggestion_for_the_same_lines_is_taken_over():
    """It comes with the code that it replaces."""
    plain, helpful = finding(existing_code="a"), finding(existing_code="a + b", suggestion="b")
    [merged] = merge_duplicates([plain, helpful])
    assert (merged.suggestion, merged.existing_code) == ("b", "a + b")
    [merged] = merge_duplicates([helpful, plain])
    assert (merged.suggestion, merged.existing_code) == ("b", "a + b")
    [merged] = merge_duplicates([plain, helpful.model_copy(update={"end_line": 7})])
    assert (merged.suggestion, merged.existing_code) == (None, "a")


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        ({"line": 5, "end_line": 8}, {"line": 8}, 1),
        ({"line": 5, "end_line": 8}, {"line": 9}, 2),
        ({"line": 5, "end_line": 8}, {"line": 3, "end_line": 5}, 1),
        ({"line": 5, "end_line": 8}, {"line": 3, "end_line": 4}, 2),
        ({"line": 1, "end_line": 9}, {"line": 4, "end_line": 5}, 1),
        ({"line": 5}, {"line": 5, "side": Side.LEFT}, 2),
        ({"line": 5}, {"line": 5, "path": "b.py"}, 2),
        ({"line": 5}, {"line": 5, "in_diff": True}, 2),
        ({"line": None}, {"line": None}, 1),
        ({"line": None}, {"line": 5}, 2),
    ],
)
def test_only_findings_on_common_lines_are_compared(one, other, count):
    """Lines of one side of one file, or the file as a whole; what is inside the diff stays apart."""
    for both in ([finding(**one), finding(**other)], [finding(**other), finding(**one)]):
        assert len(merge_duplicates(both)) == count


def test_the_same_title_is_the_same_defect():
    assert len(merge_duplicates([finding(("No  TIMEOUT", "x")), finding(("no timeout", "y"))])) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("F821", "F821"), ("F821", "S105"), ("F821", None), (None, "F821")]
)
def test_a_finding_of_a_rule_is_never_merged(one, other):
    """Each rule reports a cause of its own."""
    assert len(merge_duplicates([finding(rule=one), finding(rule=other)])) == 2


def test_texts_without_words_are_not_alike():
    assert len(merge_duplicates([finding(("a", "")), finding(("b", ""))])) == 2


@pytest.mark.parametrize(
    ("common", "quote", "count"), [(34, None, 2), (35, None, 1), (24, "x", 2), (25, "x", 1), (25, None, 2)]
)
def test_the_share_of_common_words_that_makes_two_findings_one(common, quote, count):
    """35 %, or 25 % when both quote the same code; white space in the quotes aside."""
    words = [f"{number:03d}" for number in range(100)]
    half = (100 - common) // 2
    one = finding(("one", " ".join(words[: half + common])), existing_code=quote)
    other = finding(("one", " ".join(words[half:])), existing_code=quote and f"  {quote}\n")
    one, other = (each.model_copy(update={"title": title}) for each, title in ((one, "-"), (other, "+")))
    assert len(merge_duplicates([one, other])) == count


def test_the_order_is_kept():
    findings = [
        finding((f"title {n}", ""), line=n, severity=s) for n, s in enumerate([*Severity][::-1], start=1)
    ]
    assert merge_duplicates(findings) == findings
