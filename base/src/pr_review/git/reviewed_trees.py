"""Reads files of the two reviewed commits: the head and the merge base."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from pr_review.errors import ToolFailure
from pr_review.git.tree import CommitTree


class ReviewedTrees:
    """The trees of head and merge base. The tree of the merge base is loaded at its first use."""

    def __init__(self, head: CommitTree, load_base: Callable[[], CommitTree]) -> None:
        self._head = head
        self._load_base = load_base

    @cached_property
    def _base(self) -> CommitTree:
        return self._load_base()

    def head_lines(self, path: str) -> Sequence[str] | None:
        """Return the lines of a head file: none when it is not text, None when there is no such file."""
        return _lines(self._head, path)

    def base_lines(self, path: str) -> Sequence[str] | None:
        """Return the lines of a file at the merge base, like ``head_lines``."""
        return _lines(self._base, path)

    def head_text(self, path: str) -> str | None:
        """Return the text of a regular head file; None for a link and for a file that is not text."""
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
    """Whether one of the trees, checked out at ``root``, decides what is at an absolute path.

    A tree decides when it holds the path, a path below it, or a file or submodule above it.
    """
    if not path.is_relative_to(root):
        return False
    relative = path.relative_to(root)
    above = [parent.as_posix() for parent in relative.parents[:-1]]
    return any(
        tree.exists(relative.as_posix())
        or any(tree.exists(name) and not _is_folder(tree, name) for name in above)
        for tree in trees
    )


def _is_folder(tree: CommitTree, path: str) -> bool:
    try:
        tree.list(path, None, 1)
    except ToolFailure:
        return False
    return True
