"""The last line of defence for secrets: no report holds one, whoever put it into the outcome."""

from collections.abc import Iterable
from enum import Enum
from typing import Any

from pr_review.domain.run import Outcome

MASK = "***"
MIN_CHARS = 8  # as for add-mask: shorter values would blank ordinary words


def redact(outcome: Outcome, secrets: tuple[str, ...]) -> Outcome:
    """The outcome with every occurrence of a secret in any text replaced; closed lists keep their words.

    An edit that held one is dropped: it is exact, or it is none.
    """
    long = sorted((secret for secret in secrets if len(secret) >= MIN_CHARS), key=len, reverse=True)
    dumped = outcome.model_dump()
    clean = _replace(dumped, long)
    for found, before in _pairs_of_findings(clean, dumped):
        if found["edit"] != before["edit"]:
            found["edit"] = None
    return outcome if clean == dumped else Outcome.model_validate(clean)


def _pairs_of_findings(one: Any, other: Any) -> Iterable[tuple[Any, Any]]:
    return zip(one["review"]["findings"], other["review"]["findings"], strict=True) if one["review"] else ()


def _replace(value: Any, secrets: list[str]) -> Any:
    """Containers of ``model_dump`` with texts replaced; keys and enum members are words of ours."""
    if isinstance(value, dict):
        return {key: _replace(item, secrets) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_replace(item, secrets) for item in value)
    if isinstance(value, str) and not isinstance(value, Enum):
        for secret in secrets:
            value = value.replace(secret, MASK)
    return value
