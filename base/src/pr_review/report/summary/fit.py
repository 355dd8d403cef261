"""The summary within its limit: as many pieces as fit, the most important first."""

from collections.abc import Iterable, Iterator

from pr_review.domain.run import Outcome
from pr_review.domain.sizes import KIB, utf8_size
from pr_review.report.summary.page import assemble
from pr_review.report.summary.pieces import Piece, pieces
from pr_review.report.summary.sections import TABLE_HEAD_BYTES

SUMMARY_BYTES = 900 * KIB  # the runner drops a step's whole summary above 1 MiB


def render(outcome: Outcome, *, max_bytes: int = SUMMARY_BYTES) -> str:
    """The page, at most ``max_bytes`` of UTF-8.

    A piece that does not fit is left out whole, and the page counts it: files go first, then notes, then the
    least severe findings. The rest of the page is always there; it has about 64 KiB at the very worst.
    """
    affordable = list(fitting(pieces(outcome), max_bytes))
    page = assemble(outcome, affordable)
    if utf8_size(page) <= max_bytes:
        return page
    heads = sum(TABLE_HEAD_BYTES.get(section, 0) for section in {piece.section for piece in affordable})
    fixed = utf8_size(assemble(outcome, ())) + heads
    return assemble(outcome, list(fitting(affordable, max_bytes - fixed)))


def fitting(pieces: Iterable[Piece], room: int) -> Iterator[Piece]:
    """The longest beginning of ``pieces`` with at most ``room`` bytes; later pieces are not even rendered."""
    for piece in pieces:
        room -= piece.size
        if room < 0:
            return
        yield piece
