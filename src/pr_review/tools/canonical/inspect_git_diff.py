"""``inspect_git_diff``: the change from merge base to head, sliced by whole hunks (item 46).

The diff is computed once a run (decision 2); nothing of an argument reaches git.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from pydantic import Field

from pr_review.domain.change import ChangedFile, Diff
from pr_review.domain.chat import HunkId, ToolResult, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.domain.paths import validate_path
from pr_review.domain.run import KIB
from pr_review.errors import ToolFailure
from pr_review.tools.base import Integer, Text, ToolArgs, largest_fit, size

MAX_PATHS = 50  # item 46
MAX_DIFF_BYTES = 128 * KIB  # item 46
MAX_OMITTED = 50  # paths listed; ``omitted_count`` is always complete
OMITTED_BYTES = 4 * KIB  # kept free for them when not everything fits

WITHOUT_HUNKS = {
    "binary": "binary file; its content cannot be shown",
    "oversized": "its patch is too large to be shown or reviewed",
    "empty": "no line changed; only its name, mode or existence",
}


class DiffArgs(ToolArgs):
    """Arguments of ``inspect_git_diff``; ``max_bytes`` counts the UTF-8 bytes of the diff text."""

    paths: Annotated[list[Text], Field(max_length=MAX_PATHS)] = Field(default_factory=list)
    max_bytes: Annotated[Integer, Field(ge=1, le=MAX_DIFF_BYTES)] = 64 * KIB


class InspectGitDiff:
    """Shows hunks of the change."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="inspect_git_diff",
        description="Inspect the immutable base-to-head Git diff, optionally narrowed to paths.",
        parameters={
            "type": "object",
            "properties": {
                "paths": {"type": "array", "items": {"type": "string"}, "maxItems": 50, "default": []},
                "max_bytes": {"type": "integer", "minimum": 1, "maximum": 131072, "default": 65536},
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
        """Whole hunks in diff order; what does not fit is left out and its file listed in ``omitted``.

        A path names a file by its new or old name, or a directory. Raises ``ToolFailure``:
        ``invalid_path``, ``path_not_in_diff`` when none of the paths is changed, ``context_budget``.
        """
        files, unknown = self._select(args.paths)
        bound = min(max_bytes, MAX_DIFF_BYTES)
        excerpt = self._fill(files, args.max_bytes, bound, unknown)

        def result(listed: int) -> JsonObject:
            return self._payload(excerpt, listed, unknown)

        listed = largest_fit(min(len(excerpt.omitted), MAX_OMITTED), result, bound, least=0)
        return ToolResult(payload=result(listed), truncated=bool(excerpt.omitted), shown=tuple(excerpt.shown))

    def _fill(
        self, files: Sequence[ChangedFile], text_bytes: int, bound: int, unknown: list[str]
    ) -> "DiffExcerpt":
        """All of the files when they fit; else what fits beside the list of what does not."""
        room = bound - size(self._payload(DiffExcerpt(), 0, unknown))
        excerpt = DiffExcerpt(text_bytes, room)
        excerpt.add_all(files)
        if excerpt.omitted:
            room -= len(str(len(files))) + min(OMITTED_BYTES, room // 4)
            excerpt = DiffExcerpt(text_bytes, room)
            excerpt.add_all(files)
        return excerpt

    def _select(self, paths: Sequence[str]) -> tuple[Sequence[ChangedFile], list[str]]:
        """The files that the paths name, in diff order, and the paths that name none."""
        wanted = [validate_path(path) for path in paths]
        if not wanted:
            return self._diff.files, []
        found = {path: self._find(path) for path in wanted}
        places = sorted({place for each in found.values() for place in each})
        if not places:
            raise ToolFailure("path_not_in_diff", "The pull request changes none of these paths.")
        return [self._diff.files[place] for place in places], [path for path in wanted if not found[path]]

    def _find(self, path: str) -> list[int]:
        """The files of a new or old name, and those below a folder; "" is the root."""
        if not path:
            return list(range(len(self._diff.files)))
        first, end = (
            bisect_left(self._sorted, (f"{path}{after}",)) for after in ("/", "0")
        )  # "0" follows "/"
        return self._places.get(path, []) + [place for _, place in self._sorted[first:end]]

    def _payload(self, excerpt: "DiffExcerpt", listed: int, unknown: list[str]) -> JsonObject:
        payload: JsonObject = {
            "ok": True,
            "base_sha": self._diff.merge_base_sha,
            "head_sha": self._diff.head_sha,
            "diff": "".join(excerpt.parts),
            "omitted": list(excerpt.omitted[:listed]),
            "omitted_count": len(excerpt.omitted),
            "notes": dict(excerpt.notes),
            "truncated": bool(excerpt.omitted),
        }
        return payload | ({"unknown": list(unknown)} if unknown else {})


@dataclass
class DiffExcerpt:
    """What fits of some files into ``text_left`` bytes of text and ``json_left`` bytes of serialised JSON.

    Escaping works character by character, so the serialised size of a text is the sum of its parts'.
    """

    text_left: int = 0
    json_left: int = 0
    parts: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    shown: list[HunkId] = field(default_factory=list)
    omitted: list[str] = field(default_factory=list)

    def add_all(self, files: Iterable[ChangedFile]) -> None:
        """Take the hunks that fit, in order; a hunk too large does not keep a later one out."""
        for file in files:
            if not self._add(file):
                self.omitted.append(file.path)

    def _add(self, file: ChangedFile) -> bool:
        """Whether the whole file was taken. Its header and note come with the first hunk taken of it."""
        header, note = file.header, _note(file)
        if not file.hunks:
            taken = self._take(header, file.path, note)
            self.shown += [HunkId(path=file.path, index=0)] if taken else []
            return taken
        complete = True
        for index, hunk in enumerate(file.hunks):
            if self._take(header + hunk.text, file.path, note):
                self.shown.append(HunkId(path=file.path, index=index))
                header = note = ""
            else:
                complete = False
        return complete

    def _take(self, text: str, path: str, note: str) -> bool:
        entry = {path: note} if note else {}
        text_cost = len(text.encode())
        if text_cost > min(self.text_left, self.json_left):  # spares serialising a huge hunk
            return False
        json_cost = size(text) - 2 + (size(dict(entry)) - 1 if entry else 0)
        if json_cost > self.json_left:
            return False
        self.text_left -= text_cost
        self.json_left -= json_cost
        self.parts.append(text)
        self.notes.update(entry)
        return True


def _note(file: ChangedFile) -> str:
    """What the patch text cannot say; kept outside it, where it cannot be taken for code."""
    kind = "binary" if file.binary else "oversized" if file.oversized else "" if file.hunks else "empty"
    return "; ".join(([WITHOUT_HUNKS[kind]] if kind else []) + list(file.notes))
