"""Names the patterns of ``include`` and ``exclude`` that match no changed file: a slip must not be silent."""

from collections.abc import Iterator, Sequence

from pathspec import GitIgnoreSpec

from pr_review.domain.change import Diff
from pr_review.domain.text import shorten, show_controls

MAX_SHOWN = 10
MAX_SHOWN_CHARS = 80
SEVERAL_IN_ONE = "A blank or a comma inside a pattern is part of it; write one pattern a line."


def unmatched_notes(diff: Diff, include: Sequence[str], exclude: Sequence[str]) -> tuple[str, ...]:
    """One note for each of the two lists that has such patterns; a renamed file has two names."""
    paths = {name.replace("\n", " ") for file in diff.files for name in (file.path, file.old_path) if name}
    if not paths:
        return ()
    lists = (("include", include), ("exclude", exclude))
    return tuple(note for name, patterns in lists for note in _note(name, _unmatched(patterns, paths)))


def _unmatched(patterns: Sequence[str], paths: set[str]) -> list[str]:
    """A pattern that includes again (``!a``) matches what it would match without its sign."""
    specs = ((pattern, GitIgnoreSpec.from_lines([pattern.removeprefix("!")])) for pattern in patterns)
    return [pattern for pattern, spec in specs if not any(map(spec.match_file, paths))]


def _note(name: str, unmatched: Sequence[str]) -> Iterator[str]:
    if not unmatched:
        return
    shown = ", ".join(shorten(show_controls(pattern), MAX_SHOWN_CHARS) for pattern in unmatched[:MAX_SHOWN])
    more = f", and {len(unmatched) - MAX_SHOWN} more" if len(unmatched) > MAX_SHOWN else ""
    hint = f" {SEVERAL_IN_ONE}" if any({" ", ","} & set(pattern) for pattern in unmatched) else ""
    yield f"`{name}` has patterns that match no changed file: {shown}{more}.{hint}"
