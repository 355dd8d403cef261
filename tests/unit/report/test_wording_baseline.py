"""Baseline and suppressions in every report: new findings first, known ones named, silenced ones listed."""

import json

import pytest

from pr_review.domain.finding import BaselineState, Review, SuppressedFinding
from pr_review.domain.run import Comparison
from pr_review.report import annotations, html, sarif, suggestions_patch, summary, terminal
from pr_review.report.artifact.build import build, to_json
from pr_review.report.artifact.load import load
from pr_review.report.wording import baseline
from pr_review.report.wording import outcome as verdict
from pr_review.report.wording.order import numbered

OLD = "d" * 40


@pytest.fixture
def compared(outcomes):
    """Two findings unchanged and the least severe one new; one resolved, two not seen; one suppressed."""
    readme, outside, retry, shell, removed = outcomes.rich.review.findings
    unchanged = {"baseline_state": BaselineState.UNCHANGED, "fingerprint": "1" * 16}
    review = outcomes.rich.review.model_copy(
        update={
            "findings": (
                readme.model_copy(update={"fingerprint": "2" * 16}),
                retry.model_copy(update=unchanged),
                shell.model_copy(update=unchanged),
            ),
            "suppressed": (
                SuppressedFinding(finding=removed, reason="Checked | *elsewhere*.", expires="2026-12-31"),
            ),
        }
    )
    comparison = Comparison(
        head_sha=OLD,
        new=1,
        unchanged=2,
        resolved=(removed.model_copy(update={"baseline_state": BaselineState.RESOLVED}),),
        not_seen=(outside.model_copy(update={"baseline_state": BaselineState.NOT_SEEN}),) * 2,
    )
    return outcomes.rich.model_copy(update={"review": review, "comparison": comparison})


def test_new_findings_come_first_in_every_report(compared, outcomes):
    """Then the worst; without a baseline the worst comes first."""
    severities = [found.severity for _, found in numbered(compared)]
    assert severities == ["low", "critical", "high"]
    assert numbered(outcomes.rich)[0][1].severity == "critical"


def test_the_verdict_counts_them(compared, outcomes):
    assert verdict.headline(compared) == "3 findings, 1 new"
    assert verdict.headline(outcomes.rich) == "5 findings"
    assert baseline.counts(compared) == ["1 new", "2 unchanged", "1 resolved", "2 not seen"]
    assert baseline.counts(outcomes.rich) == []
    assert verdict.counts(compared)[-1] == "1 suppressed"


@pytest.mark.parametrize(
    ("name", "headline"),
    [
        ("clean", "nothing but 1 suppressed finding"),
        ("rules_only", "nothing but 1 suppressed finding"),
        ("incomplete", "incomplete review, 1 finding so far"),
        ("failed", "the review failed"),
    ],
)
def test_a_verdict_never_calls_a_suppressed_finding_nothing(outcomes, name, headline):
    run = getattr(outcomes, name)
    finding = outcomes.rich.review.findings[0]
    review = (run.review or Review(summary="")).model_copy(
        update={"suppressed": (SuppressedFinding(finding=finding, reason="r"),)}
    )
    silenced = run.model_copy(update={"review": review})
    assert verdict.headline(silenced) == headline
    assert "reported nothing." not in verdict.reason(silenced)


def test_an_incomplete_review_says_what_is_new_so_far(outcomes):
    run = outcomes.incomplete.model_copy(update={"comparison": Comparison(head_sha=OLD, new=1)})
    assert verdict.headline(run) == "incomplete review, 1 finding so far, 1 new"


def test_the_summary_leads_with_what_is_new_and_folds_the_rest(compared, read):
    page = summary.render(compared)
    assert page.startswith("## pr-review: 3 findings, 1 new\n")
    assert f"**1 new** · 2 unchanged · 1 resolved · 2 not seen since the review of `{OLD[:7]}`\n" in page
    rows = [line for line in page.splitlines() if line.startswith(("| 1 |", "| 2 |"))]
    assert ["**new:**" in row for row in rows] == [True, False]
    assert "<summary>Suppressed (1)</summary>" in page
    assert "| Checked \\| \\*elsewhere\\*. | 2026-12-31 |" in page
    assert "<summary>Earlier findings (3)</summary>" in page
    assert [line.split("|")[1].strip() for line in page.splitlines() if "| not seen |" in line] == [
        "not seen"
    ] * 2
    assert "· new · docs" in page
    assert "· unchanged · security" in page
    assert f"fingerprint `{'2' * 16}`" in page
    assert read(page).blocks.count("table") == 4  # findings, suppressed, earlier, files


def test_the_summary_without_a_baseline_says_nothing_of_one(outcomes):
    page = summary.render(outcomes.rich)
    for word in ("**new:**", "since the review", "unchanged", "Earlier findings", "<summary>Suppressed"):
        assert word not in page


def test_what_does_not_fit_is_counted(compared):
    """Earlier findings go before the findings themselves."""
    many = compared.comparison.model_copy(update={"not_seen": compared.comparison.not_seen[:1] * 400})
    whole = compared.model_copy(update={"comparison": many})
    size = len(summary.render(whole).encode())
    page = summary.render(whole, max_bytes=size - 20_000)
    assert len(page.encode()) <= size - 20_000
    assert "<summary>Earlier findings (401)</summary>" in page
    assert "more findings in the artifact `review.json`." in page
    assert page.count("<summary>") > 5


def test_the_terminal_says_the_same(compared):
    text = terminal.render(compared, width=200)
    assert text.startswith("pr-review: 3 findings, 1 new\n")
    assert "1 new · 2 unchanged · 1 resolved · 2 not seen" in text
    assert "docs/READ ME.md · new · docs · fingerprint 2222222222222222" in text
    assert (
        "- MEDIUM The check for negative amounts was removed, src/shop/payments/models.py:88: Checked" in text
    )
    assert "(until 2026-12-31)" in text
    assert "- resolved: MEDIUM The check for negative amounts was removed" in text


def test_the_page_says_the_same(compared):
    page = html.render(compared)
    assert "1 new · 2 unchanged · 1 resolved · 2 not seen since the review of" in page
    assert '<a href="#suppressed">' in page
    assert '<section aria-labelledby="earlier">' in page
    assert "Checked | *elsewhere*." in page
    assert "(until 2026-12-31)" in page
    assert page.count("not seen: ") == 2


def test_sarif_states_the_baseline_and_only_counts_what_is_suppressed(compared, outcomes):
    [run] = json.loads(sarif.render(compared))["runs"]
    assert [result["baselineState"] for result in run["results"]] == ["new", "unchanged", "unchanged"]
    assert run["properties"]["suppressed"] == 1
    [plain] = json.loads(sarif.render(outcomes.rich))["runs"]
    assert not any("baselineState" in result for result in plain["results"])


def test_suppressed_and_earlier_findings_are_neither_annotated_nor_applied(compared):
    titles = {annotation.properties["title"] for annotation in annotations.build(compared).shown}
    assert not any("negative amounts" in title or "Ledger" in title for title in titles)
    assert "negative amounts" not in suggestions_patch.render(compared)


def test_the_artifact_reads_back(compared):
    """Every report can be made again from it."""
    again = load(to_json(build(compared)).encode())
    assert again.comparison == compared.comparison
    assert again.review == compared.review
    assert summary.render(again) == summary.render(compared)


def test_hostile_words_stay_words(compared, outcomes, read):
    """A baseline is an earlier artifact, and may be anybody's; a reason is the base's."""
    hostile = outcomes.hostile.review.findings[0]
    review = Review(
        summary="s",
        suppressed=(SuppressedFinding(finding=hostile, reason=hostile.evidence, expires="2026-12-31"),),
    )
    comparison = Comparison(head_sha=OLD, resolved=(hostile,), not_seen=(hostile,))
    run = compared.model_copy(update={"review": review, "comparison": comparison})
    seen = read(summary.render(run))
    assert seen.images == 0
    assert seen.references == []
    assert all(link.startswith("https://github.com/octo/shop") for link in seen.links)
    assert all("img" not in tag for tag in seen.raw_html)
    assert "<img" not in html.render(run)
    text = terminal.render(run)
    assert "\x1b" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
