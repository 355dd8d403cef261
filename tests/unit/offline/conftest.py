"""A driver that answers the offline reviewer's calls, and the installed ruff."""

import json
from collections.abc import Callable

import pytest

from pr_review.checks.ruff import Ruff, find_ruff
from pr_review.domain.chat import FinishReason, Message, Reply, Role
from pr_review.offline.offline_model import OfflineModel

Answer = Callable[[str, dict], dict]


class Driver:
    """Runs the protocol by hand: ``answer(name, arguments)`` gives each result; replies are kept."""

    def __init__(self, model: OfflineModel, answer: Answer) -> None:
        self._model = model
        self._answer = answer
        self.replies: list[Reply] = []
        self.conversation = [Message(role=Role.SYSTEM, content="s"), Message(role=Role.USER, content="u")]

    async def run(self) -> dict:
        """Go on until the model stops; its final review."""
        while True:
            reply = await self._model.complete(self.conversation, ())
            self.replies.append(reply)
            if reply.finish is FinishReason.STOP:
                return json.loads(reply.text or "")
            self.conversation.append(Message(role=Role.ASSISTANT, raw=reply.message))
            for call in reply.calls:
                content = json.dumps(self._answer(call.name, call.arguments))
                self.conversation.append(Message(role=Role.TOOL, content=content, tool_call_id=call.id))


def new_file_answers(files: dict[str, str]) -> Answer:
    """Answers for a change that adds ``files``, read in pages of at most 400 lines."""

    def answer(name: str, arguments: dict) -> dict:
        if name == "inspect_git_diff":
            (path,) = arguments["paths"]
            lines = files[path].splitlines()
            body = "".join(f"+{line}\n" for line in lines)
            header = (
                f"diff --git a/{path} b/{path}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n"
            )
            return {"ok": True, "diff": header + body, "omitted": [], "truncated": False}
        lines = files[arguments["path"]].splitlines()
        start = arguments["start_line"]
        page = list(enumerate(lines, start=1))[start - 1 : start + 399]
        return {
            "ok": True,
            "path": arguments["path"],
            "start_line": start,
            "end_line": start + len(page) - 1,
            "total_lines": len(lines),
            "content": "\n".join(f"{number}: {line}" for number, line in page),
            "truncated": start + len(page) - 1 < len(lines),
        }

    return answer


@pytest.fixture(scope="session")
def linter(tmp_path_factory: pytest.TempPathFactory) -> Ruff:
    """The installed ruff."""
    binary = find_ruff()
    assert binary is not None
    return Ruff(binary, tmp_path_factory.mktemp("scratch"), lambda: 600)


@pytest.fixture(scope="session")
def driver_of() -> Callable[[OfflineModel, Answer], Driver]:
    return Driver


@pytest.fixture(scope="session")
def answers_for() -> Callable[[dict[str, str]], Answer]:
    return new_file_answers
