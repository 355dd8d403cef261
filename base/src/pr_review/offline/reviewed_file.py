"""What the offline reviewer learns about one file, from tool results alone."""

from dataclasses import dataclass, field
from io import StringIO

from pr_review.checks.source import Source
from pr_review.domain.chat import RequestedCall
from pr_review.domain.frozen import JsonObject
from pr_review.tools.canonical.inspect_git_diff import MAX_DIFF_BYTES, InspectGitDiff
from pr_review.tools.canonical.read_repository_file import ReadRepositoryFile


@dataclass
class ReviewedFile:
    """One changed file: its added lines from the diff, its head text page by page, and what went wrong.

    ``shown`` says that the diff was seen, ``readable`` that every line of the head version was.
    """

    path: str
    added: dict[int, str] = field(default_factory=dict)
    shown: bool = False
    readable: bool = False
    problems: list[str] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)

    @property
    def checked_in_part(self) -> bool:
        """Whether the checks see only the added lines, because the head version could not be read whole."""
        return bool(self.added) and not self.readable

    @property
    def source(self) -> Source:
        """What the checks read."""
        return Source(self.path, "\n".join([*self._lines, ""]) if self.readable else None, self.added)

    def first_call(self, call_id: str) -> RequestedCall:
        """Ask for the file's diff."""
        return RequestedCall(
            id=call_id,
            name=InspectGitDiff.spec.name,
            arguments={"paths": [self.path], "max_bytes": MAX_DIFF_BYTES},
        )

    def next_call(self, call_id: str) -> RequestedCall:
        """Ask for the page after the lines read so far."""
        start = len(self._lines) + 1
        return RequestedCall(
            id=call_id,
            name=ReadRepositoryFile.spec.name,
            arguments={"path": self.path, "start_line": start},
        )

    def take_diff(self, result: JsonObject) -> bool:
        """Learn from a diff result; true when the head version has to be read."""
        match result:
            case {"ok": True, "diff": str(diff), "truncated": bool(truncated)} if (
                added := _added_lines(diff, self.path)
            ) is not None:
                self.shown = True
                self.added = added
                if truncated:
                    self.problems.append(
                        "its diff is too large to be shown; the lines not shown were not checked"
                    )
            case _:
                code = _code(result, "not a diff")
                self.problems.append(f"its diff could not be inspected ({code}); it was not checked")
        return bool(self.added)

    def take_page(self, result: JsonObject) -> bool:
        """Learn from a page of the head version; true when another page has to be read."""
        match result:
            case {"ok": True, "end_line": int(end), "total_lines": int(total), "content": str(content)} if (
                lines := self._whole(content, cut=bool(result.get("line_truncated")))
            ):
                self._lines += lines
                self.readable = end >= total
                return not self.readable
            case _:
                code = _code(result, "a line is too long")
                self.problems.append(
                    f"its head version could not be read whole ({code}); only its added lines were checked"
                )
                return False

    def _whole(self, content: str, *, cut: bool) -> list[str]:
        """The lines of a page; a line too long for a page is taken from the diff, where it was added."""
        if not cut:
            return [text.partition(": ")[2] for text in content.split("\n")] if content else []
        number = len(self._lines) + 1
        return [self.added[number]] if number in self.added else []


def _added_lines(diff: str, path: str) -> dict[int, str] | None:
    """The text of each added line by head line number, or None for no diff; only a line feed ends a line."""
    from unidiff.errors import UnidiffParseError  # noqa: PLC0415 -- start-up: after the first tool result
    from unidiff.patch import PatchSet  # noqa: PLC0415 -- start-up: as above

    try:
        files = list(PatchSet(StringIO(diff, newline="\n")))
    except UnidiffParseError:
        return None
    hunks = [hunk for file in files if file.path == path or len(files) == 1 for hunk in file]
    return {
        line.target_line_no: line.value.removesuffix("\n")
        for line in (line for hunk in hunks for line in hunk)
        if line.is_added and line.target_line_no is not None
    }


def _code(result: JsonObject, otherwise: str) -> str:
    match result:
        case {"error": {"code": str(code)}}:
            return code
        case _:
            return otherwise
