"""JSON as it crosses the wire: refused when it is ambiguous, written without spaces or ASCII escapes."""

import json
import math
from typing import NoReturn

from pydantic import JsonValue

from pr_review.domain.frozen import JsonObject

MAX_DEPTH = 200  # pydantic's own validation gives up at 255


def loads(data: bytes) -> JsonValue:
    """Decode UTF-8 JSON; raises ``ValueError`` for everything two readers could understand differently.

    Refused: other encodings, a byte order mark, duplicate keys, NaN and Infinity (also as ``1e999``),
    integers of more than 4,300 digits, and nesting deeper than ``MAX_DEPTH``.
    """
    try:
        value: JsonValue = json.loads(
            data.decode("utf-8"),
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_unique,
        )
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    _check_depth(value)
    return value


def load_object(text: str) -> JsonObject | None:
    """Strict JSON to an object; None for anything else: not JSON, NaN, a duplicate key, absurd depth."""
    try:
        value = loads(text.encode())
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def dumps(value: JsonValue) -> bytes:
    """Compact UTF-8 in the order given; raises ``ValueError`` for NaN and for a lone surrogate."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


def _check_depth(value: JsonValue) -> None:
    level: list[JsonValue] = [value]
    for _ in range(MAX_DEPTH):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return
    raise ValueError("nested too deeply")


def _children(value: JsonValue) -> list[JsonValue]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("number out of range")
    return number


def _unique(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    decoded = dict(pairs)
    if len(decoded) != len(pairs):
        raise ValueError("duplicate key")
    return decoded
