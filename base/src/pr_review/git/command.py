"""Runs git with allow-listed subcommands, without a shell, and with an environment built from nothing."""

import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from pr_review.domain.sizes import MIB
from pr_review.errors import ConfigError, RepositoryError
from pr_review.git.cat_file import ObjectReader
from pr_review.git.process import GitProcess, cancelled

MAX_OUTPUT_BYTES = 256 * MIB

SUBCOMMANDS = frozenset(
    {
        "cat-file",
        "diff-tree",
        "fetch",
        "grep",
        "init",
        "log",
        "ls-tree",
        "merge-base",
        "rev-list",
        "rev-parse",
    }
)

# A review must not depend on the configuration of a machine, a user or the workspace, and it must not run
# any program that such a configuration names. See git-config(1).
SETTINGS = {
    "core.alternateRefsCommand": "true",  # or git lists refs in the workspace under its configuration
    "core.commitGraph": "false",  # a forged commit-graph silently changes a diff
    "core.multiPackIndex": "false",  # a forged index silently changes the contents of a file
    "core.quotePath": "false",
    "core.pager": "cat",
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.attributesFile": "/dev/null",
    "credential.helper": "",
    "diff.external": "",
    "fetch.unpackLimit": "1",  # keeps packs whole: unpacking changes the mtime of objects in the workspace
    "gc.auto": "0",
    "http.followRedirects": "false",  # the token must reach only the host it was given for
    "maintenance.auto": "false",
}
OPTIONS = ("--literal-pathspecs", *chain.from_iterable(("-c", f"{k}={v}") for k, v in SETTINGS.items()))

ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # no implicit fetch of a missing object: a remote can name a program
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "HOME": "/dev/null",  # no .netrc, no XDG attributes
    "LC_ALL": "C",
}
PROTOCOLS = {"GIT_ALLOW_PROTOCOL": "https:http:file"}  # only for "git fetch", which gets the URL from us
INHERITED = (
    "PATH",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
)


class GitResult(NamedTuple):
    """Exit status and output of a finished git process."""

    status: int
    stdout: bytes
    stderr: bytes


class Git:
    """Runs git commands in one git directory; ``objects`` reads objects by id.

    Several threads may call it. ``remaining`` gives the seconds that the run may still take; no call takes
    longer.

    Raises:
        RepositoryError: ``git_timeout``, ``git_cancelled``, ``git_output_too_large`` or ``git_failed``.
        ConfigError: ``git_missing``.
    """

    def __init__(self, git_dir: Path, env: Mapping[str, str], remaining: Callable[[], float]) -> None:
        self.git_dir = git_dir
        self._env = scrub(env) | {"GIT_DIR": str(git_dir)}
        self._remaining = remaining
        self._processes: set[GitProcess] = set()
        self._killed = False
        self._lock = threading.RLock()
        self.objects = ObjectReader(
            lambda: self.start("cat-file", "--batch-command", stdin=True), self.discard
        )

    def run(self, *args: str, max_bytes: int = MAX_OUTPUT_BYTES, within: float | None = None) -> bytes:
        """Return the standard output of ``git args``. Raises ``git_failed`` for any exit status but 0."""
        result = self.call(*args, max_bytes=max_bytes, within=within)
        if result.status != 0:
            raise git_failed(args, result.status, result.stderr)
        return result.stdout

    def call(
        self,
        *args: str,
        max_bytes: int = MAX_OUTPUT_BYTES,
        config: Mapping[str, str] | None = None,
        within: float | None = None,
    ) -> GitResult:
        """Run ``git args`` to its end and return the result, whatever the exit status is.

        ``config`` is git configuration that may hold a token. Git gets it in the environment, so it appears
        neither in argv nor in a file.
        """
        stdout = bytearray()
        with self.stream(*args, config=config, within=within) as process:
            for chunk in process.chunks():
                stdout += chunk
                if len(stdout) > max_bytes:
                    raise RepositoryError(
                        "git_output_too_large",
                        f"git {args[0]} printed more than {max_bytes} bytes.",
                        "Review a smaller pull request.",
                    )
            return GitResult(process.wait(), bytes(stdout), bytes(process.stderr))

    @contextmanager
    def stream(
        self, *args: str, config: Mapping[str, str] | None = None, within: float | None = None
    ) -> Iterator[GitProcess]:
        """Run ``git args`` and let the caller read the output as it arrives.

        The process is killed at the end of the block. ``within`` limits this call to fewer seconds than the
        run has left.
        """
        process = self.start(*args, config=config, within=within)
        try:
            yield process
        finally:
            self.discard(process)

    def start(
        self,
        *args: str,
        config: Mapping[str, str] | None = None,
        within: float | None = None,
        stdin: bool = False,
    ) -> GitProcess:
        """Start ``git args``. The caller must ``discard`` the process."""
        if args[0] not in SUBCOMMANDS:
            raise ValueError(f"git {args[0]} is not an allowed subcommand")
        with self._lock:
            if self._killed:
                raise cancelled()
            try:
                process = GitProcess(
                    ("git", *OPTIONS, *args),
                    cwd=self.git_dir,
                    env=self._env
                    | config_environment(config or {})
                    | (PROTOCOLS if args[0] == "fetch" else {}),
                    remaining=self._limit(within),
                    stdin=stdin,
                )
            except OSError as error:
                raise ConfigError(
                    "git_missing", "Git could not be started.", "Put git 2.38 or newer on PATH."
                ) from error
            self._processes.add(process)
        if self._killed:  # a signal handler called kill while this thread held the lock
            self.discard(process)
            raise cancelled()
        return process

    def discard(self, process: GitProcess) -> None:
        """Kill the process if it still runs, and close its pipes."""
        with self._lock:
            self._processes.discard(process)
        process.close()

    def kill(self) -> None:
        """Kill all running processes and make every later call fail at once. Any thread may call it."""
        self._killed = True
        with self._lock:
            for process in self._processes:
                process.kill()

    def close(self) -> None:
        """Kill all processes and close the reader of objects. Idempotent."""
        self.kill()
        self.objects.close()

    def _limit(self, within: float | None) -> Callable[[], float]:
        if within is None:
            return self._remaining
        floor = self._remaining() - within
        return lambda: min(self._remaining(), self._remaining() - floor)


def scrub(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of every git process: fixed values, and PATH, proxies and CAs of ``env``."""
    kept = {name: env[name] for name in INHERITED if name in env}
    for ours, gits in (("SSL_CERT_FILE", "GIT_SSL_CAINFO"), ("SSL_CERT_DIR", "GIT_SSL_CAPATH")):
        if ours in kept:  # git reads another name than httpx
            kept.setdefault(gits, kept[ours])
    return kept | ENVIRONMENT


def config_environment(config: Mapping[str, str]) -> dict[str, str]:
    """Return git configuration as environment variables (``GIT_CONFIG_COUNT`` in git-config(1))."""
    variables = {"GIT_CONFIG_COUNT": str(len(config))}
    for index, (key, value) in enumerate(config.items()):
        variables |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
    return variables


def git_failed(args: Sequence[str], status: int, stderr: bytes = b"") -> RepositoryError:
    """The error for an unexpected exit status.

    The text that git printed holds local paths, so only the cause of the error keeps it.
    """
    error = RepositoryError(
        "git_failed",
        f"git {args[0]} ended with status {status}.",
        "Run again with debug logging (--debug) to see what git said; a fresh checkout usually helps.",
    )
    error.__cause__ = subprocess.CalledProcessError(status, ["git", *args], stderr=stderr)
    return error
