"""What the review asks of the trees of the reviewed commits."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from pr_review.errors import ToolFailure
from pr_review.git.tree import CommitTree


class ReviewedTrees:
    """Head and merge base; the latter is listed only when a path is not in the head."""

    def __init__(self, head: CommitTree, load_base: Callable[[], CommitTree]) -> None:
        self._head = head
        self._load_base = load_base

    @cached_property
    def _base(self) -> CommitTree:
        return self._load_base()

    def head_lines(self, path: str) -> Sequence[str] | None:
        """Lines of a regular head file, empty when it is not text, None when there is no such file."""
        return _lines(self._head, path)

    def base_lines(self, path: str) -> Sequence[str] | None:
        """The same at the merge base."""
        return _lines(self._base, path)

    def head_text(self, path: str) -> str | None:
        """The whole text of a regular head file; None for a link, and for what is not text."""
        try:
            return self._head.read(path).text if self._head.resolve(path) == path else None
        except ToolFailure:
            return None


def _lines(tree: CommitTree, path: str) -> Sequence[str] | None:
    if not tree.is_file(path):
        return None
    try:
        return tree.read(path).lines
    except ToolFailure:
        return ()


def is_tracked(path: Path, root: Path, trees: Sequence[CommitTree]) -> bool:
    """Whether one of the trees, checked out at ``root``, decides what stands at an absolute path.

    It does when it holds the path, something below it, or a submodule or a file above it.
    """
    if not path.is_relative_to(root):
        return False
    place = path.relative_to(root)
    above = [parent.as_posix() for parent in place.parents[:-1]]
    return any(
        tree.exists(place.as_posix())
        or any(tree.exists(name) and not _is_folder(tree, name) for name in above)
        for tree in trees
    )


def _is_folder(tree: CommitTree, path: str) -> bool:
    try:
        tree.list(path, None, 1)
    except ToolFailure:
        return False
    return True
