"""Sends a request again when that may help, and never past the deadline."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import anyio

from pr_review.domain.chat import Reply
from pr_review.llm.errors.failure import ProviderFailure
from pr_review.llm.errors.kinds import MANY
from pr_review.llm.request_budget import RequestBudget

FIRST_BACKOFF_SECONDS = 1.0
MAX_BACKOFF_SECONDS = 30.0


@dataclass(frozen=True)
class Pacing:
    """Time, passed in: ``remaining`` seconds of the run, a sleep, and a random number below 1."""

    remaining: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    jitter: Callable[[], float] = random.random


async def send_with_retries(
    attempt: Callable[[], Awaitable[Reply | ProviderFailure]], pacing: Pacing, budget: RequestBudget
) -> Reply | ProviderFailure:
    """The first reply, or the last failure. What ``attempt`` raises is not retried.

    Each kind of failure has its own number of retries, so that a stream that breaks after two server errors
    is asked for again; together they have no more than the kind that has most.

    Raises ``ReviewStopped`` when the budget has no request left for a retry.
    """
    failed: Counter[str] = Counter()
    while True:
        outcome = await attempt()
        if isinstance(outcome, Reply):
            return outcome
        failed[outcome.kind.code] += 1
        attempts = failed.total()
        if failed[outcome.kind.code] > outcome.kind.retries or attempts > MANY:
            return outcome
        seconds = wait_seconds(outcome, attempts, pacing.jitter())
        if seconds >= pacing.remaining():
            return replace(outcome, note="The run has less time left than that wait.")
        budget.retry(seconds)
        await pacing.sleep(seconds)


def wait_seconds(failure: ProviderFailure, attempts: int, jitter: float) -> float:
    """What the provider asks for, else a backoff that doubles and of which ``jitter`` may take half."""
    if failure.retry_after is not None:
        return failure.retry_after
    backoff = min(MAX_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2.0 ** (attempts - 1))
    return backoff * (1 - jitter / 2)
