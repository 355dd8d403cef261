"""``search_repository``: where a literal text stands in the head commit (item 45)."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from pr_review.domain.chat import ToolResult, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import KIB
from pr_review.tools.base import Integer, Text, ToolArgs, largest_fit

if TYPE_CHECKING:
    from pr_review.git.search import Searcher

MAX_QUERY_CHARS = 512  # item 45
MAX_MATCHES = 100  # item 45
MAX_SEARCH_BYTES = 64 * KIB  # item 45


class SearchArgs(ToolArgs):
    """Arguments of ``search_repository``."""

    query: Annotated[Text, Field(min_length=1, max_length=MAX_QUERY_CHARS)]
    path: Text = ""
    limit: Annotated[Integer, Field(ge=1, le=MAX_MATCHES)] = 50


class SearchRepository:
    """Finds literal text; a query is never a pattern."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="search_repository",
        description="Find case-sensitive literal text in bounded repository source files.",
        parameters={
            "type": "object",
            "properties": {
                "query": {"type": "string", "minLength": 1, "maxLength": 512},
                "path": {"type": "string", "default": ""},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 50},
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    )
    args_model: ClassVar[type[ToolArgs]] = SearchArgs

    def __init__(self, searcher: "Searcher") -> None:
        self._searcher = searcher

    def run(self, args: SearchArgs, max_bytes: int) -> ToolResult:
        """Matches with one-based lines, cut by whole matches."""
        matches, more = self._searcher.search(args.query, args.path, args.limit)
        found: list[JsonObject] = [
            {"path": match.path, "line": match.line, "excerpt": match.excerpt} for match in matches
        ]

        def result(count: int) -> JsonObject:
            return {
                "ok": True,
                "query": args.query,
                "path": args.path,
                "matches": list(found[:count]),
                "truncated": more or count < len(found),
            }

        payload = result(largest_fit(len(found), result, min(max_bytes, MAX_SEARCH_BYTES)))
        return ToolResult(payload=payload, truncated=bool(payload["truncated"]))
