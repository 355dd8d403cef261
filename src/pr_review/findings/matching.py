"""Every place of one file where quoted code stands: on either side of its hunks, and in the whole file.

Each distinct line becomes one character, so that a file is a string and a quote a part of it: the search is
the interpreter's own, in linear time. Blank lines are left out on both sides.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from pr_review.domain.change import ChangedFile, Hunk, LineKind
from pr_review.domain.finding import AnchorStatus, Place, Side
from pr_review.findings.quotes import Lines, normalise

MAX_MATCHES = 50  # of one reading in one view, beside those near the hint: more tell a reader nothing
NEAR = 10  # lines around the hint within which no match is missed
_UNKNOWN = "\0"  # the character of a line that the file does not hold


@dataclass(frozen=True)
class Candidate:
    """One place of a quote.

    ``change``: the first run of changed lines that it touches, by number, how far from the beginning of the
    run on its side, and how many of its lines are changed; None when none is. ``partial``: the longest part
    of a quote that goes on in another hunk or on the other side.
    """

    status: AnchorStatus
    place: Place
    change: tuple[int, int, int] | None = None
    partial: bool = False

    @property
    def last(self) -> int:
        """The last line."""
        return self.place.end_line or self.place.line

    def distance(self, line: int) -> int:
        """How many lines it is away from ``line``; 0 when it contains it."""
        return max(self.place.line - line, line - self.last, 0)


class Row(NamedTuple):
    """A line that is not blank, normalised, and its number on each side.

    On the side that it is not on, the number is that of the line before. ``change``: run and offset as
    in ``Candidate``.
    """

    text: str
    old: int
    new: int
    kind: LineKind = LineKind.CONTEXT
    hunk: int = -1
    change: tuple[int, int] | None = None


class Rung(NamedTuple):
    """A sequence of lines that may be quoted: what a match there says, and which lines it must hold."""

    status: AnchorStatus
    side: Side
    hidden: frozenset[LineKind] = frozenset()
    needs: frozenset[LineKind] = frozenset()


NEW = Rung(AnchorStatus.HUNK, Side.RIGHT, hidden=frozenset({LineKind.REMOVED}))
OLD = Rung(
    AnchorStatus.OLD, Side.LEFT, hidden=frozenset({LineKind.ADDED}), needs=frozenset({LineKind.REMOVED})
)
PRINTED = Rung(AnchorStatus.HUNK, Side.RIGHT, needs=frozenset({LineKind.ADDED, LineKind.REMOVED}))
HEAD = Rung(AnchorStatus.FILE, Side.RIGHT)
BASE = Rung(AnchorStatus.OLD, Side.LEFT)


@dataclass(frozen=True)
class View:
    """The lines of one rung; ``encoded`` holds one character a row."""

    rung: Rung
    rows: Sequence[Row]
    encoded: str

    @cached_property
    def numbers(self) -> Sequence[int]:
        """The line number of each row, rising."""
        return [row.new if self.rung.side is Side.RIGHT else row.old for row in self.rows]

    def find(self, code: str, hint: int | None) -> Iterator[Candidate]:
        """Every match near the hint, then the first ``MAX_MATCHES`` of all."""
        windows = [*self._near(hint, len(code)), (0, len(self.encoded))]
        starts = (at for window in windows for at in _find_all(self.encoded, code, *window))
        for at in dict.fromkeys(starts):
            rows = self.rows[at : at + len(code)]
            if self.rung.needs <= {row.kind for row in rows}:
                yield self._candidate(rows)

    def occurrence(self, place: Place) -> int:
        """How often the code of a place stands above it."""
        start = bisect_left(self.numbers, place.line)
        end = bisect_right(self.numbers, place.end_line or place.line)
        return self.encoded.count(self.encoded[start:end], 0, end - 1) if start < end else 0

    def _near(self, hint: int | None, length: int) -> Iterator[tuple[int, int]]:
        """The window of rows that holds every match of ``length`` rows near the hint."""
        if hint is not None:
            start = bisect_left(self.numbers, hint - NEAR) - length
            yield max(start, 0), bisect_right(self.numbers, hint + NEAR) + length

    def _candidate(self, match: Sequence[Row]) -> Candidate:
        other_side = LineKind.REMOVED if self.rung.side is Side.RIGHT else LineKind.ADDED
        own = [row for row in match if row.kind is not other_side]
        parts = [list(part) for _, part in groupby(own, key=lambda row: row.hunk)]
        part = max(parts, key=len)
        first, last = (row.new if self.rung.side is Side.RIGHT else row.old for row in (part[0], part[-1]))
        changes = [row.change for row in part if row.change]
        return Candidate(
            self.rung.status,
            Place(side=self.rung.side, line=first, end_line=last if last > first else None),
            (*changes[0], len(changes)) if changes else None,
            partial=len(part) < len(match),
        )


class FileIndex:
    """One file, ready to be searched for quotes: build it once, in time linear in the file and its patch.

    ``head_lines`` are those of the head file, empty when it cannot be read, None when there is none: then
    ``base_lines`` are searched instead.
    """

    def __init__(
        self,
        changed: ChangedFile | None,
        head_lines: Sequence[str] | None,
        base_lines: Sequence[str] | None = None,
    ) -> None:
        self._hunks: Sequence[Hunk] = changed.hunks if changed else ()
        self._head = head_lines
        self._base = base_lines or () if head_lines is None else ()
        self._codes: dict[str, str] = {}

    @property
    def side(self) -> Side:
        """The side on which a line without a quote counts."""
        return Side.LEFT if self._head is None else Side.RIGHT

    def lines(self, side: Side) -> Mapping[int, str]:
        """What is known of a side, by line number: the whole file, or what hunks show."""
        return self._right_lines if side is Side.RIGHT else self._left_lines

    def find(self, reading: Lines, hint: int | None) -> list[Candidate]:
        """Every place of a reading, each once; a place in a hunk counts as that, not as one of the file."""
        views = self._views.values()
        code = "".join(self._codes.get(line, _UNKNOWN) for line in reading)
        if _UNKNOWN in code:
            return []
        found: dict[Place, Candidate] = {}
        for candidate in (each for view in views for each in view.find(code, hint)):
            found.setdefault(candidate.place, candidate)
        return list(found.values())

    def occurrence(self, place: Place) -> int:
        """How often the code of a place stands above it on its side, as far as that side is known."""
        whole, hunks = (HEAD, NEW) if place.side is Side.RIGHT else (BASE, OLD)
        view = self._views[whole] if self._views[whole].rows else self._views[hunks]
        return view.occurrence(place)

    @cached_property
    def _views(self) -> Mapping[Rung, View]:
        hunks = list(_hunk_rows(self._hunks))
        views = {rung: [row for row in hunks if row.kind not in rung.hidden] for rung in (NEW, OLD, PRINTED)}
        views[HEAD] = list(_file_rows(self._head or ()))
        views[BASE] = list(_file_rows(self._base))
        return {rung: View(rung, rows, self._encode(rows)) for rung, rows in views.items()}

    def _encode(self, rows: Iterable[Row]) -> str:
        """One character a distinct line; files and patches are far too small to use up all characters."""
        codes = self._codes
        return "".join([codes.setdefault(row.text, chr(len(codes) + 1)) for row in rows])

    @cached_property
    def _right_lines(self) -> Mapping[int, str]:
        if self._head:
            return dict(enumerate(self._head, start=1))
        return {line.new_line: line.text for hunk in self._hunks for line in hunk.lines if line.new_line}

    @cached_property
    def _left_lines(self) -> Mapping[int, str]:
        if self._base:
            return dict(enumerate(self._base, start=1))
        return {line.old_line: line.text for hunk in self._hunks for line in hunk.lines if line.old_line}


def _hunk_rows(hunks: Iterable[Hunk]) -> Iterator[Row]:
    run = 0
    for index, hunk in enumerate(hunks):
        old, new = max(hunk.old_start - 1, 0), max(hunk.new_start - 1, 0)
        for changes, lines in groupby(hunk.lines, key=lambda line: line.kind is not LineKind.CONTEXT):
            run += 1
            run_old, run_new = old, new
            for line in lines:
                old, new = line.old_line or old, line.new_line or new
                offset = old - run_old if line.kind is LineKind.REMOVED else new - run_new
                if text := normalise(line.text):
                    yield Row(text, old, new, line.kind, index, (run, offset) if changes else None)


def _file_rows(lines: Iterable[str]) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        if text := normalise(line):
            yield Row(text, number, number)


def _find_all(text: str, part: str, start: int, end: int) -> Iterator[int]:
    """The first ``MAX_MATCHES`` places of ``part``, overlapping ones too."""
    at = start - 1
    for _ in range(MAX_MATCHES):
        at = text.find(part, at + 1, end)
        if at < 0:
            return
        yield at
