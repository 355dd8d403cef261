"""Source files as text: the one place that decides in which encoding a file is read.

One byte in another encoding must not hide a file, so UTF-16 with a byte order mark and Latin-1 are text too.
"""

import codecs
import re
from typing import NamedTuple

UTF_8, UTF_16, LATIN_1 = "UTF-8", "UTF-16", "Latin-1"

_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# As UTF-16 this would be twelve characters, each of two such bytes. Chance does not write that, but somebody
# can put a byte order mark before a script: whoever runs it reads bytes.
_BYTES_OF_TEXT = re.compile(rb"[\t\n\r -~]{24}")
_FALLBACK = "pr_review.latin_1"


class Decoded(NamedTuple):
    """The text of a file, without a UTF-16 byte order mark, and the name of its encoding."""

    text: str
    encoding: str


def decode(data: bytes) -> Decoded | None:
    """Return the text of a whole file; None for a binary: NUL beside bytes that are not UTF-8.

    UTF-8 may hold NUL. In a file that is not UTF-8, only the bytes that are not are read as Latin-1, so a
    part of a file (``decode_part``) reads like the same part of the whole.
    """
    if (wide := _decode_utf_16(data)) is not None:
        return Decoded(wide, UTF_16)
    try:
        return Decoded(data.decode(), UTF_8)
    except UnicodeDecodeError:
        return None if b"\0" in data else Decoded(decode_part(data), LATIN_1)


def decode_part(data: bytes) -> str:
    """Return the text of some lines of a file that is not UTF-16; never fails."""
    return data.decode("utf-8", _FALLBACK)


def _decode_utf_16(data: bytes) -> str | None:
    if not data.startswith(_UTF_16_MARKS) or data.startswith(codecs.BOM_UTF32_LE):
        return None
    if _BYTES_OF_TEXT.search(data):
        return None
    try:
        return data.decode("utf-16")
    except UnicodeDecodeError:
        return None


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(_FALLBACK, _as_latin_1)
