"""Reads a file of the workspace, where a pull request may have committed anything."""

import errno
import os
import stat
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from pr_review.actions.output_directory import NO_FOLLOW_DIRECTORY

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a fifo must not block
_NOT_ENTERED = {errno.ELOOP, errno.ENOTDIR, errno.ENXIO}


class UnsafePath(Exception):
    """The path leaves the workspace, or it is or leads through something other than a file or a folder.

    ``what`` continues a sentence about the path: "is not a regular file".
    """

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def read_workspace_file(workspace: Path, path: str, max_bytes: int) -> bytes:
    """Return the first ``max_bytes`` of a regular file; ``path`` is relative to ``workspace``.

    Each folder is entered by descriptor, so no symbolic link is followed and a swapped folder has no effect.

    Raises:
        UnsafePath: a part of the path must not be used.
        FileNotFoundError: there is no such file.
        OSError: the system refuses for another reason.
    """
    parts = PurePosixPath(path).parts
    if not parts or parts[0] == "/" or ".." in parts:
        raise UnsafePath("is not a path inside the workspace")
    *folders, name = parts
    with ExitStack() as opened:
        folder = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        opened.callback(os.close, folder)
        try:
            for part in folders:
                folder = os.open(part, NO_FOLLOW_DIRECTORY, dir_fd=folder)
                opened.callback(os.close, folder)
            file = os.open(name, _FILE, dir_fd=folder)
        except OSError as error:
            if error.errno in _NOT_ENTERED:
                raise UnsafePath("is, or leads through, a symbolic link or something else") from None
            raise
        opened.callback(os.close, file)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise UnsafePath("is not a regular file")
        return os.fdopen(file, "rb", closefd=False).read(max_bytes)
