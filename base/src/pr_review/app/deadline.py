"""The one clock of a run: everything that waits draws on what is left."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import NamedTuple, Protocol

import anyio


def utc_today() -> date:
    """The day that suppressions expire by; the runner's own time zone is nobody's."""
    return datetime.now(UTC).date()


class Sleeps(NamedTuple):
    """How to wait for so many seconds: in a worker thread, and in the event loop."""

    blocking: Callable[[float], None] = time.sleep
    awaited: Callable[[float], Awaitable[None]] = anyio.sleep


class Timekeeper(Protocol):
    """Whoever has a monotonic clock, in seconds, and ways to wait: a ``Process``."""

    @property
    def clock(self) -> Callable[[], float]:
        """Seconds since some moment."""
        ...

    @property
    def sleeps(self) -> Sleeps:
        """Ways to wait."""
        ...


@dataclass(frozen=True)
class Deadline:
    """A monotonic clock, in seconds, and the moment at which the run must have ended."""

    clock: Callable[[], float]
    started: float
    seconds: float
    sleeps: Sleeps = field(default_factory=Sleeps)

    @classmethod
    def after(cls, seconds: float, timekeeper: Timekeeper) -> "Deadline":
        """A deadline ``seconds`` from now."""
        return cls(timekeeper.clock, timekeeper.clock(), seconds, timekeeper.sleeps)

    def remaining(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self.started + self.seconds - self.clock())

    def elapsed_ms(self) -> int:
        """Milliseconds since the start."""
        return int((self.clock() - self.started) * 1000)
