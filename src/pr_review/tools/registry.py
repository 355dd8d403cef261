"""The tools of a review: one explicit table; nothing else can be called (items 17-19)."""

from collections.abc import Sequence
from typing import Any

from pr_review.domain.chat import ToolResult, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import KIB
from pr_review.errors import ConfigError, ToolFailure
from pr_review.tools.base import MIN_RESULT_BYTES, Tool, ToolArgs, largest_fit, size

MAX_TOOLS = 128  # item 19
MAX_SCHEMA_BYTES = 32 * KIB  # item 19
MAX_FAILURE_CHARS = 512


class Toolbox:
    """The tools a model is offered, in the order it sees them.

    Raises ``ConfigError`` before anything is spent when the definitions exceed what servers accept
    (item 19), ``ValueError`` when two tools share a name.
    """

    def __init__(self, tools: Sequence[Tool[Any]]) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}
        self.specs: tuple[ToolSpec, ...] = tuple(tool.spec for tool in tools)
        if len(self._tools) != len(tools):
            raise ValueError("two tools share a name")
        if len(tools) > MAX_TOOLS or size(_wire_form(self.specs)) > MAX_SCHEMA_BYTES:
            raise ConfigError(
                "invalid_tools",
                f"The tool definitions exceed {MAX_TOOLS} tools or {MAX_SCHEMA_BYTES} bytes.",
                "Offer fewer or smaller tools.",
            )

    def has(self, name: str) -> bool:
        """Whether the name is one that was offered."""
        return name in self._tools

    def parse(self, name: str, arguments: JsonObject) -> ToolArgs:
        """Validated arguments; raises ``pydantic.ValidationError``, and ``KeyError`` for an unknown name."""
        return self._tools[name].args_model.model_validate(arguments)

    def run(self, name: str, args: ToolArgs, max_bytes: int) -> ToolResult:
        """Run a tool on what ``parse`` returned for it; its own failure is a result too (item 41).

        The payload is at most ``max_bytes`` UTF-8 bytes as compact JSON; ``max_bytes`` is at least
        ``MIN_RESULT_BYTES``.
        """
        tool = self._tools[name]
        if type(args) is not tool.args_model or max_bytes < MIN_RESULT_BYTES:
            raise ValueError(f"cannot run {name} with {type(args).__name__} in {max_bytes} bytes")
        try:
            return tool.run(args, max_bytes)
        except ToolFailure as failure:
            return _failed(failure, max_bytes)


def _wire_form(specs: Sequence[ToolSpec]) -> list[Any]:
    """The ``tools`` value of chat completions: what a server counts."""
    return [{"type": "function", "function": spec.model_dump()} for spec in specs]


def _failed(failure: ToolFailure, max_bytes: int) -> ToolResult:
    """The failure as the model reads it; a message that quotes the model's own argument may be long."""
    message = failure.message.encode(errors="replace").decode()[:MAX_FAILURE_CHARS]

    def payload(count: int) -> JsonObject:
        return {"ok": False, "error": {"code": failure.code, "message": message[:count]}}

    return ToolResult(payload=payload(largest_fit(len(message), payload, max_bytes, least=0)), ok=False)
