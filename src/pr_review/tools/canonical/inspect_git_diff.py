"""``inspect_git_diff``: shows the change from the merge base to the head commit.

A call shows what the conversation was not shown yet of the files that it names; once it was shown all of
them, it starts again from the top. The diff is computed once per run, so no argument of the model reaches
git.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from pydantic import Field

from pr_review.domain.change import ChangedFile, Diff
from pr_review.domain.chat import ToolResult, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.domain.paths import is_addressable, validate_path
from pr_review.domain.shown import NOTHING_SHOWN, ShownLines
from pr_review.domain.sizes import KIB
from pr_review.errors import ToolFailure
from pr_review.git.patch_excerpt import PatchExcerpt, Room, has_unread
from pr_review.tools.tool import Integer, Text, ToolArgs, json_byte_count, largest_fit

MAX_PATHS = 50
MAX_DIFF_BYTES = 128 * KIB  # of the diff text, and of the serialised result
DEFAULT_DIFF_BYTES = 64 * KIB
MAX_OMITTED = 50  # paths listed in ``omitted``; ``omitted_count`` counts all
OMITTED_BYTES = 4 * KIB  # reserved for ``omitted`` if not everything fits
OMITTED_SHARE = 4  # a small budget reserves only one part of this many
_KEYS_BYTES = len('"from_line":2000000000,"more":true,"line_truncated":true,')  # what only some results hold

WITHOUT_HUNKS = {
    "binary": "binary file; its content cannot be shown",
    "oversized": "its patch is too large to be shown or reviewed",
    "empty": "no line changed; only its name, mode or existence",
}


class DiffArgs(ToolArgs):
    """Arguments of ``inspect_git_diff``; ``max_bytes`` counts the UTF-8 bytes of the diff text."""

    paths: Annotated[list[Text], Field(max_length=MAX_PATHS)] = Field(default_factory=list)
    max_bytes: Annotated[Integer, Field(ge=1, le=MAX_DIFF_BYTES)] = DEFAULT_DIFF_BYTES


class InspectGitDiff:
    """Shows the hunks of the change, for all changed files or for some paths."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="inspect_git_diff",
        description="Inspect the immutable base-to-head Git diff, optionally narrowed to paths.",
        parameters={
            "type": "object",
            "properties": {
                "paths": {
                    "type": "array",
                    "items": {"type": "string"},
                    "maxItems": MAX_PATHS,
                    "default": [],
                },
                "max_bytes": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_DIFF_BYTES,
                    "default": DEFAULT_DIFF_BYTES,
                },
            },
            "required": [],
            "additionalProperties": False,
        },
    )
    args_model: ClassVar[type[ToolArgs]] = DiffArgs

    def __init__(self, diff: Diff) -> None:
        self._diff = diff
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for place, file in enumerate(diff.files):
            for name in {file.path, file.old_path or file.path}:
                self._places[name].append(place)
        self._sorted = sorted((file.path, place) for place, file in enumerate(diff.files))

    def run(self, args: DiffArgs, max_bytes: int) -> ToolResult:
        """The result for a conversation that was shown nothing yet; as ``run_after``."""
        return self.run_after(args, max_bytes, NOTHING_SHOWN)

    def run_after(self, args: DiffArgs, max_bytes: int, seen: ShownLines) -> ToolResult:
        """Return what fits of the lines that were not ``seen``; ``omitted`` lists the files with more.

        Whole hunks come first. A path is the new or old name of a file, or a directory. Raises
        ``ToolFailure``: ``invalid_path``, ``path_not_in_diff`` if none of the paths was changed,
        ``context_budget``.
        """
        files, unknown = self._select(args.paths)
        request = _Request(files, unknown).after(seen)
        bound = min(max_bytes, MAX_DIFF_BYTES)
        excerpt = self._fill(request, args.max_bytes, bound)

        def result(listed: int) -> JsonObject:
            return self._payload(excerpt, listed, request)

        listed = largest_fit(min(len(excerpt.left), MAX_OMITTED), result, bound, least=0)
        return ToolResult(
            payload=result(listed), truncated=bool(excerpt.left) or excerpt.cut, shown=excerpt.shown
        )

    def _fill(self, request: "_Request", text_bytes: int, bound: int) -> PatchExcerpt:
        """All of the files if they fit; otherwise what fits beside the list of omitted files."""
        budget = bound - json_byte_count(self._payload(PatchExcerpt(Room(0)), 0, request))

        def fill(room: int) -> PatchExcerpt:
            excerpt = PatchExcerpt(Room(text_bytes, room), _note)
            excerpt.fill(request.files, request.seen, cut_lines=True)
            return excerpt

        excerpt = fill(budget if request.seen == NOTHING_SHOWN else budget - _KEYS_BYTES)
        if excerpt.left or excerpt.cut:
            count_digits = len(str(len(request.files)))  # of ``omitted_count``
            excerpt = fill(budget - _KEYS_BYTES - count_digits - min(OMITTED_BYTES, budget // OMITTED_SHARE))
        return excerpt

    def _select(self, paths: Sequence[str]) -> tuple[Sequence[ChangedFile], list[str]]:
        """The files that the paths match, in diff order, and the paths that match no file."""
        wanted = [self._accepted(path) for path in paths]
        if not wanted:
            return self._diff.files, []
        found = {path: self._find(path) for path in wanted}
        places = sorted({place for each in found.values() for place in each})
        if not places:
            raise ToolFailure("path_not_in_diff", "The pull request changes none of these paths.")
        return [self._diff.files[place] for place in places], [path for path in wanted if not found[path]]

    def _accepted(self, path: str) -> str:
        """A name of the diff as it stands, even with a backslash; any other by the rule of paths."""
        return path if is_addressable(path) and self._find(path) else validate_path(path)

    def _find(self, path: str) -> list[int]:
        """Positions in the diff of the files that have this name or are in this directory; "" is the root."""
        if not path:
            return list(range(len(self._diff.files)))
        # The paths below a directory start with "path/"; "0" is the character after "/".
        first, end = (bisect_left(self._sorted, (f"{path}{after}",)) for after in "/0")
        return self._places.get(path, []) + [place for _, place in self._sorted[first:end]]

    def _payload(self, excerpt: PatchExcerpt, listed: int, request: "_Request") -> JsonObject:
        payload: JsonObject = {
            "ok": True,
            "base_sha": self._diff.merge_base_sha,
            "head_sha": self._diff.head_sha,
            "diff": excerpt.text,
            "omitted": [file.path for file in excerpt.left[:listed]],
            "omitted_count": len(excerpt.left),
            "notes": dict(excerpt.notes),
            "truncated": bool(excerpt.left) or excerpt.cut,
        }
        further: JsonObject = {
            "unknown": list(request.unknown),
            "shown_before": request.shown_before,
            "from_line": excerpt.from_line,
            "more": bool(excerpt.left) and not request.again,
            "line_truncated": excerpt.cut,
        }
        return payload | {key: value for key, value in further.items() if value}


@dataclass(frozen=True)
class _Request:
    """What a call asks for.

    ``unknown`` are paths that match nothing. ``seen`` is what need not be shown again, and ``shown_before``
    how many files are left out for it. ``again``: all of it was shown before, so it starts from the top.
    """

    files: Sequence[ChangedFile]
    unknown: Sequence[str]
    seen: ShownLines = NOTHING_SHOWN
    shown_before: int = 0
    again: bool = False

    def after(self, seen: ShownLines) -> "_Request":
        """The request of a conversation that has seen these lines."""
        unread = [file for file in self.files if has_unread(file, seen)]
        if not unread:
            return replace(self, again=True)
        return replace(self, files=unread, seen=seen, shown_before=len(self.files) - len(unread))


def _note(file: ChangedFile) -> str:
    """Facts that the patch text cannot show; a reader could mistake them for code inside it."""
    kind = "binary" if file.binary else "oversized" if file.oversized else "" if file.hunks else "empty"
    return "; ".join(([WITHOUT_HUNKS[kind]] if kind else []) + list(file.notes))
