"""The one rule for paths of a repository, which tools, settings and findings share."""

import re

from pr_review.errors import ToolFailure

# What no name of a commit can be: absolute and UNC, NUL, lone surrogates, ".." or ".git" as a component.
_IMPOSSIBLE = r"\A/|[\0\ud800-\udfff]|(?:\A|/)(?:\.\.|\.(?i:git))(?:/|\Z)"
_NEVER = re.compile(_IMPOSSIBLE)
_REFUSED = re.compile(rf"\A[A-Za-z]:|\\|{_IMPOSSIBLE}")  # with a drive, and with a backslash


def validate_path(path: str) -> str:
    """Return ``path`` without ``.`` and empty components, "" for the root.

    A name with a drive or a backslash is a plain name in git. A tool accepts it when the commit holds exactly
    that name, and asks this function for all others.

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
    """A tool accepts the path as it stands when a commit holds it."""
    return not _NEVER.search(path) and not {"", "."} & set(path.split("/"))
