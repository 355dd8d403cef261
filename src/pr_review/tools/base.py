"""What a tool is, and how a bounded result is serialised."""

import json
from bisect import bisect_right
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, JsonValue

from pr_review.domain.chat import ToolResult, ToolSpec
from pr_review.errors import ToolFailure

MIN_RESULT_BYTES = 256  # every result and every failure can be cut to this


def _integral(value: Any) -> Any:
    """``10.0`` is the integer 10, as JSON Schema counts it; ``10.5``, ``"10"`` and ``true`` stay refused."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _encodable(value: str) -> str:
    """Refuse a lone surrogate: such a string cannot be sent back as UTF-8."""
    value.encode()
    return value


Integer = Annotated[int, BeforeValidator(_integral)]
Text = Annotated[str, AfterValidator(_encodable)]


class ToolArgs(BaseModel):
    """Arguments of a tool: strict types, no extra properties (item 37)."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


ArgsT_contra = TypeVar("ArgsT_contra", bound=ToolArgs, contravariant=True)


class Tool(Protocol[ArgsT_contra]):
    """A read-only tool: a spec the model sees, a model of its arguments, and a bounded run."""

    spec: ClassVar[ToolSpec]
    args_model: ClassVar[type[ToolArgs]]

    def run(self, args: ArgsT_contra, max_bytes: int) -> ToolResult:
        """Return a result whose compact JSON is at most ``max_bytes`` UTF-8 bytes (and the tool's own cap).

        What does not fit is cut by whole units (lines, matches, hunks) with ``"truncated": true``. Raises
        ``ToolFailure`` for what the model should read and go on from.
        """
        ...


def encode(payload: JsonValue) -> str:
    """Compact JSON without spaces and without ASCII escapes; its UTF-8 length is what every bound counts."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def size(payload: JsonValue) -> int:
    """UTF-8 bytes of the compact JSON."""
    return len(encode(payload).encode())


def largest_fit(count: int, payload_of: Callable[[int], JsonValue], max_bytes: int, *, least: int = 1) -> int:
    """The most units of ``count`` whose payload fits; ``count`` itself, or at least ``least``.

    ``payload_of(n)`` is the payload of the first n units; its size grows with n, only the complete one may
    be smaller. Raises ``ToolFailure`` (``context_budget``) when not even ``least`` units fit.
    """
    if size(payload_of(count)) <= max_bytes:
        return count
    fitting = bisect_right(range(least, count), max_bytes, key=lambda units: size(payload_of(units)))
    if not fitting:
        raise ToolFailure(
            "context_budget",
            "Too little of the tool-result budget is left for this result; finish the review.",
        )
    return least + fitting - 1
