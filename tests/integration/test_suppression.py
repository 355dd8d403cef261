"""What the base commit silences does not count and is never lost, in any report."""

import json
from datetime import date

import pytest

from pr_review.report import sarif
from pr_review.report.artifact.load import load

CONFIG = ".github/pr-review.yml"
HEAD = (
    "def collect(items=[]):\n    return items\n\n\n"
    "def load(path):\n    try:\n        return path()\n    except:\n        return None\n"
)
MUTABLE, BARE = "Mutable default argument", "Bare `except`"


@pytest.fixture
def box(make_repo, make_box):
    """A pull request with two defects that the rules prove: one medium, one low."""
    repo = make_repo({"a.py": "one = 1\n"}, {"a.py": HEAD})
    box = make_box(repo.path)
    box.repo = repo
    box.write_event(repo.base_sha, repo.head_sha)
    return box


def configure(box, text):
    """Merge a configuration into the base branch, and rebase the pull request onto it."""
    box.repo.git("checkout", "-q", "main")
    box.repo.write({CONFIG: text})
    box.repo.git("add", "--", CONFIG)
    box.repo.git("commit", "-q", "-m", "configure")
    box.repo.base_sha = box.repo.git("rev-parse", "HEAD")
    box.repo.git("checkout", "-q", "topic")
    box.repo.git("rebase", "-q", "main")
    box.repo.head_sha = box.repo.git("rev-parse", "HEAD")
    box.write_event(box.repo.base_sha, box.repo.head_sha)


def fingerprints(box):
    """By title, as a first review reports them."""
    return {
        found["title"]: found["fingerprint"] for found in box.run(provider="offline").artifact["findings"]
    }


def item(fingerprint, expires=None):
    until = f"    expires: {expires}\n" if expires else ""
    return f"  - fingerprint: '{fingerprint}'\n    reason: Known | <b>and</b> wanted.\n{until}"


def test_a_suppressed_finding_is_listed_and_does_not_count(box):
    known = fingerprints(box)
    configure(box, "suppress:\n" + item(known[MUTABLE]))
    result = box.run(provider="offline", fail_on="medium", fail_on_new="medium")
    assert result.code == 0
    assert result.outputs["findings-count"] == "1"
    assert result.outputs["highest-severity"] == "low"
    assert [found["title"] for found in result.artifact["findings"]] == [BARE]
    [silenced] = result.artifact["suppressed"]
    assert (silenced["finding"]["title"], silenced["reason"]) == (MUTABLE, "Known | <b>and</b> wanted.")
    assert silenced["expires"] is None
    page = result.summary.split("## pr-review: ")[-1]
    assert page.startswith("1 finding\n")
    assert "1 suppressed" in page
    assert "<summary>Suppressed (1)</summary>" in page
    assert "Known \\| &lt;b&gt;and&lt;/b&gt; wanted." in page
    assert MUTABLE not in "".join(line for line in result.log.splitlines() if line.startswith("::"))
    html = (box.workspace / "pr-review-report/review.html").read_text()
    assert "Known | &lt;b&gt;and&lt;/b&gt; wanted." in html
    log = json.loads(sarif.render(load(json.dumps(result.artifact).encode())))
    [run] = log["runs"]
    assert len(run["results"]) == 1
    assert run["properties"]["suppressed"] == 1


def test_when_only_suppressed_findings_are_left_the_verdict_says_so(box):
    """Nothing counts, so nothing fails; but it is not that nothing was found."""
    known = fingerprints(box)
    configure(box, "suppress:\n" + item(known[MUTABLE]) + item(known[BARE]))
    result = box.run(provider="offline", fail_on="low")
    assert (result.code, result.outputs["conclusion"]) == (0, "rules_only")
    assert result.outputs["findings-count"] == "0"
    page = result.summary.split("## pr-review: ")[-1]
    assert page.startswith("nothing but 2 suppressed findings\n")
    assert "the rules found nothing" not in page


def test_a_model_s_review_of_which_everything_is_suppressed_is_clean_and_says_so(
    box, chat_server, chat_inputs
):
    finding = {
        "severity": "critical",
        "title": "t",
        "explanation": "e",
        "path": "a.py",
        "line": 1,
        "evidence": "e",
        "recommendation": "r",
        "existing_code": "def collect(items=[]):",
    }
    review = {"summary": "s", "findings": [finding], "notes": []}
    chat_server.rule = lambda _: chat_server.completion(json.dumps(review))
    [found] = box.run(**chat_inputs).artifact["findings"]
    configure(box, "suppress:\n" + item(found["fingerprint"]))
    result = box.run(**chat_inputs, fail_on="low")
    assert (result.code, result.outputs["conclusion"]) == (0, "clean")
    page = result.summary.split("## pr-review: ")[-1]
    assert page.startswith("nothing but 1 suppressed finding\n")
    assert "reviewed every selected file and reported nothing that counts." in page


def test_a_suppression_ends_with_its_last_day(box):
    box.today = lambda: date(2026, 3, 1)
    known = fingerprints(box)
    configure(box, "suppress:\n" + item(known[MUTABLE], "2026-02-28") + item(known[BARE], "2026-03-01"))
    result = box.run(provider="offline", fail_on="medium")
    assert result.code == 1
    assert [found["title"] for found in result.artifact["findings"]] == [MUTABLE]
    assert [each["expires"] for each in result.artifact["suppressed"]] == ["2026-03-01"]
    ended = f"The suppression of {known[MUTABLE]} ended on 2026-02-28: its finding counts again."
    assert result.artifact["run_notes"] == [ended]


def test_the_day_is_that_of_the_clock(box):
    known = fingerprints(box)
    configure(box, "suppress:\n" + item(known[MUTABLE], "2000-01-01") + item(known[BARE], "9999-12-31"))
    result = box.run(provider="offline")
    assert [found["title"] for found in result.artifact["findings"]] == [MUTABLE]
    assert len(result.artifact["suppressed"]) == 1


def test_a_suppression_that_matches_nothing_is_a_note(box):
    configure(box, "suppress:\n" + item("0123456789abcdef"))
    result = box.run(provider="offline")
    assert len(result.artifact["findings"]) == 2
    assert result.artifact["run_notes"] == [
        "Suppressions that match no finding of this review: 0123456789abcdef."
    ]


def test_a_pull_request_cannot_silence_its_own_findings(box):
    """The head's configuration is not read."""
    known = fingerprints(box)
    box.repo.write({CONFIG: "suppress:\n" + item(known[MUTABLE])})
    box.repo.git("add", "--", CONFIG)
    box.repo.git("commit", "-q", "-m", "silence")
    box.write_event(box.repo.base_sha, box.repo.git("rev-parse", "HEAD"))
    result = box.run(provider="offline", fail_on="medium")
    assert result.code == 1
    assert result.artifact["suppressed"] == []


def test_a_bad_suppression_ends_the_run_before_anything_is_spent(box, chat_server, chat_inputs):
    """With the line of the bad date."""
    configure(box, "# who\nsuppress:\n" + item("0123456789abcdef", "2026-02-30"))
    result = box.run(**chat_inputs)
    assert result.code == 2
    assert result.artifact["error"]["code"] == "invalid_config_file"
    assert result.artifact["error"]["detail"] == (
        ".github/pr-review.yml, line 5: `suppress.expires` must be a date such as 2026-12-31."
    )
    assert chat_server.requests == []


def test_what_was_suppressed_is_known_to_the_next_review(box):
    """When the suppression is taken back, the finding counts and is not new."""
    known = fingerprints(box)
    configure(box, "suppress:\n" + item(known[MUTABLE]) + item(known[BARE]))
    box.run(provider="offline")
    (box.workspace / "pr-review-report/review.json").rename(box.workspace / "last.json")
    configure(box, "suppress:\n" + item(known[BARE]))
    result = box.run(provider="offline", baseline="last.json", fail_on_new="low")
    assert result.code == 0
    assert [found["baseline_state"] for found in result.artifact["findings"]] == ["unchanged"]
    assert [each["finding"]["baseline_state"] for each in result.artifact["suppressed"]] == ["unchanged"]
    compared = result.artifact["comparison"]
    assert (compared["new"], compared["unchanged"]) == (0, 1), "of what counts"
    assert compared["resolved"] == compared["not_seen"] == []
