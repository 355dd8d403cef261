"""One bounded conversation with a model: run, step, query, execute.

Budgets are checked before they are spent. Whatever ends a conversation early is an exception of ``errors``;
what is known until then stays in ``record``, so that a report can be written on every way out.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

import anyio.to_thread

from pr_review.conversation.answer_protocol import AnswerProtocol, AnswerT, CompletedCall, repair_note
from pr_review.conversation.budget import FINAL_NOTE, ConversationBudget, out_of_time
from pr_review.conversation.history import History
from pr_review.conversation.record import ConversationRecord
from pr_review.conversation.tool_calls import (
    PlannedCall,
    argument_events,
    asks_for_tools,
    check_ids,
    plan_round,
)
from pr_review.conversation.truncation import TruncationWatch
from pr_review.domain.chat import Message, Reply, ToolResult, ToolSpec
from pr_review.domain.run import (
    MAX_IDENTICAL_FAILURES,
    ConversationLimits,
    ProtocolAction,
    Purpose,
    TraceCall,
    Turn,
)
from pr_review.domain.shown import NOTHING_SHOWN, ShownLines
from pr_review.domain.sizes import KIB
from pr_review.errors import (
    ContextOverflow,
    InternalError,
    InvalidTurn,
    ModelError,
    PrReviewError,
    ReviewStopped,
    TerminationReason,
)
from pr_review.llm.model import ChatModel
from pr_review.tools.tool import compact_json, json_byte_count
from pr_review.tools.toolbox import Toolbox

PREVIEW_BYTES = 4 * KIB
TOO_MANY_CALLS = (
    "Your last reply was discarded: it made more tool calls than one reply may. No call of it ran."
)
UNANSWERED_CALLS = "Your last reply was discarded: a budget was spent, so no call of it ran."
STUBBED = "The context window overflowed; the oldest tool results were replaced by stubs."

FollowUpT = TypeVar("FollowUpT")


class Conversation(Generic[AnswerT]):
    """One conversation with one model, for one purpose, until its answer.

    ``id`` names it in turns, trace and coverage. ``answers`` reads the answer. ``clock`` gives seconds,
    monotonic; from ``close_at`` on, the next request is the final one. ``on_turn`` is told each turn as it
    ends. One instance holds one conversation.

    A budget that is spent leaves room for one final request, in which no call can run. When the model had to
    be cut short for it, its answer is kept for ``cut_answer`` and the error of the budget is raised.
    """

    def __init__(
        self,
        id: str,  # noqa: A002 -- the field's name everywhere else
        purpose: Purpose,
        *,
        model: ChatModel,
        toolbox: Toolbox,
        limits: ConversationLimits,
        answers: AnswerProtocol[AnswerT],
        clock: Callable[[], float],
        close_at: float | None = None,
        on_turn: Callable[[Turn], None] = lambda _: None,
    ) -> None:
        self.record = ConversationRecord(id, purpose)
        self._model = model
        self._toolbox = toolbox
        self._budget = ConversationBudget(limits)
        self._answers = answers
        self._clock = clock
        self._close_at = close_at
        self._on_turn = on_turn
        self._stop: ReviewStopped | None = None  # the budget that cut the model short
        self._kept: AnswerT | None = None
        self._history = History(())
        self._watch = TruncationWatch()
        self._call_ids: set[str] = set()
        self._completed: list[CompletedCall] = []
        self._failures: list[tuple[TerminationReason, str]] = []
        self._refused: list[str] = []  # texts of answers that were asked for again
        self._tolerant = limits.max_repairs > 0

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that every request of this conversation offers."""
        return self._toolbox.specs

    async def run(self, messages: Sequence[Message], shown: ShownLines = NOTHING_SHOWN) -> AnswerT:
        """Go on from these messages until the model has answered; ``shown`` are the lines that they show.

        Raises ``ModelError`` for every other end, ``ConfigError`` for a key or a model that is refused, and
        ``InternalError`` for a bug.
        """
        self._history = History(messages)
        self.record.add_shown(shown)
        return await self._answer()

    async def go_on(self, question: str) -> AnswerT:
        """Ask for a further answer of the same kind, with all that is left of the budget; raises as ``run``.

        What is shown on the way counts once this answer has come.
        """
        self._history.ask(question)
        return await self._answer()

    @property
    def may_go_on(self) -> bool:
        """Whether the budget holds a further round of calls and an answer; never when it is ``strict``."""
        return not self._budget.strict and self._budget.may_go_on and not self._stop and not self._is_late

    async def follow_up(
        self, question: str, answers: AnswerProtocol[FollowUpT], *, rounds: int = 1
    ) -> FollowUpT:
        """Ask one thing more and return the answer; raises as ``run`` does.

        The model has at most ``rounds`` further turns for it, within what is left of its budget: with one, no
        call of it can run. The record keeps the request of the first answer.
        """
        request_id = self.record.request_id
        self._refused.clear()
        self._budget.limit_rounds(rounds)
        self._history.ask(question)
        try:
            return await self._until_answered(answers)
        finally:
            self.record.request_id = request_id

    def cut_answer(self) -> AnswerT | None:
        """What is known of the answer of a conversation that ended early; None when that is nothing."""
        if self._kept is not None:
            return self._kept
        answer = self._answers.read_cut(self._completed)
        return self._answers.settle(None, self._refused) if answer is None else answer

    async def _answer(self) -> AnswerT:
        """The answer; one that the model was cut short for is kept, and what cut it is raised."""
        with self._recorded_end():
            answer = await self._until_answered(self._answers)
            self.record.take_answer()
            if self._stop:
                self._kept = answer
                raise self._stop
            return answer

    @contextmanager
    def _recorded_end(self) -> Iterator[None]:
        try:
            yield
        except PrReviewError as error:
            self.record.error = error
            raise
        except Exception as bug:  # a bug ends this conversation as any failure does, not those beside it
            self.record.error = InternalError()
            raise self.record.error from bug

    async def _until_answered(self, answers: AnswerProtocol[FollowUpT]) -> FollowUpT:
        while (answer := await self._step(answers)) is None:
            pass
        return answer

    async def _step(self, answers: AnswerProtocol[FollowUpT]) -> FollowUpT | None:
        self._budget.start_round()
        closing = self._closing()
        started = self._clock()
        reply: Reply | None = None
        try:
            reply = await self._query(final=closing is not None)
            if closing and reply.calls:
                raise closing
            if not asks_for_tools(reply):
                return self._take_answer(reply, answers, started)
            check_ids(reply, self._call_ids)
            if (refusal := self._budget.refusal(len(reply.calls))) and not self._budget.strict:
                self._refuse_calls(reply, refusal, started)
                return None
            calls = self._plan(reply, refusal)
        except InvalidTurn as error:
            return self._repair(reply, error, answers, started)
        except ModelError as error:
            self._note(reply, ProtocolAction.REFUSE, started, error=error.code)
            raise (self._stop or error) from error.__cause__
        self._failures.clear()
        await self._execute(reply, calls, started)
        return answers.read_calls(self._completed)

    def _closing(self) -> ReviewStopped | None:
        """What makes the request of this round the final one; None when calls of its reply can run."""
        if self._budget.strict:
            return None
        if self._stop is None and (spent := self._budget.spent()):
            return spent
        if self._stop is None and self._is_late:
            self._stop = out_of_time()
            self._history.close(FINAL_NOTE)
        return self._stop

    @property
    def _is_late(self) -> bool:
        return self._close_at is not None and self._clock() >= self._close_at

    def _refuse_calls(self, reply: Reply, refusal: ReviewStopped, started: float) -> None:
        """Drop a round that the budget cannot pay; the next request is the final one.

        A round that is only too large may be asked for again, as an invalid turn is.
        """
        self._note(reply, ProtocolAction.REPAIR, started, error=refusal.code)
        if self._budget.exceeds_a_round(len(reply.calls)) and self._budget.take_repair():
            self._ask_again(TOO_MANY_CALLS)
        else:
            self._stop = refusal
            self._history.close(f"{UNANSWERED_CALLS} {FINAL_NOTE}")

    def _ask_again(self, note: str) -> None:
        self._history.note(note)
        if self._budget.rounds_left == 1:
            self._history.close(FINAL_NOTE)

    def _take_answer(self, reply: Reply, answers: AnswerProtocol[FollowUpT], started: float) -> FollowUpT:
        try:
            answer = answers.read_text(reply.text or "", self._completed)
        except InvalidTurn:
            self._refused.append(reply.text or "")
            raise
        self._note(reply, ProtocolAction.RETURN_REVIEW, started)
        self._history.add_turn(reply.message)
        settled = answers.settle(answer, self._refused)
        return answer if settled is None else settled

    async def _query(self, *, final: bool) -> Reply:
        """One reply; a conversation that overflows the context window is shrunk once and sent again."""
        try:
            reply = await self._send(final=final)
        except ContextOverflow as overflow:
            if not self._history.shrink(overflow.request_bytes):
                raise
            self.record.events.append(STUBBED)
            reply = await self._send(final=final)
        self.record.model = reply.model or self.record.model
        self.record.request_id = reply.request_id
        self.record.add_shown(self._history.take_read())
        if not self._history.has_stubs and self._watch.looks_truncated(self._history.sent(), reply.usage):
            self.record.truncated_by_server = True
        return reply

    async def _send(self, *, final: bool) -> Reply:
        return await self._model.complete(self._history.sent(), self._toolbox.specs, final=final)

    def _plan(self, reply: Reply, refusal: ReviewStopped | None) -> tuple[PlannedCall, ...]:
        """Validate the round; calls in the last allowed round could never be answered."""
        if refusal:
            raise refusal
        planned = plan_round(reply, self._toolbox, tolerant=self._tolerant)
        self.record.events += argument_events(reply)
        if self._budget.in_last_round:
            raise self._budget.out_of_rounds()
        return planned

    async def _execute(self, reply: Reply, planned: Sequence[PlannedCall], started: float) -> None:
        """Run a valid round in order and append the assistant message, as it came, and one result a call."""
        answered = self._clock()
        self._history.add_turn(reply.message)
        self._call_ids.update(call.id for call, _ in planned)
        self._budget.take_calls(len(planned))
        ran: list[TraceCall] = []
        try:
            for position, item in enumerate(planned, start=1):
                ran.append(await self._run_call(item, following=len(planned) - position))
        finally:
            self._note(reply, ProtocolAction.EXECUTE_TOOLS, started, answered=answered, calls=ran)

    async def _run_call(self, planned: PlannedCall, *, following: int) -> TraceCall:
        room = self._budget.room(following)
        call, args = planned
        started = self._clock()
        seen = self.record.shown | self._history.unread
        result: ToolResult = await anyio.to_thread.run_sync(
            self._toolbox.run, call.name, args, room, seen, abandon_on_cancel=True
        )
        extra = self._budget.remaining_note(json_byte_count(result.payload)) if not following else {}
        content = compact_json(result.payload | extra)
        length = len(content.encode())
        self._budget.take_bytes(length)
        self._history.add_result(call.id, content, result.shown)
        self._completed.append(CompletedCall(call, result))
        return TraceCall(
            **call.model_dump(),
            ok=result.ok,
            result_preview=_preview(content),
            result_bytes=length,
            truncated=result.truncated,
            duration_ms=self._since(started),
        )

    def _repair(
        self, reply: Reply | None, error: InvalidTurn, answers: AnswerProtocol[FollowUpT], started: float
    ) -> FollowUpT | None:
        """Drop the turn whole and ask again with a note of ours, or end with what can be kept, or give up."""
        self._failures.append((error.reason, error.detail))
        last = self._failures[-MAX_IDENTICAL_FAILURES:]
        stuck = len(last) == MAX_IDENTICAL_FAILURES and len(set(last)) == 1
        if stuck or self._stop or not self._budget.take_repair():
            settled = answers.settle(None, self._refused)
            action = ProtocolAction.REFUSE if settled is None else ProtocolAction.RETURN_REVIEW
            self._note(reply, action, started, error=error.code)
            if settled is None:
                raise (self._stop or error) from error.__cause__
            return settled
        self._note(reply, ProtocolAction.REPAIR, started, error=error.code)
        self._ask_again(repair_note(answers.repair_notes, error))
        return None

    def _note(
        self,
        reply: Reply | None,
        action: ProtocolAction,
        started: float,
        *,
        answered: float | None = None,
        calls: Sequence[TraceCall] = (),
        error: str | None = None,
    ) -> None:
        """Record one turn and report it; its time is the model's, without its tools."""
        duration = int(((answered if answered is not None else self._clock()) - started) * 1000)
        number = self._budget.rounds
        self._on_turn(self.record.add_turn(number, reply, action, duration, calls=calls, error=error))

    def _since(self, started: float) -> int:
        return int((self._clock() - started) * 1000)


def _preview(content: str) -> str:
    return content.encode()[:PREVIEW_BYTES].decode(errors="ignore")
