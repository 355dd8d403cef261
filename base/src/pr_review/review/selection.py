"""Which changed files are reviewed, and which rule left the others out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pathspec import GitIgnoreSpec

from pr_review.checks.languages import language_of
from pr_review.domain.change import ChangedFile, Diff

BINARY = "binary file"
# Code that the checks know no language for.
MORE_CODE = frozenset({
    ".bat", ".c", ".cc", ".cfg", ".cmd", ".cpp", ".css", ".cxx", ".dart", ".erl", ".fs", ".gradle", ".groovy",
    ".h", ".hpp", ".hs", ".html", ".ini", ".jl", ".json", ".lua", ".m", ".mm", ".pl", ".pm", ".ps1", ".r",
    ".sql", ".swift", ".tf", ".toml", ".xml", ".zig",
})  # fmt: skip
NOT_INCLUDED = "not matched by include"


@dataclass(frozen=True)
class Selection:
    """Files to review in diff order, and the reason for each that a rule excluded."""

    selected: tuple[ChangedFile, ...]
    excluded: dict[str, str]


def select(diff: Diff, include: Sequence[str], exclude: Sequence[tuple[str, str]]) -> Selection:
    """Apply gitignore patterns: without ``include`` every file is in; ``exclude`` wins.

    ``exclude`` holds (pattern, reason) pairs; as in gitignore the last match decides and gives the reason.
    """
    included = GitIgnoreSpec.from_lines(include) if include else None
    excluding = GitIgnoreSpec.from_lines(pattern for pattern, _ in exclude)
    reasons = {file.path: _reason(file, included, excluding, exclude) for file in diff.files}
    excluded = {path: reason for path, reason in reasons.items() if reason}
    return Selection(tuple(file for file in diff.files if file.path not in excluded), excluded)


def _reason(
    file: ChangedFile,
    included: GitIgnoreSpec | None,
    excluding: GitIgnoreSpec,
    exclude: Sequence[tuple[str, str]],
) -> str | None:
    """Why a rule leaves the file out, or None."""
    path = file.path.replace("\n", " ")  # which patterns do not match: a newline would hide a whole folder
    if included is not None and not included.match_file(path):
        return NOT_INCLUDED
    verdict = excluding.check_file(path)
    if verdict.include and verdict.index is not None:
        pattern, reason = exclude[verdict.index]
        return f"{reason} ({pattern})"
    return BINARY if file.binary and not is_named_as_code(path) else None


def is_named_as_code(path: str) -> bool:
    """A file of such a name is code to whoever runs it: one bad byte beside a NUL must not hide it."""
    return language_of(path) is not None or PurePosixPath(path).suffix.lower() in MORE_CODE
