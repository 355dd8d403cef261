"""One bounded conversation with a model: run, step, query, execute.

Budgets are checked before they are spent. Whatever ends a conversation early is an exception of ``errors``;
what is known until then stays in ``record``, so that a report can be written on every way out.
"""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from typing import Generic, TypeVar

import anyio.to_thread

from pr_review.conversation.answer_protocol import AnswerProtocol, AnswerT, CompletedCall
from pr_review.conversation.budget import ConversationBudget, out_of_rounds
from pr_review.conversation.history import History
from pr_review.conversation.record import ConversationRecord
from pr_review.conversation.tool_calls import PlannedCall, asks_for_tools, check_ids, plan_round
from pr_review.conversation.truncation import TruncationWatch
from pr_review.domain.chat import HunkId, Message, Reply, ToolResult, ToolSpec
from pr_review.domain.run import (
    MAX_IDENTICAL_FAILURES,
    ConversationLimits,
    ProtocolAction,
    Purpose,
    TraceCall,
    Turn,
)
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
from pr_review.tools.tool import MIN_RESULT_BYTES, compact_json, json_byte_count
from pr_review.tools.toolbox import Toolbox

PREVIEW_BYTES = 4 * KIB
STUBBED = "The context window overflowed; the oldest tool results were replaced by stubs."

FollowUpT = TypeVar("FollowUpT")


class Conversation(Generic[AnswerT]):
    """One conversation with one model, for one purpose, until its answer.

    ``id`` names it in turns, trace and coverage. ``answers`` reads the answer. ``clock`` gives seconds,
    monotonic. ``on_turn`` is told each turn as it ends. One instance holds one conversation.
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
        on_turn: Callable[[Turn], None] = lambda _: None,
    ) -> None:
        self.record = ConversationRecord(id, purpose)
        self._model = model
        self._toolbox = toolbox
        self._budget = ConversationBudget(limits)
        self._answers = answers
        self._clock = clock
        self._on_turn = on_turn
        self._history = History(())
        self._watch = TruncationWatch()
        self._call_ids: set[str] = set()
        self._completed: list[CompletedCall] = []
        self._failures: list[tuple[TerminationReason, str]] = []

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that every request of this conversation offers."""
        return self._toolbox.specs

    async def run(self, messages: Sequence[Message], shown: AbstractSet[HunkId] = frozenset()) -> AnswerT:
        """Go on from these messages until the model has answered; ``shown`` are the hunks that they show.

        Raises ``ModelError`` for every other end, ``ConfigError`` for a key or a model that is refused, and
        ``InternalError`` for a bug.
        """
        self._history = History(messages)
        self.record.shown.update(shown)
        with self._recorded_end():
            return await self._until_answered(self._answers)

    async def follow_up(
        self, question: str, answers: AnswerProtocol[FollowUpT], *, rounds: int = 1
    ) -> FollowUpT:
        """Ask one thing more and return the answer; raises as ``run`` does.

        The model has at most ``rounds`` further turns for it, within what is left of its budget: with one, no
        call of it can run. The record keeps the request of the first answer.
        """
        request_id = self.record.request_id
        self._budget.limit_rounds(rounds)
        self._history.ask(question)
        try:
            return await self._until_answered(answers)
        finally:
            self.record.request_id = request_id

    def cut_answer(self) -> AnswerT | None:
        """What calls have answered so far, for a conversation that ended early; None when that is nothing."""
        return self._answers.read_cut(self._completed)

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
        self.record.answered = True

    async def _until_answered(self, answers: AnswerProtocol[FollowUpT]) -> FollowUpT:
        while (answer := await self._step(answers)) is None:
            pass
        return answer

    async def _step(self, answers: AnswerProtocol[FollowUpT]) -> FollowUpT | None:
        self._budget.start_round()
        started = self._clock()
        reply: Reply | None = None
        try:
            reply = await self._query()
            if not asks_for_tools(reply):
                return self._take_answer(reply, answers, started)
            calls = self._plan(reply)
        except InvalidTurn as error:
            self._repair(reply, error, answers, started)
            return None
        except ModelError as error:
            self._note(reply, ProtocolAction.REFUSE, started, error=error.code)
            raise
        self._failures.clear()
        await self._execute(reply, calls, started)
        return answers.read_calls(self._completed)

    def _take_answer(self, reply: Reply, answers: AnswerProtocol[FollowUpT], started: float) -> FollowUpT:
        answer = answers.read_text(reply.text or "", self._completed)
        self._note(reply, ProtocolAction.RETURN_REVIEW, started)
        self._history.add_turn(reply.message)
        return answer

    async def _query(self) -> Reply:
        """One reply; a conversation that overflows the context window is shrunk once and sent again."""
        try:
            reply = await self._model.complete(self._history.sent(), self._toolbox.specs)
        except ContextOverflow as overflow:
            if not self._history.shrink(overflow.request_bytes):
                raise
            self.record.events.append(STUBBED)
            reply = await self._model.complete(self._history.sent(), self._toolbox.specs)
        self.record.model = reply.model or self.record.model
        self.record.request_id = reply.request_id
        self.record.shown.update(self._history.take_read())
        if not self._history.has_stubs and self._watch.looks_truncated(self._history.sent(), reply.usage):
            self.record.truncated_by_server = True
        return reply

    def _plan(self, reply: Reply) -> tuple[PlannedCall, ...]:
        """Validate the round; calls in the last allowed round could never be answered."""
        check_ids(reply, self._call_ids)
        self._budget.check_calls(len(reply.calls))
        planned = plan_round(reply, self._toolbox)
        if self._budget.in_last_round:
            raise out_of_rounds()
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
                ran.append(await self._run_call(item, last=position == len(planned)))
        finally:
            self._note(reply, ProtocolAction.EXECUTE_TOOLS, started, answered=answered, calls=ran)

    async def _run_call(self, planned: PlannedCall, *, last: bool) -> TraceCall:
        left = self._budget.bytes_left
        if left < MIN_RESULT_BYTES:
            raise _out_of_bytes()
        call, args = planned
        started = self._clock()
        result: ToolResult = await anyio.to_thread.run_sync(
            self._toolbox.run, call.name, args, left, abandon_on_cancel=True
        )
        extra = self._budget.remaining_note(json_byte_count(result.payload)) if last else {}
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
    ) -> None:
        """Drop the turn whole and ask again with a note of ours, or give up."""
        self._failures.append((error.reason, error.detail))
        last = self._failures[-MAX_IDENTICAL_FAILURES:]
        stuck = len(last) == MAX_IDENTICAL_FAILURES and len(set(last)) == 1
        if stuck or not self._budget.take_repair():
            self._note(reply, ProtocolAction.REFUSE, started, error=error.code)
            raise error
        self._note(reply, ProtocolAction.REPAIR, started, error=error.code)
        self._history.note(answers.repair_notes[error.reason])

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


def _out_of_bytes() -> ReviewStopped:
    return ReviewStopped(
        TerminationReason.INVALID_MODEL_RESPONSE,
        "The model called a tool after its whole budget of tool results was spent.",
        "Narrow the review with include or exclude, or split the pull request.",
    )
