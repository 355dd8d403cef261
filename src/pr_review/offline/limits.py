"""Budgets for the offline reviewer: it costs nothing, so nothing may be lost to them (decision 3)."""

from collections.abc import Iterable

from pr_review.domain.run import KIB, Limits

PAGE_LINES = 400  # item 44
PAGE_BYTES = 64 * KIB  # item 44
DIFF_BYTES = 128 * KIB  # item 46
_ESCAPED_BYTES = 6  # the most that JSON makes of one byte
_NUMBER_BYTES = 12  # "1048576: " and the escaped line feed


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
    """A page ends after 400 lines, or when the next line does not fit: two such pages hold 64 KiB."""
    lines = size + 1
    content = size * _ESCAPED_BYTES + lines * _NUMBER_BYTES
    return 1 + lines // PAGE_LINES + 2 * content // (PAGE_BYTES - KIB)
