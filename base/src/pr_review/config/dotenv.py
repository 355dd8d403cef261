"""A `.env` file for local runs. It sets variables that the environment does not set.

The working directory may hold a `.env` that somebody else wrote. Therefore only the aliases of our own inputs
are read from it, and an endpoint from the file never receives a key from the environment.
"""

import re
from collections.abc import Mapping

from pr_review.config.inputs import INPUTS
from pr_review.domain.sizes import KIB, utf8_size
from pr_review.errors import ConfigError

MAX_DOTENV_BYTES = 64 * KIB
ALIASES = frozenset(alias for item in INPUTS for alias in item.aliases)
ENDPOINT = "OPENCODE_BASE_URL"
KEY_VARIABLES = ("INPUT_API-KEY", "OPENCODE_API_KEY")

_ADVICE = "Write one NAME=value a line, or remove the file."
_LINE = re.compile(
    r"""(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*
    (?: "(?P<double>[^"]*)" | '(?P<single>[^']*)' | (?P<bare>[^'"\s#]\S*(?:\s+[^\s#]\S*)*) )?
    (?:\s*(?<=\s)\#.*)?""",
    re.VERBOSE,
)


def overlay(environ: Mapping[str, str], text: str) -> dict[str, str]:
    """Return the environment with the known variables of a `.env` text that it does not set.

    Quotes are removed, and nothing is expanded. Raises ``ConfigError`` for a line that is not ``NAME=value``,
    and for an endpoint in the text when the key is in the environment.
    """
    found = {name: value for name, value in _parse(text).items() if name in ALIASES and not environ.get(name)}
    if ENDPOINT in found and any(environ.get(name) for name in KEY_VARIABLES):
        detail = f".env sets {ENDPOINT} while the key comes from the environment."
        raise ConfigError(
            "invalid_dotenv", detail, "Set both in the same place, so that no key goes to a foreign endpoint."
        )
    return {**environ, **found}


def _parse(text: str) -> dict[str, str]:
    if utf8_size(text) > MAX_DOTENV_BYTES:
        raise ConfigError("invalid_dotenv", f".env is larger than {MAX_DOTENV_BYTES // KIB} KiB.", _ADVICE)
    values: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if not match:
            raise ConfigError("invalid_dotenv", f".env, line {number}: not NAME=value.", _ADVICE)
        values[match["name"]] = match["double"] or match["single"] or match["bare"] or ""
    return values
