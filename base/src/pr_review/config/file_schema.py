"""The schema of ``.github/pr-review.yml``, built from the declaration of inputs.

Only a repository that has the file needs it, so ``repository_file`` imports this module when it reads one.
"""

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from pr_review.config import parsers
from pr_review.config.declaration import Input
from pr_review.config.inputs import INPUTS
from pr_review.config.suppressions import MAX_SUPPRESSIONS, SuppressList

MAX_GUIDELINES = 8

Texts = Annotated[tuple[str, ...], Field(strict=False)]  # strict would refuse YAML's list for a tuple


def _all_paths(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(parsers.path_below(path) for path in paths)


Guidelines = Annotated[Texts, Field(max_length=MAX_GUIDELINES), AfterValidator(_all_paths)]


class Key(NamedTuple):
    """One key of the file.

    annotation: The pydantic type of its value; validation returns the value of the setting.
    type: The type in words. meaning: Markdown for docs/configuration.md.
    """

    name: str
    annotation: Any
    type: str
    meaning: str


def _keys() -> Iterator[Key]:
    for item in (*_with_rule("sets"), *_with_rule("lowers")):
        yield Key(item.name, *_value_type(item), _MEANINGS[item.file])
        if item.name == "instructions":
            yield _GUIDELINES
    yield _SUPPRESS


def _with_rule(rule: str) -> list[Input]:
    return [item for item in INPUTS if item.file == rule]


def _value_type(item: Input) -> tuple[Any, str]:
    """The pydantic type and its name. A text, or the lines of a list, pass the input's own parser."""
    if isinstance(item.parse, parsers.Integer):
        return Annotated[int, Field(ge=item.parse.low)], "integer"
    if item.parse is parsers.boolean:
        return bool, "true or false"
    if item.parse is parsers.patterns:
        return Annotated[
            Texts, AfterValidator(lambda lines: parsers.patterns("\n".join(lines)))
        ], "list of texts"
    return Annotated[str, AfterValidator(item.parse)], "text"


_MEANINGS = {"sets": "as the input", "lowers": "at most the input's value"}
_GUIDELINES = Key(
    "guidelines",
    Guidelines,
    f"list of at most {MAX_GUIDELINES} paths",
    "files of the base commit, such as `AGENTS.md`, whose text joins the instructions",
)
_SUPPRESS = Key(
    "suppress",
    SuppressList,
    f"list of at most {MAX_SUPPRESSIONS} mappings",
    "findings that do not count: `fingerprint`, `reason`, and perhaps `expires`; see "
    "[findings](findings.md#suppression)",
)

KEYS: tuple[Key, ...] = tuple(_keys())
NAMES: tuple[str, ...] = tuple(key.name for key in KEYS)

_MODEL: type[BaseModel] = create_model(
    "RepositoryFile",
    __config__=ConfigDict(frozen=True, strict=True, extra="forbid"),
    **{key.name: (key.annotation, None) for key in KEYS},  # type: ignore[call-overload]
)


def validate(document: dict[str, Any]) -> dict[str, Any]:
    """The values that the file sets, by field of ``Settings``. A key without a value is absent.

    Raises ``pydantic.ValidationError``.
    """
    present = {name: value for name, value in document.items() if value is not None or name not in NAMES}
    values = _MODEL.model_validate(present)
    return {name.replace("-", "_"): getattr(values, name) for name in values.model_fields_set}
