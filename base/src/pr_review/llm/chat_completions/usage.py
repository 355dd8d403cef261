"""Where servers report token counts."""

from collections.abc import Iterator

from pydantic import JsonValue

from pr_review.domain.chat import Usage
from pr_review.domain.frozen import JsonObject

MAX_COUNT = 10**12  # of tokens; a larger number is no count, and would be too long to be printed


def find_usage(body: JsonObject) -> Usage | None:
    """The first place that holds counts; what is not a count is None, and never zero by guess."""
    for candidate in _places(body):
        if isinstance(candidate, dict):
            usage = Usage(**{name: _count(candidate.get(name)) for name in Usage.model_fields})
            if usage != Usage():
                return usage
    return None


def _places(body: JsonObject) -> Iterator[JsonValue]:
    """The specified place, then inside the choice (Moonshot's streams), then Groq's own object."""
    yield body.get("usage")
    match body.get("choices"):
        case [dict(choice), *_]:
            yield choice.get("usage")
    match body.get("x_groq"):
        case {"usage": usage}:
            yield usage


def _count(value: JsonValue) -> int | None:
    number = value if isinstance(value, int) and not isinstance(value, bool) else -1
    return number if 0 <= number <= MAX_COUNT else None
