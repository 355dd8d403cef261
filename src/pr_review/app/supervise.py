"""One cancel scope for deadline and signals (decision 14), and the border where bugs become an outcome."""

import signal
from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio.abc import TaskStatus

from pr_review.app.run import ReviewRun
from pr_review.app.target import ReviewTarget
from pr_review.errors import (
    InternalError,
    Interrupted,
    PrReviewError,
    ReviewError,
    ReviewStopped,
    TerminationReason,
)

ResultT = TypeVar("ResultT")


async def supervise(
    run: ReviewRun,
    find_target: Callable[[], ReviewTarget],
    finish: Callable[[PrReviewError | None], ResultT],
) -> ResultT:
    """Execute the run and hand what ended it to ``finish``, which writes the reports.

    Signals stay received until ``finish`` has returned, so that a cancelled run still reports.
    """
    async with anyio.create_task_group() as watching:
        received: list[int] = []
        working = anyio.CancelScope()
        await watching.start(_watch_signals, received, working)
        error: PrReviewError | None = None
        with working:
            error = await _bounded(run, find_target)
        if received:
            error = Interrupted(received[0])
        try:
            run.close()
        except PrReviewError as problem:
            run.known.notes.append(problem.detail)
        result = finish(error)
        watching.cancel_scope.cancel()
    return result


async def _watch_signals(
    received: list[int], working: anyio.CancelScope, *, task_status: TaskStatus[None]
) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for number in signals:
            received.append(number)
            working.cancel()


async def _bounded(run: ReviewRun, find_target: Callable[[], ReviewTarget]) -> PrReviewError | None:
    with anyio.move_on_after(run.deadline.remaining()) as scope:
        try:
            await run.execute(find_target)
        except PrReviewError as error:
            return _timed_out() if _out_of_time(run, error) else error
        except Exception as bug:  # noqa: BLE001 -- the one border: a bug must leave a report too
            internal = InternalError()
            internal.__cause__ = bug
            return internal
    return _timed_out() if scope.cancelled_caught else None


def _out_of_time(run: ReviewRun, error: PrReviewError) -> bool:
    """Whether the deadline is what really ended the run: git or a request may notice it first."""
    return isinstance(error, ReviewError) and run.deadline.remaining() <= 0


def _timed_out() -> ReviewStopped:
    return ReviewStopped(
        TerminationReason.REVIEW_TIMEOUT,
        "The review did not finish within timeout-seconds.",
        "Raise timeout-seconds, or narrow the review with exclude.",
    )
