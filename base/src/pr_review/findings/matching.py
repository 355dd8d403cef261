"""Where quoted code occurs in one file, and which occurrence the reviewer means.

Each distinct line becomes one character. A file is then a string and a quote is a substring, so Python's own
substring search finds every occurrence in linear time. Lines are compared without white space, and blank
lines are left out.

    line  file              characters        quote             characters
       1  def area(x):      A
       2      y = x * x     B                 y = x * x         B
       3                                      return y          C
       4      return y      C
       5  def twice(x):     D                 "ABCDBC" holds "BC" at 1 and at 4,
       6      y = x * x     B                 so the quote occurs at lines 2-4 and 6-7.
       7      return y      C

A changed file has several such strings, one for each ``Region``. The rules that choose one of several
occurrences are in docs/findings.md.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from pr_review.domain.change import ChangedFile, Hunk, LineKind
from pr_review.domain.finding import AnchorStatus, Place, Side
from pr_review.findings.quotes import Lines, normalise, readings

MAX_MATCHES = 50  # of one reading in one region, apart from those near the given line
NEAR_LINES = 10  # no match is missed that is this close to the given line
NEAREST_LINES = 3  # the nearest match begins at most this far from the given line,
NEAREST_RATIO = 3  # and the next one begins at least this many times farther away
MAX_PLACES = 20  # code that occurs more often, like a brace, says nothing about a line
MAX_ALTERNATIVES = 10
PROOF_CHARS = 20  # apart from white space; longer text is equal to code only because it is that code

_NO_SUCH_LINE = "\0"  # the character of a quoted line that the file does not hold


class ChangedPart(NamedTuple):
    """The changed lines of a match.

    ``run`` is the number of the first run of changed lines that the match touches. ``offset`` says how far
    the first of the lines is from the beginning of that run, on its side. ``length`` counts the lines.
    """

    run: int
    offset: int
    length: int


@dataclass(frozen=True)
class Match:
    """One occurrence of a quote; ``changed`` is None when the match holds no changed line.

    ``partial``: the rest of the quote is in another hunk or on the other side, and this is its longest part.
    """

    status: AnchorStatus
    place: Place
    changed: ChangedPart | None = None
    partial: bool = False

    def covers(self, line: int | None) -> bool:
        """Whether the line is one of the lines of the match."""
        return line is not None and self.place.line <= line <= (self.place.end_line or self.place.line)

    def starts_from(self, line: int | None) -> int:
        """How many lines the first line of the match is away from ``line``; 0 without a line."""
        return 0 if line is None else abs(self.place.line - line)


@dataclass(frozen=True)
class Anchor:
    """Where a finding is shown; the fields are those of ``Finding``, the alternatives from near to far."""

    status: AnchorStatus
    side: Side = Side.RIGHT
    line: int | None = None
    end_line: int | None = None
    alternatives: tuple[Place, ...] = ()

    @property
    def place(self) -> Place | None:
        """The lines; None when the finding is about the whole file."""
        return None if self.line is None else Place(side=self.side, line=self.line, end_line=self.end_line)


class SourceLine(NamedTuple):
    """A line that is not blank, normalised.

    ``old`` and ``new`` are its numbers on each side; on a side without the line, the number of the line
    before. ``run`` and ``offset`` are as in ``ChangedPart``; ``run`` is None for a line that did not change.
    """

    text: str
    old: int
    new: int
    kind: LineKind = LineKind.CONTEXT
    hunk: int = -1
    run: int | None = None
    offset: int = 0


class Region(NamedTuple):
    """A part of the file or of its patch that a reviewer can quote.

    ``status`` and ``side`` are those of a match in the region. The region has no lines of the ``excluded``
    kinds. A match counts only when it holds lines of all the ``required`` kinds.
    """

    status: AnchorStatus
    side: Side
    excluded: frozenset[LineKind] = frozenset()
    required: frozenset[LineKind] = frozenset()


NEW_SIDE = Region(AnchorStatus.HUNK, Side.RIGHT, excluded=frozenset({LineKind.REMOVED}))
OLD_SIDE = Region(
    AnchorStatus.OLD,
    Side.LEFT,
    excluded=frozenset({LineKind.ADDED}),
    required=frozenset({LineKind.REMOVED}),
)
PRINTED_HUNKS = Region(AnchorStatus.HUNK, Side.RIGHT, required=frozenset({LineKind.ADDED, LineKind.REMOVED}))
HEAD_FILE = Region(AnchorStatus.FILE, Side.RIGHT)
BASE_FILE = Region(AnchorStatus.OLD, Side.LEFT)


@dataclass(frozen=True)
class LineSequence:
    """The lines of one region, in order; ``characters`` holds one character for each line."""

    region: Region
    lines: Sequence[SourceLine]
    characters: str

    @cached_property
    def numbers(self) -> Sequence[int]:
        """The number of each line on the side of the region, rising."""
        return list(map(self._number, self.lines))

    def find(self, quote: str, line: int | None) -> Iterator[Match]:
        """Every match near ``line``, then the first ``MAX_MATCHES``; ``quote`` is in characters."""
        windows = [*self._around(line, len(quote)), (0, len(self.characters))]
        starts = (start for window in windows for start in _find_all(self.characters, quote, *window))
        for start in dict.fromkeys(starts):
            matched = self.lines[start : start + len(quote)]
            if self.region.required <= {each.kind for each in matched}:
                yield self._match(matched)

    def count_above(self, place: Place) -> int:
        """How often the code of a place also occurs above the place."""
        start = bisect_left(self.numbers, place.line)
        end = bisect_right(self.numbers, place.end_line or place.line)
        return self.characters.count(self.characters[start:end], 0, end - 1) if start < end else 0

    def _number(self, line: SourceLine) -> int:
        return line.new if self.region.side is Side.RIGHT else line.old

    def _around(self, line: int | None, length: int) -> Iterator[tuple[int, int]]:
        """The window that holds every match of ``length`` lines near ``line``."""
        if line is not None:
            start = bisect_left(self.numbers, line - NEAR_LINES) - length
            yield max(start, 0), bisect_right(self.numbers, line + NEAR_LINES) + length

    def _match(self, matched: Sequence[SourceLine]) -> Match:
        other_side = LineKind.REMOVED if self.region.side is Side.RIGHT else LineKind.ADDED
        own = [line for line in matched if line.kind is not other_side]
        parts = [list(part) for _, part in groupby(own, key=lambda line: line.hunk)]
        part = max(parts, key=len)
        first, last = self._number(part[0]), self._number(part[-1])
        return Match(
            self.region.status,
            Place(side=self.region.side, line=first, end_line=last if last > first else None),
            _changed_part(part),
            partial=len(part) < len(matched),
        )


class FileIndex:
    """One file, ready to be searched for quotes; it takes time linear in the file and its patch to build.

    ``head_lines`` are empty when the head file cannot be read, and None when the head has no such file. Then
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
        self._characters: dict[str, str] = {}  # by normalised line

    @property
    def side(self) -> Side:
        """The side that a line number without a quote counts on."""
        return Side.LEFT if self._head is None else Side.RIGHT

    def lines(self, side: Side) -> Mapping[int, str]:
        """The known lines of a side by number: the whole file, or what the hunks show of it."""
        return self._right_lines if side is Side.RIGHT else self._left_lines

    def find(self, quote: str, line: int | None) -> dict[Lines, list[Match]]:
        """The matches of each reading that has any; partial ones only when no reading has a whole one."""
        found = {reading: self.find_reading(reading, line) for reading in readings(quote)}
        whole = {
            reading: [each for each in matches if not each.partial] for reading, matches in found.items()
        }
        chosen = whole if any(whole.values()) else found
        return {reading: matches for reading, matches in chosen.items() if matches}

    def find_reading(self, reading: Lines, line: int | None) -> list[Match]:
        """The matches of one reading, one for each place; inside a hunk, the hunk sets the status."""
        sequences = self._sequences.values()  # building them fills ``_characters``
        quote = "".join(self._characters.get(text, _NO_SUCH_LINE) for text in reading)
        if _NO_SUCH_LINE in quote:
            return []
        found: dict[Place, Match] = {}
        for match in (match for sequence in sequences for match in sequence.find(quote, line)):
            found.setdefault(match.place, match)
        return list(found.values())

    def contains(self, quote: str) -> bool:
        """Whether the quote occurs anywhere in the file or its patch, at least in part."""
        return bool(self.find(quote, None))

    def clearly_contains(self, text: str) -> bool:
        """Whether the text is code of the file, and too long to be so by coincidence."""
        return any(sum(map(len, reading)) >= PROOF_CHARS for reading in self.find(text, None))

    def count_above(self, place: Place) -> int:
        """How often the code of a place also occurs above it on its side, as far as that side is known."""
        whole, hunks = (HEAD_FILE, NEW_SIDE) if place.side is Side.RIGHT else (BASE_FILE, OLD_SIDE)
        sequence = self._sequences[whole] if self._sequences[whole].lines else self._sequences[hunks]
        return sequence.count_above(place)

    @cached_property
    def _sequences(self) -> Mapping[Region, LineSequence]:
        """In this order of preference when several regions hold the same place."""
        patch = list(_read_hunks(self._hunks))
        lines = {
            region: [line for line in patch if line.kind not in region.excluded]
            for region in (NEW_SIDE, OLD_SIDE, PRINTED_HUNKS)
        }
        lines[HEAD_FILE] = list(_read_file(self._head or ()))
        lines[BASE_FILE] = list(_read_file(self._base))
        return {region: LineSequence(region, own, self._encode(own)) for region, own in lines.items()}

    def _encode(self, lines: Iterable[SourceLine]) -> str:
        """One character for each line; Unicode has more characters than a file and its patch have lines."""
        characters = self._characters
        return "".join([characters.setdefault(line.text, chr(len(characters) + 1)) for line in lines])

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


def place_quote(index: FileIndex, quote: str | None, line: int | None) -> Anchor:
    """Choose the place of a quote; a line is kept as given when nothing is quoted or the quote is nowhere."""
    line = line if line and line > 0 else None
    found = index.find(quote or "", line)
    if not found:
        status = AnchorStatus.UNVERIFIED if readings(quote or "") else AnchorStatus.LINE
        return keep_line(index, line, status)
    matches = _one_for_each_place(found)
    is_distinctive = len(matches) <= MAX_PLACES and any(map(_has_words, found))
    return _choose(matches, line, is_distinctive=is_distinctive)


def confirm_line(index: FileIndex, quote: str | None, line: int | None) -> Anchor:
    """Keep the line of a deterministic rule; if the quote occurs at that line, its match sets the status."""
    matches = _one_for_each_place(index.find(quote or "", line))
    statuses = [match.status for match in matches if match.covers(line)]
    return keep_line(index, line, statuses[0] if statuses else AnchorStatus.LINE)


def keep_line(index: FileIndex, line: int | None, status: AnchorStatus) -> Anchor:
    """The line as given, if the file has it; otherwise the finding is about the whole file."""
    if line in index.lines(index.side):
        return Anchor(status, index.side, line)
    return Anchor(AnchorStatus.FILE_LEVEL, index.side)


def _one_for_each_place(found: Mapping[Lines, Iterable[Match]]) -> list[Match]:
    return list({match.place: match for matches in found.values() for match in matches}.values())


def _has_words(reading: Lines) -> bool:
    """Braces and the like occur everywhere."""
    return any(character.isalnum() for text in reading for character in text)


def _choose(matches: Sequence[Match], line: int | None, *, is_distinctive: bool) -> Anchor:
    """Locate the quote, or list the places that it may mean.

    Code that still exists in the head is never located on the old side. ``is_distinctive``: that the code
    occurs at the given line is no coincidence.
    """
    in_head = [match for match in matches if match.place.side is Side.RIGHT]
    removed = [
        match for match in matches if match.place.side is Side.LEFT and not _is_put_back(match, in_head)
    ]
    ranked = sorted(in_head + removed, key=lambda match: _preference(match, line))
    eligible = [match for match in ranked if match.place.side is Side.RIGHT] or ranked
    at_line = [match for match in eligible if match.covers(line)]
    if len(ranked) == 1 and (is_distinctive or at_line):
        return _anchor(ranked[0], ranked[0].status)
    if len(at_line) == 1 and is_distinctive:
        return _anchor(at_line[0], at_line[0].status)
    best = eligible[0]
    others = tuple(match.place for match in ranked if match is not best)[:MAX_ALTERNATIVES]
    is_nearest = is_distinctive and not at_line and best is ranked[0] and _stands_out(ranked, line)
    return _anchor(best, AnchorStatus.NEAREST if is_nearest else AnchorStatus.AMBIGUOUS, others)


def _is_put_back(removed: Match, in_head: Iterable[Match]) -> bool:
    """Whether the change adds the removed lines again at the same place, for example indented."""
    old = removed.changed
    return old is not None and any(
        (new.run, new.length) == (old.run, old.length) and abs(new.offset - old.offset) <= NEAREST_LINES
        for match in in_head
        if (new := match.changed)
    )


def _preference(match: Match, line: int | None) -> tuple[int, bool, bool, int]:
    """Sorts the nearest match first, then the new side before the old, hunks before the rest, by line."""
    return (
        match.starts_from(line),
        match.place.side is Side.LEFT,
        match.status is AnchorStatus.FILE,
        match.place.line,
    )


def _stands_out(ranked: Sequence[Match], line: int | None) -> bool:
    """Whether the first match is near the line and the others are far from it."""
    first, *others = (match.starts_from(line) for match in ranked)
    return line is not None and first <= NEAREST_LINES and min(others, default=0) >= NEAREST_RATIO * first


def _anchor(match: Match, status: AnchorStatus, alternatives: tuple[Place, ...] = ()) -> Anchor:
    place = match.place
    return Anchor(status, place.side, place.line, place.end_line, alternatives)


def _changed_part(lines: Sequence[SourceLine]) -> ChangedPart | None:
    changed = [(line.run, line.offset) for line in lines if line.run is not None]
    return ChangedPart(*changed[0], length=len(changed)) if changed else None


def _read_hunks(hunks: Iterable[Hunk]) -> Iterator[SourceLine]:
    run = 0
    for index, hunk in enumerate(hunks):
        old, new = max(hunk.old_start - 1, 0), max(hunk.new_start - 1, 0)
        for is_changed, lines in groupby(hunk.lines, key=lambda line: line.kind is not LineKind.CONTEXT):
            run += 1
            run_old, run_new = old, new
            for line in lines:
                old, new = line.old_line or old, line.new_line or new
                offset = old - run_old if line.kind is LineKind.REMOVED else new - run_new
                if text := normalise(line.text):
                    yield SourceLine(text, old, new, line.kind, index, run if is_changed else None, offset)


def _read_file(lines: Iterable[str]) -> Iterator[SourceLine]:
    for number, line in enumerate(lines, start=1):
        if text := normalise(line):
            yield SourceLine(text, number, number)


def _find_all(text: str, part: str, start: int, end: int) -> Iterator[int]:
    """Where ``part`` begins between start and end, overlaps included; at most ``MAX_MATCHES`` positions."""
    at = start - 1
    for _ in range(MAX_MATCHES):
        at = text.find(part, at + 1, end)
        if at < 0:
            return
        yield at
