"""Splits the text of a patch into files and hunks, in bounded memory."""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from typing import NamedTuple

from unidiff.patch import PatchSet

from pr_review.domain.change import Hunk, HunkLine, LineKind

MIB = 1024 * 1024
MAX_SECTION_BYTES = 2 * MIB
MAX_SECTION_LINES = 100_000

# Each line of a hunk starts with one of " +-\", so neither of these can be a line of the file itself.
SECTION_START = b"\ndiff --git "
HUNK_START = re.compile(rb"^@@ ", re.MULTILINE)
BETWEEN_HUNKS = re.compile(r"(?<=\n)(?=@@ )")
KINDS = {kind.value: kind for kind in LineKind}

NUL_NOTE = "The file holds NUL bytes."
NOT_UTF8_NOTE = "The file is not UTF-8: bytes that do not decode are shown as U+FFFD."
OVERSIZED_NOTE = (
    "The patch is too large to be kept: 2 MiB or 100,000 lines a file, 32 MiB or 500,000 lines in all."
)


@dataclass
class FilePatchText:
    """The raw patch of one file: its first 2 MiB, and how many lines of all of it start with + and -."""

    data: bytearray = field(default_factory=bytearray)
    size: int = 0
    plus: int = 0
    minus: int = 0
    _last: bytes = b""

    def add(self, part: bytes) -> None:
        """Take the next bytes; what is beyond the limit is only counted."""
        self.plus += (self._last + part).count(b"\n+")
        self.minus += (self._last + part).count(b"\n-")
        self._last = part[-1:]
        self.size += len(part)
        self.data += part[: MAX_SECTION_BYTES - len(self.data)]


@dataclass
class PatchBudget:
    """What the patches of a diff may still take: bytes, and lines, which cost memory even when empty."""

    bytes: int = 32 * MIB
    lines: int = 500_000

    def take(self, section: FilePatchText) -> bool:
        """Make room for a section, unless it is too large by itself or does not fit any more."""
        lines = section.data.count(b"\n")
        fits = section.size <= min(self.bytes, MAX_SECTION_BYTES) and lines <= min(
            self.lines, MAX_SECTION_LINES
        )
        if fits:
            self.bytes -= section.size
            self.lines -= lines
        return fits


class FilePatch(NamedTuple):
    """One parsed section, named as in ``ChangedFile``."""

    header: str
    hunks: tuple[Hunk, ...] = ()
    additions: int = 0
    deletions: int = 0
    binary: bool = False
    oversized: bool = False
    notes: tuple[str, ...] = ()


def split_files(chunks: Iterable[bytes]) -> Iterator[FilePatchText]:
    """Split git's output at each ``diff --git``; holds one section and one chunk at a time."""
    overlap = len(SECTION_START) - 1
    section = FilePatchText()
    buffer = b"\n"  # so that the first section starts like the others
    for chunk in chunks:
        buffer += chunk
        while (end := buffer.find(SECTION_START)) >= 0:
            section.add(buffer[: end + 1])
            if section.size > 1:
                yield section
            section = FilePatchText()
            buffer = buffer[end + 1 :]
        section.add(buffer[:-overlap])
        buffer = buffer[-overlap:]
    section.add(buffer)
    if section.size > 1:
        yield section


def parse_file(section: FilePatchText, room: PatchBudget) -> FilePatch:
    """Parse the patch of one file, unless there is no ``room``: then it is oversized.

    A file that holds NUL and is not UTF-8 is binary, by its new side if there is one: a script that replaces
    a binary is to be read. UTF-8 with NUL is text with a note (decision 2); other text is decoded with
    replacement characters and a note.
    """
    data = bytes(section.data)
    start = found.start() if (found := HUNK_START.search(data)) else len(data)
    header, body = data[:start].decode("utf-8", "backslashreplace"), data[start:]
    utf8 = is_utf8(body, whole=section.size == len(data))
    if not utf8 and is_binary(body):
        return FilePatch(header, binary=True)
    if not room.take(section):  # the header's own "---" and "+++" were counted too
        return FilePatch(
            header,
            additions=section.plus - 1,
            deletions=section.minus - 1,
            oversized=True,
            notes=(OVERSIZED_NOTE,),
        )
    hunks = tuple(parse_hunks(body.decode("utf-8", "replace")))
    return FilePatch(
        header,
        hunks,
        additions=count(hunks, LineKind.ADDED),
        deletions=count(hunks, LineKind.REMOVED),
        notes=(*([NUL_NOTE] if b"\0" in body else []), *([] if utf8 else [NOT_UTF8_NOTE])),
    )


def parse_hunks(body: str) -> Iterator[Hunk]:
    """Parse hunks with unidiff; only the newline ends a line, whatever else str.splitlines splits at."""
    if not body:
        return
    parsed = PatchSet(StringIO(f"--- a\n+++ b\n{body}", newline="\n"))[0]
    for hunk, text in zip(parsed, BETWEEN_HUNKS.split(body), strict=True):
        lines = tuple(
            HunkLine(
                KINDS[line.line_type], line.value.removesuffix("\n"), line.source_line_no, line.target_line_no
            )
            for line in hunk
            if line.line_type in KINDS  # the rest is "\ No newline at end of file"
        )
        yield Hunk(hunk.source_start, hunk.source_length, hunk.target_start, hunk.target_length, text, lines)


def is_utf8(data: bytes, *, whole: bool) -> bool:
    """The bytes are UTF-8; unless ``whole``, the last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, final=whole)
    except UnicodeDecodeError:
        return False
    return True


def is_binary(body: bytes) -> bool:
    """NUL bytes, and no UTF-8, in what hunks show of the new side; of the old one when the file is gone."""
    shown = b"\n".join(line for line in body.split(b"\n") if line[:1] in {b"+", b" "}) or body
    return b"\0" in shown and not is_utf8(shown, whole=False)


def count(hunks: Iterable[Hunk], kind: LineKind) -> int:
    """How many lines of a kind the hunks hold."""
    return sum(line.kind is kind for hunk in hunks for line in hunk.lines)
