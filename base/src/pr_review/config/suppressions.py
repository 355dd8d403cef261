"""The ``suppress`` list of ``.github/pr-review.yml``. It names findings that do not count, with reasons."""

import re
from collections import Counter
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pr_review.domain.finding import Suppression

MAX_SUPPRESSIONS = 200
MAX_REASON_CHARS = 1000

_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def _fingerprint(text: str) -> str:
    if not _FINGERPRINT.fullmatch(text):
        raise ValueError("must be the 16 hexadecimal digits that a report shows")
    return text


def _reason(text: str) -> str:
    if not text.strip() or len(text) > MAX_REASON_CHARS:
        raise ValueError(f"must be a text of at most {MAX_REASON_CHARS} characters, and not blank")
    return text.strip()


def _day(text: str) -> str:
    problem = "must be a date such as 2026-12-31"
    if not _DATE.fullmatch(text):
        raise ValueError(problem)
    try:
        date.fromisoformat(text)
    except ValueError:
        raise ValueError(problem) from None
    return text


class SuppressItem(BaseModel):
    """One item. ``expires`` is the last day, in UTC, on which it applies."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    fingerprint: Annotated[str, AfterValidator(_fingerprint)]
    reason: Annotated[str, AfterValidator(_reason)]
    expires: Annotated[str, AfterValidator(_day)] | None = None


ITEM_KEYS = tuple(SuppressItem.model_fields)


def _unique(items: tuple[SuppressItem, ...]) -> tuple[SuppressItem, ...]:
    counts = Counter(item.fingerprint for item in items)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise ValueError(f"names {twice[0]} more than once")
    return items


def _to_suppressions(items: tuple[SuppressItem, ...]) -> tuple[Suppression, ...]:
    return tuple(Suppression(**item.model_dump()) for item in items)


# Validation returns a tuple of ``Suppression``.
SuppressList = Annotated[
    tuple[SuppressItem, ...],
    Field(strict=False, max_length=MAX_SUPPRESSIONS),  # strict would refuse YAML's list for a tuple
    AfterValidator(_unique),
    AfterValidator(_to_suppressions),
]
