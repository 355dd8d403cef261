"""Reads objects by id through one long-lived ``git cat-file --batch-command``."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from pr_review.errors import RepositoryError
from pr_review.git.process import GitProcess


def missing_object() -> RepositoryError:
    """The error for an object that the commit names and the repository does not hold."""
    return RepositoryError(
        "object_missing",
        "The checkout lacks an object of the reviewed commits.",
        "Check out without a partial-clone filter, or give a github-token to fetch it.",
    )


class ObjectInfo(NamedTuple):
    """An object's type (``blob``, ``tree``, ``commit``, ``tag``) and its size in bytes."""

    kind: str
    size: int


class ObjectReader:
    """A reader of objects, started at the first request and restarted after a failed one.

    Safe to call from several threads: a lock keeps each request beside its answer.
    """

    def __init__(self, start: Callable[[], GitProcess], discard: Callable[[GitProcess], None]) -> None:
        self._start = start
        self._discard = discard
        self._child: GitProcess | None = None
        self._buffer = bytearray()
        self._lock = threading.RLock()  # a signal handler may close while its own thread reads

    def info(self, oid: str) -> ObjectInfo | None:
        """Return type and size, None for an object that is not there."""
        with self._conversation() as child:
            child.write(f"info {oid}\n".encode())
            return self._header(child)

    def contents(self, oid: str) -> bytes:
        """Return an object whole: ask for its size first. Raises ``missing_object`` when it is not there."""
        with self._conversation() as child:
            child.write(f"contents {oid}\n".encode())
            if header := self._header(child):
                return self._take(child, header.size + 1)[:-1]
        raise missing_object()

    def close(self) -> None:
        """Free the process; a later request starts a new one."""
        with self._lock:
            self._drop()

    @contextmanager
    def _conversation(self) -> Iterator[GitProcess]:
        with self._lock:
            if self._child is None:
                self._child = self._start()
            try:
                yield self._child
            except BaseException:  # an answer may be half read: the next request needs a new process
                self._drop()
                raise

    def _drop(self) -> None:
        if self._child is not None:
            self._discard(self._child)
        self._child = None
        self._buffer.clear()

    def _header(self, child: GitProcess) -> ObjectInfo | None:
        while (end := self._buffer.find(b"\n")) < 0:
            self._fill(child)
        fields = self._take(child, end + 1).split()
        return None if fields[-1] == b"missing" else ObjectInfo(fields[1].decode(), int(fields[2]))

    def _take(self, child: GitProcess, size: int) -> bytes:
        while len(self._buffer) < size:
            self._fill(child)
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    def _fill(self, child: GitProcess) -> None:
        data = child.read()
        if not data:
            raise RepositoryError(
                "git_failed",
                "git cat-file ended early.",
                "Check that the checkout's object files are readable.",
            )
        self._buffer += data
