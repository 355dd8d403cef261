"""The files that a finding can be in: which file a path names, and the index of each file."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.domain.paths import validate_path
from pr_review.errors import ToolFailure
from pr_review.findings.matching import FileIndex

PATCH_PREFIXES = ("a/", "b/")


class Repository(Protocol):
    """What placement asks of the trees of head and merge base."""

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
class ReviewedFiles:
    """The files of head, merge base and diff; each is read and indexed at most once."""

    diff: Diff
    repository: Repository
    _indexes: dict[str, FileIndex] = field(default_factory=dict)
    _patch_indexes: dict[str, FileIndex] = field(default_factory=dict)

    def resolve_path(self, path: str) -> str | None:
        """The file that a path names in the head, else in the merge base; None when neither has it.

        The path counts as given, then without the prefix of a patch. The old name of a renamed file stands
        for its new name.
        """
        without_prefix = (path.removeprefix(prefix) for prefix in PATCH_PREFIXES if path.startswith(prefix))
        names = dict.fromkeys(map(_normalise_path, (path, *without_prefix)))
        candidates = [name for name in names if name]
        for candidate in candidates:
            if self.repository.head_lines(candidate) is not None:
                return candidate
        for candidate in candidates:
            if self.repository.base_lines(candidate) is not None:
                return self._new_names.get(candidate, candidate)
        return None

    def changed_file(self, path: str) -> ChangedFile | None:
        """What the change does to the file; None when it does nothing."""
        return self.diff.by_path.get(path)

    def index(self, path: str) -> FileIndex:
        """The index of the whole file."""
        if path not in self._indexes:
            head = self.repository.head_lines(path)
            base = self.repository.base_lines(path) if head is None else None
            self._indexes[path] = FileIndex(self.changed_file(path), head, base)
        return self._indexes[path]

    def find_only_patch_with(self, quote: str) -> str | None:
        """The path of the one changed file whose patch holds the quote; None for none and for several."""
        candidates = (file for file in self.diff.files if file.addressable and file.hunks)
        found = [file.path for file in candidates if self._patch_index(file).clearly_contains(quote)]
        return found[0] if len(found) == 1 else None

    def _patch_index(self, file: ChangedFile) -> FileIndex:
        """The index of the hunks alone, which needs no reading of every changed file."""
        if file.path not in self._patch_indexes:
            self._patch_indexes[file.path] = FileIndex(file, ())
        return self._patch_indexes[file.path]

    @cached_property
    def _new_names(self) -> dict[str, str]:
        """The new name of each renamed file by its old name."""
        renamed = (file for file in self.diff.files if file.status is FileStatus.RENAMED)
        return {file.old_path: file.path for file in renamed if file.old_path}


def _normalise_path(path: str) -> str:
    """The path as a tree writes it, without ``.`` and ``//``; "" for a path that no tree can have."""
    try:
        return validate_path(path)
    except ToolFailure:
        return ""
