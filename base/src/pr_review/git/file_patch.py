"""Splits the text of a patch into file patches and hunks, in bounded memory."""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from typing import NamedTuple

from unidiff.patch import PatchSet

from pr_review.domain.change import Hunk, HunkLine, LineKind
from pr_review.domain.sizes import MIB

MAX_FILE_PATCH_BYTES = 2 * MIB
MAX_FILE_PATCH_LINES = 100_000

# Each line of a hunk starts with one of " +-\", so no line of a file can look like one of these.
FILE_START = b"\ndiff --git "
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
    """The raw patch of one file.

    ``data`` keeps the first 2 MiB. ``total_bytes``, ``plus`` and ``minus`` count the whole patch: its bytes,
    and its lines that start with + and -.
    """

    data: bytearray = field(default_factory=bytearray)
    total_bytes: int = 0
    plus: int = 0
    minus: int = 0
    _last: bytes = b""

    def add(self, part: bytes) -> None:
        """Append the next bytes of the patch."""
        self.plus += (self._last + part).count(b"\n+")
        self.minus += (self._last + part).count(b"\n-")
        self._last = part[-1:]
        self.total_bytes += len(part)
        self.data += part[: MAX_FILE_PATCH_BYTES - len(self.data)]


@dataclass
class PatchBudget:
    """The bytes and lines that the patches of a diff may still take; empty lines cost memory too."""

    bytes: int = 32 * MIB
    lines: int = 500_000

    def take(self, text: FilePatchText) -> bool:
        """Charge a file patch to the budget, unless it is too large by itself or exceeds what is left."""
        lines = text.data.count(b"\n")
        fits = text.total_bytes <= min(self.bytes, MAX_FILE_PATCH_BYTES) and lines <= min(
            self.lines, MAX_FILE_PATCH_LINES
        )
        if fits:
            self.bytes -= text.total_bytes
            self.lines -= lines
        return fits


class FilePatch(NamedTuple):
    """One parsed file patch; ``ChangedFile`` explains the fields."""

    header: str
    hunks: tuple[Hunk, ...] = ()
    additions: int = 0
    deletions: int = 0
    binary: bool = False
    oversized: bool = False
    notes: tuple[str, ...] = ()


def split_files(chunks: Iterable[bytes]) -> Iterator[FilePatchText]:
    """Split git's output at each ``diff --git``. Holds one file patch and one chunk at a time."""
    overlap = len(FILE_START) - 1
    text = FilePatchText()
    buffer = b"\n"  # so that the first file patch starts like the others
    for chunk in chunks:
        buffer += chunk
        while (end := buffer.find(FILE_START)) >= 0:
            text.add(buffer[: end + 1])
            if text.total_bytes > 1:
                yield text
            text = FilePatchText()
            buffer = buffer[end + 1 :]
        text.add(buffer[:-overlap])
        buffer = buffer[-overlap:]
    text.add(buffer)
    if text.total_bytes > 1:
        yield text


def parse_file_patch(text: FilePatchText, budget: PatchBudget) -> FilePatch:
    """Parse the patch of one file; a patch that exceeds the budget is ``oversized`` and has no hunks.

    A file that holds NUL and is not UTF-8 is binary. The new side decides when there is one, because a script
    that replaces a binary must be read. UTF-8 with NUL is text with a note, because one NUL must not hide a
    source file. Other text is decoded with replacement characters and a note.
    """
    data = bytes(text.data)
    start = found.start() if (found := HUNK_START.search(data)) else len(data)
    header, body = data[:start].decode("utf-8", "backslashreplace"), data[start:]
    utf8 = is_utf8(body, whole=text.total_bytes == len(data))
    if not utf8 and is_binary(body):
        return FilePatch(header, binary=True)
    if not budget.take(text):
        return FilePatch(
            header,
            additions=text.plus - 1,  # the header's "+++" and "---" were counted too
            deletions=text.minus - 1,
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
    """Parse hunks with unidiff. Only a newline ends a line; ``str.splitlines`` would split more often."""
    if not body:
        return
    parsed = PatchSet(StringIO(f"--- a\n+++ b\n{body}", newline="\n"))[0]
    for hunk, hunk_text in zip(parsed, BETWEEN_HUNKS.split(body), strict=True):
        lines = tuple(
            HunkLine(
                KINDS[line.line_type], line.value.removesuffix("\n"), line.source_line_no, line.target_line_no
            )
            for line in hunk
            if line.line_type in KINDS  # the rest is "\ No newline at end of file"
        )
        yield Hunk(
            hunk.source_start, hunk.source_length, hunk.target_start, hunk.target_length, hunk_text, lines
        )


def is_utf8(data: bytes, *, whole: bool) -> bool:
    """Whether the bytes are UTF-8. Unless they are ``whole``, the last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, final=whole)
    except UnicodeDecodeError:
        return False
    return True


def is_binary(body: bytes) -> bool:
    """Whether the new side of the hunks, or else the old side, holds NUL and is not UTF-8."""
    shown = b"\n".join(line for line in body.split(b"\n") if line[:1] in {b"+", b" "}) or body
    return b"\0" in shown and not is_utf8(shown, whole=False)


def count(hunks: Iterable[Hunk], kind: LineKind) -> int:
    """Count the lines of one kind in the hunks."""
    return sum(line.kind is kind for hunk in hunks for line in hunk.lines)
