"""The files of one commit: list, resolve, read; nothing outside the commit can be named (decision 1)."""

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, Self

from pr_review.domain.paths import is_addressable, validate_path
from pr_review.errors import ToolFailure
from pr_review.git.cat_file import missing_object
from pr_review.git.command import Git

MAX_FILE_BYTES = 1024 * 1024  # item 44
MAX_LINK_BYTES = 4096  # PATH_MAX
MAX_PATH_CHARS = 4096
MAX_STEPS = 256  # components walked while links are followed; a hostile tree can make each walk long

OUTSIDE = "The path leaves the repository through a symbolic link."
LINK, SUBMODULE = "120000", "160000"


class Entry(NamedTuple):
    """One entry of the tree: git's file mode and object id."""

    mode: str
    oid: str


class TextFile(NamedTuple):
    """A text file; ``lines`` are split at newlines only, as git counts them, and hold none."""

    path: str
    text: str
    lines: tuple[str, ...]


def decode_path(name: bytes) -> str:
    r"""A path as it is shown; no tool accepts a backslash in it.

    Bytes that are not UTF-8 become escapes such as ``\xff``, and a backslash is doubled, as git does it: no
    two names are shown alike, so none is taken for the other.
    """
    return name.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def split_lines(text: str) -> tuple[str, ...]:
    """Split at newlines only: form feeds, carriage returns and U+2028 do not end a line for git."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return tuple(lines)


def join(folder: str, name: str) -> str:
    """Join two parts of a path, either of which may be empty."""
    return f"{folder}/{name}" if folder and name else folder or name


def parent(folder: str) -> str:
    """The folder above; the root has none in the tree."""
    if not folder:
        raise ToolFailure("invalid_path", OUTSIDE)
    return folder.rpartition("/")[0]


class CommitTree:
    """The tree of one commit, its names kept in memory.

    Paths are repository-relative and pass ``validate_path``. A symbolic link is followed inside the tree
    only. Safe to call from several threads.
    """

    def __init__(self, git: Git, entries: dict[str, Entry]) -> None:
        self._git = git
        self._entries = entries
        self._targets: dict[str, str] = {}

    @classmethod
    def load(cls, git: Git, sha: str) -> Self:
        """Read the names of a commit's tree with one ``git ls-tree``, without what no tool can address."""
        entries = {}
        for record in git.run("ls-tree", "-r", "-z", "--full-tree", sha).split(b"\0")[:-1]:
            meta, _, name = record.partition(b"\t")
            mode, _, oid = meta.decode().split(" ")
            path = decode_path(name)
            if is_addressable(path):
                entries[path] = Entry(sys.intern(mode), oid)
        return cls(git, entries)

    def files(self) -> Sequence[str]:
        """Regular files, and links that resolve to one, in lexical order."""
        return self._files

    def list(self, path: str, after: str | None, limit: int) -> tuple[Sequence[str], str | None]:
        """Return at most ``limit`` files under a directory, and the next page's cursor or None (item 43).

        ``after`` is the last path of the page before.

        Raises:
            ToolFailure: ``invalid_path``, ``path_not_found`` or ``not_a_directory``.
        """
        directory = self.resolve(path)
        if directory in self._entries:
            raise ToolFailure("not_a_directory", "The path is not a directory.")
        first, end = self._range(directory)
        if after is not None:
            first = max(first, bisect_right(self._files, after))
        page = self._files[first : min(end, first + limit)]
        return page, page[-1] if page and first + limit < end else None

    def read(self, path: str) -> TextFile:
        """Return a UTF-8 file of at most 1 MiB (item 44); one that holds NUL bytes is text (decision 2).

        Raises:
            ToolFailure: ``invalid_path``, ``path_not_found``, ``not_a_file``, ``file_too_large``,
                ``binary_file`` (NUL bytes, not UTF-8) or ``not_utf8``.
        """
        content = self._content(self._regular(path))
        try:
            text = content.decode()
        except UnicodeDecodeError:
            if b"\0" in content:
                raise ToolFailure("binary_file", "The file is binary.") from None
            raise ToolFailure("not_utf8", "The file is not UTF-8 text.") from None
        return TextFile(validate_path(path), text, split_lines(text))

    def exists(self, path: str) -> bool:
        """The path names a file, a directory or a submodule of the tree."""
        try:
            self.resolve(path)
        except ToolFailure:
            return False
        return True

    def is_file(self, path: str) -> bool:
        """The path names a regular file, or a link that resolves to one."""
        try:
            self._regular(path)
        except ToolFailure:
            return False
        return True

    def size(self, path: str) -> int:
        """Bytes of a regular file; raises as ``read`` does."""
        return self._size(self._regular(path).oid)

    def resolve(self, path: str) -> str:
        """Return the path with every symbolic link followed: that of a file, a submodule or a directory.

        Raises:
            ToolFailure: ``invalid_path`` when it breaks the path rule or leaves the tree, also through a
                link; ``path_not_found`` when the tree does not hold it.
        """
        here, todo = "", validate_path(path)  # "here" is a directory of the tree
        for _ in range(MAX_STEPS + 1):
            whole = join(here, todo)
            if self._is_real(whole):
                return whole
            if len(whole) > MAX_PATH_CHARS:
                break
            part, _, todo = todo.partition("/")
            if part in {"", "."}:
                continue
            step = join(here, part)
            if part == "..":
                here = parent(here)
            elif (entry := self._entries.get(step)) and entry.mode == LINK:
                todo = join(self._target(entry.oid), todo)
            elif self._is_directory(step):
                here = step
            else:
                raise ToolFailure("path_not_found", "The requested path does not exist.")
        raise ToolFailure("invalid_path", "The path is too long, or goes through too many symbolic links.")

    @cached_property
    def _files(self) -> Sequence[str]:
        return sorted(
            path
            for path, entry in self._entries.items()
            if entry.mode not in {LINK, SUBMODULE} or (entry.mode == LINK and self.is_file(path))
        )

    @cached_property
    def _names(self) -> Sequence[str]:
        return sorted(self._entries)

    def _is_directory(self, path: str) -> bool:
        """Some name goes on below it; a set of all directories would take quadratic room in a deep tree."""
        first = bisect_left(self._names, f"{path}/")
        return not path or (first < len(self._names) and self._names[first].startswith(f"{path}/"))

    def _range(self, directory: str) -> tuple[int, int]:
        """Where the files under a directory stand in ``_files``: "0" is the character after "/"."""
        if not directory:
            return 0, len(self._files)
        return bisect_left(self._files, f"{directory}/"), bisect_left(self._files, f"{directory}0")

    def _regular(self, path: str) -> Entry:
        entry = self._entries.get(self.resolve(path))
        if entry is None or entry.mode == SUBMODULE:
            raise ToolFailure("not_a_file", "The path is not a regular file.")
        return entry

    def _is_real(self, path: str) -> bool:
        """The path names something as it stands: no component of it is a link."""
        entry = self._entries.get(path)
        return self._is_directory(path) if entry is None else entry.mode != LINK

    def _target(self, oid: str) -> str:
        if oid not in self._targets:
            whole = self._git.objects.contents(oid) if self._size(oid) <= MAX_LINK_BYTES else b""
            self._targets[oid] = decode_path(whole)
        target = self._targets[oid]
        if not target or target.startswith("/"):
            raise ToolFailure("invalid_path", OUTSIDE)
        return target

    def _content(self, entry: Entry) -> bytes:
        if self._size(entry.oid) > MAX_FILE_BYTES:
            raise ToolFailure("file_too_large", "The file is larger than 1 MiB.")
        return self._git.objects.contents(entry.oid)

    def _size(self, oid: str) -> int:
        info = self._git.objects.info(oid)
        if info is None:
            raise missing_object()
        return info.size
