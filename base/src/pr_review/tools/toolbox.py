"""The tools that a model is offered; no other name can be called."""

from collections.abc import Sequence
from typing import Any

from pr_review.domain.chat import ToolResult, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.domain.sizes import KIB
from pr_review.errors import ConfigError, ToolFailure
from pr_review.tools.tool import MIN_RESULT_BYTES, Tool, ToolArgs, json_byte_count, largest_fit

# Chat completion servers refuse a request with more or larger definitions.
MAX_TOOLS = 128
MAX_SCHEMA_BYTES = 32 * KIB
MAX_FAILURE_CHARS = 512  # a message may quote the model's own argument, which has no limit


class Toolbox:
    """Validates and runs calls of a fixed list of tools, which the model sees in the order given.

    Raises ``ConfigError`` if servers would refuse the definitions, before a request costs anything. Raises
    ``ValueError`` if two tools share a name.
    """

    def __init__(self, tools: Sequence[Tool[Any]]) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}
        self.specs: tuple[ToolSpec, ...] = tuple(tool.spec for tool in tools)
        if len(self._tools) != len(tools):
            raise ValueError("two tools share a name")
        if len(tools) > MAX_TOOLS or json_byte_count(_wire_form(self.specs)) > MAX_SCHEMA_BYTES:
            raise ConfigError(
                "invalid_tools",
                f"The tool definitions exceed {MAX_TOOLS} tools or {MAX_SCHEMA_BYTES} bytes.",
                "Offer fewer or smaller tools.",
            )

    def has(self, name: str) -> bool:
        """Whether a tool of this name was offered."""
        return name in self._tools

    def parse(self, name: str, arguments: JsonObject) -> ToolArgs:
        """Validate arguments; raises ``pydantic.ValidationError``, or ``KeyError`` for an unknown name."""
        return self._tools[name].args_model.model_validate(arguments)

    def run(self, name: str, args: ToolArgs, max_bytes: int) -> ToolResult:
        """Run a tool on the arguments that ``parse`` returned for it.

        The payload has at most ``max_bytes`` UTF-8 bytes as compact JSON. A ``ToolFailure`` becomes a result
        too, so that the model can read it and continue. Raises ``ValueError`` for arguments of another tool,
        and for ``max_bytes`` below ``MIN_RESULT_BYTES``.
        """
        tool = self._tools[name]
        if type(args) is not tool.args_model or max_bytes < MIN_RESULT_BYTES:
            raise ValueError(f"cannot run {name} with {type(args).__name__} in {max_bytes} bytes")
        try:
            return tool.run(args, max_bytes)
        except ToolFailure as failure:
            return _failed(failure, max_bytes)


def _wire_form(specs: Sequence[ToolSpec]) -> list[Any]:
    """The ``tools`` value of a chat completion request; servers measure this form."""
    return [{"type": "function", "function": spec.model_dump()} for spec in specs]


def _failed(failure: ToolFailure, max_bytes: int) -> ToolResult:
    """The failure as the model reads it, with its message cut to the limits."""
    message = failure.message.encode(errors="replace").decode()[:MAX_FAILURE_CHARS]

    def payload(count: int) -> JsonObject:
        return {"ok": False, "error": {"code": failure.code, "message": message[:count]}}

    return ToolResult(payload=payload(largest_fit(len(message), payload, max_bytes, least=0)), ok=False)
