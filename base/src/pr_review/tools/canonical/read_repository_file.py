"""``read_repository_file``: shows numbered lines of one text file of the head commit."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from pr_review.domain.chat import ToolResult, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.domain.sizes import KIB
from pr_review.errors import ToolFailure
from pr_review.tools.tool import Integer, Text, ToolArgs, json_byte_count, largest_fit

if TYPE_CHECKING:
    from pr_review.git.tree import CommitTree

MAX_LINES = 400
MAX_READ_BYTES = 64 * KIB  # of the serialised result, so that escapes count too


class ReadArgs(ToolArgs):
    """Arguments of ``read_repository_file``; lines count from 1, both ends included."""

    path: Text
    start_line: Annotated[Integer, Field(ge=1)] = 1
    end_line: Annotated[Integer, Field(ge=1)] | None = None


class ReadRepositoryFile:
    """Reads a range of lines of a file."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="read_repository_file",
        description=f"Read at most {MAX_LINES} numbered lines from a repository-relative text file.",
        parameters={
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "start_line": {"type": "integer", "minimum": 1, "default": 1},
                "end_line": {"type": ["integer", "null"], "minimum": 1},
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    )
    args_model: ClassVar[type[ToolArgs]] = ReadArgs

    def __init__(self, tree: "CommitTree") -> None:
        self._tree = tree

    def run(self, args: ReadArgs, max_bytes: int) -> ToolResult:
        """Return lines as ``"12: text"``; ``truncated`` if lines of the requested range are missing.

        If the first line alone exceeds the limit, the result is a part of that line with ``line_truncated``.
        Raises ``ToolFailure``: ``invalid_range``, ``line_out_of_range``, ``context_budget``, and the failures
        of ``CommitTree.read``.
        """
        if args.end_line is not None and args.end_line < args.start_line:
            raise ToolFailure("invalid_range", "end_line is before start_line.")
        file = self._tree.read(args.path)
        total = len(file.lines)
        if args.start_line > max(total, 1):
            raise ToolFailure("line_out_of_range", f"start_line is beyond the end; total_lines is {total}.")
        last = min(args.end_line or total, total)
        wanted = range(args.start_line, min(last, args.start_line + MAX_LINES - 1) + 1)

        def page(lines: Sequence[str]) -> JsonObject:
            end = args.start_line + len(lines) - 1
            return {
                "ok": True,
                "path": file.path,
                "start_line": args.start_line,
                "end_line": end,
                "total_lines": total,
                "content": "\n".join(lines),
                "truncated": end < last,
            }

        numbered = [f"{number}: {file.lines[number - 1]}" for number in wanted]
        payload = _cut(numbered, page, min(max_bytes, MAX_READ_BYTES))
        return ToolResult(payload=payload, truncated=bool(payload["truncated"]))


def _cut(lines: Sequence[str], page: Callable[[Sequence[str]], JsonObject], max_bytes: int) -> JsonObject:
    """The page with as many lines as fit, or with the beginning of the first line."""
    if not lines or json_byte_count(page(lines[:1])) <= max_bytes:
        return page(lines[: largest_fit(len(lines), lambda count: page(lines[:count]), max_bytes)])
    beginning = lines[0][:max_bytes]  # each character takes at least one byte

    def partial(count: int) -> JsonObject:
        return page([beginning[:count]]) | {"truncated": True, "line_truncated": True}

    return partial(largest_fit(len(beginning), partial, max_bytes))
