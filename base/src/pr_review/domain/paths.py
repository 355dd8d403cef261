"""The one rule for paths of a repository, which tools, settings and findings share."""

import re

from pr_review.errors import ToolFailure

# Absolute and UNC, drive, backslash, NUL, lone surrogates, and ".." or ".git" as a component.
_REFUSED = re.compile(r"\A/|\A[A-Za-z]:|[\\\0\ud800-\udfff]|(?:\A|/)(?:\.\.|\.(?i:git))(?:/|\Z)")


def validate_path(path: str) -> str:
    """Return ``path`` without ``.`` and empty components, "" for the root.

    Raises:
        ToolFailure: ``invalid_path`` for an absolute, drive, UNC or backslash path, one that holds NUL,
            ``..`` or ``.git``, and one that is not Unicode text (a lone surrogate).
    """
    if _REFUSED.search(path):
        raise ToolFailure(
            "invalid_path", "The path must be relative to the repository, without '..' or '.git'."
        )
    return "/".join(part for part in path.split("/") if part not in {"", "."})


def is_addressable(path: str) -> bool:
    """The path can be given to a tool as it stands."""
    try:
        return validate_path(path) == path
    except ToolFailure:
        return False
