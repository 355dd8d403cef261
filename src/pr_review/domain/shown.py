"""Which lines of which patches were shown: a pure value with a union.

The lines of a file's patch are numbered from 0. Line 0 is its header, which shows a new name or mode. The
lines of its hunks follow in order, without their ``@@`` lines (``ChangedFile.hunk_spans``).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Span = tuple[int, int]  # the first line, and the one after the last
Spans = tuple[Span, ...]  # in order, without overlaps
Lines = Mapping[str, Spans]  # by path


@dataclass(frozen=True)
class ShownLines:
    """The lines that were shown ``whole``, and those that were ``cut`` because they are too long."""

    whole: Lines = field(default_factory=dict)
    cut: Lines = field(default_factory=dict)

    @classmethod
    def of(cls, path: str, start: int, stop: int) -> "ShownLines":
        """Some lines of one patch, shown whole."""
        return cls({path: ((start, stop),)} if start < stop else {})

    @classmethod
    def of_cut(cls, path: str, line: int) -> "ShownLines":
        """One line of one patch, shown in part."""
        return cls(cut={path: ((line, line + 1),)})

    @classmethod
    def union(cls, parts: Iterable["ShownLines"]) -> "ShownLines":
        """What any of the parts shows."""
        known = list(parts)
        return cls(_joined(each.whole for each in known), _joined(each.cut for each in known))

    def __or__(self, other: "ShownLines") -> "ShownLines":
        return self.union((self, other))

    def shows(self, path: str) -> bool:
        """Whether any line of the file's patch was shown, whole or cut."""
        return path in self.whole or path in self.cut

    def missing(self, path: str, span: Span) -> Spans:
        """The parts of ``span`` that were not shown whole."""
        return _gaps(self.whole.get(path, ()), span)

    def unread(self, path: str, span: Span) -> Spans:
        """The parts of ``span`` that were shown neither whole nor cut."""
        return _gaps(_merged((*self.whole.get(path, ()), *self.cut.get(path, ()))), span)


NOTHING_SHOWN = ShownLines()


def _joined(parts: Iterable[Lines]) -> dict[str, Spans]:
    spans: dict[str, list[Span]] = {}
    for part in parts:
        for path, known in part.items():
            spans.setdefault(path, []).extend(known)
    return {path: _merged(known) for path, known in spans.items()}


def _merged(spans: Iterable[Span]) -> Spans:
    merged: list[Span] = []
    for start, stop in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return tuple(merged)


def _gaps(spans: Iterable[Span], within: Span) -> Spans:
    gaps: list[Span] = []
    position, end = within
    for start, stop in spans:
        if stop <= position:
            continue
        if start >= end:
            break
        if start > position:
            gaps.append((position, start))
        position = stop
    if position < end:
        gaps.append((position, end))
    return tuple(gaps)
