"""``list_repository_files``: which files the head commit holds (item 43)."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from pr_review.domain.chat import ToolResult, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import KIB
from pr_review.tools.base import Integer, Text, ToolArgs, largest_fit

if TYPE_CHECKING:
    from pr_review.git.tree import CommitTree

MAX_FILES = 200  # item 43
MAX_LIST_BYTES = 64 * KIB  # as a read or a search; item 43 names no number


class ListArgs(ToolArgs):
    """Arguments of ``list_repository_files``."""

    path: Text = ""
    limit: Annotated[Integer, Field(ge=1, le=MAX_FILES)] = 100
    cursor: Text | None = None


class ListRepositoryFiles:
    """Lists a page of files in lexical order."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="list_repository_files",
        description="List repository-relative files in deterministic lexical order.",
        parameters={
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "Repository-relative directory; empty means root.",
                    "default": "",
                },
                "limit": {"type": "integer", "minimum": 1, "maximum": 200, "default": 100},
                "cursor": {
                    "type": ["string", "null"],
                    "description": "Last path returned by the preceding page.",
                    "default": None,
                },
            },
            "required": [],
            "additionalProperties": False,
        },
    )
    args_model: ClassVar[type[ToolArgs]] = ListArgs

    def __init__(self, tree: "CommitTree") -> None:
        self._tree = tree

    def run(self, args: ListArgs, max_bytes: int) -> ToolResult:
        """One page; ``next_cursor`` is the last path of it when files are left, else null."""
        files, next_cursor = self._tree.list(args.path, args.cursor, args.limit)

        def page(count: int) -> JsonObject:
            cursor = next_cursor if count == len(files) else files[count - 1]
            return {
                "ok": True,
                "path": args.path,
                "files": list(files[:count]),
                "next_cursor": cursor,
                "truncated": cursor is not None,
            }

        payload = page(largest_fit(len(files), page, min(max_bytes, MAX_LIST_BYTES)))
        return ToolResult(payload=payload, truncated=payload["next_cursor"] is not None)
