"""One git process whose pipes are read against a deadline."""

import os
import selectors
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

from pr_review.errors import RepositoryError, TerminationReason

CHUNK_BYTES = 64 * 1024
MAX_STDERR_BYTES = 64 * 1024


def timed_out() -> RepositoryError:
    """The error of every git call that the run's clock ended (decision 12)."""
    return RepositoryError(
        "git_timeout",
        "Git did not finish in the time that was left.",
        "Raise timeout-seconds, or review a smaller pull request.",
        termination_reason=TerminationReason.REVIEW_TIMEOUT,
    )


def cancelled() -> RepositoryError:
    """The error of every git call after ``kill`` (decision 14)."""
    return RepositoryError("git_cancelled", "Git was stopped because the run ended.")


class GitProcess:
    """A git process in a process group of its own, so that it dies whole.

    One thread reads it; ``kill`` may be called from any thread, and the reader then gets ``git_cancelled``.
    ``left`` gives the seconds this call may still take. Standard error is drained beside standard
    output, so neither pipe can block the other; its first 64 KiB are kept in ``stderr``.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        left: Callable[[], float],
        stdin: bool = False,
    ) -> None:
        self._left = left
        self._process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            bufsize=0,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,  # a session of its own is scheduled apart (autogroup): 3 x slower when busy
        )
        self.stderr = bytearray()
        self._killed = False
        self._out = cast("IO[bytes]", self._process.stdout)
        self._err = cast("IO[bytes]", self._process.stderr)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._out, selectors.EVENT_READ)
        self._selector.register(self._err, selectors.EVENT_READ)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self) -> bytes:
        """Return the next bytes of standard output, ``b""`` once both pipes have ended.

        Raises:
            RepositoryError: ``git_timeout``, the process is then killed; ``git_cancelled`` after ``kill``.
        """
        while self._selector.get_map():
            left = self._left()
            ready = self._selector.select(left) if left > 0 else []
            if not ready:
                self.kill()
                raise timed_out()
            for key, _ in ready:
                data = os.read(key.fd, CHUNK_BYTES)
                if not data:
                    self._selector.unregister(key.fileobj)
                elif key.fileobj is self._out:
                    return data
                else:
                    self.stderr += data[: MAX_STDERR_BYTES - len(self.stderr)]
        if self._killed:
            raise cancelled()
        return b""

    def chunks(self) -> Iterator[bytes]:
        """Yield standard output until it ends."""
        while data := self.read():
            yield data

    def write(self, data: bytes) -> None:
        """Send a request of at most 4 KiB; that the child is gone shows at the next ``read``."""
        with suppress(BrokenPipeError):
            cast("IO[bytes]", self._process.stdin).write(data)

    def wait(self) -> int:
        """Return the exit status; call it after the output has ended."""
        try:
            return self._process.wait(max(self._left(), 0))
        except subprocess.TimeoutExpired:
            self.kill()
            raise timed_out() from None

    def kill(self) -> None:
        """Kill the process and all it started; idempotent, from any thread."""
        self._killed = True
        with suppress(ProcessLookupError):
            if self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kill what still runs, reap it and close the pipes; only the reading thread may call it."""
        self.kill()
        self._selector.close()
        for pipe in (self._process.stdin, self._out, self._err):
            if pipe is not None:
                pipe.close()
        self._process.wait()
