"""Searches the files of a commit for a literal text with ``git grep``."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from pr_review.errors import RepositoryError, ToolFailure
from pr_review.git.command import Git
from pr_review.git.process import GitProcess
from pr_review.git.tree import MAX_FILE_BYTES, CommitTree, decode_path

MAX_EXCERPT_CHARS = 300
ELLIPSIS = "…"

# A newline separates patterns, NUL ends an argument, and a lone surrogate has no UTF-8 form.
REFUSED = re.compile(r"[\n\0\ud800-\udfff]")
# With -z, NUL ends the path and the line number, so a path may hold newlines and a line may hold NUL.
HEADER = re.compile(rb"([^\0]+)\0([0-9]+)\0")
NO_MATCH = 1


class Match(NamedTuple):
    """One matching line, counted from 1. ``excerpt`` is at most 300 characters of it around the match."""

    path: str
    line: int
    excerpt: str


class Searcher:
    """Searches the files of ``tree``, the tree of commit ``sha``. Several threads may call it."""

    def __init__(self, git: Git, tree: CommitTree, sha: str) -> None:
        self._git = git
        self._tree = tree
        self._sha = sha
        self._searchable: dict[str, bool] = {}

    def search(self, query: str, path: str, limit: int) -> tuple[list[Match], bool]:
        """Return at most ``limit`` matches in order of path and line, and whether there are more.

        The search is case-sensitive and literal. It skips binary files, files over 1 MiB, links, submodules
        and names that no tool can address. Replacement characters stand for bytes that are not UTF-8. Git is
        stopped after ``limit`` + 1 matches.

        Raises:
            ToolFailure: ``invalid_query``, ``invalid_path`` or ``path_not_found``.
            RepositoryError: ``search_failed`` when git wrote to standard error. A missing object would
                otherwise look like "no match", because git grep then has the same status and no output.
        """
        validate_query(query)
        scope = self._tree.resolve(path)
        options = ("--text", "--fixed-strings", "-z", "-n", "--no-color", f"--max-count={limit + 1}")
        where = ("--", scope) if scope else ("--",)
        with self._git.stream("grep", *options, "-e", query, self._sha, *where) as process:
            found = list(islice(self._matches(process, query), limit + 1))
            if process.stderr or (len(found) <= limit and process.wait() not in {0, NO_MATCH}):
                raise RepositoryError(
                    "search_failed",
                    "git grep could not read every file of the head commit.",
                    "Check out without a partial-clone filter, or give a github-token to fetch the rest.",
                )
        return found[:limit], len(found) > limit

    def _matches(self, process: GitProcess, query: str) -> Iterator[Match]:
        for name, line, text in grep_records(process):
            path = decode_path(name.removeprefix(f"{self._sha}:".encode()))
            if self._is_searchable(path):
                yield Match(path, line, excerpt(text.decode("utf-8", "replace"), query))

    def _is_searchable(self, path: str) -> bool:
        if path not in self._searchable:
            try:
                self._tree.read(path)
            except ToolFailure as refusal:
                self._searchable[path] = refusal.code == "not_utf8"
            else:
                self._searchable[path] = True
        return self._searchable[path]


def validate_query(query: str) -> None:
    """Raise ``invalid_query`` for a query that git would not take literally."""
    if not query or REFUSED.search(query):
        raise ToolFailure("invalid_query", "The query must be one line of text, without NUL.")


def grep_records(process: GitProcess) -> Iterator[tuple[bytes, int, bytes]]:
    """Yield (name, line number, text) for each line that ``git grep -z -n`` prints.

    A text longer than the largest searched file is cut, which bounds memory; its file is skipped anyway.
    """
    buffer = b""
    for chunk in process.chunks():
        buffer += chunk
        start = 0
        while header := HEADER.match(buffer, start):
            end = buffer.find(b"\n", header.end())
            if end < 0:
                break
            yield header[1], int(header[2]), buffer[header.end() : end]
            start = end + 1
        buffer = (
            buffer[start : header.end()]
            if header and len(buffer) - start > MAX_FILE_BYTES
            else buffer[start:]
        )


def excerpt(line: str, query: str) -> str:
    """Return at most 300 characters of a line, with the match in the middle of a longer line."""
    if len(line) <= MAX_EXCERPT_CHARS:
        return line
    width = MAX_EXCERPT_CHARS - 2 * len(ELLIPSIS)
    first = max(0, min(line.find(query) - (width - len(query)) // 2, len(line) - width))
    last = first + width
    return (ELLIPSIS if first else "") + line[first:last] + (ELLIPSIS if last < len(line) else "")
