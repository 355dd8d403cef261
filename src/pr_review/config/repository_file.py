"""``.github/pr-review.yml`` of the base commit (decision 15): tunes a review, never who runs it or where to.

The pull request cannot change this file's effect, but whoever may push to the base branch can. So it sets
neither provider, endpoint, model, key, token, headers nor output, and can only lower limits.
"""

import difflib
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from pr_review.config import parsers
from pr_review.config.inputs import MAX_INSTRUCTIONS_BYTES
from pr_review.config.settings import Settings
from pr_review.config.suppressions import ITEM_KEYS, SuppressList, to_suppressions
from pr_review.domain.run import KIB
from pr_review.errors import ConfigError

if TYPE_CHECKING:
    from pr_review.config import strict_yaml

    Lines = dict[strict_yaml.Path, int]

CONFIG_PATH = ".github/pr-review.yml"
MAX_CONFIG_BYTES = 64 * KIB
MAX_GUIDELINES = 8

_ADVICE = f"Correct {CONFIG_PATH} on the base branch; docs/configuration.md lists its keys."


def _all_patterns(lines: tuple[str, ...]) -> tuple[str, ...]:
    return parsers.patterns("\n".join(lines))


def _all_paths(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(parsers.path_below(path) for path in paths)


def _severity_or_never(word: str) -> str:
    parsers.fail_on(word)
    return word


Texts = Annotated[tuple[str, ...], Field(strict=False)]  # strict would refuse YAML's list for a tuple
Patterns = Annotated[Texts, AfterValidator(_all_patterns)]
Guidelines = Annotated[Texts, Field(max_length=MAX_GUIDELINES), AfterValidator(_all_paths)]
Limit = Annotated[int, Field(ge=0)]
PositiveLimit = Annotated[int, Field(ge=1)]


class FileConfig(BaseModel):
    """The keys of the file, in kebab case; each has the meaning of the input of the same name.

    ``guidelines`` are repository paths of the base commit whose text joins the instructions. ``suppress``
    names findings that do not count.
    """

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", alias_generator=lambda field: field.replace("_", "-")
    )

    include: Patterns | None = None
    exclude: Patterns | None = None
    instructions: Annotated[str, AfterValidator(parsers.text(MAX_INSTRUCTIONS_BYTES))] | None = None
    guidelines: Guidelines | None = None
    language: Annotated[str, AfterValidator(parsers.language_tag)] | None = None
    fail_on: Annotated[str, AfterValidator(_severity_or_never)] | None = None
    fail_on_new: Annotated[str, AfterValidator(_severity_or_never)] | None = None
    fail_on_incomplete: bool | None = None
    annotations: bool | None = None
    max_rounds: PositiveLimit | None = None
    max_tool_calls: Limit | None = None
    max_requests: PositiveLimit | None = None
    max_repairs: Limit | None = None
    timeout_seconds: PositiveLimit | None = None
    suppress: SuppressList | None = None


LIMITS = ("max_rounds", "max_tool_calls", "max_requests", "max_repairs", "timeout_seconds")
KEYS = tuple(name.replace("_", "-") for name in FileConfig.model_fields)


def parse(text: str) -> FileConfig:
    """Read the file's text; an empty file is an empty configuration.

    Raises ``ConfigError`` with the line and key at fault.
    """
    if len(text.encode()) > MAX_CONFIG_BYTES:
        raise _error(f"{CONFIG_PATH} is larger than {MAX_CONFIG_BYTES // KIB} KiB.")
    from pr_review.config import strict_yaml  # noqa: PLC0415 -- start-up: most repositories have no such file

    try:
        document, lines = strict_yaml.load_mapping(text)
    except strict_yaml.YamlProblem as problem:
        raise _error(f"{CONFIG_PATH}, line {problem.line}: {problem}.") from problem
    try:
        return FileConfig.model_validate(document)
    except ValidationError as error:
        raise _error(" ".join(_describe(item, lines) for item in error.errors(include_url=False))) from None


def apply(settings: Settings, config: FileConfig) -> Settings:
    """Settings with the file's values where the workflow gave none; the workflow wins, with a note.

    Raises ``ConfigError`` when the file would raise a limit.
    """
    update: dict[str, Any] = {}
    notes: list[str] = []
    for field in sorted(config.model_fields_set):
        key = field.replace("_", "-")
        value = getattr(config, field)
        if value is None:
            continue
        if key in settings.given:
            notes.append(f"The workflow's input `{key}` wins over {CONFIG_PATH}.")
        elif field in LIMITS and value > getattr(settings, field):
            allowed = getattr(settings, field)
            raise _error(
                f"{CONFIG_PATH}: `{key}` may only lower the limit of {allowed}, not raise it to {value}."
            )
        else:
            convert = _TO_SETTING.get(field)
            update[field] = convert(value) if convert else value
    return settings.model_copy(update={**update, "notes": (*settings.notes, *notes)})


# What a setting holds in another form than the file.
_TO_SETTING: dict[str, Callable[[Any], Any]] = {
    "fail_on": parsers.fail_on,
    "fail_on_new": parsers.fail_on,
    "suppress": to_suppressions,
}

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
    key = ".".join(part for part in place if isinstance(part, str))
    where = f"{CONFIG_PATH}, line {_line(place, lines)}: "
    if problem["type"] != "extra_forbidden":
        template = _PROBLEMS.get(problem["type"], "is not valid")
        return f"{where}`{key}` {template.format(**problem.get('ctx', {}))}."
    close = difflib.get_close_matches(place[-1], KEYS if len(place) == 1 else ITEM_KEYS, n=1)
    hint = f"; did you mean `{close[0]}`?" if close else "."
    return f"{where}unknown key {place[-1][:40]!a}{hint}"


def _line(place: "strict_yaml.Path", lines: "Lines") -> int:
    """Of the innermost key or item that the file holds: a missing key has no line of its own."""
    known = (place[:depth] for depth in range(len(place), 0, -1))
    return next(lines[path] for path in known if path in lines)


def _error(detail: str) -> ConfigError:
    return ConfigError("invalid_config_file", detail, _ADVICE)
