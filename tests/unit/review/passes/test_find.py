"""Many conversations in one run: each ends on its own, and the run says what became of all of them."""

import json

import anyio
import pytest

from pr_review.conversation.conversation import Conversation
from pr_review.domain.chat import FinishReason, Message, Role
from pr_review.domain.run import ConversationLimits, Purpose
from pr_review.errors import (
    ConfigError,
    ContextOverflow,
    InvalidTurn,
    ModelError,
    PartialReview,
    ReviewStopped,
    TerminationReason,
)
from pr_review.findings.submission import Submission
from pr_review.llm.scripted import ScriptedModel, saying
from pr_review.review.passes.find import FINAL_REVIEW, REPAIR_NOTES, Opened, failure_of, hold_all, join

START = (Message(role=Role.SYSTEM, content="rules"), Message(role=Role.USER, content="review this"))
FOUND = {
    "severity": "high",
    "title": "A defect",
    "explanation": "",
    "path": "a.py",
    "line": 1,
    "evidence": "",
    "recommendation": "",
}


def review(summary="s", *findings):
    return json.dumps({"summary": summary, "findings": [FOUND | found for found in findings], "notes": []})


def opened(toolbox, number, *script, **limits):
    conversation = Conversation(
        f"find-{number}",
        Purpose.FIND,
        model=ScriptedModel(script),
        toolbox=toolbox,
        limits=ConversationLimits(**limits),
        answers=FINAL_REVIEW,
        clock=lambda: 0.0,
    )
    return Opened(conversation, START)


FAILURES = {
    "settings": ConfigError("authentication_failed", "The key was refused."),
    "provider": ModelError("provider_unreachable", "No answer."),
    "turn": InvalidTurn(TerminationReason.INVALID_MODEL_RESPONSE, "Two choices."),
    "budget": ReviewStopped(TerminationReason.MAX_ROUNDS, "Spent.", code="max_requests"),
    "context": ContextOverflow("Too long.", code="context_overflow", request_bytes=1),
}


@pytest.mark.parametrize("error", FAILURES.values(), ids=FAILURES.keys())
@pytest.mark.parametrize("first", [True, False], ids=["failed first", "failed last"])
def test_a_conversation_that_fails_leaves_the_others_standing(toolbox, error, first):
    """In each family of errors: the run names both ends, keeps the findings, and is never complete."""
    good = opened(toolbox, 1, saying(review("good", {"title": "kept"})))
    bad = opened(toolbox, 2, error, max_repairs=0)
    ended = anyio.run(hold_all, [bad, good] if first else [good, bad])
    answers = [each.answer for each in ended if each.answer]
    assert [found.title for found in join(answers).findings] == ["kept"]
    failure = failure_of(ended)
    assert isinstance(failure, PartialReview)
    assert (failure.code, failure.termination_reason) == (error.code, error.termination_reason)
    assert failure.detail == f"1 of 2 conversations did not finish. The first of them: {error.detail}"
    summaries = {each.conversation.record.id: each.conversation.record.summary() for each in ended}
    assert (summaries["find-1"].end.termination_reason, summaries["find-1"].end.error) == (
        "final_review",
        None,
    )
    assert summaries["find-2"].end.error.code == error.code


def test_a_bug_in_one_conversation_leaves_the_others_standing(toolbox):
    no_reply = object()  # the conversation reads fields that it does not have
    good = opened(toolbox, 2, saying(review("good", {"title": "kept"})))
    ended = anyio.run(hold_all, [opened(toolbox, 1, no_reply), good])
    assert [found.title for each in ended if each.answer for found in each.answer.findings] == ["kept"]
    failure = failure_of(ended)
    assert (type(failure), failure.code) == (PartialReview, "internal_error")
    assert isinstance(failure.__cause__.__cause__, AttributeError), "--debug shows where it happened"
    assert ended[0].conversation.record.summary().end.error.code == "internal_error"


def test_a_single_conversation_fails_as_its_error_does(toolbox):
    error = ModelError("provider_unreachable", "No answer.")
    assert failure_of(anyio.run(hold_all, [opened(toolbox, 1, error)])) is error


def test_when_all_fail_the_first_failure_is_the_run_s(toolbox):
    first, second = FAILURES["provider"], FAILURES["budget"]
    ended = anyio.run(hold_all, [opened(toolbox, 1, first), opened(toolbox, 2, second)])
    assert failure_of(ended) is first


def test_conversations_run_at_the_same_time(toolbox):
    """The second answers while the first still waits."""
    turn = anyio.Event()

    class Waiting(ScriptedModel):
        async def complete(self, conversation, tools, *, final=False):
            await turn.wait()
            return await super().complete(conversation, tools, final=final)

    class Waking(ScriptedModel):
        async def complete(self, conversation, tools, *, final=False):
            turn.set()
            return await super().complete(conversation, tools, final=final)

    def with_model(number, model):
        return Opened(
            Conversation(
                f"find-{number}",
                Purpose.FIND,
                model=model,
                toolbox=toolbox,
                limits=ConversationLimits(),
                answers=FINAL_REVIEW,
                clock=lambda: 0.0,
            ),
            START,
        )

    async def both():
        with anyio.fail_after(10):
            return await hold_all(
                [
                    with_model(1, Waiting([saying(review("one"))])),
                    with_model(2, Waking([saying(review("two"))])),
                ]
            )

    assert [each.answer.summary for each in anyio.run(both)] == ["one", "two"]


def test_each_conversation_has_budgets_of_its_own(toolbox, reply, call):
    """One that spends its rounds takes none from another."""
    greedy = opened(toolbox, 1, *(reply(call(f"c{n}")) for n in range(3)), max_rounds=2)
    modest = opened(toolbox, 2, reply(call("c1")), saying(review()), max_rounds=2)
    first, second = anyio.run(hold_all, [greedy, modest])
    assert (first.error.code, second.error) == ("max_rounds", None)


def test_answers_are_joined_in_the_order_of_their_conversations():
    texts = review("one", {"title": "a"}), review("two", {"title": "b"}, {"title": "c"})
    one, two = (FINAL_REVIEW.parse(text) for text in texts)
    joined = join([one, two])
    assert isinstance(joined, Submission)
    assert (joined.summary, [found.title for found in joined.findings]) == ("one\n\ntwo", ["a", "b", "c"])
    assert join([one]) is one


def test_the_repair_notes_hold_our_words_for_both_errors(toolbox, reply):
    """A note names the class of the error and what to do."""
    bad = opened(toolbox, 1, reply(text="prose"), saying(review()))
    anyio.run(hold_all, [bad])
    assert bad.conversation.record.answered
    assert set(REPAIR_NOTES) == {
        TerminationReason.INVALID_TOOL_CALL,
        TerminationReason.INVALID_MODEL_RESPONSE,
    }
    assert all(
        note.startswith(f"Your last reply was discarded: {reason}.") for reason, note in REPAIR_NOTES.items()
    )


def test_a_cut_answer_ends_its_conversation_only(toolbox, reply):
    cut = opened(toolbox, 1, reply(text=review(), finish=FinishReason.LENGTH))
    ended = anyio.run(hold_all, [cut, opened(toolbox, 2, saying(review()))])
    assert [each.error.code if each.error else None for each in ended] == ["unsupported_finish_reason", None]
