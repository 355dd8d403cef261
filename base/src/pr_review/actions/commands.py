"""Workflow commands: what to print so that the runner obeys us and nobody else.

The runner reads standard output and standard error. A line that starts with ``::`` after white space is a
command. The old form ``##[command]`` is one anywhere in a line. So ``neutralise`` changes every text that is
not ours before it is printed. See https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from collections.abc import Mapping

from pr_review.actions.printed_commands import break_in_text
from pr_review.domain.text import show_controls

MIN_MASK_CHARS = 8  # masking a shorter value would blank harmless text all over the log

_DATA_ESCAPES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY_ESCAPES = _DATA_ESCAPES | str.maketrans({":": "%3A", ",": "%2C"})


def escape_data(text: str) -> str:
    """Escape text as the data of a workflow command."""
    return text.translate(_DATA_ESCAPES)


def escape_property(text: str) -> str:
    """Escape text as a property of a workflow command."""
    return text.translate(_PROPERTY_ESCAPES)


def command(name: str, data: str = "", properties: Mapping[str, str | int] | None = None) -> str:
    """Return one workflow command: ``::name key=value,key=value::data``."""
    pairs = ",".join(f"{key}={escape_property(str(value))}" for key, value in (properties or {}).items())
    return f"::{name}{' ' if pairs else ''}{pairs}::{escape_data(data)}"


def neutralise(text: str) -> str:
    """Return text that may be printed: it shows control characters, and no line of it is a command."""
    return break_in_text(show_controls(text))


def mask_values(secret: str) -> list[str]:
    """Return the values to mask for a secret: the secret and its lines, without those that are too short."""
    parts = dict.fromkeys([secret, *secret.splitlines()])
    return [part for part in parts if len(part.strip()) >= MIN_MASK_CHARS]
