"""The ``Tool`` protocol, and the compact JSON in which a result is measured and cut."""

import json
from bisect import bisect_right
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, JsonValue

from pr_review.domain.chat import ToolResult, ToolSpec
from pr_review.errors import ToolFailure

MIN_RESULT_BYTES = 256  # every failure, and the smallest result of every tool, can be cut to this


def _integral(value: Any) -> Any:
    """Read ``10.0`` as the integer 10, as JSON Schema does; ``10.5``, ``"10"`` and ``true`` stay refused."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _encodable(value: str) -> str:
    """Refuse a lone surrogate, because UTF-8 cannot encode it and the next request would fail."""
    value.encode()
    return value


Integer = Annotated[int, BeforeValidator(_integral)]
Text = Annotated[str, AfterValidator(_encodable)]


class ToolArgs(BaseModel):
    """Arguments of a tool, with strict types and without extra properties.

    The provider does not check a model's arguments against the schema, so this model does.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


ArgsT_contra = TypeVar("ArgsT_contra", bound=ToolArgs, contravariant=True)


class Tool(Protocol[ArgsT_contra]):
    """A read-only tool: the spec that the model sees, a validator for arguments, and a bounded run."""

    spec: ClassVar[ToolSpec]
    args_model: ClassVar[type[ToolArgs]]

    def run(self, args: ArgsT_contra, max_bytes: int) -> ToolResult:
        """Return a result of at most ``max_bytes`` and at most the tool's own limit.

        Both count the UTF-8 bytes of the result's compact JSON. A larger result loses whole units (files,
        lines, matches, hunks) and carries ``"truncated": true``. Raises ``ToolFailure`` for an error that the
        model can read and continue from.
        """
        ...


def compact_json(payload: JsonValue) -> str:
    """The payload as JSON without spaces and without ASCII escapes, as it is sent to the model."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def json_byte_count(payload: JsonValue) -> int:
    """The number of UTF-8 bytes of the payload's compact JSON; every limit of a tool counts these."""
    return len(compact_json(payload).encode())


def largest_fit(count: int, payload_of: Callable[[int], JsonValue], max_bytes: int, *, least: int = 1) -> int:
    """The largest number of units, from ``least`` to ``count``, whose payload fits into ``max_bytes``.

    ``payload_of(n)`` is the payload of the first n units. It grows with n; only the complete payload may be
    smaller than the one before it. Raises ``ToolFailure`` (``context_budget``) if ``least`` units do not fit.
    """
    if json_byte_count(payload_of(count)) <= max_bytes:
        return count
    fitting = bisect_right(
        range(least, count), max_bytes, key=lambda units: json_byte_count(payload_of(units))
    )
    if not fitting:
        raise ToolFailure(
            "context_budget",
            "Too little of the tool-result budget is left for this result; finish the review.",
        )
    return least + fitting - 1
