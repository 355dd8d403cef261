"""What the offline reviewer learns about one file, from nothing but tool results."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO

from pydantic import JsonValue

from pr_review.checks.base import Source
from pr_review.domain.base import JsonObject
from pr_review.domain.chat import ToolCall

READ_TOOL = "read_repository_file"
DIFF_TOOL = "inspect_git_diff"
MAX_DIFF_BYTES = 128 * 1024  # the most that DIFF_TOOL can be asked for (item 46)


@dataclass
class ReviewedFile:
    """One changed file: its added lines from the diff, its head text page by page, and what went wrong.

    ``shown`` says that the diff was seen; ``readable`` that every line of the head version was.
    """

    path: str
    added: dict[int, str] = field(default_factory=dict)
    shown: bool = False
    readable: bool = False
    problems: list[str] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)

    @property
    def source(self) -> Source:
        """What the checks get to see."""
        return Source(self.path, "\n".join([*self._lines, ""]) if self.readable else None, self.added)

    def first_call(self, call_id: str) -> ToolCall:
        """Ask for the file's diff."""
        return ToolCall(
            id=call_id, name=DIFF_TOOL, arguments={"paths": [self.path], "max_bytes": MAX_DIFF_BYTES}
        )

    def next_call(self, call_id: str) -> ToolCall:
        """Ask for the page after the lines read so far."""
        start = len(self._lines) + 1
        return ToolCall(id=call_id, name=READ_TOOL, arguments={"path": self.path, "start_line": start})

    def take_diff(self, result: JsonObject) -> bool:
        """Learn from a diff result; whether the head version has to be read."""
        match result:
            case {"ok": True, "diff": str(diff), "truncated": bool(truncated)}:
                self.shown = True
                self.added = dict(_added_lines(diff, self.path))
                if truncated:
                    self.problems.append(
                        "its diff is too large to be shown; the lines not shown were not checked"
                    )
            case _:
                self.problems.append(f"its diff could not be inspected ({_code(result)}); it was not checked")
        return bool(self.added)

    def take_page(self, result: JsonObject) -> bool:
        """Learn from a page of the head version; whether another one has to be read."""
        start = len(self._lines) + 1
        match result:
            case {"ok": True, "end_line": int(end), "total_lines": int(total), "content": str(content)} if (
                end >= start and not result.get("line_truncated")
            ):
                self._lines += [text.partition(": ")[2] for text in content.split("\n")]
                self.readable = end >= total
                return not self.readable
            case _:
                self.problems.append(
                    f"its head version could not be read whole ({_code(result)}); "
                    "only its added lines were checked"
                )
                return False


def _added_lines(diff: str, path: str) -> Iterator[tuple[int, str]]:
    """Head line number and text of each added line; only a line feed ends a line, as git counts."""
    from unidiff.patch import PatchSet  # noqa: PLC0415 -- start-up: needed after the first tool result

    files = list(PatchSet(StringIO(diff, newline="\n")))
    for file in files:
        if file.path == path or len(files) == 1:
            for line in (line for hunk in file for line in hunk):
                if line.is_added and line.target_line_no is not None:
                    yield line.target_line_no, line.value.removesuffix("\n")


def _code(result: JsonObject) -> JsonValue:
    match result:
        case {"error": {"code": str(code)}}:
            return code
        case _:
            return "a line is too long"
