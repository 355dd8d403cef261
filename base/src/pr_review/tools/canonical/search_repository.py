"""``search_repository``: finds a literal text in the files of the head commit."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from pr_review.domain.chat import ToolResult, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.domain.sizes import KIB
from pr_review.tools.tool import Integer, Text, ToolArgs, largest_fit

if TYPE_CHECKING:
    from pr_review.git.search import Searcher

MAX_QUERY_CHARS = 512
MAX_MATCHES = 100
DEFAULT_MATCHES = 50
MAX_SEARCH_BYTES = 64 * KIB  # of the serialised result


class SearchArgs(ToolArgs):
    """Arguments of ``search_repository``."""

    query: Annotated[Text, Field(min_length=1, max_length=MAX_QUERY_CHARS)]
    path: Text = ""
    limit: Annotated[Integer, Field(ge=1, le=MAX_MATCHES)] = DEFAULT_MATCHES


class SearchRepository:
    """Finds literal text; a query is never a regular expression."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="search_repository",
        description="Find case-sensitive literal text in bounded repository source files.",
        parameters={
            "type": "object",
            "properties": {
                "query": {"type": "string", "minLength": 1, "maxLength": MAX_QUERY_CHARS},
                "path": {"type": "string", "default": ""},
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_MATCHES,
                    "default": DEFAULT_MATCHES,
                },
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    )
    args_model: ClassVar[type[ToolArgs]] = SearchArgs

    def __init__(self, searcher: "Searcher") -> None:
        self._searcher = searcher

    def run(self, args: SearchArgs, max_bytes: int) -> ToolResult:
        """Return matches, each with its path, its line counted from 1 and an excerpt of that line.

        Raises ``ToolFailure``: ``context_budget``, and the failures of ``Searcher.search``.
        """
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
