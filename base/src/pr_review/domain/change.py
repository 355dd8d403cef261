"""The pull request and what it changes.

Hunks and files are plain records, not pydantic models: they hold every line of a diff, come only from our
own parser and are never serialised.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from pydantic import Field

from pr_review.domain.frozen import Frozen

Sha = str

_PULL_URL = re.compile(r"(?P<repository>https?://[A-Za-z0-9.:\[\]-]+/[\w.-]+/[\w.-]+)/pull/\d+", re.ASCII)


class PullRequest(Frozen):
    """The pull request as GitHub or git describes it; nothing of it comes from model text."""

    url: str
    owner: str
    repository: str
    number: int
    title: str
    body: str
    author: str
    base_ref: str
    head_ref: str
    base_sha: str = Field(pattern=r"^[0-9a-f]{40}$")
    head_sha: str = Field(pattern=r"^[0-9a-f]{40}$")

    @property
    def repository_url(self) -> str | None:
        """The page of the repository; None for a local review, which belongs to no server."""
        match = _PULL_URL.fullmatch(self.url)
        return match["repository"] if match else None


class FileStatus(StrEnum):
    """What happened to a file between merge base and head."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"
    COPIED = "copied"
    TYPE_CHANGED = "type_changed"


class LineKind(StrEnum):
    """The first character of a hunk line."""

    CONTEXT = " "
    ADDED = "+"
    REMOVED = "-"


class HunkLine(NamedTuple):
    """One line of a hunk without its marker or newline; lines count from 1, None on the side it is not on."""

    kind: LineKind
    text: str
    old_line: int | None
    new_line: int | None


@dataclass(frozen=True)
class Hunk:
    """One hunk; ``text`` is its patch text with the ``@@`` header and a final newline."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    text: str
    lines: tuple[HunkLine, ...]


@dataclass(frozen=True)
class ChangedFile:
    """One changed file.

    ``path`` is the head path (for a deleted file the base path). ``header`` is the patch text before the
    first hunk (``diff --git`` … ``+++``), with a final newline. ``binary``: not UTF-8 and holds NUL bytes,
    so it has no hunks. ``oversized``: its patch is beyond what is kept, so ``hunks`` is empty and the file
    cannot be reviewed. ``addressable``: its name is UTF-8 and passes the tools' path rule.
    """

    path: str
    status: FileStatus
    header: str
    old_path: str | None = None
    hunks: tuple[Hunk, ...] = ()
    additions: int = 0
    deletions: int = 0
    binary: bool = False
    oversized: bool = False
    addressable: bool = True
    notes: tuple[str, ...] = ()

    @cached_property
    def added_lines(self) -> dict[int, str]:
        """Head line number to text, for each line this change added."""
        return {
            line.new_line: line.text
            for hunk in self.hunks
            for line in hunk.lines
            if line.kind is LineKind.ADDED and line.new_line is not None
        }

    @cached_property
    def diff_lines(self) -> frozenset[int]:
        """Head line numbers that a hunk shows, added or context."""
        return frozenset(
            line.new_line for hunk in self.hunks for line in hunk.lines if line.new_line is not None
        )

    @cached_property
    def old_diff_lines(self) -> frozenset[int]:
        """Merge-base line numbers that a hunk shows, removed or context."""
        return frozenset(
            line.old_line for hunk in self.hunks for line in hunk.lines if line.old_line is not None
        )

    @property
    def patch(self) -> str:
        """The file's whole patch."""
        return self.header + "".join(hunk.text for hunk in self.hunks)


@dataclass(frozen=True)
class Diff:
    """The change from merge base to head, computed once a run; ``notes`` say how it deviates."""

    merge_base_sha: str
    head_sha: str
    files: tuple[ChangedFile, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def by_path(self) -> dict[str, ChangedFile]:
        """Files by head path."""
        return {file.path: file for file in self.files}
