"""Lists, resolves and reads the files of one commit. A path outside the commit cannot be named."""

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, Self

from pr_review.domain.paths import is_addressable, validate_path
from pr_review.domain.sizes import MIB
from pr_review.errors import ToolFailure
from pr_review.git.cat_file import missing_object
from pr_review.git.command import Git

MAX_FILE_BYTES = MIB
MAX_LINK_BYTES = 4096  # PATH_MAX
MAX_PATH_CHARS = 4096
MAX_STEPS = 256  # path components per resolution; a hostile tree can chain links endlessly

OUTSIDE = "The path leaves the repository through a symbolic link."
LINK, SUBMODULE = "120000", "160000"


class TreeEntry(NamedTuple):
    """The file mode and the object id of one entry of a tree, as git prints them."""

    mode: str
    oid: str


class TextFile(NamedTuple):
    """A text file. ``lines`` are split at newlines only, as git counts lines, and hold no newline."""

    path: str
    text: str
    lines: tuple[str, ...]


def decode_path(name: bytes) -> str:
    r"""Return a raw name as the text that is shown.

    Bytes that are not UTF-8 become escapes such as ``\xff``, and a backslash is doubled, as in git's quoted
    paths. So no two names are shown alike. No tool accepts a path with a backslash.
    """
    return name.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def split_lines(text: str) -> tuple[str, ...]:
    """Split at newlines only, like git. A form feed, a carriage return or U+2028 ends no line."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return tuple(lines)


def join_path(folder: str, name: str) -> str:
    """Join two parts of a path; each may be empty."""
    return f"{folder}/{name}" if folder and name else folder or name


def parent_of(folder: str) -> str:
    """Return the folder above. Raises ``invalid_path`` for the root, whose parent is outside the tree."""
    if not folder:
        raise ToolFailure("invalid_path", OUTSIDE)
    return folder.rpartition("/")[0]


class CommitTree:
    """The tree of one commit; its names are in memory.

    Paths are relative to the repository and must pass ``validate_path``. A symbolic link is followed inside
    the tree only. Several threads may call it.
    """

    def __init__(self, git: Git, entries: dict[str, TreeEntry]) -> None:
        self._git = git
        self._entries = entries
        self._targets: dict[str, str] = {}

    @classmethod
    def load(cls, git: Git, sha: str) -> Self:
        """Read the names of a commit's tree with one ``git ls-tree``; skip names that no tool can address."""
        entries = {}
        for record in git.run("ls-tree", "-r", "-z", "--full-tree", sha).split(b"\0")[:-1]:
            meta, _, name = record.partition(b"\t")
            mode, _, oid = meta.decode().split(" ")
            path = decode_path(name)
            if is_addressable(path):
                entries[path] = TreeEntry(sys.intern(mode), oid)
        return cls(git, entries)

    def files(self) -> Sequence[str]:
        """Return regular files, and links that resolve to one, in lexical order."""
        return self._files

    def list(self, path: str, after: str | None, limit: int) -> tuple[Sequence[str], str | None]:
        """Return at most ``limit`` files under a directory, and the cursor of the next page or None.

        ``after`` is the cursor: the last path of the previous page.

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
        """Return a UTF-8 file of at most 1 MiB. It may hold NUL bytes: one NUL must not hide a source file.

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
        """Whether the path names a file, a directory or a submodule of the tree."""
        try:
            self.resolve(path)
        except ToolFailure:
            return False
        return True

    def is_file(self, path: str) -> bool:
        """Whether the path names a regular file, or a link that resolves to one."""
        try:
            self._regular(path)
        except ToolFailure:
            return False
        return True

    def file_size(self, path: str) -> int:
        """Return the size of a regular file in bytes. Raises the errors of ``read``."""
        return self._object_size(self._regular(path).oid)

    def resolve(self, path: str) -> str:
        """Follow every symbolic link and return the path of a file, a submodule or a directory.

        Raises:
            ToolFailure: ``invalid_path`` when the path breaks the path rule or leaves the tree, also through
                a link; ``path_not_found`` when the tree does not hold it.
        """
        directory, rest = "", validate_path(path)  # "directory" is a directory of the tree
        for _ in range(MAX_STEPS + 1):
            whole = join_path(directory, rest)
            if self._is_real(whole):
                return whole
            if len(whole) > MAX_PATH_CHARS:
                break
            part, _, rest = rest.partition("/")
            if part in {"", "."}:
                continue
            child = join_path(directory, part)
            if part == "..":
                directory = parent_of(directory)
            elif (entry := self._entries.get(child)) and entry.mode == LINK:
                rest = join_path(self._target(entry.oid), rest)
            elif self._is_directory(child):
                directory = child
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
        """Whether the tree holds a name below the path."""
        # A set of all directories would need quadratic memory in a deep tree.
        first = bisect_left(self._names, f"{path}/")
        return not path or (first < len(self._names) and self._names[first].startswith(f"{path}/"))

    def _range(self, directory: str) -> tuple[int, int]:
        """Return the slice of ``_files`` under a directory. The character "0" follows "/"."""
        if not directory:
            return 0, len(self._files)
        return bisect_left(self._files, f"{directory}/"), bisect_left(self._files, f"{directory}0")

    def _regular(self, path: str) -> TreeEntry:
        entry = self._entries.get(self.resolve(path))
        if entry is None or entry.mode == SUBMODULE:
            raise ToolFailure("not_a_file", "The path is not a regular file.")
        return entry

    def _is_real(self, path: str) -> bool:
        """Whether the path names something and no component of it is a link."""
        entry = self._entries.get(path)
        return self._is_directory(path) if entry is None else entry.mode != LINK

    def _target(self, oid: str) -> str:
        if oid not in self._targets:
            whole = self._git.objects.contents(oid) if self._object_size(oid) <= MAX_LINK_BYTES else b""
            self._targets[oid] = decode_path(whole)
        target = self._targets[oid]
        if not target or target.startswith("/"):
            raise ToolFailure("invalid_path", OUTSIDE)
        return target

    def _content(self, entry: TreeEntry) -> bytes:
        if self._object_size(entry.oid) > MAX_FILE_BYTES:
            raise ToolFailure("file_too_large", "The file is larger than 1 MiB.")
        return self._git.objects.contents(entry.oid)

    def _object_size(self, oid: str) -> int:
        info = self._git.objects.info(oid)
        if info is None:
            raise missing_object()
        return info.size
