"""A few lines of code around a finding, so that a report can be rendered without the repository."""

from collections.abc import Callable, Mapping
from itertools import islice, takewhile

from pr_review.domain.finding import Excerpt

CONTEXT_LINES = 2
MAX_LINES = 12
MAX_CHARS = 240


def make_excerpt(
    lines: Mapping[int, str], line: int, end_line: int | None, mask: Callable[[str], str]
) -> Excerpt:
    """The known lines around a range, masked as one text and then cut to ``MAX_CHARS`` characters each."""
    before = takewhile(lines.__contains__, range(line - 1, line - 1 - CONTEXT_LINES, -1))
    first = min(before, default=line)
    after = takewhile(lines.__contains__, range(first, (end_line or line) + CONTEXT_LINES + 1))
    masked = mask("\n".join(lines[number] for number in islice(after, MAX_LINES))).split("\n")
    return Excerpt(start_line=first, lines=tuple(text[:MAX_CHARS] for text in masked))
