"""Removes the run's own secrets, such as keys and tokens, from its outcome before a report shows it."""

from collections.abc import Iterable
from enum import Enum
from typing import Any

from pr_review.domain.run import Outcome

MASK = "***"
MIN_CHARS = 8  # a shorter value could be an ordinary word; ``add-mask`` commands have the same limit
# These fields must keep their format. A workflow may send such a public value in a header, which makes it a
# secret of the run.
PUBLIC_FIELDS = frozenset({"base_sha", "expires", "head_sha", "merge_base_sha"})


def redact(outcome: Outcome, secrets: tuple[str, ...]) -> Outcome:
    """Replace every secret in every text of the outcome; members of enumerations stay as they are.

    An edit that contains a secret is dropped, because the redacted lines would not apply to the file.
    """
    dumped = outcome.model_dump()
    clean = _replace(dumped, _longest_first(secrets))
    for found, before in _findings_in_pairs(clean, dumped):
        if found["edit"] != before["edit"]:
            found["edit"] = None
    return outcome if clean == dumped else Outcome.model_validate(clean)


def redact_text(text: str, secrets: tuple[str, ...]) -> str:
    """Replace every secret in the text."""
    return str(_replace(text, _longest_first(secrets)))


def _longest_first(secrets: tuple[str, ...]) -> list[str]:
    """The secrets that are long enough; a longer one comes first, because it may contain a shorter one."""
    return sorted((secret for secret in secrets if len(secret) >= MIN_CHARS), key=len, reverse=True)


def _findings_in_pairs(one: Any, other: Any) -> Iterable[tuple[Any, Any]]:
    return zip(_findings(one["review"]), _findings(other["review"]), strict=True) if one["review"] else ()


def _findings(review: Any) -> list[Any]:
    return [*review["findings"], *(each["finding"] for each in review["suppressed"])]


def _replace(value: Any, secrets: list[str]) -> Any:
    """Replace secrets in the texts of a ``model_dump``; its keys and enumeration members never hold one."""
    if isinstance(value, dict):
        return {key: item if key in PUBLIC_FIELDS else _replace(item, secrets) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_replace(item, secrets) for item in value)
    if isinstance(value, str) and not isinstance(value, Enum):
        for secret in secrets:
            value = value.replace(secret, MASK)
    return value
