"""The bounded review loop: run, step, query, execute (sections C, D and G; decisions 6, 10, 11).

Budgets are checked before each request. Everything that ends the loop is an exception of ``errors``; what is
known so far stays in ``record``, so that a report can be written on every way out.
"""

from collections.abc import Callable, Sequence

import anyio.to_thread

from pr_review.conversation import tool_calls
from pr_review.conversation.record import Record
from pr_review.conversation.repair import REPAIR_NOTES, with_note
from pr_review.conversation.tool_calls import PlannedCall
from pr_review.conversation.truncation import TruncationWatch
from pr_review.domain.chat import HunkId, Message, Reply, Role, ToolResult
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import (
    MAX_IDENTICAL_FAILURES,
    Limits,
    ProtocolAction,
    TraceCall,
    Turn,
)
from pr_review.errors import InvalidTurn, ModelError, ReviewStopped, TerminationReason
from pr_review.findings.submission import Submission, parse_submission
from pr_review.llm.model import ChatModel
from pr_review.tools.tool import MIN_RESULT_BYTES, compact_json, json_byte_count
from pr_review.tools.toolbox import Toolbox

PREVIEW_BYTES = 4 * 1024  # item 69
RESERVED_BYTES = 128  # "remaining" and "final", which the last result of a round also carries


class ReviewLoop:
    """One conversation with one model; ``clock`` gives seconds, monotonic."""

    def __init__(
        self,
        model: ChatModel,
        toolbox: Toolbox,
        limits: Limits,
        *,
        clock: Callable[[], float],
        on_turn: Callable[[Turn], None] = lambda _: None,
    ) -> None:
        self._model = model
        self._toolbox = toolbox
        self._limits = limits
        self._clock = clock
        self._on_turn = on_turn
        self._messages: list[Message] = []
        self._round = 0
        self._call_ids: set[str] = set()
        self._results = 0
        self._unread: dict[int, tuple[HunkId, ...]] = {}  # hunks by the number of the tool result they are in
        self._failures: list[tuple[TerminationReason, str]] = []
        self._repairs = 0
        self._watch = TruncationWatch()
        self.record = Record()

    async def run(self, conversation: Sequence[Message]) -> Submission:
        """Loop until the model submits a valid final review; raises ``ModelError`` for every other end."""
        self._messages = list(conversation)
        while (submission := await self._step()) is None:
            pass
        return submission

    async def ask(self, question: str) -> str | None:
        """The text of one more reply, after the final review; None when no round is left, or it is no text.

        It counts as a round, tools are offered as always, and no call of it runs. Raises ``ModelError``.
        """
        if self._round >= self._limits.max_rounds:
            return None
        self._round += 1
        started, request_id = self._clock(), self.record.request_id
        self._messages.append(Message(role=Role.USER, content=question))
        reply = await self._query()
        self.record.request_id = request_id  # the artifact names the request of the review
        is_text = tool_calls.classify(reply) is ProtocolAction.RETURN_REVIEW
        self._note(reply, ProtocolAction.RETURN_REVIEW if is_text else ProtocolAction.REFUSE, started)
        return reply.content if is_text else None

    async def _step(self) -> Submission | None:
        self._check_rounds()
        self._round += 1
        started = self._clock()
        reply: Reply | None = None
        try:
            reply = await self._query()
            if tool_calls.classify(reply) is ProtocolAction.RETURN_REVIEW:
                submission = parse_submission(reply.content, fenced=reply.text_calls)
                self._note(reply, ProtocolAction.RETURN_REVIEW, started)
                self._messages.append(Message(role=Role.ASSISTANT, raw=reply.message))
                return submission
            calls = self._plan(reply)
        except InvalidTurn as error:
            self._repair(reply, error, started)
        except ModelError as error:
            self._note(reply, ProtocolAction.REFUSE, started, error=error.code)
            raise
        else:
            self._failures.clear()
            await self._execute(reply, calls, started)
        return None

    def _check_rounds(self) -> None:
        if self._round >= self._limits.max_rounds:
            raise _out_of_rounds()

    async def _query(self) -> Reply:
        reply = await self._model.complete(self._messages, self._toolbox.specs)
        self.record.model = reply.model or self.record.model
        self.record.request_id = reply.request_id
        self._count_as_shown(reply.stubbed_results)
        if not reply.stubbed_results and self._watch.looks_truncated(self._messages, reply.usage):
            self.record.truncated_by_server = True
        return reply

    def _count_as_shown(self, stubbed: int) -> None:
        """What a tool showed has reached the model once a request with it was answered, never as a stub."""
        for number, hunks in self._unread.items():
            if number >= stubbed:
                self.record.shown.update(hunks)
        self._unread.clear()

    def _plan(self, reply: Reply) -> tuple[PlannedCall, ...]:
        """Validate the round; calls in the last allowed round could never be answered (decision 10)."""
        planned = tool_calls.plan(
            reply,
            self._toolbox,
            self._limits,
            seen_ids=self._call_ids,
            calls_so_far=self.record.calls,
        )
        if self._round >= self._limits.max_rounds:
            raise _out_of_rounds()
        return planned

    async def _execute(self, reply: Reply, planned: Sequence[PlannedCall], started: float) -> None:
        """Run a valid round in order and append the assistant message, as it came, and one result a call."""
        answered = self._clock()
        self._messages.append(Message(role=Role.ASSISTANT, raw=reply.message))
        self._call_ids.update(call.id for call, _ in planned)
        self.record.calls += len(planned)
        ran: list[TraceCall] = []
        try:
            for position, item in enumerate(planned, start=1):
                ran.append(await self._run_call(item, last=position == len(planned)))
        finally:
            self._note(reply, ProtocolAction.EXECUTE_TOOLS, started, answered=answered, calls=ran)

    async def _run_call(self, planned: PlannedCall, *, last: bool) -> TraceCall:
        left = self._limits.tool_context_bytes - self.record.tool_bytes - RESERVED_BYTES
        if left < MIN_RESULT_BYTES:
            raise ReviewStopped(
                TerminationReason.INVALID_MODEL_RESPONSE,
                "The model called a tool after its whole budget of tool results was spent.",
                "Narrow the review with include or exclude, or split the pull request.",
            )
        call, args = planned
        started = self._clock()
        result: ToolResult = await anyio.to_thread.run_sync(
            self._toolbox.run, call.name, args, left, abandon_on_cancel=True
        )
        content = compact_json(
            result.payload | (self._budget_note(left - json_byte_count(result.payload)) if last else {})
        )
        length = len(content.encode())
        self.record.tool_bytes += length
        self._unread[self._results] = result.shown
        self._results += 1
        self._messages.append(Message(role=Role.TOOL, content=content, tool_call_id=call.id))
        return TraceCall(
            **call.model_dump(),
            ok=result.ok,
            result_preview=_preview(content),
            result_bytes=length,
            truncated=result.truncated,
            duration_ms=self._since(started),
        )

    def _budget_note(self, bytes_left: int) -> JsonObject:
        """Decision 11: what is left; decision 10: that the next reply must be the last."""
        rounds_left = self._limits.max_rounds - self._round
        calls_left = self._limits.max_tool_calls - self.record.calls
        remaining: JsonObject = {"rounds": rounds_left, "calls": calls_left, "bytes": max(0, bytes_left)}
        return {"remaining": remaining} | ({"final": True} if rounds_left == 1 or not calls_left else {})

    def _repair(self, reply: Reply | None, error: InvalidTurn, started: float) -> None:
        """Drop the turn whole and ask again with a fixed note, or give up (decision 6)."""
        self._failures.append((error.reason, error.detail))
        last = self._failures[-MAX_IDENTICAL_FAILURES:]
        stuck = len(last) == MAX_IDENTICAL_FAILURES and len(set(last)) == 1
        exhausted = self._repairs >= self._limits.max_repairs or self._round >= self._limits.max_rounds
        if stuck or exhausted:
            self._note(reply, ProtocolAction.REFUSE, started, error=error.code)
            raise error
        self._note(reply, ProtocolAction.REPAIR, started, error=error.code)
        self._repairs += 1
        self._messages[-1] = with_note(self._messages[-1], REPAIR_NOTES[error.reason])

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
        self._on_turn(self.record.add(self._round, reply, action, duration, calls=calls, error=error))

    def _since(self, started: float) -> int:
        return int((self._clock() - started) * 1000)


def _preview(content: str) -> str:
    return content.encode()[:PREVIEW_BYTES].decode(errors="ignore")


def _out_of_rounds() -> ReviewStopped:
    return ReviewStopped(
        TerminationReason.MAX_ROUNDS,
        "The model did not finish within the allowed rounds.",
        "Raise max-rounds together with timeout-seconds, or narrow the review with exclude.",
    )
