"""No report holds a secret, whoever put it into the outcome."""

from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.change import PullRequest
from pr_review.domain.finding import Category, Edit, Finding, Review, Severity, SuppressedFinding
from pr_review.domain.run import Comparison, Conclusion, Outcome
from pr_review.masking.redact import redact


def outcome(text: str) -> Outcome:
    finding = Finding(
        severity=Severity.CRITICAL,
        title=text,
        explanation=text,
        path=text,
        line=1,
        evidence=text,
        recommendation=text,
        category=Category.SECURITY,
    )
    review = Review(summary=text, findings=(finding,), notes=(text,))
    return Outcome(
        conclusion=Conclusion.FINDINGS, exit_code=0, provider="offline", review=review, notes=(text,)
    )


@given(st.text(min_size=8, max_size=30), st.text(max_size=10), st.text(max_size=10))
def test_a_secret_is_gone_from_every_text(secret, before, after):
    clean = redact(outcome(before + secret + after), (secret,))
    assert clean.review.summary == (before + secret + after).replace(secret, "***")
    assert clean.review.findings[0].path == clean.review.summary == clean.notes[0]


def test_words_of_closed_lists_survive_a_secret_that_equals_one():
    clean = redact(outcome("security and critical"), ("security", "critical", "findings", "offline!"))
    assert clean.review.summary == "*** and ***"
    assert clean.review.findings[0].category is Category.SECURITY
    assert clean.conclusion is Conclusion.FINDINGS


def test_a_header_that_carries_the_head_commit_blanks_no_commit():
    """Header values count as secrets, and a gateway may be told which commit a request is about."""
    pull = PullRequest(
        url="", owner="", repository="", number=0, title="t", body="", author="", base_ref="main",
        head_ref="topic", base_sha="a" * 40, head_sha="b" * 40,
    )  # fmt: skip
    run = outcome("of " + "b" * 40).model_copy(update={"pull_request": pull, "merge_base_sha": "a" * 40})
    clean = redact(run, ("a" * 40, "b" * 40))
    assert (clean.pull_request, clean.merge_base_sha, clean.review.summary) == (pull, "a" * 40, "of ***")


def test_the_longer_of_two_secrets_goes_first():
    assert redact(outcome("abcdefghij"), ("abcdefgh", "abcdefghij")).review.summary == "***"


def test_short_values_are_left_alone():
    assert redact(outcome("seven77"), ("seven77",)).review.summary == "seven77"


def test_an_edit_that_held_a_secret_is_dropped():
    """Redacted lines are not the file's any more, so a patch of them would not apply."""
    good = Edit(start_line=1, removed=("a",), added=("b",))
    bad = good.model_copy(update={"after": ("the-secret",)})
    run = outcome("text")
    findings = tuple(run.review.findings[0].model_copy(update={"edit": edit}) for edit in (good, bad))
    run = run.model_copy(update={"review": run.review.model_copy(update={"findings": findings})})
    assert [found.edit for found in redact(run, ("the-secret",)).review.findings] == [good, None]
    assert redact(run.model_copy(update={"review": None, "notes": ("the-secret",)}), ("the-secret",)).notes


def test_so_is_that_of_a_suppressed_finding():
    edit = Edit(start_line=1, removed=("a",), added=("the-secret",))
    found = outcome("text").review.findings[0].model_copy(update={"edit": edit})
    review = Review(summary="s", suppressed=(SuppressedFinding(finding=found, reason="the-secret"),))
    [silenced] = redact(outcome("").model_copy(update={"review": review}), ("the-secret",)).review.suppressed
    assert (silenced.finding.edit, silenced.reason) == (None, "***")


def test_findings_of_the_baseline_are_redacted_too():
    found = outcome("a secret: the-secret").review.findings[0]
    compared = Comparison(head_sha="0" * 40, resolved=(found,), not_seen=(found,))
    clean = redact(outcome("").model_copy(update={"comparison": compared}), ("the-secret",)).comparison
    assert {each.title for each in (*clean.resolved, *clean.not_seen)} == {"a secret: ***"}
