"""What a tool is, and how a bounded result is serialised."""

import json
from typing import ClassVar, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue

from pr_review.domain.chat import ToolResult, ToolSpec


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
