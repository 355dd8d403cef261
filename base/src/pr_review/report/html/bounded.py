"""Lists on the page that are cut whole at a limit, so that a browser opens the page at once."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pr_review.domain.sizes import MIB, utf8_size
from pr_review.report.html.safe_html import Html

MAX_PART_BYTES = 3 * MIB  # of each list: findings, notes, files, turns


class Part(NamedTuple):
    """The items of a list that are shown, and how many are not."""

    shown: Sequence[Html]
    left_out: int


def take(items: Iterable[Html], total: int) -> Part:
    """The longest beginning of ``items`` within the limit; later items are not even rendered."""
    shown, size = [], 0
    for item in items:
        size += utf8_size(item)
        if size > MAX_PART_BYTES:
            break
        shown.append(item)
    return Part(shown, total - len(shown))
