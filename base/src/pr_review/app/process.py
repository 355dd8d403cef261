"""Process inputs: read once, here, and passed down; nothing below reads them again."""

import io
import os
import secrets
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import BinaryIO, TextIO

from pr_review.actions.commands import neutralise
from pr_review.app.deadline import Sleeps, utc_today
from pr_review.errors import ConfigError, PrReviewError


@dataclass(frozen=True)
class Process:
    """Environment, working directory, clock, waits, randomness and output of one process."""

    environ: Mapping[str, str]
    cwd: Path
    clock: Callable[[], float]
    random_hex: Callable[[], str]
    stdin: BinaryIO
    stdout: TextIO
    stderr: TextIO
    debug: bool = False
    today: Callable[[], date] = utc_today
    sleeps: Sleeps = field(default_factory=Sleeps)

    @classmethod
    def of_process(cls) -> "Process":
        """The inputs of this process; the runner's debug logging asks for tracebacks."""
        return cls(
            environ=dict(os.environ),
            cwd=Path.cwd(),
            clock=time.monotonic,
            random_hex=lambda: secrets.token_hex(16),
            stdin=sys.stdin.buffer if sys.stdin else io.BytesIO(),  # None when it was closed
            stdout=sys.stdout,
            stderr=sys.stderr,
            debug=os.environ.get("RUNNER_DEBUG") == "1",
        )

    def debugging(self, *, wanted: bool) -> "Process":
        """The same, with tracebacks when they are ``wanted``."""
        return replace(self, debug=self.debug or wanted)

    def overlaid(self, variables: Mapping[str, str]) -> "Process":
        """The same with further variables, which win."""
        return replace(self, environ={**self.environ, **variables})

    def with_dotenv(self) -> "Process":
        """The same with what a ``.env`` in the working directory adds; the environment wins.

        Inside Actions that file may be a pull request's, so it is not read there.
        """
        path = self.cwd / ".env"
        if self.environ.get("GITHUB_ACTIONS") == "true" or not path.is_file():
            return self
        from pr_review.config.dotenv import overlay  # noqa: PLC0415 -- start-up: most runs have none

        try:
            return replace(self, environ=overlay(self.environ, path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                "invalid_dotenv", ".env cannot be read as UTF-8 text.", "Correct or remove it."
            ) from error

    def scratch(self, root: str | None) -> Path:
        """Where the disposable object store goes."""
        return Path(root).resolve() if root else Path(tempfile.gettempdir())

    def say(self, text: str) -> None:
        """Print a text of ours; it must hold nothing raw of a model or of a repository."""
        with suppress(BrokenPipeError):  # the reader has seen enough
            self.stdout.write(f"{text}\n")
            self.stdout.flush()

    def say_error(self, error: PrReviewError) -> None:
        """Print code, sentence and what to do."""
        self.say(f"error [{error.code}]: {error.detail}\n{error.advice}".rstrip())
        self.say_cause(error)

    def say_cause(self, error: PrReviewError) -> None:
        """Print the traceback of what caused an error, with ``debug`` only."""
        if self.debug and error.__cause__ is not None:
            self.say(neutralise("".join(traceback.format_exception(error.__cause__))))
