"""Retries: how often, how long, and never past the deadline."""

from collections import deque

import pytest

from pr_review.domain.chat import Reply
from pr_review.errors import ModelError
from pr_review.llm.errors.failure import ProviderFailure
from pr_review.llm.errors.kinds import AUTHENTICATION, FEW, GAVE_UP, MANY, RATE_LIMITED, SERVER_ERROR
from pr_review.llm.request_budget import RequestBudget
from pr_review.llm.retry import MAX_BACKOFF_SECONDS, send_with_retries, wait_seconds
from pr_review.llm.scripted import saying

pytestmark = pytest.mark.anyio


class Attempts:
    """Plays outcomes in order, repeating the last; counts."""

    def __init__(self, *outcomes: Reply | ProviderFailure) -> None:
        self._outcomes = deque(outcomes)
        self.count = 0

    async def __call__(self) -> Reply | ProviderFailure:
        self.count += 1
        return self._outcomes.popleft() if len(self._outcomes) > 1 else self._outcomes[0]


async def test_success_is_not_repeated(waits):
    attempts = Attempts(saying("ok"))
    assert isinstance(await send_with_retries(attempts, waits.pacing(), RequestBudget(9)), Reply)
    assert (attempts.count, waits.slept) == (1, [])


@pytest.mark.parametrize(("kind", "retries"), [(AUTHENTICATION, 0), (GAVE_UP, FEW), (SERVER_ERROR, MANY)])
async def test_each_kind_has_its_number_of_retries(waits, kind, retries):
    attempts, budget = Attempts(ProviderFailure(kind)), RequestBudget(9)
    outcome = await send_with_retries(attempts, waits.pacing(), budget)
    assert (outcome, attempts.count) == (ProviderFailure(kind), retries + 1)
    assert budget.stats.retries == retries == len(waits.slept)


@pytest.mark.parametrize(
    ("kinds", "attempts"),
    [
        ((SERVER_ERROR, SERVER_ERROR, GAVE_UP), 3),
        ((GAVE_UP, SERVER_ERROR, GAVE_UP, SERVER_ERROR), 4),
        ((GAVE_UP, SERVER_ERROR, GAVE_UP, GAVE_UP), None),
        ((SERVER_ERROR, GAVE_UP, SERVER_ERROR, RATE_LIMITED, GAVE_UP), None),
        ((SERVER_ERROR, AUTHENTICATION), None),
    ],
)
async def test_a_kind_that_follows_others_still_has_its_retries(waits, kinds, attempts):
    """Up to ``MANY`` in all; None: the last failure is the end."""
    played = Attempts(*map(ProviderFailure, kinds), saying("ok"))
    outcome = await send_with_retries(played, waits.pacing(), RequestBudget(9))
    assert isinstance(outcome, Reply) is (attempts is not None)
    assert played.count == (len(kinds) if attempts is None else attempts + 1)


async def test_backoff_doubles_and_what_was_waited_is_counted(waits):
    budget = RequestBudget(9)
    await send_with_retries(Attempts(ProviderFailure(SERVER_ERROR)), waits.pacing(), budget)
    assert waits.slept == [1.0, 2.0, 4.0, 8.0]
    assert budget.stats.waited_seconds == 15.0


async def test_a_failure_then_a_reply_is_a_reply(waits):
    outcome = await send_with_retries(
        Attempts(ProviderFailure(RATE_LIMITED, retry_after=7), saying("ok")), waits.pacing(), RequestBudget(9)
    )
    assert isinstance(outcome, Reply)
    assert waits.slept == [7]


@pytest.mark.parametrize(("asked", "waited"), [(9.9, True), (10.0, False), (10.1, False)])
async def test_a_wait_that_reaches_the_deadline_stops_at_once_and_says_so(waits, asked, waited):
    waits.left = 10.0
    attempts = Attempts(ProviderFailure(RATE_LIMITED, retry_after=asked), ProviderFailure(AUTHENTICATION))
    outcome = await send_with_retries(attempts, waits.pacing(), RequestBudget(9))
    assert waits.slept == ([asked] if waited else [])
    assert ("less time left" in outcome.note) is not waited


async def test_the_error_names_the_wait_as_a_number(waits):
    waits.left = 900.0
    attempts = Attempts(ProviderFailure(RATE_LIMITED, vendor="opencode", retry_after=17999))
    outcome = await send_with_retries(attempts, waits.pacing(), RequestBudget(9))
    error = outcome.error()
    assert isinstance(error, ModelError)
    assert error.code == "opencode_rate_limited"
    assert "17999 seconds" in error.advice
    assert "less time left" in error.advice


async def test_what_an_attempt_raises_is_not_retried(waits):
    async def attempt() -> Reply | ProviderFailure:
        raise ModelError("boom", "x")

    with pytest.raises(ModelError, match="boom"):
        await send_with_retries(attempt, waits.pacing(), RequestBudget(9))
    assert waits.slept == []


@pytest.mark.parametrize(
    ("attempts", "jitter", "seconds"),
    [
        (1, 0.0, 1.0),
        (1, 1.0, 0.5),
        (4, 0.5, 6.0),
        (6, 0.0, MAX_BACKOFF_SECONDS),
        (60, 0.0, MAX_BACKOFF_SECONDS),
    ],
)
async def test_backoff_is_capped_and_jitter_takes_at_most_half(attempts, jitter, seconds):
    assert wait_seconds(ProviderFailure(SERVER_ERROR), attempts, jitter) == seconds


async def test_a_wait_of_zero_is_honoured():
    assert wait_seconds(ProviderFailure(SERVER_ERROR, retry_after=0.0), 3, 0.0) == 0.0
