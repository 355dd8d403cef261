"""Sends a request again when that may help (decision 13); never past the deadline."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio

from pr_review.domain.chat import Reply
from pr_review.llm.budget import RequestBudget
from pr_review.llm.errors.classify import Failure

if TYPE_CHECKING:
    import tenacity

FIRST_BACKOFF_SECONDS = 1.0
MAX_BACKOFF_SECONDS = 30.0


@dataclass(frozen=True)
class Pacing:
    """Time, as it is passed in: ``remaining`` seconds of the run, a sleep, and a random number below 1."""

    remaining: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    jitter: Callable[[], float] = random.random


async def send_with_retries(
    attempt: Callable[[], Awaitable[Reply | Failure]], pacing: Pacing, budget: RequestBudget
) -> Reply | Failure:
    """The first reply, or the last failure; what ``attempt`` raises is not retried."""
    import tenacity  # noqa: PLC0415 -- start-up: only needed when there is something to send

    def wait(state: tenacity.RetryCallState) -> float:
        return wait_seconds(_failure(state), state.attempt_number, pacing.jitter())

    def stop(state: tenacity.RetryCallState) -> bool:
        if state.attempt_number > _failure(state).kind.retries:
            return True
        return bool(state.upcoming_sleep >= pacing.remaining())

    def give_up(state: tenacity.RetryCallState) -> Failure:
        failure = _failure(state)
        if state.attempt_number > failure.kind.retries:
            return failure
        return replace(failure, note="The run has less time left than that wait.")

    return await tenacity.AsyncRetrying(
        retry=tenacity.retry_if_result(lambda outcome: isinstance(outcome, Failure) and outcome.retryable),
        wait=wait,
        stop=stop,
        sleep=pacing.sleep,
        before_sleep=lambda state: budget.retry(state.upcoming_sleep),
        retry_error_callback=give_up,
    )(attempt)


def wait_seconds(failure: Failure, attempts: int, jitter: float) -> float:
    """What the provider asks for, else a doubling backoff of which ``jitter`` may take half."""
    if failure.retry_after is not None:
        return failure.retry_after
    backoff = min(MAX_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2.0 ** (attempts - 1))
    return backoff * (1 - jitter / 2)


def _failure(state: "tenacity.RetryCallState") -> Failure:
    """The failure that tenacity is deciding about; it asks about nothing else."""
    failure = state.outcome.result() if state.outcome else None
    if not isinstance(failure, Failure):
        raise TypeError("only failures are retried")
    return failure
