"""What the offline reviewer learns about one file, from tool results alone."""

import re
from dataclasses import dataclass, field
from io import StringIO

from pr_review.checks.source import Source
from pr_review.domain.chat import RequestedCall
from pr_review.domain.frozen import JsonObject
from pr_review.tools.canonical.inspect_git_diff import MAX_DIFF_BYTES, InspectGitDiff
from pr_review.tools.canonical.read_repository_file import ReadRepositoryFile

_LINK = re.compile(r"^(?:new file mode|new mode|index [0-9a-f]+\.\.[0-9a-f]+) 120000$", re.MULTILINE)


@dataclass
class ReviewedFile:
    """One changed file: its added lines from the diff, its head text page by page, and what went wrong.

    ``shown`` says that the diff was seen, ``more`` that it goes on, ``readable`` that every line of the head
    version was seen.
    """

    path: str
    added: dict[int, str] = field(default_factory=dict)
    shown: bool = False
    more: bool = False
    readable: bool = False
    problems: list[str] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)
    _is_link: bool = False

    @property
    def checked_in_part(self) -> bool:
        """Whether the checks see only the added lines, because the head version could not be read whole."""
        return bool(self.added) and not self.readable and not self._is_link

    @property
    def source(self) -> Source:
        """What the checks read."""
        text = "\n".join([*self._lines, ""]) if self.readable and not self._is_link else None
        return Source(self.path, text, self.added, is_link=self._is_link)

    def diff_call(self, call_id: str) -> RequestedCall:
        """Ask for the file's diff, or for what follows the part that was seen."""
        return RequestedCall(
            id=call_id,
            name=InspectGitDiff.spec.name,
            arguments={"paths": [self.path], "max_bytes": MAX_DIFF_BYTES},
        )

    def page_call(self, call_id: str) -> RequestedCall:
        """Ask for the page after the lines read so far."""
        start = len(self._lines) + 1
        return RequestedCall(
            id=call_id,
            name=ReadRepositoryFile.spec.name,
            arguments={"path": self.path, "start_line": start},
        )

    def take_diff(self, result: JsonObject) -> bool:
        """Learn from a diff result; true when more of the diff, or the head version, has to be read."""
        self.more = result.get("more") is True
        match result:
            case {"ok": True, "diff": str(diff), "truncated": bool(truncated)} if (
                added := _added_lines(diff, self.path)
            ) is not None:
                self.shown = True
                self._is_link = self._is_link or bool(_LINK.search(diff))
                cut = result.get("line_truncated") is True  # such a result holds nothing but that line
                self.added |= {} if cut else added
                if cut:
                    self.problems.append("a line of its diff is too long to be shown; it was not checked")
                elif truncated and not self.more:
                    self.problems.append(
                        "its diff is too large to be shown; the lines not shown were not checked"
                    )
            case _:
                code = _code(result, "not a diff")
                self.problems.append(f"its diff could not be inspected ({code}); it was not checked")
        return self.more or (bool(self.added) and not self._is_link)

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
