"""Chooses what of a change fits into a bound: whole hunks first, then a piece of one that does not fit.

It goes on where something was shown before: only lines that were not are chosen.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pr_review.domain import strict_json
from pr_review.domain.change import ChangedFile, Hunk, LineKind
from pr_review.domain.shown import NOTHING_SHOWN, ShownLines
from pr_review.git.hunk_pieces import cut_hunk, cut_line, head_line, patch_lines, piece_header

MIN_PIECE_BYTES = 1024  # a smaller piece is not worth a header, unless it is all there is


@dataclass
class Room:
    """Bytes that are left, of UTF-8 text and of the same text as JSON; None: no JSON is made of it.

    JSON escapes each character on its own, so the serialised sizes of two texts add up.
    """

    text: int
    json: int | None = None

    def take(self, text: str, further_json: int = 0) -> bool:
        """Charge a text, and JSON beside it; whether it fits."""
        size = len(text.encode())
        if not self._holds(size, size):  # avoids serialising a huge hunk
            return False
        serialised = (json_bytes(text) if self.json is not None else 0) + further_json
        if not self._holds(size, serialised):
            return False
        self.text -= size
        if self.json is not None:
            self.json -= serialised
        return True

    def _holds(self, text: int, serialised: int) -> bool:
        return text <= self.text and (self.json is None or serialised <= self.json)

    def lines_that_fit(self, lines: Sequence[str]) -> int:
        """How many of the first lines fit."""
        text, serialised = self.text, self.json
        for number, line in enumerate(lines):
            text -= len(line.encode())
            if serialised is not None:
                serialised -= json_bytes(line)
            if text < 0 or (serialised is not None and serialised < 0):
                return number
        return len(lines)


def json_bytes(text: str) -> int:
    """The UTF-8 bytes of a text inside a JSON string."""
    return len(strict_json.dumps(text)) - 2


@dataclass(frozen=True)
class Part:
    """Lines of one file's patch: ``start`` to ``stop`` of a hunk, by index; without a hunk, the header alone.

    ``place`` is the file's place among the files, ``first`` the number of the hunk's first line in the patch.
    """

    place: int
    file: ChangedFile
    hunk: Hunk | None = None
    first: int = 0
    start: int = 0
    stop: int = 0

    @property
    def order(self) -> tuple[int, int]:
        """Where it stands in the diff."""
        return self.place, self.first + self.start

    @property
    def changes(self) -> bool:
        """Whether a changed line is among the lines."""
        return self.hunk is not None and any(
            line.kind is not LineKind.CONTEXT for line in self.hunk.lines[self.start : self.stop]
        )

    @property
    def shown(self) -> ShownLines:
        """What a reader of the part has seen; the file's header comes with it."""
        lines = ShownLines.of(self.file.path, self.first + self.start, self.first + self.stop)
        return ShownLines.of(self.file.path, 0, 1) | lines

    def text(self) -> str:
        """The part as a patch, without the file's header."""
        if self.hunk is None:
            return ""
        if (self.start, self.stop) == (0, len(self.hunk.lines)):
            return self.hunk.text
        return cut_hunk(self.hunk, patch_lines(self.hunk)[self.start : self.stop], self.start)


@dataclass
class PatchExcerpt:
    """What was chosen so far; ``note_of`` gives a fact about a file that goes beside its patch.

    ``left`` are the files of which something is still unread. ``cut``: a line was cut. ``from_line`` is the
    line of the head version where the first file goes on of which something was seen before.
    """

    room: Room
    note_of: Callable[[ChangedFile], str] = lambda _: ""
    notes: dict[str, str] = field(default_factory=dict)
    shown: ShownLines = NOTHING_SHOWN
    left: tuple[ChangedFile, ...] = ()
    cut: bool = False
    from_line: int | None = None
    _chosen: list[tuple[Part, str]] = field(default_factory=list)
    _headers: dict[int, str] = field(default_factory=dict)
    _taken: list[ShownLines] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The patch in the order of the diff."""
        texts: list[str] = []
        headers = dict(self._headers)
        for part, text in sorted(self._chosen, key=lambda chosen: chosen[0].order):
            texts += [headers.pop(part.place, ""), text]
        return "".join(texts)

    def fill(self, files: Sequence[ChangedFile], seen: ShownLines, *, cut_lines: bool) -> None:
        """Take what fits of the lines that were not ``seen``.

        A part that is too large does not stop later ones; what is left of the room then shows the beginning
        of one. With ``cut_lines``, a line that does not even fit alone is cut.
        """
        parts = [part for place, file in enumerate(files) for part in unread_parts(file, seen, place)]
        rest = [part for part in parts if not self._take(part, part.text(), part.shown)]
        if not any(map(self._take_beginning, rest)) and cut_lines and not self._chosen:
            self.cut = any(map(self._take_cut_line, rest))
        self.shown = ShownLines.union(self._taken)
        self.left = tuple(file for file in files if has_unread(file, seen | self.shown))
        self.from_line = self._find_from_line(seen)

    def _take_beginning(self, part: Part) -> bool:
        """Take as many lines as fit, if a changed one is among them and they are worth a header."""
        if part.hunk is None:
            return False
        lines = patch_lines(part.hunk)[part.start : part.stop]
        count = self._room_under(part, part.stop).lines_that_fit(lines)
        beginning = replace(part, stop=part.start + count)
        text = cut_hunk(part.hunk, lines[:count], part.start)
        if not beginning.changes or (self._chosen and len(text) < MIN_PIECE_BYTES):
            return False
        return self._take(beginning, text, beginning.shown)

    def _take_cut_line(self, part: Part) -> bool:
        """Take the beginning of the first changed line."""
        if part.hunk is None:
            return False
        kinds = [line.kind for line in part.hunk.lines[part.start : part.stop]]
        start = part.start + next(n for n, kind in enumerate(kinds) if kind is not LineKind.CONTEXT)
        line = patch_lines(part.hunk)[start]
        room = self._room_under(part, part.stop)
        if not room.take(cut_line(line, 0)):
            return False
        text = cut_hunk(part.hunk, [cut_line(line, room.lines_that_fit(line[1:].partition("\n")[0]))], start)
        shown = ShownLines.of(part.file.path, 0, 1) | ShownLines.of_cut(part.file.path, part.first + start)
        return self._take(replace(part, start=start, stop=start + 1), text, shown)

    def _room_under(self, part: Part, stop: int) -> Room:
        """What is left for lines of the part; none when not even its headers fit."""
        header, beside = self._beside(part)
        room = Room(self.room.text, self.room.json)
        longest = piece_header(part.hunk, part.start, stop) + ",0,0" if part.hunk else ""
        return room if room.take(header + longest, beside) else Room(0)

    def _take(self, part: Part, text: str, shown: ShownLines) -> bool:
        """Take a text; the first of a file brings the file's header and its note."""
        header, beside = self._beside(part)
        if not self.room.take(header + text, beside):
            return False
        if part.place not in self._headers:
            self._headers[part.place] = header
            if note := self.note_of(part.file):
                self.notes[part.file.path] = note
        self._chosen.append((part, text))
        self._taken.append(shown)
        return True

    def _beside(self, part: Part) -> tuple[str, int]:
        """The header that the file still needs, and the bytes of its note as JSON."""
        if part.place in self._headers:
            return "", 0
        note = self.note_of(part.file)
        return part.file.header, len(strict_json.dumps({part.file.path: note})) - 1 if note else 0

    def _find_from_line(self, seen: ShownLines) -> int | None:
        for part, _ in sorted(self._chosen, key=lambda chosen: chosen[0].order):
            if part.hunk and seen.shows(part.file.path):
                return head_line(part.hunk, part.start)
        return None


def unread_parts(file: ChangedFile, seen: ShownLines, place: int = 0) -> Iterator[Part]:
    """The runs of lines with a change in them that were not seen; in a file without hunks, its header."""
    if not file.hunks and seen.unread(file.path, (0, 1)):
        yield Part(place, file)
    for hunk, span in zip(file.hunks, file.hunk_spans, strict=True):
        for begin, end in seen.unread(file.path, span):
            part = Part(place, file, hunk, span[0], begin - span[0], end - span[0])
            if part.changes:
                yield part


def has_unread(file: ChangedFile, seen: ShownLines) -> bool:
    """Whether the file has a change that was not seen."""
    return next(unread_parts(file, seen), None) is not None
