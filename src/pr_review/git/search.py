"""Searches the files of a commit for a literal text with ``git grep``."""

import os
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from heapq import merge
from itertools import islice
from typing import NamedTuple

from pr_review.domain.encoding import LATIN_1, UTF_8, UTF_16, decode_part
from pr_review.domain.sizes import MIB
from pr_review.errors import RepositoryError, ToolFailure
from pr_review.git.command import Git
from pr_review.git.process import GitProcess
from pr_review.git.tree import MAX_FILE_BYTES, CommitTree, decode_path, encode_path

MAX_EXCERPT_CHARS = 300
ELLIPSIS = "…"

# A newline separates patterns, NUL ends an argument, and a lone surrogate has no UTF-8 form.
REFUSED = re.compile(r"[\n\0\ud800-\udfff]")
# With -z, NUL ends the path and the line number, so a path may hold newlines and a line may hold NUL.
HEADER = re.compile(rb"([^\0]+)\0([0-9]+)\0")
NO_MATCH = 1
MAX_NAMES_BYTES = 16 * MIB


class Match(NamedTuple):
    """One matching line, counted from 1. ``excerpt`` is at most 300 characters of it around the match."""

    path: str
    line: int
    excerpt: str
    encoding: str = UTF_8


class Searcher:
    """Searches the files of ``tree``, the tree of commit ``sha``. Several threads may call it."""

    def __init__(self, git: Git, tree: CommitTree, sha: str) -> None:
        self._git = git
        self._tree = tree
        self._sha = sha
        self._encodings: dict[str, str | None] = {}

    def search(self, query: str, path: str, limit: int) -> tuple[list[Match], bool]:
        """Return at most ``limit`` matches in order of path and line, and whether there are more.

        The search is case-sensitive and literal, in the text of the files as ``CommitTree.read`` decodes it.
        It skips binary files, files over 1 MiB, links and submodules. Git is stopped after ``limit`` + 1
        matches.

        Raises:
            ToolFailure: ``invalid_query``, ``invalid_path`` or ``path_not_found``.
            RepositoryError: ``search_failed`` when git wrote to standard error. A missing object would
                otherwise look like "no match", because git grep then has the same status and no output.
        """
        validate_query(query)
        scope = self._tree.resolve(path)
        options = ("--text", "--fixed-strings", "-z", "-n", "--no-color", *_patterns(query, limit + 1))
        where = ("--", os.fsdecode(encode_path(scope))) if scope else ("--",)
        with self._git.stream("grep", *options, self._sha, *where) as process:
            matches = merge(
                self._matches(process, query), self._wide_matches(scope, query), key=lambda match: match[:2]
            )
            found = list(islice(matches, limit + 1))
            if process.stderr or (len(found) <= limit and process.wait() not in {0, NO_MATCH}):
                raise search_failed()
        return found[:limit], len(found) > limit

    def _matches(self, process: GitProcess, query: str) -> Iterator[Match]:
        for name, line, data in grep_records(process):
            path = decode_path(name.removeprefix(f"{self._sha}:".encode()))
            if self._encoding(path) not in {UTF_8, LATIN_1}:
                continue
            text = decode_part(data)
            if query in text:  # git may have matched the bytes of another encoding
                yield Match(path, line, excerpt(text, query), self._encoding(path) or "")

    def _wide_matches(self, scope: str, query: str) -> Iterator[Match]:
        """The matches in UTF-16 files, which git cannot search."""
        for path in self._wide_files:
            if not scope or path == scope or path.startswith(f"{scope}/"):
                for number, text in enumerate(self._tree.read(path).lines, start=1):
                    if query in text:
                        yield Match(path, number, excerpt(text, query), UTF_16)

    @cached_property
    def _wide_files(self) -> Sequence[str]:
        """The paths of the UTF-16 files: a line of theirs starts with the mark."""
        marks = ("-e", "^\udcff\udcfe", "-e", "^\udcfe\udcff")  # raw bytes, as os.fsdecode reads them
        result = self._git.call("grep", "--text", "-l", "-z", *marks, self._sha, max_bytes=MAX_NAMES_BYTES)
        if result.stderr or result.status not in {0, NO_MATCH}:
            raise search_failed()
        names = (name.removeprefix(f"{self._sha}:".encode()) for name in result.stdout.split(b"\0")[:-1])
        return sorted(path for path in map(decode_path, names) if self._encoding(path) == UTF_16)

    def _encoding(self, path: str) -> str | None:
        """The encoding of a file; None when it is not searched."""
        if path not in self._encodings:
            try:
                self._encodings[path] = self._tree.read(path).encoding
            except ToolFailure:
                self._encodings[path] = None
        return self._encodings[path]


def _patterns(query: str, count: int) -> tuple[str, ...]:
    """The query for git, also as Latin-1; ``count`` bounds the matches of a file where all of them count."""
    as_utf_8, as_latin_1 = query.encode(), query.encode("latin-1", "ignore")
    if as_latin_1 in {as_utf_8, b""} or len(as_latin_1) < len(query):
        return (f"--max-count={count}", "-e", query)
    return ("-e", query, "-e", os.fsdecode(as_latin_1))


def search_failed() -> RepositoryError:
    """The error for a git that did not search every file, which could look like "no match"."""
    return RepositoryError(
        "search_failed",
        "git grep could not read every file of the head commit.",
        "Check out without a partial-clone filter, or give a github-token to fetch the rest.",
    )


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
