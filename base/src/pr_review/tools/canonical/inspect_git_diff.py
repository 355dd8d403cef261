"""``inspect_git_diff``: shows whole hunks of the change from the merge base to the head commit.

The diff is computed once per run, so no argument of the model reaches git.
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
from pr_review.domain.sizes import KIB
from pr_review.errors import ToolFailure
from pr_review.tools.tool import Integer, Text, ToolArgs, json_byte_count, largest_fit

MAX_PATHS = 50
MAX_DIFF_BYTES = 128 * KIB  # of the diff text, and of the serialised result
DEFAULT_DIFF_BYTES = 64 * KIB
MAX_OMITTED = 50  # paths listed in ``omitted``; ``omitted_count`` counts all
OMITTED_BYTES = 4 * KIB  # reserved for ``omitted`` if not everything fits
OMITTED_SHARE = 4  # a small budget reserves only one part of this many

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
        """Return whole hunks in diff order; ``omitted`` lists the files with a hunk that did not fit.

        A path is the new or old name of a file, or a directory. Raises ``ToolFailure``: ``invalid_path``,
        ``path_not_in_diff`` if none of the paths was changed, ``context_budget``.
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
        """All of the files if they fit; otherwise the hunks that fit beside the list of omitted files."""
        budget = bound - json_byte_count(self._payload(DiffExcerpt(), 0, unknown))
        excerpt = DiffExcerpt(text_bytes, budget)
        excerpt.add_all(files)
        if excerpt.omitted:
            count_digits = len(str(len(files)))  # of ``omitted_count``
            reserved = count_digits + min(OMITTED_BYTES, budget // OMITTED_SHARE)
            excerpt = DiffExcerpt(text_bytes, budget - reserved)
            excerpt.add_all(files)
        return excerpt

    def _select(self, paths: Sequence[str]) -> tuple[Sequence[ChangedFile], list[str]]:
        """The files that the paths match, in diff order, and the paths that match no file."""
        wanted = [validate_path(path) for path in paths]
        if not wanted:
            return self._diff.files, []
        found = {path: self._find(path) for path in wanted}
        places = sorted({place for each in found.values() for place in each})
        if not places:
            raise ToolFailure("path_not_in_diff", "The pull request changes none of these paths.")
        return [self._diff.files[place] for place in places], [path for path in wanted if not found[path]]

    def _find(self, path: str) -> list[int]:
        """Positions in the diff of the files that have this name or are in this directory; "" is the root."""
        if not path:
            return list(range(len(self._diff.files)))
        # The paths below a directory start with "path/"; "0" is the character after "/".
        first, end = (bisect_left(self._sorted, (f"{path}{after}",)) for after in "/0")
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
    """Collects hunks until ``text_left`` bytes of text or ``json_left`` bytes of serialised JSON are used.

    JSON escapes each character on its own, so the serialised sizes of two texts add up.
    """

    text_left: int = 0
    json_left: int = 0
    parts: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    shown: list[HunkId] = field(default_factory=list)
    omitted: list[str] = field(default_factory=list)

    def add_all(self, files: Iterable[ChangedFile]) -> None:
        """Take every hunk that fits, in order; a hunk that is too large does not stop later ones."""
        for file in files:
            if not self._add(file):
                self.omitted.append(file.path)

    def _add(self, file: ChangedFile) -> bool:
        """Whether the whole file was taken; its first taken hunk brings its header and its note."""
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
        if text_cost > min(self.text_left, self.json_left):  # avoids serialising a huge hunk
            return False
        json_cost = json_byte_count(text) - 2 + (json_byte_count(dict(entry)) - 1 if entry else 0)
        if json_cost > self.json_left:
            return False
        self.text_left -= text_cost
        self.json_left -= json_cost
        self.parts.append(text)
        self.notes.update(entry)
        return True


def _note(file: ChangedFile) -> str:
    """Facts that the patch text cannot show; a reader could mistake them for code inside it."""
    kind = "binary" if file.binary else "oversized" if file.oversized else "" if file.hunks else "empty"
    return "; ".join(([WITHOUT_HUNKS[kind]] if kind else []) + list(file.notes))
