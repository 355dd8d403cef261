"""How long a provider asks to wait, in the places where providers say it."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from pydantic import JsonValue

_SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,6})?", re.ASCII)
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s", re.ASCII)  # protobuf: "17s", "17.5s"
_TRY_AGAIN = re.compile(
    r"(?:try again|retry) in (?:(\d{1,4})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,6})?)(ms|s))?", re.ASCII
)


def retry_delay(headers: Mapping[str, str], body: JsonValue, text: str) -> float | None:
    """Seconds to wait, never negative: ``retry-after-ms``, ``retry-after``, ``retryDelay``, or the message.

    ``headers`` are looked up in lower case; ``text`` is the message in lower case. A date is read against the
    reply's own ``date`` header, so that no clock of ours is needed; anything malformed is ignored.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after") or headers.get("llm_provider-retry-after")  # LiteLLM passes it on so
    for found in (_number(value), _date(value, headers.get("date")), _retry_info(body), _from_text(text)):
        if found is not None:
            return found
    return None


def _number(value: str | None) -> float | None:
    return float(value) if value is not None and _SECONDS.fullmatch(value.strip()) else None


def _date(value: str | None, now: str | None) -> float | None:
    if not value or not now:
        return None
    try:
        seconds = (parsedate_to_datetime(value) - parsedate_to_datetime(now)).total_seconds()
    except (ValueError, TypeError, OverflowError):  # TypeError: only one of them carries a zone
        return None
    return max(0.0, seconds)


def _retry_info(body: JsonValue) -> float | None:
    """Gemini: ``error.details[].retryDelay``, also inside the list its compatible route answers with."""
    candidate = body[0] if isinstance(body, list) and body else body
    error = candidate.get("error") if isinstance(candidate, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else []:
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and (match := _DURATION.fullmatch(delay)):
            return float(match[1])
    return None


def _from_text(text: str) -> float | None:
    """OpenAI and Groq: "please try again in 4.77s", "in 28ms", "in 7m12s"."""
    match = _TRY_AGAIN.search(text)
    if not match or not any(match.groups()):
        return None
    hours, minutes, seconds, unit = match.groups()
    scale = 0.001 if unit == "ms" else 1.0
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds or 0) * scale
