"""Names a provider's refusal: a total function from (status, headers, body) to a failure.

A body is read for its codes and a few phrases and then dropped. A provider may quote keys and private text,
so nothing of a body reaches a message, a log or the artifact; only a number of seconds to wait may.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from pr_review.llm.errors.failure import ProviderFailure
from pr_review.llm.errors.kinds import (
    MALFORMED,
    REASONING_WITH_TOOLS,
    REJECTED,
    UNSUPPORTED_PARAMETER,
    FailureKind,
)
from pr_review.llm.errors.retry_after import retry_delay
from pr_review.llm.errors.rules import RULES, ClassificationRule

MAX_TEXT_CHARS = 4096  # of a message; the phrases of the rules are searched in no more
ABOUT_PARAMETERS = frozenset({UNSUPPORTED_PARAMETER, REASONING_WITH_TOOLS, REJECTED})


class Signals(NamedTuple):
    """What a body says: codes and types in lower case, its text, and the parameters it points at."""

    codes: frozenset[str]
    text: str
    parameters: tuple[str, ...]


def classify_failure(
    status: int,
    headers: Mapping[str, str],
    body: JsonValue,
    *,
    vendor: str = "provider",
    optional: Collection[str] = (),
) -> ProviderFailure:
    """Name the failure; never raises, whatever the body is.

    ``headers`` are looked up in lower case. ``optional`` names the fields that the request could do without;
    the result's ``parameter`` is the one of them that the provider complains about.
    """
    signals = read_signals(body)
    rule = matching_rule(status, signals)
    kind = rule.kind if rule else MALFORMED
    parameter = _named_parameter(kind, signals, optional) if status in {400, 422} else None
    return ProviderFailure(kind, vendor, retry_delay(headers, body, signals.text), parameter)


def error_status(body: JsonValue) -> int:
    """The HTTP status that an error inside a successful reply stands for; 502 when it names none."""
    error = body.get("error") if isinstance(body, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    text = str(code) if isinstance(code, int | str) and not isinstance(code, bool) else ""
    return int(text) if re.fullmatch(r"[345]\d\d", text, re.ASCII) else 502


def read_signals(body: JsonValue) -> Signals:
    """Collect codes and text from every error shape in use; total over JSON values."""
    records = list(_records(body))
    codes = {
        str(value).lower()
        for record in records
        for key in ("code", "type", "status", "reason")
        if isinstance(value := record.get(key), str | int)
    }
    texts = [text[:MAX_TEXT_CHARS] for record in records for text in _texts(record)]
    texts += [body[:MAX_TEXT_CHARS]] if isinstance(body, str) else []
    return Signals(frozenset(codes), "\n".join(texts).lower(), tuple(_parameters(records)))


def _records(body: JsonValue) -> Iterator[dict[str, JsonValue]]:
    """The objects that may describe the error, outermost first, at most a handful."""
    candidate = body[0] if isinstance(body, list) and body else body
    for key in ("error", "innererror"):
        if not isinstance(candidate, dict):
            return
        yield candidate
        for listed in ("detail", "details"):
            items = candidate.get(listed)
            yield from (
                item for item in (items if isinstance(items, list) else [])[:8] if isinstance(item, dict)
            )
        candidate = candidate.get(key)
    if isinstance(candidate, dict):
        yield candidate


def _texts(record: Mapping[str, JsonValue]) -> Iterator[str]:
    for key in ("message", "error", "detail", "msg"):
        if isinstance(value := record.get(key), str):
            yield value


def _parameters(records: list[dict[str, JsonValue]]) -> Iterator[str]:
    for record in records:
        if isinstance(name := record.get("param"), str):
            yield name
        location = record.get("loc")  # FastAPI: ["body", "temperature"]
        if isinstance(location, list) and len(location) == 2 and isinstance(location[1], str):  # noqa: PLR2004
            yield location[1]


def _named_parameter(kind: FailureKind, signals: Signals, optional: Collection[str]) -> str | None:
    """The field the provider points at; the message is searched only when it is about a parameter."""
    if kind not in ABOUT_PARAMETERS:
        return None
    pointed = [name for name in signals.parameters if name in optional]
    if not pointed and kind is UNSUPPORTED_PARAMETER:
        pointed = [name for name in optional if re.search(rf"\b{re.escape(name.lower())}\b", signals.text)]
    return max(pointed, key=len, default=None)


def matching_rule(status: int, signals: Signals) -> ClassificationRule | None:
    """The first rule that the reply meets."""
    return next((rule for rule in RULES if _matches(rule, status, signals)), None)


def _matches(rule: ClassificationRule, status: int, signals: Signals) -> bool:
    if rule.statuses and status not in rule.statuses:
        return False
    if not rule.codes and not rule.phrases:
        return True
    return bool(
        signals.codes & frozenset(rule.codes) or (rule.phrases and re.search(rule.phrases, signals.text))
    )
