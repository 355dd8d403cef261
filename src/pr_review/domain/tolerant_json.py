r"""JSON that can be read in one way only, though it is not quite JSON.

Read as meant: raw control characters and lone backslashes in strings, a comma after the last member, and text
around the only object, which may be a fence. Everything else that ``strict_json`` refuses stays refused.
"""

import json
import re
from bisect import bisect_right
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple

from pr_review.domain import strict_json
from pr_review.domain.frozen import JsonObject


class JsonSlip(StrEnum):
    """What was read as meant, in words."""

    CONTROL = "raw control characters in a string"
    BACKSLASH = "a lone backslash in a string"
    COMMA = "a comma after the last member"
    FENCE = "a fence around the JSON object"
    BEFORE = "text before the JSON object, which was passed over"
    AFTER = "text after the JSON object, which was passed over"


class JsonRead(NamedTuple):
    """The object, and what was read as meant."""

    value: JsonObject
    slips: frozenset[JsonSlip] = frozenset()


class JsonFault(ValueError):
    """A text that is no single JSON object; the message says what and where, in words of ours."""


# Each alternative begins with other characters, so the text is cut in one way only, in linear time.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?P<end>")?|[\[\]{},:]|\s++|[^\s"\[\]{},:]++', re.DOTALL)
_OBJECT = re.compile(r'\{\s*+(?=")')  # what prose in braces does not begin with
_FENCE_BEFORE = re.compile(r"```[ \t]*+\w*+[ \t]*+\Z")
_BLANK = " \t\r\n\ufeff"
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|(.))', re.DOTALL)
_LIST_BEFORE = re.compile(r"\[\s*+\Z")
MAX_BLANKS = 80  # between the bracket of a list and its first object
_CONTROL = re.compile(r"[\x00-\x1f]")
# JavaScript and Python write a quote so; a backslash before any other character is meant as a backslash.
_ESCAPED_QUOTES = {"'": "'", "`": "`"}


# The standard library's messages, in words of ours.
_WORDS = {
    "Expecting ',' delimiter": "a comma or a closing bracket is missing",
    "Expecting ':' delimiter": "a colon is missing after a key",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing",
    "Expecting value": "a value is missing",
    "duplicate key": "a key stands twice in one object",
    "Unterminated string starting at": "a string has no end",
    "NaN is not JSON": "NaN is no number of JSON",
    "Infinity is not JSON": "Infinity is no number of JSON",
    "-Infinity is not JSON": "Infinity is no number of JSON",
    "nested too deeply": "it is nested too deeply",
    "number out of range": "a number is out of range",
}


def read_object(text: str, *, alone: bool = False) -> JsonRead:
    """The one object in a text; ``alone``: no other text may stand around it. Raises ``JsonFault``."""
    strict = strict_json.load_object(text)
    if strict is not None:
        return JsonRead(strict)
    found: list[JsonRead] = []
    end = 0
    while match := _OBJECT.search(text, end):
        start = match.start()
        if _LIST_BEFORE.search(text, max(0, start - MAX_BLANKS), start):
            raise JsonFault("The text is a JSON list, not an object.")
        if found:
            raise JsonFault("The text holds more than one JSON object.")
        scanned = _scan(text, start)
        end = scanned.end
        around = _around(text[:start], text[end:])
        if alone and around:
            raise JsonFault("Text stands around the JSON object.")
        found.append(JsonRead(_load(text, scanned), frozenset(scanned.slips | around)))
    if not found:
        raise JsonFault("The text holds no JSON object.")
    return found[0]


def _around(before: str, after: str) -> set[JsonSlip]:
    """What stands before and after the object."""
    before, after = before.strip(_BLANK), after.strip(_BLANK)
    fenced = _FENCE_BEFORE.search(before) if after.startswith("```") else None
    if fenced:
        before, after = before[: fenced.start()].strip(), after.removeprefix("```").strip()
    found = ((JsonSlip.FENCE, fenced), (JsonSlip.BEFORE, before), (JsonSlip.AFTER, after))
    return {slip for slip, text in found if text}


class _Scanned(NamedTuple):
    """The text of one object as JSON: ``pieces`` and where each begins in the text, and its end there."""

    pieces: list[str]
    starts: list[int]
    end: int
    slips: set[JsonSlip]


def _scan(text: str, start: int) -> _Scanned:
    """The object that begins at ``start``, its slips put right; raises ``JsonFault`` when it has no end."""
    pieces: list[str] = []
    starts: list[int] = []
    slips: set[JsonSlip] = set()
    depth, comma, before = 0, -1, ""  # the place of a comma that nothing has followed, and what it follows
    for match in _TOKEN.finditer(text, start):
        part = match[0]
        is_string = part[0] == '"'
        if is_string and not match["end"]:
            raise JsonFault(f"The JSON is broken at {_position(text, match.start())}: a string has no end.")
        pieces.append(_put_right(part, slips) if is_string else part)
        starts.append(match.start())
        if part.isspace():
            continue
        if part == ",":
            comma = len(pieces) - 1 if before not in {"[", "{", ",", ":"} else -1
        elif part in {"]", "}"} and comma >= 0:
            pieces[comma] = ""
            slips.add(JsonSlip.COMMA)
        comma = comma if part == "," else -1
        before = part
        depth += (part in {"[", "{"}) - (part in {"]", "}"})
        if depth == 0:
            return _Scanned(pieces, starts, match.end(), slips)
    raise JsonFault(f"The JSON ends before it is complete ({_position(text, len(text))}).")


def _put_right(string: str, slips: set[JsonSlip]) -> str:
    """A string with its quotes, as JSON writes it; adds what was put right."""
    escaped = _ESCAPE.sub(_escape, string) if "\\" in string else string
    if escaped != string:
        slips.add(JsonSlip.BACKSLASH)
    written = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", escaped)
    if written != escaped:
        slips.add(JsonSlip.CONTROL)
    return written


def _escape(match: re.Match[str]) -> str:
    lone = match[1]
    return match[0] if lone is None else _ESCAPED_QUOTES.get(lone, f"\\\\{lone}")


def _load(text: str, scanned: _Scanned) -> JsonObject:
    try:
        value = strict_json.loads("".join(scanned.pieces).encode())
    except json.JSONDecodeError as error:
        where = _position(text, _origin(scanned, error.pos))
        raise JsonFault(f"The JSON is broken at {where}: {_WORDS.get(error.msg, 'it is no JSON')}.") from None
    except ValueError as error:
        raise JsonFault(f"The JSON is refused: {_WORDS.get(str(error), 'it is no JSON')}.") from None
    if not isinstance(value, dict):  # pragma: no cover -- it begins with a brace
        raise JsonFault("The text is no JSON object.")
    return value


def _origin(scanned: _Scanned, position: int) -> int:
    """Where a position of the joined pieces is in the text, as exact as a piece."""
    ends = list(accumulate(map(len, scanned.pieces)))
    index = min(bisect_right(ends, position), len(ends) - 1)
    return scanned.starts[index]


def _position(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"
