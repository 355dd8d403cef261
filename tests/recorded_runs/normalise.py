"""Takes out of a text what differs from run to run, so that the rest can be compared for equality."""

import re
from collections.abc import Mapping

Rule = tuple[re.Pattern[str], str]

RANDOM: tuple[Rule, ...] = (
    (re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])"), "{random}"),
    (re.compile(r"(?<=pr-review-report-)[0-9a-f]{16}(?![0-9a-f])"), "{random}"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "{uuid}"),
)
TIMES: tuple[Rule, ...] = (
    (re.compile(r'("duration_ms": )\d+'), r"\g<1>0"),
    (re.compile(r'("waited_seconds": )(?!0\.0\b)[0-9.e+-]+'), r"\g<1>1.0"),
    (re.compile(r"\b\d+ ms\b|\b\d+\\?\.\d s\b|\b\d+ min \d+ s\b"), "{time}"),
    (re.compile(r"((?:seconds left|waited): )-?\d+"), r"\g<1>{time}"),
    (re.compile(r'(<rect class="\w+" x=")[0-9.]+(" width=")[0-9.]+'), r"\g<1>{time}\g<2>{time}"),
)


def normalise(text: str, places: Mapping[str, str], *, timed: bool) -> str:
    """The text without random names; ``places`` maps what stands for a place to its word.

    ``timed``: durations are taken out too.
    """
    for place, word in places.items():
        text = text.replace(place, word)
    for pattern, word in (*RANDOM, *(TIMES if timed else ())):
        text = pattern.sub(word, text)
    return text
