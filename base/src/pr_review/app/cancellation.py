"""What can end a run from outside: its deadline, and a signal of the runner or of a person."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskStatus

from pr_review.app.deadline import Deadline
from pr_review.errors import (
    InternalError,
    Interrupted,
    PrReviewError,
    ReviewError,
    ReviewStopped,
    TerminationReason,
)


@dataclass
class Signals:
    """The first signal that arrived, and the scope that it cancels."""

    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    first: int | None = None


@asynccontextmanager
async def received_signals() -> AsyncIterator[Signals]:
    """Receive SIGINT and SIGTERM until the block ends, so that a cancelled run still writes its reports."""
    signals = Signals()
    async with anyio.create_task_group() as watching:
        await watching.start(_watch, signals)
        yield signals
        watching.cancel_scope.cancel()


async def _watch(signals: Signals, *, task_status: TaskStatus[None]) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as receiver:
        task_status.started()
        async for number in receiver:
            signals.first = signals.first or number
            signals.scope.cancel()


@dataclass
class End:
    """What ended a block of work early; ``error`` is None when the block came to its end."""

    error: PrReviewError | None = None


@asynccontextmanager
async def recorded_end(deadline: Deadline, signals: Signals) -> AsyncIterator[End]:
    """Run the block until its end, an error, the deadline or a signal; the ``End`` then says which.

    This is the border where a bug becomes an error that reports can show.
    """
    end = End()
    with signals.scope, anyio.move_on_after(deadline.remaining()) as time:
        try:
            yield end
        except PrReviewError as error:
            end.error = _timed_out() if _out_of_time(deadline, error) else error
        except Exception as bug:  # noqa: BLE001 -- the one border: a bug must leave a report too
            end.error = InternalError()
            end.error.__cause__ = bug
    if time.cancelled_caught:
        end.error = _timed_out()
    if signals.first is not None:
        end.error = Interrupted(signals.first)


def _out_of_time(deadline: Deadline, error: PrReviewError) -> bool:
    """Whether the deadline is what really ended the run: git or a request may notice it first."""
    return isinstance(error, ReviewError) and deadline.remaining() <= 0


def _timed_out() -> ReviewStopped:
    return ReviewStopped(
        TerminationReason.REVIEW_TIMEOUT,
        "The review did not finish within timeout-seconds.",
        "Raise timeout-seconds, or narrow the review with exclude.",
    )
