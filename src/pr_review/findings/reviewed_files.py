"""The files that findings can be in: which one a path means, and each one indexed once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.domain.paths import validate_path
from pr_review.errors import ToolFailure
from pr_review.findings.anchoring import holds
from pr_review.findings.candidates import FileIndex

PREFIXES = ("a/", "b/")


class Repository(Protocol):
    """What placement asks of the head and the merge-base tree."""

    def head_lines(self, path: str) -> Sequence[str] | None:
        """Lines of a regular head file; empty when it is not text; None when there is no such file."""
        ...

    def base_lines(self, path: str) -> Sequence[str] | None:
        """The same at the merge base."""
        ...

    def head_text(self, path: str) -> str | None:
        """The whole text of a regular head file; None for a link, and for what is not text."""
        ...


@dataclass(frozen=True)
class Files:
    """Head, merge base and diff, as far as findings ask for them."""

    diff: Diff
    repository: Repository
    _indexes: dict[str, FileIndex] = field(default_factory=dict)
    _patches: dict[str, FileIndex] = field(default_factory=dict)

    def resolve(self, path: str) -> str | None:
        """The path in the head tree, else in the merge-base tree, as given or without its prefix, normalised.

        The old name of a renamed file means the file as it is called now.
        """
        names = (path, *(path.removeprefix(prefix) for prefix in PREFIXES if path.startswith(prefix)))
        candidates = [name for name in dict.fromkeys(map(_normal, names)) if name]
        for candidate in candidates:
            if self.repository.head_lines(candidate) is not None:
                return candidate
        for candidate in candidates:
            if self.repository.base_lines(candidate) is not None:
                return self._renamed.get(candidate, candidate)
        return None

    def changed(self, path: str) -> ChangedFile | None:
        """What the change does to the file, None when nothing."""
        return self.diff.by_path.get(path)

    def index(self, path: str) -> FileIndex:
        """The file with all its lines."""
        if path not in self._indexes:
            head = self.repository.head_lines(path)
            base = self.repository.base_lines(path) if head is None else None
            self._indexes[path] = FileIndex(self.changed(path), head, base)
        return self._indexes[path]

    def find_home(self, quote: str) -> str | None:
        """The one changed file whose patch holds the quote; None when it is in none or in several."""
        candidates = (file for file in self.diff.files if file.addressable and file.hunks)
        found = [file.path for file in candidates if holds(self._patch(file), quote)]
        return found[0] if len(found) == 1 else None

    def _patch(self, file: ChangedFile) -> FileIndex:
        """What its hunks show: enough to recognise code, without reading every changed file."""
        if file.path not in self._patches:
            self._patches[file.path] = FileIndex(file, ())
        return self._patches[file.path]

    @cached_property
    def _renamed(self) -> dict[str, str]:
        """New names by old ones."""
        renamed = (file for file in self.diff.files if file.status is FileStatus.RENAMED)
        return {file.old_path: file.path for file in renamed if file.old_path}


def _normal(path: str) -> str:
    """The path as the tree writes it: it would also read ``./a`` and ``a//b``; "" for what it refuses."""
    try:
        return validate_path(path)
    except ToolFailure:
        return ""
