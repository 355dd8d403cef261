"""Under which names ``.github/pr-review.yml`` is read, and which names only look like it."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from pr_review.domain.text import show_controls
from pr_review.errors import ConfigError

CONFIG_PATHS = (".github/pr-review.yml", ".github/pr-review.yaml")

MAX_SHOWN = 5

# The name in another case, with other separators, of another kind or in another folder. A workflow that is
# called pr-review stands in a folder of its own and is none.
_NEAR = re.compile(
    r"(?:\.?(?:github|config)/)?"
    r"(?:\.?pr[-_. ]?review(?:s|er)?(?:[-_./ ]?conf(?:ig)?)?\.(?:ya?ml|json[5c]?|toml)(?:\.txt)?"
    r"|\.pr[-_. ]?review(?:er)?(?:rc)?"
    r"|\.github/pr[-_. ]?review)",
    re.IGNORECASE,
)


class FoundFile(NamedTuple):
    """The configuration file to read, None when there is none, and notes on files that are not read."""

    path: str | None
    notes: tuple[str, ...]


def find_config(paths: Iterable[str]) -> FoundFile:
    """Look for the file among the paths of a tree.

    Raises ``ConfigError`` when it is there under both names: either might hold the gate that counts.
    """
    near = [path for path in paths if _NEAR.fullmatch(path)]
    read = [path for path in CONFIG_PATHS if path in near]
    if len(read) > 1:
        raise ConfigError(
            "invalid_config_file",
            f"The base commit holds both {' and '.join(read)}.",
            "Keep one of them on the base branch.",
        )
    others = [path for path in near if path not in CONFIG_PATHS][:MAX_SHOWN]
    return FoundFile(read[0] if read else None, tuple(map(_note, others)))


def _note(path: str) -> str:
    return (
        f"{show_controls(path)} is not read as configuration; only {CONFIG_PATHS[0]} is. Rename or merge it."
    )
