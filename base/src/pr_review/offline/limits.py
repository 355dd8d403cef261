"""Budgets for the offline reviewer: it costs nothing, so no file is lost to a budget."""

from collections.abc import Iterable

from pr_review.domain.run import Limits
from pr_review.domain.sizes import KIB
from pr_review.tools.canonical.inspect_git_diff import MAX_DIFF_BYTES
from pr_review.tools.canonical.read_repository_file import MAX_LINES, MAX_READ_BYTES

BUDGET_NOTE_BYTES = KIB  # the conversation may add to a result what is left of the budgets


def limits_for(limits: Limits, sizes: Iterable[int]) -> Limits:
    """``limits``, raised to the most that files of these sizes (bytes at head, 0 when deleted) can need."""
    pages = [_max_pages(size) for size in sizes]
    calls = len(pages) + sum(pages)
    context = len(pages) * (MAX_DIFF_BYTES + BUDGET_NOTE_BYTES) + sum(pages) * (
        MAX_READ_BYTES + BUDGET_NOTE_BYTES
    )
    return limits.model_copy(
        update={
            "max_rounds": max(limits.max_rounds, calls + 1),
            "max_tool_calls": max(limits.max_tool_calls, calls),
            "tool_context_bytes": max(limits.tool_context_bytes, context),
        }
    )


def _max_pages(size: int) -> int:
    """Two pages, and one more for every ``MAX_LINES`` bytes.

    A page ends after ``MAX_LINES`` lines, which hold at least that many bytes, since each ends with a line
    feed. Or it ends before a line that does not fit: that page and the next then hold more than
    ``MAX_READ_BYTES`` of JSON, in which a byte takes at most six and a line number at most twelve. The last
    page, and a small one before a line that fills a page of its own, may hold less.
    """
    return 2 + size // MAX_LINES
