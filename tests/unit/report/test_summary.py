"""The job summary: what a maintainer reads, escaped and bounded."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.domain.finding import AnchorStatus, Edit, Excerpt, Place, Review, Severity, Side
from pr_review.domain.run import Conclusion, Coverage, CoverageStatus, ErrorRecord, FileCoverage
from pr_review.domain.sizes import KIB
from pr_review.domain.sizes import utf8_size as size
from pr_review.report.html import render as render_html
from pr_review.report.markdown import Markdown
from pr_review.report.summary import SUMMARY_BYTES, render
from pr_review.report.summary.pieces import MAX_FILE_ROWS, pieces
from pr_review.report.wording.order import by_severity
from pr_review.report.wording.outcome import BY_RULES, NO_PROOF

CONCLUSIONS = [
    "rich",
    "clean",
    "many",
    "rules_only",
    "rules_found",
    "incomplete",
    "skipped",
    "failed",
    "crashed",
]

EXPECTED_BLOCKS = {
    *("h2", "h3", "p", "a", "strong", "hr", "blockquote", "fence", "ul", "li"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


def links(read, markdown: str) -> list[str]:
    return read(markdown).links


@pytest.mark.parametrize("name", CONCLUSIONS)
def test_every_conclusion_renders(outcomes, read, name):
    """A heading first, coverage always, no gap of two empty lines, no template left-over."""
    page = render(getattr(outcomes, name))
    assert page.startswith("## pr-review: ")
    assert "### Coverage" in page
    assert not re.search(r"\n\n\n|\{\{|\{%|None|Undefined", page)
    assert not read(page).references


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rich", ["5 findings", "🔴\u00a01 critical · 🟠\u00a01 high", "1 outside the diff"]),
        ("clean", ["nothing found", "deepseek-v4-flash reviewed every selected file", NO_PROOF]),
        ("rules_only", ["the rules found nothing", BY_RULES, NO_PROOF, "secrets, ruff"]),
        ("rules_found", ["1 finding", BY_RULES, "rule `S602`", "reviewed by rules, offline"]),
        (
            "incomplete",
            ["incomplete review, 1 finding so far", "`max_rounds`: ", "raise max-rounds", "<details open>"],
        ),
        ("skipped", ["nothing to review", "3 excluded", "vendored", "`assets/logo.png`", "<details open>"]),
        (
            "failed",
            ["the review failed", "`opencode_authentication_failed`: ", "**What to do:** Check the secret"],
        ),
        ("crashed", ["the review failed", "`event_missing`: ", "No changed file was looked at."]),
    ],
)
def test_what_a_reader_needs(outcomes, name, words):
    """Verdict, reason, what to do, who reviewed."""
    page = render(getattr(outcomes, name))
    assert [word for word in words if word not in page] == []


@pytest.mark.parametrize("name", ["skipped", "failed", "crashed"])
def test_nothing_reviewed_makes_no_claim(outcomes, name):
    """Neither "found nothing" nor the proof sentence stands where nobody looked."""
    page = render(getattr(outcomes, name))
    assert not re.search("found|proof|proven", page)


def test_findings_link_to_the_exact_lines(outcomes, read):
    """Head SHA and range; a removed line at the merge base; the source of Markdown."""
    blob = "https://github.com/octo/shop/blob/"
    assert {
        f"{blob}{'a' * 40}/src/shop/invoice.py#L41-L42",
        f"{blob}{'b' * 40}/src/shop/payments/models.py#L88",
        f"{blob}{'a' * 40}/docs/READ%20ME.md?plain=1",
    } <= set(links(read, render(outcomes.rich)))


def test_finding_is_folded_with_everything_in_it(outcomes):
    """Explanation, numbered code with the lines marked, evidence, recommendation, suggestion as a diff."""
    page = render(outcomes.rich)
    folded = page[page.index("<summary>🔴 1.") : page.index("<summary>🟠 2.")]
    assert "> 42 |     subprocess.run" in folded
    assert "  43 |\n" in folded
    assert "**Evidence**" in folded
    assert "**Recommendation**" in folded
    assert '```diff\n-subprocess.run(f"lp {name}", shell=True)\n+subprocess.run(["lp"' in folded
    assert folded.rstrip().endswith("<details>")


def test_evidence_that_quotes_the_code_is_shown_as_code(outcomes):
    """Lines of the excerpt get a highlighted block, prose does not."""
    finding = outcomes.rich.review.findings[3]
    quoted = finding.model_copy(update={"evidence": '    name = request.args["name"]\n# print it'})
    page = render(outcomes.rich.model_copy(update={"review": Review(summary="", findings=(quoted,))}))
    assert '**Evidence**\n\n```python\n    name = request.args["name"]\n# print it\n```\n' in page
    prose = finding.model_copy(update={"evidence": "# print it\nis wrong"})
    page = render(outcomes.rich.model_copy(update={"review": Review(summary="", findings=(prose,))}))
    assert "**Evidence**\n\n\\# print it\\\nis wrong\n" in page


def test_findings_are_sorted_and_outside_ones_apart(outcomes):
    """Worst first; what the change does not touch has its own section and is not counted as a severity."""
    page = render(outcomes.rich)
    rows = re.findall(r"^\| (\d) \| \S+\u00a0(\w+) ", page, re.MULTILINE)
    assert rows == [("1", "critical"), ("2", "high"), ("3", "medium"), ("4", "low"), ("5", "high")]
    assert page.index("### Outside the diff") < page.index("| 5 |") < page.index("### Notes of the reviewer")


def test_run_line(outcomes):
    """Model, rounds, calls, repairs, tokens, requests, time, version, prompt."""
    last = render(outcomes.rich).splitlines()[-1]
    for words in (
        "reviewed by deepseek-v4-flash",
        "3 of at most 8 rounds",
        "2 of at most 32 tool calls",
        "1 invalid turn dropped",
        "45,210 tokens (41,000 in, 4,210 out)",
        "4 requests, 1 of them repeated, 2.0 s waited",
        "48\\.2 s",
        "`3f2a9c1b`",
    ):
        assert words in last


def test_hostile_text_makes_nothing(outcomes, read):
    """In every field that others fill: no HTML, image, link, reference or structure of theirs."""
    seen = read(render(outcomes.hostile))
    ours = r"</?(details( open)?|summary|sub|code)>"
    assert re.sub(r"\s", "", re.sub(ours, "", "".join(seen.raw_html), flags=re.DOTALL)) == visible_title()
    assert seen.images == 0
    assert seen.references == []
    assert all(link.startswith("https://github.com/octo/shop/") for link in seen.links)
    assert set(seen.blocks) <= EXPECTED_BLOCKS
    assert seen.blocks.count("ul") == 4  # notes, notes on the run, and its own two
    assert seen.blocks.count("h3") == 4
    assert "".join(seen.raw_html).count("<details") == "".join(seen.raw_html).count("</details>") == 2


def visible_title() -> str:
    """What stands inside our own HTML blocks: two folded titles, as HTML text."""
    title = (
        "🔵 1. &lt;img src=x&gt; ![i](https://e.example/i) [t](https://e.example) @octocat #12 $x$ :tada: | "
        "␛[31m&lt;U+202E&gt; ::error::x ##[error]x a|b Files (1)"
    )
    return re.sub(r"\s", "", title)


def test_values_of_a_template_are_escaped():
    """A forgotten conversion still gives inert text, and a method of ``str`` gives plain text again."""
    assert Markdown.fill("{value}", value="<b>@x") == "`<b>@x`"
    assert Markdown.fill("{value}", value="a | <b>") == "a \\| &lt;b&gt;"
    assert Markdown.fill("{value}", value=Markdown("**a** ").strip()) == "\\*\\*a\\*\\*"
    assert Markdown.concat(("*a*", Markdown("*b*"), 3), " · ") == "\\*a\\* · *b* · 3"


def test_default_cap_is_900_kib():
    assert SUMMARY_BYTES == 900 * 1024


def test_cap_cuts_whole_findings(outcomes):
    """At the limit all is there; one byte less drops one piece and says so."""
    outcome = outcomes.many.model_copy(update={"coverage": Coverage()})
    whole = render(outcome)
    limit = size(whole)
    assert render(outcome, max_bytes=limit + 1) == render(outcome, max_bytes=limit) == whole
    cut = render(outcome, max_bytes=limit - 1)
    assert size(cut) <= limit - 1
    assert cut.count("<details>") == whole.count("<details>") - 1
    assert "**1 more finding** did not fit" in cut
    assert "`review.json`" in cut


def test_a_review_of_100_findings_fits_whole(outcomes):
    """With everything a finding can have, at the length that models write."""
    lines = ("    value = compute(first, second, third)  # a line of code",) * 12
    full = outcomes.rich.review.findings[3].model_copy(
        update={
            "explanation": "A sentence of forty characters, or so. " * 30,
            "recommendation": "A sentence of forty characters, or so. " * 10,
            "excerpt": Excerpt(start_line=35, lines=lines),
            "edit": Edit(start_line=41, removed=lines, added=lines, before=lines[:3], after=lines[:3]),
            "anchor": AnchorStatus.AMBIGUOUS,
            "alternatives": tuple(Place(side=Side.RIGHT, line=100 * n) for n in range(1, 11)),
            "merged": 3,
        }
    )
    review = Review(summary="", findings=(full,) * 100)
    page = render(outcomes.rich.model_copy(update={"review": review}))
    assert size(page) < SUMMARY_BYTES
    assert page.count("<summary>🔴") == 100
    assert "did not fit" not in page


@pytest.mark.parametrize("max_bytes", [3000, 10_000, 40_000, 80_000])
def test_cap_holds_and_the_most_severe_stay(outcomes, max_bytes):
    """Any cap above the fixed part is kept, balanced, and keeps the findings that matter most."""
    page = render(outcomes.many, max_bytes=max_bytes)
    assert size(page) <= max_bytes
    assert page.count("<details") == page.count("</details>")
    left = int(re.search(r"\*\*(\d+) more findings\*\* did not fit", page)[1])
    assert page.count("<summary>🔴") == min(20, page.count("<summary>") - 1)
    assert 0 < left <= 100


@given(max_bytes=st.integers(1, 120_000), name=st.sampled_from(["many", "rich", "hostile", "incomplete"]))
@settings(deadline=None)
def test_the_limit_holds_and_importance_decides(outcomes, max_bytes, name):
    """Never over the limit, and never a piece without all the more important ones."""
    outcome = with_notes(getattr(outcomes, name))
    page, floor = render(outcome, max_bytes=max_bytes), render(outcome, max_bytes=1)
    assert size(page) <= max(max_bytes, size(floor))
    shown = [piece.row in page for piece in pieces(outcome)]
    assert shown == sorted(shown, reverse=True)
    whole = render(outcome)
    assert (page == whole) is (max_bytes >= size(whole))


def with_notes(outcome):
    """Notes of both kinds that stand nowhere else, so that a piece is found in the page by its row."""
    review = outcome.review.model_copy(update={"notes": tuple(f"Reviewer note {n}." for n in range(20))})
    return outcome.model_copy(update={"review": review, "notes": tuple(f"Run note {n}." for n in range(20))})


@pytest.mark.parametrize("kept", [1, 2, 50, 80, 99])
def test_the_limit_holds_at_its_borders(outcomes, kept):
    """Where the pieces alone would just fit, the head of their table does not."""
    outcome, floor = with_notes(outcomes.many), render(with_notes(outcomes.many), max_bytes=1)
    room = size(floor) + sum(piece.size for piece in list(pieces(outcome))[:kept])
    for max_bytes in range(room - 10, room + 150, 10):
        assert size(render(outcome, max_bytes=max_bytes)) <= max_bytes


def test_room_that_is_left_is_used(outcomes):
    """At most one piece and the words that count what is left out stay free."""
    outcome = with_notes(outcomes.many)
    largest = max(piece.size for piece in pieces(outcome))
    for max_bytes in range(20_000, 90_000, 10_000):
        assert max_bytes - size(render(outcome, max_bytes=max_bytes)) < largest + KIB


def test_ten_thousand_files(outcomes):
    """Rows are capped, the unreviewed come first, and the rest is counted."""
    reviewed = [FileCoverage(path=f"src/{n}.py", status=CoverageStatus.REVIEWED) for n in range(9_999)]
    missed = FileCoverage(path="src/missed.py", status=CoverageStatus.NOT_REVIEWED, reason="too large")
    page = render(outcomes.clean.model_copy(update={"coverage": Coverage(files=(*reviewed, missed))}))
    assert size(page) < SUMMARY_BYTES
    assert "10,000 changed files: 1 not reviewed, 9,999 reviewed." in page
    assert page.index("`src/missed.py`") < page.index("`src/0.py`")
    assert page.count("| reviewed |") + 1 == MAX_FILE_ROWS == 1000
    assert "9,000 more files in the artifact" in page


def test_worst_case_fits(outcomes):
    """100 findings and 100 notes of 8 KiB of what escapes worst, and long paths."""
    text = "<&" * (4 * KIB)
    finding = outcomes.rich.review.findings[0].model_copy(
        update={
            "explanation": text,
            "evidence": text,
            "recommendation": text,
            "path": "é/" * 2000,
            "title": text,
        }
    )
    review = Review(summary=text, findings=(finding,) * 100, notes=(text,) * 100)
    update = {"review": review, "error": ErrorRecord(code="x", detail=text), "model": text}
    page = render(outcomes.rich.model_copy(update=update))
    assert size(page) <= SUMMARY_BYTES
    assert "more findings** did not fit" in page
    assert "100 more notes" in page


def test_floor_is_small(outcomes):
    """What is never left out stays far below the runner's limit."""
    assert size(render(outcomes.many, max_bytes=1)) < 2 * KIB


def test_incomplete_coverage_is_named_without_an_error(outcomes):
    """The review ended, yet a file was not seen."""
    page = render(
        outcomes.incomplete.model_copy(update={"error": None, "termination_reason": "final_review"})
    )
    assert "1 of 6 changed files could not be reviewed." in page
    assert "**What to do:** The model stopped by itself, with rounds left" in page


def test_title_is_cut_in_the_table_and_whole_below(outcomes):
    """120 characters in a cell."""
    finding = outcomes.rich.review.findings[0].model_copy(update={"title": "x" * 121})
    page = render(outcomes.rich.model_copy(update={"review": Review(summary="", findings=(finding,))}))
    assert f"| {'x' * 119}… |" in page
    assert f"{'x' * 121}</summary>" in page


def test_worst_severity_ignores_the_order(outcomes):
    assert by_severity(outcomes.rich)[0] == (Severity.CRITICAL, 1)


def test_failed_without_turns_names_no_reviewer(outcomes):
    assert outcomes.failed.conclusion is Conclusion.FAILED
    assert "reviewed by" not in render(outcomes.failed)


def test_rendering_stops_at_the_cap(outcomes):
    """A hostile answer must not cost seconds: what cannot fit is not even escaped (all of it takes 20 s)."""
    text = "@a " * 2700
    finding = outcomes.rich.review.findings[0].model_copy(
        update={"explanation": text, "evidence": text, "recommendation": text}
    )
    review = Review(summary="", findings=(finding,) * 1500)
    start = time.process_time()
    page = render(outcomes.rich.model_copy(update={"review": review}), max_bytes=100_000)
    assert size(page) <= 100_000
    assert time.process_time() - start < 8


@pytest.mark.parametrize("render_page", [render, render_html])
def test_a_local_review_has_neither_author_nor_number(outcomes, render_page):
    """Nothing of it is on a server, so the page leaves both out."""
    local = outcomes.clean.pull_request.model_copy(
        update={"url": "", "owner": "", "number": 0, "author": "", "title": "HEAD into main"}
    )
    page = render_page(outcomes.clean.model_copy(update={"pull_request": local}))
    assert "HEAD into main · head" in page
    assert not re.search("shop#0|· by ", page)
