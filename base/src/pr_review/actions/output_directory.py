"""The report directory, where a pull request may have committed anything, such as symbolic links.

This module imports only the standard library, because signal handlers use it while other modules are still
being imported.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Self

from pr_review.errors import ConfigError, ReviewError

NO_FOLLOW_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_IGNORE_ALL = b"*\n"
_ADVICE = "Set output-dir to a folder inside the workspace that the repository does not track."


class ReportDirectory:
    """An open directory below the workspace. No symbolic link was followed to enter it.

    The object holds a descriptor, so a path that is swapped later redirects no write. When ``open`` refuses a
    directory, the caller can use a random name, which no pull request can have committed.
    """

    def __init__(self, descriptor: int, path: str, owner: tuple[int, int] | None) -> None:
        self._descriptor = descriptor
        self._owner = owner
        self.path = path

    @classmethod
    def open(
        cls, workspace: Path, output_dir: str, *, is_tracked: Callable[[str], bool] = lambda _path: False
    ) -> Self:
        """Enter ``output_dir``, create missing folders, and hide it from ``git status``.

        ``output_dir`` is relative to ``workspace``, or absolute and inside it. ``is_tracked(path)`` tells
        whether the repository tracks the path or something below it.

        Raises:
            ConfigError: the directory must not be used.
            ReviewError: the system refuses.
        """
        parts = _parts(workspace, output_dir)
        path = "/".join(parts)
        if is_tracked(path):
            raise _unsafe(path, "is tracked by the repository")
        with _system_errors():
            descriptor, owner = _enter_workspace(workspace)
            for part in parts:
                descriptor = _enter(descriptor, part, owner, path)
        directory = cls(descriptor, path, owner)
        try:
            directory.write(".gitignore", _IGNORE_ALL)
        except BaseException:
            directory.close()
            raise
        return directory

    def check(self, name: str) -> None:
        """Raise ``ConfigError`` unless ``name`` is a regular file or does not exist."""
        with _system_errors():
            if not _is_replaceable(name, self._descriptor):
                raise _unsafe(f"{self.path}/{name}", "is not a regular file")

    def write(self, name: str, data: bytes) -> str:
        """Replace the file in one step and return its path relative to the workspace.

        Raises:
            ConfigError: ``name`` exists and is not a regular file.
            ReviewError: the system refuses.
        """
        self.check(name)
        with _system_errors():
            self._replace(name, data)
        return f"{self.path}/{name}"

    def remove(self, name: str) -> None:
        """Remove a file of an earlier run, if there is one. Raises ``ConfigError`` for any other thing."""
        self.check(name)
        with _system_errors(), suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._descriptor)

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _replace(self, name: str, data: bytes) -> None:
        temporary = f".{os.urandom(8).hex()}.tmp"
        descriptor = os.open(temporary, _NEW_FILE, 0o644, dir_fd=self._descriptor)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(descriptor)
                _give(descriptor, self._owner)
            os.rename(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        except BaseException:
            os.unlink(temporary, dir_fd=self._descriptor)
            raise


def _parts(workspace: Path, output_dir: str) -> tuple[str, ...]:
    path = PurePosixPath(output_dir)
    if path.is_absolute() and path.is_relative_to(workspace):
        path = path.relative_to(workspace)
    unusable = path.is_absolute() or not path.parts or not output_dir.isprintable()
    if unusable or any(part == ".." or part.lower() == ".git" for part in path.parts):
        raise ConfigError("output_dir_invalid", "output-dir is not a folder inside the workspace.", _ADVICE)
    return path.parts


def _enter_workspace(workspace: Path) -> tuple[int, tuple[int, int] | None]:
    descriptor = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    info = os.fstat(descriptor)
    # The container runs as root, but later steps run as the owner of the workspace.
    return descriptor, (info.st_uid, info.st_gid) if os.geteuid() == 0 else None


def _enter(parent: int, name: str, owner: tuple[int, int] | None, path: str) -> int:
    """Open a directory below ``parent`` and close ``parent``. A missing directory is created."""
    try:
        created = _make(name, parent)
        descriptor = os.open(name, NO_FOLLOW_DIRECTORY, dir_fd=parent)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise _unsafe(path, "is, or leads through, something that is not a folder") from None
        raise
    finally:
        os.close(parent)
    if created:
        _give(descriptor, owner)
    return descriptor


def _make(name: str, parent: int) -> bool:
    try:
        os.mkdir(name, 0o755, dir_fd=parent)
    except FileExistsError:
        return False
    return True


def _give(descriptor: int, owner: tuple[int, int] | None) -> None:
    if owner is not None:
        os.fchown(descriptor, *owner)


def _is_replaceable(name: str, directory: int) -> bool:
    try:
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return True
    return stat.S_ISREG(mode)


def _unsafe(path: str, what: str) -> ConfigError:
    return ConfigError("output_dir_unsafe", f"The report path {path} {what}.", _ADVICE)


@contextmanager
def _system_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:  # only the text of the code, because the message holds a local path
        detail = f"The report could not be written: {os.strerror(error.errno or 0).lower()}."
        raise ReviewError("report_not_written", detail, "Check that the workspace is writable.") from None
