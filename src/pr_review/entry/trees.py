"""What placement asks of the repository, answered from the head and the merge-base tree."""

from collections.abc import Callable, Sequence
from functools import cached_property

from pr_review.errors import ToolFailure
from pr_review.repository.tree import HeadTree


class ReviewedTrees:
    """Head and merge base; the latter is listed only when a path is not in the head."""

    def __init__(self, head: HeadTree, load_base: Callable[[], HeadTree]) -> None:
        self._head = head
        self._load_base = load_base

    @cached_property
    def _base(self) -> HeadTree:
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


def _lines(tree: HeadTree, path: str) -> Sequence[str] | None:
    if not tree.is_file(path):
        return None
    try:
        return tree.read(path).lines
    except ToolFailure:
        return ()
