"""The offline reviewer as a ``ChatModel``: asks for diffs, reads the files, answers with what rules prove.

It is the default: it needs no key and no network. It knows of the repository only what the tool results in
the conversation say, so it sees what a model would see.
"""

from collections import deque
from collections.abc import Callable, Sequence

import anyio
import anyio.to_thread

from pr_review.checks.registry import CheckReport, run_checks
from pr_review.checks.ruff import Ruff
from pr_review.domain import strict_json
from pr_review.domain.chat import FinishReason, Message, Reply, RequestedCall, Role, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import MAX_CALLS_PER_ROUND
from pr_review.offline.answer import CheckedFile, compose
from pr_review.offline.reviewed_file import ReviewedFile

MODEL = "offline"

Handler = Callable[[JsonObject], bool]


class OfflineModel:
    """Rules behind the port of a model.

    ``paths`` are the head paths to review, in order. ``linter`` is None where ruff is not installed; the
    review then says so. One instance serves one conversation.
    """

    def __init__(self, paths: Sequence[str], linter: Ruff | None) -> None:
        self._files = [ReviewedFile(path) for path in dict.fromkeys(paths)]
        self._linter = linter
        self._rounds = 0
        self._calls = 0
        self._learned = 0
        self._queue: deque[tuple[ReviewedFile, RequestedCall, Handler]] = deque()
        self._pending: dict[str, tuple[ReviewedFile, Handler]] = {}
        for file in self._files:
            self._ask(file, file.first_call, file.take_diff)

    async def complete(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:  # noqa: ARG002 -- the port
        """Ask for at most eight tool results a turn, then give the final review; never fails."""
        self._rounds += 1
        self._learn(conversation)
        if self._queue:
            return self._tool_turn()
        answer = compose(self._files, await self._check_all())
        return self._final_turn(strict_json.dumps(answer).decode())

    def _ask(self, file: ReviewedFile, call: Callable[[str], RequestedCall], handler: Handler) -> None:
        self._calls += 1
        self._queue.append((file, call(f"offline-{self._calls}"), handler))

    def _learn(self, conversation: Sequence[Message]) -> None:
        new = conversation[self._learned :]
        self._learned = len(conversation)
        for message in new:
            if message.role is Role.TOOL and (pending := self._pending.pop(message.tool_call_id or "", None)):
                file, handler = pending
                if handler(strict_json.load_object(message.content) or {}):
                    self._ask(file, file.next_call, file.take_page)

    async def _check_all(self) -> list[CheckedFile]:
        """Run the checks on every file that was seen; a running ruff ends when the review is cancelled."""
        try:
            return [CheckedFile(file, await self._check(file)) for file in self._files if file.shown]
        except anyio.get_cancelled_exc_class():
            if self._linter:
                self._linter.kill()
            raise

    async def _check(self, file: ReviewedFile) -> CheckReport:
        return await anyio.to_thread.run_sync(run_checks, file.source, self._linter, abandon_on_cancel=True)

    def _tool_turn(self) -> Reply:
        batch = [self._queue.popleft() for _ in range(min(MAX_CALLS_PER_ROUND, len(self._queue)))]
        self._pending.update({call.id: (file, handler) for file, call, handler in batch})
        calls = tuple(call for _, call, _ in batch)
        return self._reply(FinishReason.TOOL_CALLS, {"calls": [call.id for call in calls]}, calls=calls)

    def _final_turn(self, text: str) -> Reply:
        return self._reply(FinishReason.STOP, {"text": text}, text=text)

    def _reply(
        self,
        finish: FinishReason,
        message: JsonObject,
        *,
        text: str | None = None,
        calls: tuple[RequestedCall, ...] = (),
    ) -> Reply:
        return Reply(
            message=message,
            finish=finish,
            finish_word=finish.value,
            text=text,
            calls=calls,
            request_id=f"{MODEL}-{self._rounds}",
            model=MODEL,
        )
