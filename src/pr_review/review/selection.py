"""Which changed files are reviewed, and which rule left the others out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from pr_review.checks.languages import language_of
from pr_review.config.default_excludes import Exclusion
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


def select(diff: Diff, include: Sequence[str], exclude: Sequence[Exclusion]) -> Selection:
    """Apply gitignore patterns: without ``include`` every file is in; ``exclude`` wins.

    As in gitignore the last match of ``exclude`` decides and gives the reason. A renamed file is selected by
    either of its names: else moving code into an excluded folder would hide what the old place loses.
    """
    included = GitIgnoreSpec.from_lines(include) if include else None
    excluding = GitIgnoreSpec([*map(_compile, exclude)])

    def excluded_by_name(path: str) -> str | None:
        shown = path.replace("\n", " ")  # which patterns do not match: a newline would hide a whole folder
        if included is not None and not included.match_file(shown):
            return NOT_INCLUDED
        verdict = excluding.check_file(shown)
        if verdict.include and verdict.index is not None:
            rule = exclude[verdict.index]
            return f"{rule.reason} ({rule.pattern})"
        return None

    def reason(file: ChangedFile) -> str | None:
        by_name = [excluded_by_name(name) for name in file.names]
        if all(by_name):
            return by_name[0]
        is_code = file.mostly_text or any(map(is_named_as_code, file.names))
        return BINARY if file.binary and not is_code else None

    reasons = {file.path: reason(file) for file in diff.files}
    excluded = {path: why for path, why in reasons.items() if why}
    return Selection(tuple(file for file in diff.files if file.path not in excluded), excluded)


def _compile(exclusion: Exclusion) -> GitIgnoreSpecPattern:
    if not exclusion.files_only:
        return GitIgnoreSpecPattern(exclusion.pattern)
    name = re.escape(exclusion.pattern).replace(r"\*", "[^/]*")
    return GitIgnoreSpecPattern(re.compile(rf"(?:\A|/){name}\Z"), include=True)


def is_named_as_code(path: str) -> bool:
    """A file of such a name is code to whoever runs it: one bad byte beside a NUL must not hide it."""
    return language_of(path) is not None or PurePosixPath(path).suffix.lower() in MORE_CODE
