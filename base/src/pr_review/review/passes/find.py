"""The find pass: one or many conversations, each of which ends with a review of what it was shown."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Generic, NamedTuple

import anyio

from pr_review.conversation.answer_protocol import AnswerT, TextAnswer
from pr_review.conversation.conversation import Conversation
from pr_review.domain.chat import HunkId, Message
from pr_review.errors import PartialReview, PrReviewError, TerminationReason
from pr_review.findings.submission import Submission, parse_rule_submission, parse_submission

REPAIR_NOTES: Mapping[TerminationReason, str] = {
    TerminationReason.INVALID_TOOL_CALL: (
        "Your last reply was discarded: invalid_tool_call. No call of it ran. Call only the offered tools, "
        "with a unique id and arguments that match the schema exactly."
    ),
    TerminationReason.INVALID_MODEL_RESPONSE: (
        "Your last reply was discarded: invalid_model_response. Either call tools, or reply with nothing but "
        "the final review JSON object."
    ),
}
FINAL_REVIEW: TextAnswer[Submission] = TextAnswer(parse_submission, REPAIR_NOTES)
RULE_REVIEW: TextAnswer[Submission] = TextAnswer(parse_rule_submission, REPAIR_NOTES)


class Opened(NamedTuple, Generic[AnswerT]):
    """A conversation that is ready to run, its first messages, and the hunks that these show."""

    conversation: Conversation[AnswerT]
    messages: Sequence[Message]
    shown: AbstractSet[HunkId] = frozenset()


class Ended(NamedTuple, Generic[AnswerT]):
    """A conversation that ended: its answer, or what ended it, or both where calls had answered something."""

    conversation: Conversation[AnswerT]
    answer: AnswerT | None = None
    error: PrReviewError | None = None


async def hold_all(opened: Sequence[Opened[AnswerT]]) -> list[Ended[AnswerT]]:
    """Run the conversations at the same time, each to its own end; the results come in the given order.

    One that fails leaves the others running. Whoever cancels this cancels all of them.
    """
    ended: dict[int, Ended[AnswerT]] = {}

    async def hold(number: int) -> None:
        ended[number] = await _hold(opened[number])

    async with anyio.create_task_group() as group:
        for number in range(len(opened)):
            group.start_soon(hold, number)
    return [ended[number] for number in range(len(opened))]


async def _hold(opened: Opened[AnswerT]) -> Ended[AnswerT]:
    conversation = opened.conversation
    try:
        return Ended(conversation, await conversation.run(opened.messages, opened.shown))
    except PrReviewError as error:
        return Ended(conversation, conversation.cut_answer(), error)


def failure_of(ended: Sequence[Ended[AnswerT]]) -> PrReviewError | None:
    """What the ends of all conversations mean for the run; None when each of them has answered.

    When all failed, the first failure is the run's. When some failed, the run is ``PartialReview``.
    """
    errors = [each.error for each in ended if each.error]
    if not errors:
        return None
    if len(errors) == len(ended):
        return errors[0]
    first = errors[0]
    partial = PartialReview(
        first.termination_reason,
        f"{len(errors)} of {len(ended)} conversations did not finish. The first of them: {first.detail}",
        first.advice,
        code=first.code,
    )
    partial.__cause__ = first
    return partial


def join(answers: Sequence[Submission]) -> Submission:
    """One review of what several conversations found, in their order; a single answer stays as it is."""
    if len(answers) == 1:
        return answers[0]
    return Submission.model_construct(
        summary="\n\n".join(answer.summary for answer in answers),
        findings=[finding for answer in answers for finding in answer.findings],
        notes=[note for answer in answers for note in answer.notes],
    )
