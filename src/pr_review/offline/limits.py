"""Budgets for the offline reviewer: it costs nothing, so nothing may be lost to them (decision 3)."""

from collections.abc import Iterable

from pr_review.domain.run import KIB, Limits

PAGE_LINES = 400  # item 44
PAGE_BYTES = 64 * KIB  # item 44
DIFF_BYTES = 128 * KIB  # item 46


def limits_for(limits: Limits, sizes: Iterable[int]) -> Limits:
    """``limits`` raised to what files of these sizes (bytes at head, 0 when deleted) can need at most."""
    pages = [_max_pages(size) for size in sizes]
    calls = len(pages) + sum(pages)
    context = len(pages) * (DIFF_BYTES + KIB) + sum(pages) * (PAGE_BYTES + KIB)
    return limits.model_copy(
        update={
            "max_rounds": max(limits.max_rounds, calls + 1),
            "max_tool_calls": max(limits.max_tool_calls, calls),
            "tool_context_bytes": max(limits.tool_context_bytes, context),
        }
    )


def _max_pages(size: int) -> int:
    """Pages hold 400 bytes on average, but the last and a small one before a line that fills its own.

    A page ends after 400 lines, each a line feed at least; or before a line that does not fit: the two pages
    then hold more than 64 KiB of JSON, in which a byte takes six and a line number twelve at most.
    """
    return 2 + size // PAGE_LINES
