"""Reads small files of a git directory, where anything may lie: a device, a pipe, a hole of 8 GiB."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pr_review.domain.sizes import KIB, MIB
from pr_review.errors import ConfigError


def read_plain(path: Path, max_bytes: int) -> bytes:
    """Return the contents of a regular file of at most ``max_bytes``; links to one are followed.

    Raises:
        ConfigError: ``unsafe_git_file`` for anything else and for a larger file.
        FileNotFoundError: there is no such file.
        OSError: the system refuses for another reason.
    """
    with open_plain(path, max_bytes) as file:
        return file.read(max_bytes)


@contextmanager
def open_plain(path: Path, max_bytes: int) -> Iterator[BinaryIO]:
    """Open a file like ``read_plain``; whoever reads it stops at a bound of its own."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe must not block
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise unsafe_git_file(path, "is not a regular file") from None
        raise
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise unsafe_git_file(path, "is not a regular file")
        if status.st_size > max_bytes:
            raise unsafe_git_file(path, f"is larger than {_size(max_bytes)}")
        yield file


def unsafe_git_file(path: Path, what: str) -> ConfigError:
    """The error for a file that must not be read; only its name is told, not where it lies."""
    return ConfigError(
        "unsafe_git_file",
        f"The file {path.name[:100]!a} of the checkout's git directory {what}.",
        "Remove the checkout and let actions/checkout make it anew; look at what else writes into it.",
    )


def _size(count: int) -> str:
    return f"{count // MIB} MiB" if count >= MIB else f"{count // KIB} KiB"
