"""Counts, sizes, times and tokens in words."""

from pr_review.domain.chat import Usage
from pr_review.domain.sizes import KIB

_SECOND_MS, _MINUTE_MS = 1000, 60_000


def count(number: int, noun: str) -> str:
    """``1 finding``, ``2 findings``, ``10,000 changed files``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def byte_size(number: int) -> str:
    """``90 bytes``, ``2.0 KiB``."""
    return count(number, "byte") if number < KIB else f"{number / KIB:,.1f} KiB"


def duration(milliseconds: int) -> str:
    """``340 ms``, ``48.2 s``, ``3 min 4 s``."""
    if milliseconds < _SECOND_MS:
        return f"{milliseconds} ms"
    if milliseconds < _MINUTE_MS:
        return f"{milliseconds / _SECOND_MS:.1f} s"
    minutes, rest = divmod(milliseconds, _MINUTE_MS)
    return f"{minutes} min {rest // _SECOND_MS} s"


def tokens(usage: Usage | None) -> str:
    """``45,210 tokens (41,000 in, 4,210 out)``; a number that was not reported is ``?``."""
    if usage is None:
        return "tokens not reported"
    total, sent, received = (
        "?" if number is None else f"{number:,}"
        for number in (usage.total_tokens, usage.prompt_tokens, usage.completion_tokens)
    )
    return f"{total} tokens ({sent} in, {received} out)"
