"""Stand-ins for the repository layer: the same answers, from memory."""

from collections.abc import Callable, Mapping

import pytest

from pr_review.domain.change import ChangedFile, Diff, FileStatus, Hunk, HunkLine, LineKind
from pr_review.errors import ToolFailure
from pr_review.git.search import Match
from pr_review.git.tree import TextFile, split_lines

BASE, HEAD = "a" * 40, "b" * 40


class MemoryTree:
    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = dict(sorted(files.items()))

    def list(self, path, after, limit):
        names = [
            name
            for name in self._files
            if (not path or name.startswith(f"{path}/")) and (after is None or name > after)
        ]
        return names[:limit], names[limit - 1] if len(names) > limit else None

    def read(self, path):
        if path not in self._files:
            raise ToolFailure("path_not_found", "The requested path does not exist.")
        return TextFile(path, self._files[path], split_lines(self._files[path]))


class MemorySearcher:
    def __init__(self, matches: list[Match]) -> None:
        self._matches = matches

    def search(self, _query, _path, limit):
        return self._matches[:limit], len(self._matches) > limit


@pytest.fixture(scope="session")
def tree_of() -> Callable[[Mapping[str, str]], MemoryTree]:
    return MemoryTree


@pytest.fixture(scope="session")
def searcher_of() -> Callable[[list[Match]], MemorySearcher]:
    return MemorySearcher


def make_hunk(text: str, start: int = 1) -> Hunk:
    """A hunk of these lines; a line without a marker of its own counts as added."""
    known = {"-": LineKind.REMOVED, " ": LineKind.CONTEXT}
    kinds = [known.get(line[:1], LineKind.ADDED) for line in text.split("\n")]
    lines = tuple(HunkLine(kind, "", None, None) for kind in kinds)
    old = sum(kind is not LineKind.ADDED for kind in kinds)
    new = sum(kind is not LineKind.REMOVED for kind in kinds)
    return Hunk(start, old, start, new, f"@@ -{start},{old} +{start},{new} @@\n{text}\n", lines)


def make_file(path: str, *hunks: str, **facts) -> ChangedFile:
    header = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
    made = tuple(make_hunk(text, 1 + 10 * index) for index, text in enumerate(hunks))
    return ChangedFile(path, facts.pop("status", FileStatus.MODIFIED), header, hunks=made, **facts)


@pytest.fixture(scope="session")
def changed() -> Callable[..., ChangedFile]:
    return make_file


@pytest.fixture(scope="session")
def diff_of() -> Callable[..., Diff]:
    return lambda *files: Diff(BASE, HEAD, tuple(files))
