"""The report in a terminal: complete, plain, and obeyed by nobody."""

import re

import pytest

from pr_review.domain.run import Coverage, CoverageStatus, ErrorRecord, FileCoverage
from pr_review.report.terminal import MAX_FILE_LINES, render
from pr_review.report.wording.outcome import NO_PROOF, NO_PROOF_EITHER

NAMES = [
    *("rich", "clean", "many", "hostile", "rules_only", "rules_found"),
    *("incomplete", "skipped", "failed", "crashed"),
]


@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_obeyed(outcomes, name, color):
    """No control character but our colours, no workflow command, in any form."""
    text = render(getattr(outcomes, name), color=color)
    plain = re.sub(r"\x1b\[[0-9;]+m", "", text) if color else text
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", plain)
    assert not [line for line in plain.split("\n") if line.lstrip().startswith("::") or "##[" in line]
    assert text.endswith("\n")
    assert "\n\n\n" not in plain


def test_colours_are_ours(outcomes):
    """The same text, with the severities coloured."""
    plain, coloured = render(outcomes.rich), render(outcomes.rich, color=True)
    assert re.sub(r"\x1b\[[0-9;]+m", "", coloured) == plain
    assert "\x1b[1;31m1. CRITICAL: User input" in coloured
    assert coloured.count("\x1b[0m") == coloured.count("\x1b[") / 2


def test_a_review_is_complete(outcomes):
    """Everything the job summary says."""
    text = render(outcomes.rich)
    for words in (
        "pr-review: 5 findings\n1 critical · 1 high · 1 medium · 1 low · 1 outside the diff\n",
        NO_PROOF_EITHER,
        "src/shop/invoice.py:41-42 · security · high confidence\n",
        "   > 42 |     subprocess.run",
        "Evidence: Line 41 builds the command:",
        "Recommendation: Pass a list",
        "   -subprocess.run(f",
        '   +subprocess.run(["lp"',
        '   headers = {"Idempotency-Key": key}',
        "src/shop/ledger.py:120 · concurrency · outside the diff",
        "- Whether `client.post` already retries",
        "- GitHub's API could not be reached",
        "5 changed files: 1 excluded, 4 reviewed.",
        "  excluded      package-lock.json  (lock file)",
        "reviewed by deepseek-v4-flash · 3 of at most 8 rounds",
    ):
        assert words in text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("clean", [NO_PROOF]),
        (
            "rules_only",
            ["Deterministic rules reviewed this change, not a model", "(conflict-markers, secrets"],
        ),
        (
            "incomplete",
            ["max_rounds: The model did not finish", "What to do: Split the change", "not reviewed"],
        ),
        ("skipped", ["No changed file was selected", "vendor/jquery.min.js  (vendored)"]),
        ("failed", ["opencode_authentication_failed: The provider refused", "What to do: Check the secret"]),
        ("crashed", ["event_missing: There is no event payload.", "No changed file was looked at."]),
    ],
)
def test_every_conclusion_says_why(outcomes, name, words):
    text = render(getattr(outcomes, name))
    assert [word for word in words if word not in text] == []


def test_prose_is_wrapped_and_code_is_not(outcomes):
    text = render(outcomes.rich, width=40)
    assert max(len(line) for line in text.split("\n") if line.startswith("   The")) <= 40
    assert '     40 |     name = request.args["name"]' in text


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_file_limit(outcomes, extra):
    """200 lines, then a count."""
    assert MAX_FILE_LINES == 200
    total = MAX_FILE_LINES + extra
    files = [FileCoverage(path=f"{n}.py", status=CoverageStatus.REVIEWED) for n in range(total)]
    text = render(outcomes.clean.model_copy(update={"coverage": Coverage(files=tuple(files))}))
    assert len(re.findall(r"^  reviewed ", text, re.MULTILINE)) == min(total, 200)
    assert ("1 more file in review.json" in text) == (extra == 1)


def test_the_body_of_a_finding_stands_below_its_title(outcomes):
    """Also from number 10 on."""
    lines = render(outcomes.many).split("\n")
    for number in (9, 10, 100):
        at = next(index for index, line in enumerate(lines) if line.startswith(f"{number}. "))
        assert re.match(" *", lines[at + 1])[0] == " " * len(f"{number}. ")


def test_offline_budgets_are_not_shown(outcomes):
    """They are computed from the change, so nobody set them."""
    text = render(outcomes.rules_only)
    assert "reviewed by rules, offline · 2 rounds · 2 tool calls · 860 ms" in text
    assert "at most" not in text


@pytest.mark.parametrize("name", ["skipped", "failed", "crashed"])
def test_nobody_reviewed_where_no_round_was(outcomes, name):
    outcome = getattr(outcomes, name).model_copy(update={"provider": "offline", "turns": ()})
    assert "reviewed by" not in render(outcome)


def test_a_dry_run_is_said(outcomes):
    """In the headline, and no file looks forgotten."""
    error = ErrorRecord(code="dry_run", detail="The first request would be 9,078 bytes; nothing was sent.")
    coverage = Coverage(
        files=(FileCoverage(path="a.py", status=CoverageStatus.NOT_REVIEWED, reason="dry run"),)
    )
    outcome = outcomes.skipped.model_copy(update={"error": error, "coverage": coverage})
    text = render(outcome)
    assert text.startswith("pr-review: dry run: nothing was sent\n")
    assert "not reviewed  a.py  (dry run)" in text


def test_a_file_checked_in_part_says_so(outcomes):
    """Beside the checks that ran on it."""
    file = FileCoverage(
        path="link", status=CoverageStatus.REVIEWED, reason="only its added lines", checks=("secrets",)
    )
    text = render(outcomes.rules_only.model_copy(update={"coverage": Coverage(files=(file,))}))
    assert "  reviewed      link  (only its added lines: secrets)" in text
