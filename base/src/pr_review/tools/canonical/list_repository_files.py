"""``list_repository_files``: lists the files of the head commit, page by page."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from pr_review.domain.chat import ToolResult, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.domain.sizes import KIB
from pr_review.tools.tool import Integer, Text, ToolArgs, largest_fit

if TYPE_CHECKING:
    from pr_review.git.tree import CommitTree

MAX_FILES = 200
DEFAULT_FILES = 100
MAX_LIST_BYTES = 64 * KIB  # of the serialised result


class ListArgs(ToolArgs):
    """Arguments of ``list_repository_files``."""

    path: Text = ""
    limit: Annotated[Integer, Field(ge=1, le=MAX_FILES)] = DEFAULT_FILES
    cursor: Text | None = None


class ListRepositoryFiles:
    """Lists files in lexical order."""

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
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_FILES,
                    "default": DEFAULT_FILES,
                },
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
        """Return one page of paths; ``next_cursor`` is its last path if more files follow, else null.

        Raises ``ToolFailure``: ``context_budget``, and the failures of ``CommitTree.list``.
        """
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
