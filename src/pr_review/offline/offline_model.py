"""The offline reviewer as a ``ChatModel``: asks for diffs, reads the files, answers with what rules prove.

It is the embedded default (decision 3): it knows nothing of the repository but the tool results in the
conversation, and its requests go nowhere.
"""

import json
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from pr_review.checks.registry import run_checks
from pr_review.checks.ruff import Ruff
from pr_review.domain.chat import Message, Reply, Role, ToolCall, ToolSpec
from pr_review.domain.finding import FindingKey
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import MAX_CALLS_PER_ROUND, RequestStats
from pr_review.offline.answer import FoundIn, compose
from pr_review.offline.reviewed_file import ReviewedFile

if TYPE_CHECKING:
    from pr_review.checks.registry import CheckReport

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
        self._queue: deque[tuple[ReviewedFile, ToolCall, Handler]] = deque()
        self._pending: dict[str, tuple[ReviewedFile, Handler]] = {}
        self._reports: dict[str, CheckReport] = {}
        self._rules: dict[FindingKey, str] = {}
        for file in self._files:
            self._ask(file, file.first_call, file.take_diff)

    @property
    def stats(self) -> RequestStats:
        """No request leaves this process."""
        return RequestStats()

    @property
    def checks_by_path(self) -> dict[str, tuple[str, ...]]:
        """The names of the checks that ran on each file; empty before the final turn."""
        return {path: report.checks for path, report in self._reports.items()}

    @property
    def checked_in_part(self) -> frozenset[str]:
        """Files of which only the added lines were checked: the head version could not be read whole."""
        checked = (file for file in self._files if file.path in self._reports)
        return frozenset(file.path for file in checked if file.added and not file.readable)

    @property
    def rules(self) -> dict[FindingKey, str]:
        """The code of the rule behind each finding; empty before the final turn."""
        return self._rules

    async def complete(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:  # noqa: ARG002 -- the port
        """Ask for at most eight tool results a turn, then give the final review; never fails."""
        self._rounds += 1
        self._learn(conversation)
        if self._queue:
            return self._tool_turn()
        await self._check_all()
        return self._final_turn()

    def kill(self) -> None:
        """End a running check at once; can be called repeatedly and from any thread."""
        if self._linter:
            self._linter.kill()

    def _ask(self, file: ReviewedFile, call: Callable[[str], ToolCall], handler: Handler) -> None:
        self._calls += 1
        self._queue.append((file, call(f"offline-{self._calls}"), handler))

    def _learn(self, conversation: Sequence[Message]) -> None:
        new = conversation[self._learned :]
        self._learned = len(conversation)
        for message in new:
            if message.role is Role.TOOL and (pending := self._pending.pop(message.tool_call_id or "", None)):
                file, handler = pending
                if handler(json.loads(message.content)):
                    self._ask(file, file.next_call, file.take_page)

    def _tool_turn(self) -> Reply:
        batch = [self._queue.popleft() for _ in range(min(MAX_CALLS_PER_ROUND, len(self._queue)))]
        self._pending.update({call.id: (file, handler) for file, call, handler in batch})
        calls = tuple(_wire_call(call) for _, call, _ in batch)
        message: JsonObject = {"role": "assistant", "content": None, "tool_calls": list(calls)}
        return self._reply("tool_calls", message, calls)

    async def _check_all(self) -> None:
        try:
            for file in self._files:
                if file.shown:
                    self._reports[file.path] = await anyio.to_thread.run_sync(
                        run_checks, file.source, self._linter, abandon_on_cancel=True
                    )
        except anyio.get_cancelled_exc_class():
            self.kill()
            raise

    def _final_turn(self) -> Reply:
        reports = [(file, report) for file in self._files if (report := self._reports.get(file.path))]
        found: list[FoundIn] = [(file, hit) for file, report in reports for hit in report.hits]
        self._rules = {(file.path, hit.line, hit.title): hit.rule for file, hit in found}
        failed = [
            f"`{file.path}`: {name} could not run." for file, report in reports for name in report.failed
        ]
        content = json.dumps(compose(self._files, found, failed), ensure_ascii=False)
        return self._reply("stop", {"role": "assistant", "content": content}, ())

    def _reply(self, finish_reason: str, message: JsonObject, calls: tuple[JsonObject, ...]) -> Reply:
        content = message["content"]
        return Reply(
            request_id=f"offline-{self._rounds}",
            model=MODEL,
            finish_reason=finish_reason,
            message=message,
            content=content if isinstance(content, str) else None,
            tool_calls=calls,
        )


def _wire_call(call: ToolCall) -> JsonObject:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
