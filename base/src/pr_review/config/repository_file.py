"""``.github/pr-review.yml`` tunes a review. It cannot choose who reviews or where code is sent.

The file is read from the base commit, so a pull request cannot change its own reviewer. But whoever may push
to the base branch can change the file. Therefore it cannot set the provider, endpoint, model, key, token,
headers or outputs, and it can only lower limits. ``Input.file`` says what it may do with each input.
"""

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pr_review.config.inputs import INPUTS
from pr_review.config.settings import Settings
from pr_review.domain.sizes import KIB, utf8_size
from pr_review.errors import ConfigError

if TYPE_CHECKING:
    from pr_review.config import strict_yaml

    Lines = dict[strict_yaml.Path, int]

CONFIG_PATH = ".github/pr-review.yml"
MAX_CONFIG_BYTES = 64 * KIB

_LIMITS = frozenset(item.field for item in INPUTS if item.file == "lowers")
_ADVICE = f"Correct {CONFIG_PATH} on the base branch; docs/configuration.md lists its keys."


def parse(text: str) -> dict[str, Any]:
    """Return the values that the file sets, by field of ``Settings``. An empty file sets none.

    Raises ``ConfigError`` with the line and key at fault.
    """
    if utf8_size(text) > MAX_CONFIG_BYTES:
        raise _error(f"{CONFIG_PATH} is larger than {MAX_CONFIG_BYTES // KIB} KiB.")
    # Start-up: most repositories have no such file.
    from pydantic import ValidationError  # noqa: PLC0415

    from pr_review.config import file_schema, strict_yaml  # noqa: PLC0415

    try:
        document, lines = strict_yaml.load_mapping(text)
        return file_schema.validate(document)
    except strict_yaml.YamlProblem as problem:
        raise _error(f"{CONFIG_PATH}, line {problem.line}: {problem}.") from problem
    except ValidationError as error:
        raise _error(" ".join(_describe(item, lines) for item in error.errors(include_url=False))) from None


def apply(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """Return the settings with the file's values. A value that the workflow gave wins, with a note.

    Raises ``ConfigError`` when the file would raise a limit.
    """
    accepted: dict[str, Any] = {}
    notes: list[str] = []
    for field in sorted(values):
        key = field.replace("_", "-")
        if key in settings.given:
            notes.append(f"The workflow's input `{key}` wins over {CONFIG_PATH}.")
        else:
            _check_limit(key, values[field], getattr(settings, field), is_limit=field in _LIMITS)
            accepted[field] = values[field]
    return replace(settings, **accepted, notes=(*settings.notes, *notes))


def _check_limit(key: str, value: Any, allowed: Any, *, is_limit: bool) -> None:
    if is_limit and value > allowed:
        raise _error(
            f"{CONFIG_PATH}: `{key}` may only lower the limit of {allowed}, not raise it to {value}."
        )


# What is wrong with a value, by pydantic's error type.
_PROBLEMS = {
    "missing": "is missing",
    "model_type": "must be a mapping",
    "string_type": "must be a text; quote it",
    "int_type": "must be an integer",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list",
    "greater_than_equal": "must be at least {ge}",
    "too_long": "must hold at most {max_length} entries",
    "value_error": "{error}",
}


def _describe(problem: Any, lines: "Lines") -> str:
    place = problem["loc"]
    where = f"{CONFIG_PATH}, line {_line(place, lines)}: "
    if problem["type"] == "extra_forbidden":
        return f"{where}unknown key {place[-1][:40]!a}{_suggest(place)}"
    key = ".".join(part for part in place if isinstance(part, str))
    template = _PROBLEMS.get(problem["type"], "is not valid")
    return f"{where}`{key}` {template.format(**problem.get('ctx', {}))}."


def _suggest(place: "strict_yaml.Path") -> str:
    from pr_review.config import file_schema, suppressions  # noqa: PLC0415 -- start-up: as in parse

    known = file_schema.NAMES if len(place) == 1 else suppressions.ITEM_KEYS
    close = difflib.get_close_matches(str(place[-1]), known, n=1)
    return f"; did you mean `{close[0]}`?" if close else "."


def _line(place: "strict_yaml.Path", lines: "Lines") -> int:
    """The line of the innermost key or item that the file holds. A missing key has no line of its own."""
    known = (place[:depth] for depth in range(len(place), 0, -1))
    return next(lines[path] for path in known if path in lines)


def _error(detail: str) -> ConfigError:
    return ConfigError("invalid_config_file", detail, _ADVICE)
