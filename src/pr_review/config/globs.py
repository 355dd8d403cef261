"""File patterns as people write them, turned into gitignore patterns that match what is meant."""

import re
from collections.abc import Sequence

from pathspec import GitIgnoreSpec

from pr_review.config.lists import MAX_ENTRIES

TOO_MANY = f"must hold at most {MAX_ENTRIES} patterns"
BAD_PATTERN = "must hold valid gitignore patterns"
BACKSLASH = "must separate folders by `/`; a backslash before a letter, a digit or a dot has no meaning"

# The innermost braces that hold a comma. Gitignore knows no braces, and most other tools do.
_BRACES = re.compile(r"(?<!\\)\{([^{},]*+,[^{}]*+)(?<!\\)\}")
_USELESS_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\[A-Za-z0-9_.]")
_HERE = re.compile(r"(?:\./+)+")


def to_gitignore(entries: Sequence[str]) -> tuple[str, ...]:
    """Return gitignore patterns in the order of the entries.

    ``{a,b}`` becomes two patterns, and ``./a`` the ``a`` of the root. Raises ``ValueError`` for what can
    match nothing.
    """
    patterns: list[str] = []
    for entry in entries:
        patterns += [_anchor(pattern) for pattern in _expand(entry.strip(), MAX_ENTRIES - len(patterns))]
    try:
        GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise ValueError(BAD_PATTERN) from error
    return tuple(patterns)


def _expand(pattern: str, allowed: int) -> list[str]:
    """The pattern once for each choice of its braces, at most ``allowed`` of them."""
    pending, whole = [pattern], dict[str, None]()
    while pending:
        current = pending.pop(0)
        found = _BRACES.search(current)
        if found is None:
            whole[current] = None
        else:
            pending += [
                current[: found.start()] + part + current[found.end() :] for part in found[1].split(",")
            ]
        if len(pending) + len(whole) > allowed:
            raise ValueError(TOO_MANY)
    return list(whole)


def _anchor(pattern: str) -> str:
    sign, path = ("!", pattern[1:].lstrip()) if pattern.startswith("!") else ("", pattern)
    if _USELESS_ESCAPE.search(path):
        raise ValueError(BACKSLASH)
    if here := _HERE.match(path):
        path = "/" + path[here.end() :]
    if path in {".", "/"}:
        path = "*"  # the whole repository
    if path.startswith("#") and not sign:
        path = f"\\{path}"  # from a quoted entry: no comment
    return sign + path
