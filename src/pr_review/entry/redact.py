"""The last line of defence for secrets: no report holds one, whoever put it into the outcome."""

from pydantic import JsonValue

from pr_review.domain.run import Outcome

MASK = "***"
MIN_CHARS = 8  # as for add-mask: shorter values would blank ordinary words


def redact(outcome: Outcome, secrets: tuple[str, ...]) -> Outcome:
    """The outcome with every occurrence of a secret in any text replaced."""
    long = [secret for secret in secrets if len(secret) >= MIN_CHARS]
    dumped = outcome.model_dump(mode="json")
    clean = _replace(dumped, sorted(long, key=len, reverse=True))
    return outcome if clean == dumped else Outcome.model_validate(clean)


def _replace(value: JsonValue, secrets: list[str]) -> JsonValue:
    if isinstance(value, dict):
        return {str(_replace(key, secrets)): _replace(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [_replace(item, secrets) for item in value]
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, MASK)
    return value
