"""The sets of tools that a review can offer to a model."""

from typing import TYPE_CHECKING, Any

from pr_review.tools.canonical.inspect_git_diff import InspectGitDiff
from pr_review.tools.canonical.list_repository_files import ListRepositoryFiles
from pr_review.tools.canonical.read_repository_file import ReadRepositoryFile
from pr_review.tools.canonical.search_repository import SearchRepository

if TYPE_CHECKING:
    from pr_review.domain.change import Diff
    from pr_review.git.search import Searcher
    from pr_review.git.tree import CommitTree
    from pr_review.tools.tool import Tool


def canonical_tools(tree: "CommitTree", searcher: "Searcher", diff: "Diff") -> "tuple[Tool[Any], ...]":
    """The four tools of the review protocol over one head commit, in the order the model sees them."""
    return (
        ListRepositoryFiles(tree),
        ReadRepositoryFile(tree),
        SearchRepository(searcher),
        InspectGitDiff(diff),
    )
