"""The fields of a model's answer, each read as it is meant.

A ``FieldReader`` takes the answer apart and counts what it read differently from how it was written. What
can be read in one way only is read so; everything else raises ``FieldFault``, with the field and the rule in
words of ours and never in the model's.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum

from pydantic import JsonValue

from pr_review.domain.finding import Category, Confidence, Severity
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import MAX_FIELD_BYTES
from pr_review.domain.text import shorten

MAX_WORD_CHARS = 60  # of a severity or a line with everything around it
MAX_TITLE_CHARS = 120  # of a title that is made of the explanation

SEVERITIES: Mapping[str, Severity] = {
    word: severity
    for severity, words in {
        Severity.CRITICAL: "critical crit blocker blocking fatal p0 s0 sev0",
        Severity.HIGH: "high major error severe serious important p1",
        Severity.MEDIUM: "medium med mid moderate warning warn p2",
        Severity.LOW: "low minor info informational note notice nit nitpick trivial suggestion p3 p4",
    }.items()
    for word in words.split()
}
# Other names of a field, tried in this order when the field itself is absent.
ALIASES: Mapping[str, Sequence[str]] = {
    "path": ("file", "filename", "filepath", "location"),
    "line": ("startline", "linenumber", "lineno"),
    "end_line": ("lineend",),
    "explanation": ("description", "details", "body", "message"),
    "recommendation": ("fix", "suggestedfix"),
    "title": ("name", "headline"),
}
NOTE_KEYS = ("note", "text", "message", "body", "content", "description")

_CUT = "\u2026"
_SEPARATORS = re.compile(r"[\s_-]+")
_AROUND_WORD = re.compile(r"\A[\W_]+|[\W_]+\Z")
_SEVERITY_WORD = re.compile(r"\A(?:severity|priority)\b[\s:=]*|(?<![\s-])[\s-]*+\b(?:severity|priority)\Z")
_LINES = re.compile(
    r"\s*(?:lines?|l)?\s?(\d{1,9})(?:\s?(?:-|\u2013|to|:)\s?(?:l)?(\d{1,9}))?\s*", re.IGNORECASE
)
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


class Reading(StrEnum):
    """What was read as meant, in words."""

    SEVERITY = "a severity in another word or case"
    KEY = "a key in another word or case"
    UNKNOWN_KEY = "an unknown key, which was passed over"
    MISSING = "a missing side field, which is empty"
    TITLE = "a missing title or explanation, for which the other stands"
    LINE = "a line in other words, or one that is none"
    TEXT = "a text in another form, such as a list of lines"
    NOTE = "a note that is no text"
    HINT = "a hint in another form, or one that cannot be read and was passed over"
    CUT = "a text over the limit, which was cut"
    DROPPED = "code over the limit, which was left out"


class FieldFault(ValueError):
    """A field that cannot be read in one way only; the message names it and the rule."""


class FieldReader:
    """Reads the fields of one answer; ``counts`` says how often each ``Reading`` was needed."""

    def __init__(self) -> None:
        self.counts: Counter[Reading] = Counter()

    def read_as(self, reading: Reading) -> None:
        """Count something that was read as meant."""
        self.counts[reading] += 1

    def keys(self, given: JsonObject, known: Sequence[str]) -> JsonObject:
        """The known fields under their own names; keys in another case count, and the rest is passed over."""
        fields = {key: value for key, value in given.items() if key in known}
        plain = {_plain(key): value for key, value in given.items() if key not in known}
        for name in known:
            spellings = (_plain(name), *ALIASES.get(name, ()))
            if fields.get(name) is None and (
                spelled := next((each for each in spellings if each in plain), None)
            ):
                fields[name] = plain.pop(spelled)
                self.read_as(Reading.KEY)
        if plain:
            self.read_as(Reading.UNKNOWN_KEY)
        return fields

    def severity(self, value: JsonValue) -> str:
        """One of the four severities; raises ``FieldFault``."""
        if isinstance(value, str) and len(value) <= MAX_WORD_CHARS:
            word = _AROUND_WORD.sub("", _SEVERITY_WORD.sub("", _AROUND_WORD.sub("", value.casefold())))
            if meant := SEVERITIES.get(_SEPARATORS.sub("", word)):
                if meant != value:
                    self.read_as(Reading.SEVERITY)
                return meant.value
        raise FieldFault(f"severity: must be one of {', '.join(Severity)}")

    def names(self, fields: JsonObject) -> tuple[str, str]:
        """Title and explanation; one stands for the other. Raises ``FieldFault`` when both are missing."""
        title, explanation = (self._plain_text(fields.get(name)) for name in ("title", "explanation"))
        if not title.strip() and not explanation.strip():
            raise FieldFault("title: must be a text that is not blank")
        if not title.strip():
            self.read_as(Reading.TITLE)
            title = shorten(explanation.strip().split("\n")[0].strip(), MAX_TITLE_CHARS)
        elif not explanation.strip():
            self.read_as(Reading.TITLE)
            explanation = title
        return title, explanation

    def path(self, value: JsonValue) -> str:
        """The path as it was written; raises ``FieldFault`` for what is no text."""
        if not isinstance(value, str):
            raise FieldFault("path: must be the path of a file, as a text")
        return self.bounded(value)

    def lines(self, line: JsonValue, end_line: JsonValue) -> tuple[int | None, int | None]:
        """Line and end line; a range in ``line`` gives both, and what is no line is None."""
        first, last = self._line(line)
        given, given_last = self._line(end_line)
        return first, given_last or given or last

    def _line(self, value: JsonValue) -> tuple[int | None, int | None]:
        if value is None:
            return None, None
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value, None
        self.read_as(Reading.LINE)
        if isinstance(value, float) and value.is_integer() and value > 0:
            return int(value), None
        match = _LINES.fullmatch(value) if isinstance(value, str) and len(value) <= MAX_WORD_CHARS else None
        if match is None or int(match[1]) == 0:
            return None, None
        return int(match[1]), int(match[2]) if match[2] else None

    def side_text(self, value: JsonValue) -> str:
        """A text that may be missing: anything but text is written out."""
        if value is None:
            self.read_as(Reading.MISSING)
            return ""
        return self.bounded(value if isinstance(value, str) else self._written(value))

    def code(self, value: JsonValue) -> str | None:
        """Code that may be missing; a list of texts is its lines, and half a code is none."""
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            self.read_as(Reading.TEXT)
            value = "\n".join(map(str, value))
        if value is not None and not isinstance(value, str):
            self.read_as(Reading.HINT)
            return None
        if value is not None and len(value.encode(errors="replace")) > MAX_FIELD_BYTES:
            self.read_as(Reading.DROPPED)
            return None
        return None if value is None else self._whole_characters(value)

    def hint(self, value: JsonValue, known: type[Category] | type[Confidence]) -> JsonValue:
        """A word of a closed list, in any case; anything else as it is."""
        if not isinstance(value, str) or value in set(known):
            return value
        word = _SEPARATORS.sub("_", value.strip().casefold())
        if word not in set(known):
            return value
        self.read_as(Reading.HINT)
        return word

    def note(self, value: JsonValue) -> str:
        """A note as a text: an object's own text, else the whole of it."""
        if isinstance(value, str):
            return self.bounded(value)
        self.read_as(Reading.NOTE)
        texts = [value[key] for key in NOTE_KEYS if value.get(key)] if isinstance(value, dict) else []
        only = texts[0] if len(texts) == 1 and isinstance(value, dict) and len(value) == 1 else None
        return self.bounded(only) if isinstance(only, str) else self._written(value)

    def bounded(self, text: str) -> str:
        """The text within its limit; secrets are masked before it is cut, so that none is cut in two."""
        text = self._whole_characters(text)
        if len(text.encode()) <= MAX_FIELD_BYTES:
            return text
        from pr_review.masking.secrets import mask_secrets  # noqa: PLC0415 -- start-up: hardly ever needed

        self.read_as(Reading.CUT)
        masked = mask_secrets(text).encode()
        return masked[: MAX_FIELD_BYTES - len(_CUT.encode())].decode(errors="ignore") + _CUT

    def _plain_text(self, value: JsonValue) -> str:
        """A text, or a list of its lines; "" for anything else."""
        if isinstance(value, list):
            return self._written(value)
        return self.bounded(value) if isinstance(value, str) else ""

    def _written(self, value: JsonValue) -> str:
        """A list of texts as lines, any other value as JSON."""
        self.read_as(Reading.TEXT)
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return self.bounded("\n".join(map(str, value)))
        return self.bounded(_json(value))

    def _whole_characters(self, text: str) -> str:
        """Half a character of UTF-16 cannot be written to any report."""
        whole = _HALF_CHARACTER.sub("\ufffd", text)
        if whole != text:
            self.read_as(Reading.TEXT)
        return whole


def _plain(key: str) -> str:
    """A key without case and separators: ``existingCode`` and ``Existing code`` are ``existing_code``."""
    return _SEPARATORS.sub("", key.casefold())


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
