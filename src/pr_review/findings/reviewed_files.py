"""The files that a finding can be in: which file a path names, and the index of each file."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from pr_review.domain.change import ChangedFile, Diff
from pr_review.findings.matching import FileIndex
from pr_review.findings.path_spelling import UNKNOWN, KnownPaths, Origin, Resolution


class Repository(Protocol):
    """What placement asks of the trees of head and merge base."""

    def head_names(self) -> Collection[str]:
        """Every name in the tree of the head, also links, submodules and what no tool can address."""
        ...

    def real_path(self, path: str) -> str | None:
        """The file of the head that a path through symbolic links leads to; None when it leads to none."""
        ...

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
    origin: Origin = UNKNOWN
    _resolved: dict[str, Resolution] = field(default_factory=dict)
    _indexes: dict[str, FileIndex] = field(default_factory=dict)
    _patch_indexes: dict[str, FileIndex] = field(default_factory=dict)

    def resolve(self, spelling: str) -> Resolution:
        """The file that a path means, however it is spelled.

        The old name of a renamed file stands for its new name.
        """
        if spelling not in self._resolved:
            self._resolved[spelling] = self._known.resolve(spelling)
        return self._resolved[spelling]

    def changed_file(self, path: str) -> ChangedFile | None:
        """What the change does to the file; None when it does nothing."""
        return self.diff.by_path.get(path)

    def index(self, path: str) -> FileIndex:
        """The index of the whole file."""
        if path not in self._indexes:
            head = self.repository.head_lines(path)
            if head is None and path in self.repository.head_names():
                head = ()  # a link that leads nowhere, a submodule, a name that no tool can address
            base = self.repository.base_lines(path) if head is None else None
            self._indexes[path] = FileIndex(self.changed_file(path), head, base)
        return self._indexes[path]

    def find_only_patch_with(self, quote: str) -> str | None:
        """The path of the one changed file whose patch holds the quote; None for none and for several."""
        candidates = (file for file in self.diff.files if file.hunks)
        found = [file.path for file in candidates if self._patch_index(file).clearly_contains(quote)]
        return found[0] if len(found) == 1 else None

    def _patch_index(self, file: ChangedFile) -> FileIndex:
        """The index of the hunks alone, which needs no reading of every changed file."""
        if file.path not in self._patch_indexes:
            self._patch_indexes[file.path] = FileIndex(file, ())
        return self._patch_indexes[file.path]

    @cached_property
    def _known(self) -> KnownPaths:
        head = self.repository.head_names()
        old = {file.old_path: file.path for file in self.diff.files if file.old_path}
        changed = {name: path for name, path in old.items() if name not in head}
        changed |= {file.path: file.path for file in self.diff.files}
        return KnownPaths(head, changed, self.origin, self.repository.real_path)
