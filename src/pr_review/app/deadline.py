"""The one clock of a run: everything that waits draws on what is left."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime


def utc_today() -> date:
    """The day that suppressions expire by; the runner's own time zone is nobody's."""
    return datetime.now(UTC).date()


@dataclass(frozen=True)
class Deadline:
    """A monotonic clock, in seconds, and the moment at which the run must have ended."""

    clock: Callable[[], float]
    started: float
    seconds: float

    @classmethod
    def after(cls, seconds: float, clock: Callable[[], float]) -> "Deadline":
        """A deadline ``seconds`` from now."""
        return cls(clock, clock(), seconds)

    def remaining(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self.started + self.seconds - self.clock())

    def elapsed_ms(self) -> int:
        """Milliseconds since the start."""
        return int((self.clock() - self.started) * 1000)
