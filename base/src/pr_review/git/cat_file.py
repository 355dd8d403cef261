"""Reads objects by id through one long-lived ``git cat-file --batch-command`` process."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from pr_review.errors import RepositoryError
from pr_review.git.process import GitProcess


def missing_object() -> RepositoryError:
    """The error for an object that a commit names but the repository does not hold."""
    return RepositoryError(
        "object_missing",
        "The checkout lacks an object of the reviewed commits.",
        "Check out without a partial-clone filter, or give a github-token to fetch it.",
    )


class ObjectInfo(NamedTuple):
    """The type of an object (``blob``, ``tree``, ``commit``, ``tag``) and its size in bytes."""

    kind: str
    size: int


class ObjectReader:
    """Reads objects by id.

    The first request starts the git process, and the request after a failed one starts a new process. Several
    threads may call it: a lock keeps each answer with its request.
    """

    def __init__(self, start: Callable[[], GitProcess], discard: Callable[[GitProcess], None]) -> None:
        self._start = start
        self._discard = discard
        self._process: GitProcess | None = None
        self._buffer = bytearray()
        self._lock = threading.RLock()  # a signal handler may close while its own thread reads

    def info(self, oid: str) -> ObjectInfo | None:
        """Return type and size, or None when the object is missing."""
        with self._request() as process:
            process.write(f"info {oid}\n".encode())
            return self._read_header(process)

    def contents(self, oid: str) -> bytes:
        """Return the whole object; ask ``info`` for its size first.

        Raises:
            RepositoryError: ``object_missing``.
        """
        with self._request() as process:
            process.write(f"contents {oid}\n".encode())
            if header := self._read_header(process):
                return self._take(process, header.size + 1)[:-1]
        raise missing_object()

    def close(self) -> None:
        """End the process; a later request starts a new one."""
        with self._lock:
            self._drop()

    @contextmanager
    def _request(self) -> Iterator[GitProcess]:
        with self._lock:
            if self._process is None:
                self._process = self._start()
            try:
                yield self._process
            except BaseException:  # half an answer may be left in the pipe, so the process cannot go on
                self._drop()
                raise

    def _drop(self) -> None:
        if self._process is not None:
            self._discard(self._process)
        self._process = None
        self._buffer.clear()

    def _read_header(self, process: GitProcess) -> ObjectInfo | None:
        while (end := self._buffer.find(b"\n")) < 0:
            self._fill_buffer(process)
        fields = self._take(process, end + 1).split()
        return None if fields[-1] == b"missing" else ObjectInfo(fields[1].decode(), int(fields[2]))

    def _take(self, process: GitProcess, count: int) -> bytes:
        while len(self._buffer) < count:
            self._fill_buffer(process)
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    def _fill_buffer(self, process: GitProcess) -> None:
        data = process.read()
        if not data:
            raise RepositoryError(
                "git_failed",
                "git cat-file ended early.",
                "Check that the checkout's object files are readable.",
            )
        self._buffer += data
