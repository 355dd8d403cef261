"""Runs git: allow-listed subcommands, no shell, an environment built from nothing, one deadline."""

import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from pr_review.errors import ConfigError, RepositoryError
from pr_review.git.cat_file import ObjectReader
from pr_review.git.process import GitProcess, cancelled

MAX_OUTPUT_BYTES = 256 * 1024 * 1024

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

# Decision 1: none of these may depend on a machine, a user or the workspace.
SETTINGS = {
    "core.alternateRefsCommand": "true",  # else git lists refs in the workspace, under its configuration
    "core.commitGraph": "false",  # a doctored one silently changes a diff
    "core.multiPackIndex": "false",  # likewise
    "core.quotePath": "false",
    "core.pager": "cat",
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.attributesFile": "/dev/null",
    "credential.helper": "",
    "diff.external": "",
    "fetch.unpackLimit": "1",  # else unpacking touches the times of the workspace's objects
    "gc.auto": "0",
    "http.followRedirects": "false",  # the token goes to the host it was given for, and nowhere else
    "maintenance.auto": "false",
}
OPTIONS = ("--literal-pathspecs", *chain.from_iterable(("-c", f"{k}={v}") for k, v in SETTINGS.items()))

ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # a missing object is never fetched on the way: a remote can name a program
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
PROTOCOLS = {"GIT_ALLOW_PROTOCOL": "https:http:file"}  # of "git fetch", whose server we name
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


class Completed(NamedTuple):
    """What a finished git process said."""

    status: int
    stdout: bytes
    stderr: bytes


class Git:
    """Git bound to one git directory; ``objects`` is its one long-lived reader of objects by id.

    Safe to call from several threads. ``remaining`` gives the seconds the run may still take; every call
    draws on it (decision 12). Raises ``RepositoryError`` with ``git_timeout``, ``git_cancelled``,
    ``git_output_too_large`` or ``git_failed``, and ``ConfigError`` ``git_missing``.
    """

    def __init__(self, git_dir: Path, env: Mapping[str, str], remaining: Callable[[], float]) -> None:
        self.git_dir = git_dir
        self._env = scrub(env) | {"GIT_DIR": str(git_dir)}
        self._remaining = remaining
        self._children: set[GitProcess] = set()
        self._killed = False
        self._lock = threading.RLock()
        self.objects = ObjectReader(
            lambda: self.start("cat-file", "--batch-command", stdin=True), self.discard
        )

    def run(self, *args: str, max_bytes: int = MAX_OUTPUT_BYTES, within: float | None = None) -> bytes:
        """Return the standard output of ``git args``; any status but 0 is ``git_failed``."""
        done = self.call(*args, max_bytes=max_bytes, within=within)
        if done.status != 0:
            raise failure(args, done.status, done.stderr)
        return done.stdout

    def call(
        self,
        *args: str,
        max_bytes: int = MAX_OUTPUT_BYTES,
        config: Mapping[str, str] | None = None,
        within: float | None = None,
    ) -> Completed:
        """Run ``git args`` to its end, whatever its status.

        ``config`` reaches git through the environment, never argv or a file: the place for a token.
        """
        stdout = bytearray()
        with self.stream(*args, config=config, within=within) as child:
            for chunk in child.chunks():
                stdout += chunk
                if len(stdout) > max_bytes:
                    raise RepositoryError(
                        "git_output_too_large",
                        f"git {args[0]} printed more than {max_bytes} bytes.",
                        "Review a smaller pull request.",
                    )
            return Completed(child.wait(), bytes(stdout), bytes(child.stderr))

    @contextmanager
    def stream(
        self, *args: str, config: Mapping[str, str] | None = None, within: float | None = None
    ) -> Iterator[GitProcess]:
        """Run ``git args`` and let the caller read it as it comes; it is killed when the block is left.

        ``within`` bounds this call in seconds below what remains of the run.
        """
        child = self.start(*args, config=config, within=within)
        try:
            yield child
        finally:
            self.discard(child)

    def start(
        self,
        *args: str,
        config: Mapping[str, str] | None = None,
        within: float | None = None,
        stdin: bool = False,
    ) -> GitProcess:
        """Start ``git args``; whoever starts it must ``discard`` it."""
        if args[0] not in SUBCOMMANDS:
            raise ValueError(f"git {args[0]} is not an allowed subcommand")
        with self._lock:
            if self._killed:
                raise cancelled()
            try:
                child = GitProcess(
                    ("git", *OPTIONS, *args),
                    cwd=self.git_dir,
                    env=self._env
                    | config_environment(config or {})
                    | (PROTOCOLS if args[0] == "fetch" else {}),
                    left=self._clock(within),
                    stdin=stdin,
                )
            except OSError as error:
                raise ConfigError(
                    "git_missing", "Git could not be started.", "Put git 2.38 or newer on PATH."
                ) from error
            self._children.add(child)
        if self._killed:  # by a signal handler, while this thread held the lock
            self.discard(child)
            raise cancelled()
        return child

    def discard(self, child: GitProcess) -> None:
        """Kill a child if it still runs, and free its pipes."""
        with self._lock:
            self._children.discard(child)
        child.close()

    def kill(self) -> None:
        """Kill all live children and let every later call fail at once (decision 14); from any thread."""
        self._killed = True
        with self._lock:
            for child in self._children:
                child.kill()

    def close(self) -> None:
        """Kill, then free what the long-lived reader holds; idempotent."""
        self.kill()
        self.objects.close()

    def _clock(self, within: float | None) -> Callable[[], float]:
        if within is None:
            return self._remaining
        floor = self._remaining() - within
        return lambda: min(self._remaining(), self._remaining() - floor)


def scrub(env: Mapping[str, str]) -> dict[str, str]:
    """The environment of every git process: ours, and of ``env`` only PATH, proxies and CA locations."""
    kept = {name: env[name] for name in INHERITED if name in env}
    for ours, gits in (("SSL_CERT_FILE", "GIT_SSL_CAINFO"), ("SSL_CERT_DIR", "GIT_SSL_CAPATH")):
        if ours in kept:  # httpx honours it; git wants its own name
            kept.setdefault(gits, kept[ours])
    return kept | ENVIRONMENT


def config_environment(config: Mapping[str, str]) -> dict[str, str]:
    """Git configuration as the environment variables that carry it (``GIT_CONFIG_COUNT``, git-config(1))."""
    variables = {"GIT_CONFIG_COUNT": str(len(config))}
    for index, (key, value) in enumerate(config.items()):
        variables |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
    return variables


def failure(args: Sequence[str], status: int, stderr: bytes = b"") -> RepositoryError:
    """The error for an unexpected status; git's own words stay in the cause, for they hold local paths."""
    error = RepositoryError(
        "git_failed",
        f"git {args[0]} ended with status {status}.",
        "Run again with debug logging (--debug) to see what git said; a fresh checkout usually helps.",
    )
    error.__cause__ = subprocess.CalledProcessError(status, ["git", *args], stderr=stderr)
    return error
