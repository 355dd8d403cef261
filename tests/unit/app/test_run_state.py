"""What is known of a run: each step adds to it, and a report can be made of it at any moment."""

from dataclasses import replace

import anyio
import pytest

from pr_review.app.outcome import build_outcome
from pr_review.app.run_state import Progress, RunState
from pr_review.config.settings import Settings
from pr_review.conversation.conversation import Conversation
from pr_review.domain.change import ChangedFile, Diff, FileStatus, Hunk, HunkLine, LineKind
from pr_review.domain.chat import Message, Role
from pr_review.domain.finding import Review
from pr_review.domain.run import Conclusion, ConversationLimits, Purpose, Unreviewed
from pr_review.domain.shown import ShownLines
from pr_review.errors import (
    ConfigError,
    Interrupted,
    ModelError,
    PartialReview,
    PrReviewError,
    ReviewStopped,
    Skipped,
    TerminationReason,
)
from pr_review.findings.submission import RuleSubmission, parse_rule_submission
from pr_review.llm.scripted import ScriptedModel, saying
from pr_review.review.passes.find import FINAL_REVIEW, Opened, failure_of, hold_all, join
from pr_review.review.selection import Selection
from pr_review.tools.toolbox import Toolbox

SHA = "0" * 40
SENT = "1 of 1 changed lines had been sent to the reviewer"
LINE = HunkLine(LineKind.ADDED, "x", None, 1)
HUNK = Hunk(old_start=0, old_count=0, new_start=1, new_count=1, text="@@ -0,0 +1 @@\n+x\n", lines=(LINE,))


def changed(path):
    return ChangedFile(path=path, status=FileStatus.MODIFIED, header="", hunks=(HUNK,), additions=1)


class Talked:
    """A conversation that took place."""

    def __init__(self, name, *paths, error=None, answered=True, model="m-1"):
        from pr_review.conversation.record import ConversationRecord

        shown = ShownLines.union(ShownLines.of(path, 0, 2) for path in paths)
        self.record = ConversationRecord(name, Purpose.FIND, shown=shown, model=model, error=error)
        if answered:
            self.record.take_answer()


def state(*talked, paths=("a.py", "b.py"), **fields):
    diff = Diff(SHA, SHA, tuple(map(changed, paths)))
    selection = Selection(diff.files, {})
    known = {"settings": Settings.from_mapping({}), "diff": diff, "selection": selection}
    return RunState(**known | {"conversations": talked} | fields)


def test_a_step_adds_what_it_found_and_keeps_the_rest():
    progress = Progress(RunState(notes=("first",)))
    before = progress.state
    progress.reached(prompt_version="v1", notes=("second",))
    progress.reached(first_request=b"x")
    assert (progress.state.prompt_version, progress.state.first_request) == ("v1", b"x")
    assert progress.state.notes == ("first", "second")
    assert before == RunState(notes=("first",))


def test_a_step_cannot_add_what_a_state_does_not_know():
    with pytest.raises(TypeError, match="unexpected keyword"):
        Progress(RunState()).reached(unheard_of=1)


@pytest.mark.parametrize(
    ("error", "conclusion", "code"),
    [
        (ConfigError("invalid_input", "Bad."), Conclusion.FAILED, 2),
        (Interrupted(15), Conclusion.FAILED, 143),
        (Skipped("no_changes", "Nothing."), Conclusion.SKIPPED, 0),
    ],
)
def test_a_run_that_knows_nothing_yet_has_an_outcome(error, conclusion, code):
    outcome = build_outcome(RunState(), error, 7)
    assert (outcome.conclusion, outcome.exit_code, outcome.error.code) == (conclusion, code, error.code)
    assert (outcome.provider, outcome.coverage.files, outcome.duration_ms) == ("unknown", (), 7)


def test_a_complete_run_names_its_conversation_everywhere():
    outcome = build_outcome(state(Talked("find-1", "a.py", "b.py"), review=Review(summary="s")), None, 1)
    assert (outcome.conclusion, outcome.termination_reason) == ("clean", "final_review")
    [talked] = outcome.conversations
    assert (talked.id, talked.purpose, talked.model, talked.end.termination_reason) == (
        "find-1",
        "find",
        "m-1",
        "final_review",
    )
    assert [file.conversations for file in outcome.coverage.files] == [("find-1",), ("find-1",)]


FAILURES: dict[str, PrReviewError] = {
    "settings": ConfigError("authentication_failed", "Refused."),
    "provider": ModelError("provider_unreachable", "No answer."),
    "budget": ReviewStopped(TerminationReason.MAX_ROUNDS, "Spent."),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES.keys())
def test_a_failed_conversation_beside_a_good_one_is_never_clean(failure):
    """Both ends are named; what the good one covered and found stands."""
    good = Talked("find-1", "a.py")
    bad = Talked("find-2", "b.py", error=failure, answered=False)
    error = PartialReview(failure.termination_reason, "1 of 2 …", code=failure.code)
    outcome = build_outcome(state(good, bad, review=Review(summary="s")), error, 1)
    assert (outcome.conclusion, outcome.error.code) == ("incomplete", failure.code)
    assert [(each.id, each.end.error and each.end.error.code) for each in outcome.conversations] == [
        ("find-1", None),
        ("find-2", failure.code),
    ]
    files = {
        file.path: (file.status.value, file.reason, file.conversations) for file in outcome.coverage.files
    }
    assert files == {
        "a.py": ("reviewed", None, ("find-1",)),
        "b.py": ("not_reviewed", f"the review did not finish ({failure.code}); {SENT}", ()),
    }
    assert outcome.review.summary == "s"


def test_a_run_that_was_cut_covers_nothing_and_says_what_it_showed():
    error = ReviewStopped(TerminationReason.REVIEW_TIMEOUT, "Too late.")
    outcome = build_outcome(state(Talked("find-1", "a.py", answered=False)), error, 1)
    assert {(file.status.value, file.reason) for file in outcome.coverage.files} == {
        ("not_reviewed", f"the review did not finish (review_timeout); {SENT}"),
        ("not_reviewed", "the review did not finish (review_timeout)"),
    }


@pytest.mark.parametrize(
    "error",
    [ReviewStopped(TerminationReason.MAX_TOOL_CALLS, "Spent."), Interrupted(15)],
    ids=["budget", "signal"],
)
def test_what_an_answer_covered_stands_whatever_ends_the_run_later(error):
    """A budget that cut the model short, or a signal while GitHub was asked: the answer was there."""
    talked = Talked("find-1", "a.py", error=error)
    outcome = build_outcome(state(talked, review=Review(summary="s")), error, 1)
    assert [(file.status.value, file.conversations) for file in outcome.coverage.files] == [
        ("reviewed", ("find-1",)),
        ("not_reviewed", ()),
    ]
    assert outcome.conclusion in {"incomplete", "failed"}


def test_an_answer_to_a_prompt_that_the_server_cut_covers_nothing():
    talked = Talked("find-1", "a.py", "b.py")
    talked.record.truncated_by_server = True
    error = ReviewStopped(TerminationReason.FINAL_REVIEW, "Cut.", code="prompt_truncated")
    outcome = build_outcome(state(talked, review=Review(summary="s")), error, 1)
    assert {(file.status.value, file.reason) for file in outcome.coverage.files} == {
        ("not_reviewed", f"the review did not finish (prompt_truncated); {SENT}")
    }


def test_files_that_only_github_knows_are_not_reviewed():
    known = state(Talked("find-1", "a.py", "b.py"), review=Review(summary="s"), unlisted=("src/evil.py",))
    outcome = build_outcome(known, None, 1)
    assert outcome.conclusion == "incomplete"
    assert [(file.path, file.status) for file in outcome.coverage.files][2:] == [
        ("src/evil.py", "not_reviewed")
    ]
    assert outcome.coverage.files[2].reason == Unreviewed.UNLISTED


def test_what_the_rules_know_is_part_of_their_answer():
    answer = parse_rule_submission(
        '{"summary":"s","findings":[],"notes":[],"checks":{"a.py":["ruff"]},"checked_in_part":["a.py"]}'
    )
    assert isinstance(answer, RuleSubmission)
    known = state(Talked("find-1", "a.py"), paths=("a.py",), answer=answer, review=Review(summary="s"))
    [file] = build_outcome(known, None, 1).coverage.files
    assert (file.checks, file.reason) == (("ruff",), "only its added lines could be checked")


def test_what_conversations_adapted_is_listed_once():
    talked = [Talked("find-1", "a.py"), Talked("find-2", "b.py")]
    for each in talked:
        each.record.events.append("The oldest results were replaced.")
    outcome = build_outcome(state(*talked, review=Review(summary="s")), None, 1)
    assert outcome.requests.events == ("The oldest results were replaced.",)


@pytest.mark.parametrize(
    ("wanted", "error", "kept"),
    [
        ("false", None, False),
        ("true", None, True),
        ("true", ModelError("x", "y"), False),
        ("always", ModelError("x", "y"), True),
    ],
)
def test_the_trace_is_kept_as_include_trace_says(wanted, error, kept):
    settings = Settings.from_mapping({"INPUT_INCLUDE-TRACE": wanted})
    outcome = build_outcome(state(Talked("find-1", "a.py"), settings=settings), error, 1)
    assert (outcome.trace is not None) is kept


def test_the_budgets_of_both_kinds_are_reported():
    outcome = build_outcome(
        state(settings=Settings.from_mapping({"INPUT_MAX-REQUESTS": "5"})), Interrupted(2), 1
    )
    assert (outcome.limits.max_requests, outcome.limits.max_rounds) == (5, ConversationLimits().max_rounds)


def talk(name, *script, path):
    """A real conversation that is ready to run and was shown one file."""
    conversation = Conversation(
        name,
        Purpose.FIND,
        model=ScriptedModel(script),
        toolbox=Toolbox(()),
        limits=ConversationLimits(max_repairs=0),
        answers=FINAL_REVIEW,
        clock=lambda: 0.0,
    )
    return Opened(conversation, (Message(role=Role.USER, content="review"),), ShownLines.of(path, 0, 2))


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES.keys())
def test_real_conversations_end_up_in_one_outcome(failure):
    """The same as above, from the models' replies to the outcome."""
    final = '{"summary":"s","findings":[],"notes":["kept"]}'
    opened = [talk("find-1", saying(final), path="a.py"), talk("find-2", failure, path="b.py")]
    ended = anyio.run(hold_all, opened)
    answer = join([each.answer for each in ended if each.answer])
    review = Review(summary=answer.summary, notes=tuple(answer.notes))
    known = state(*(each.conversation for each in ended), answer=answer, review=review)
    outcome = build_outcome(known, failure_of(ended), 1)
    assert (outcome.conclusion, outcome.review.notes) == ("incomplete", ("kept",))
    assert [each.end.error and each.end.error.code for each in outcome.conversations] == [None, failure.code]
    assert [file.status for file in outcome.coverage.files] == ["reviewed", "not_reviewed"]
    assert outcome.exit_code == 0
    strict = Settings.from_mapping({"INPUT_FAIL-ON-INCOMPLETE": "true"})
    assert build_outcome(replace(known, settings=strict), failure_of(ended), 1).exit_code == 3
