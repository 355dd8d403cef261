"""Finds secrets in a text by their shape, and masks them.

Comments in the text that silence a scanner, such as ``pragma: allowlist secret``, have no effect here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from pr_review.masking.secret_shapes import PRIVATE_KEY, SHAPES, Shape

WINDOW_CHARS = 2048  # patterns search a long line in windows, which keeps the time linear
OVERLAP_CHARS = 1024  # windows overlap by more than the longest secret
_MIN_SECRET_CHARS = len("BEGIN PRIVATE KEY")  # the shortest match of all patterns
_SHOWN_CHARS = 4
_MASK = "****"
_MIN_GROUP_CHARS = 20
_MIN_DISTINCT_CHARS = 6


# A line of nothing but key material has 64 characters in PEM and 70 in OpenSSH.
_KEY_LINE = re.compile(r"(\s*+[\"'+]?+\s*+)([A-Za-z0-9+/=]{60,}+)((?:\\n)?[\"'+,;\s]*)")
# Key material on the same line as the header of a private key.
_KEY_RUN = re.compile(r"[A-Za-z0-9+/=]{32,}")
_WORD = re.compile(r"\w*+")


@dataclass(frozen=True)
class Span:
    """The place of a secret in a line, as offsets in characters; ``end`` is exclusive."""

    start: int
    end: int
    shape: Shape


def mask_secrets(text: str) -> str:
    """Replace every secret of a known shape by its first four characters and ``****``.

    The number of lines stays the same. The body of a private key is masked too, both on its own lines and on
    the line of the header. Masking a masked text changes nothing.
    """
    return "\n".join(_mask_line(line) for line in text.split("\n"))


def find_spans(line: str) -> list[Span]:
    """Find the secrets in one line, in order and without overlaps, in time linear in its length."""
    if len(line) < _MIN_SECRET_CHARS:
        return []
    step = WINDOW_CHARS - OVERLAP_CHARS
    spans = [
        Span(start, end, shape)
        for offset in range(0, max(len(line) - OVERLAP_CHARS, 1), step)
        for shape, pattern in _patterns()
        for match in pattern.finditer(line, offset, offset + WINDOW_CHARS)
        for start, end in _secret_spans(shape, match)
    ]
    disjoint: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not disjoint or span.start >= disjoint[-1].end:
            disjoint.append(span)
    return disjoint


@cache
def _patterns() -> tuple[tuple[Shape, re.Pattern[str]], ...]:
    return tuple((shape, re.compile(pattern)) for shape in SHAPES for pattern in shape.patterns)


def _secret_spans(shape: Shape, match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The part of the match that is the secret, or nothing if it is in a longer word or a placeholder."""
    line = match.string
    start, end = _widest_group(match)
    if _is_word(line[start - 1 : start]):  # checked first, so that a long word of many keys is read only once
        return
    if shape.open_ended and (rest := _WORD.match(line, end)):
        end = rest.end()
    if (
        not _is_word(line[end : end + 1])
        and len(set(line[max(start, end - 16) : end])) >= _MIN_DISTINCT_CHARS
    ):
        yield start, end


def _widest_group(match: re.Match[str]) -> tuple[int, int]:
    """The widest group if it is long enough to be the secret, because some patterns group only a prefix."""
    groups = [match.span(index) for index in range(1, (match.lastindex or 0) + 1)]
    widest = max(groups, key=lambda span: span[1] - span[0], default=(0, 0))
    return widest if widest[1] - widest[0] >= _MIN_GROUP_CHARS else match.span()


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _mask_line(line: str) -> str:
    parts: list[str] = []
    position = 0
    for span in find_spans(line):
        if span.shape.code != PRIVATE_KEY:
            parts += [line[position : span.start], line[span.start : span.start + _SHOWN_CHARS], _MASK]
            position = span.end
    masked = "".join([*parts, line[position:]])
    if "PRIVATE KEY" in masked:
        return _KEY_RUN.sub(_MASK, masked)
    key = _KEY_LINE.fullmatch(masked)
    return f"{key[1]}{_MASK}{key[3]}" if key and len(set(key[2])) >= _MIN_DISTINCT_CHARS else masked
