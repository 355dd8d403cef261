"""The last line of defence for secrets: no report holds one, whoever put it into the outcome."""

from collections.abc import Iterable
from enum import Enum
from typing import Any

from pr_review.domain.run import Outcome

MASK = "***"
MIN_CHARS = 8  # as for add-mask: shorter values would blank ordinary words
# GitHub's and git's own words, which have a form to keep; a workflow may send one in a header of its own.
PUBLIC = frozenset({"base_sha", "expires", "head_sha", "merge_base_sha"})


def redact(outcome: Outcome, secrets: tuple[str, ...]) -> Outcome:
    """The outcome with every occurrence of a secret in any text replaced; closed lists keep their words.

    An edit that held one is dropped: it is exact, or it is none.
    """
    dumped = outcome.model_dump()
    clean = _replace(dumped, _ordered(secrets))
    for found, before in _pairs_of_findings(clean, dumped):
        if found["edit"] != before["edit"]:
            found["edit"] = None
    return outcome if clean == dumped else Outcome.model_validate(clean)


def redact_text(text: str, secrets: tuple[str, ...]) -> str:
    """The text as a report shows it."""
    return str(_replace(text, _ordered(secrets)))


def _ordered(secrets: tuple[str, ...]) -> list[str]:
    """Those that are long enough, the longest first: one may be a part of another."""
    return sorted((secret for secret in secrets if len(secret) >= MIN_CHARS), key=len, reverse=True)


def _pairs_of_findings(one: Any, other: Any) -> Iterable[tuple[Any, Any]]:
    return zip(_findings(one["review"]), _findings(other["review"]), strict=True) if one["review"] else ()


def _findings(review: Any) -> list[Any]:
    return [*review["findings"], *(each["finding"] for each in review["suppressed"])]


def _replace(value: Any, secrets: list[str]) -> Any:
    """Containers of ``model_dump`` with texts replaced; keys and enum members are words of ours."""
    if isinstance(value, dict):
        return {key: item if key in PUBLIC else _replace(item, secrets) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_replace(item, secrets) for item in value)
    if isinstance(value, str) and not isinstance(value, Enum):
        for secret in secrets:
            value = value.replace(secret, MASK)
    return value
