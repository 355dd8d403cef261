"""The report directory: hostile ground, since a pull request may have committed anything there (decision 17).

Only the standard library is imported here: a run that is interrupted during its imports still has to write.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

from pr_review.errors import ConfigError, ReviewError

REPORT, SUMMARY, REQUEST = "review.json", "review.md", "request.json"
SARIF, PATCH, HTML = "review.sarif", "suggestions.patch", "review.html"
NAMES = (REPORT, SUMMARY, REQUEST, SARIF, PATCH, HTML)

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_IGNORE_ALL = b"*\n"
_ADVICE = "Set output-dir to a folder inside the workspace that the repository does not track."


class ReportDirectory:
    """An open directory below the workspace, entered without following one symbolic link.

    It is held by descriptor, so nothing that is swapped afterwards redirects a write. When ``open`` refuses,
    a directory of a random name is the way out: no pull request can have committed it.
    """

    def __init__(self, descriptor: int, path: str, owner: tuple[int, int] | None) -> None:
        self._descriptor = descriptor
        self._owner = owner
        self.path = path

    @classmethod
    def open(
        cls, workspace: Path, output_dir: str, *, is_tracked: Callable[[str], bool] = lambda _path: False
    ) -> Self:
        """Enter ``output_dir``, creating what is missing, and keep it out of the working tree's status.

        ``output_dir`` is relative to ``workspace``, or absolute and inside it. ``is_tracked(path)``: the
        repository tracks this path or something below it. Raises ``ConfigError`` for a directory that must
        not be used, ``ReviewError`` when the system refuses.
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
        """Raise ``ConfigError`` unless a regular file or nothing stands at ``name``."""
        with _system_errors():
            if not _is_replaceable(name, self._descriptor):
                raise _unsafe(f"{self.path}/{name}", "is not a regular file")

    def write(self, name: str, data: bytes) -> str:
        """Put ``data`` into the file at once and whole; returns its path relative to the workspace.

        What stands there must be a regular file or nothing, else ``ConfigError``.
        """
        self.check(name)
        with _system_errors():
            self._replace(name, data)
        return f"{self.path}/{name}"

    def remove(self, name: str) -> None:
        """Remove a file that an earlier run left; nothing there is fine, and so is a regular file only."""
        self.check(name)
        with _system_errors(), suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._descriptor)

    def close(self) -> None:
        """Release the descriptor."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
    # The container runs as root, later steps as the workspace's owner.
    return descriptor, (info.st_uid, info.st_gid) if os.geteuid() == 0 else None


def _enter(parent: int, name: str, owner: tuple[int, int] | None, path: str) -> int:
    """Open a directory below ``parent``, which is closed, creating it when it is missing."""
    try:
        created = _make(name, parent)
        descriptor = os.open(name, DIRECTORY, dir_fd=parent)
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
    except OSError as error:  # its text alone: the exception's own message holds a local path
        detail = f"The report could not be written: {os.strerror(error.errno or 0).lower()}."
        raise ReviewError("report_not_written", detail, "Check that the workspace is writable.") from None
