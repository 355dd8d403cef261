"""The request budget."""

import pytest

from pr_review.errors import ReviewStopped, TerminationReason
from pr_review.llm.request_budget import MAX_EVENTS, RequestBudget


@pytest.mark.parametrize(("spent", "allowed"), [(2, True), (3, True), (4, False)])
def test_the_limit_counts_every_request(spent, allowed):
    budget = RequestBudget(3)
    for _ in range(min(spent, 3)):
        budget.spend()
    if allowed:
        assert budget.stats.requests == spent
        return
    with pytest.raises(ReviewStopped) as stopped:
        budget.spend()
    assert (stopped.value.code, stopped.value.termination_reason) == (
        "max_requests",
        TerminationReason.MAX_ROUNDS,
    )
    assert budget.stats.requests == 3  # a request that was not sent is not counted


def test_retries_and_waits_add_up():
    budget = RequestBudget(9)
    budget.retry(1.5)
    budget.retry(0.25)
    assert (budget.stats.retries, budget.stats.waited_seconds) == (2, 1.75)


def test_a_retry_that_could_not_be_sent_is_not_waited_for():
    budget = RequestBudget(1)
    budget.retry(1.0)
    budget.spend()
    with pytest.raises(ReviewStopped, match="max_requests"):
        budget.retry(1.0)
    assert budget.stats.retries == 1


def test_an_event_is_recorded_once_and_their_number_is_bounded():
    budget = RequestBudget(1)
    for number in range(MAX_EVENTS + 1):
        budget.note(f"event {number}")
        budget.note(f"event {number}")
    assert budget.stats.events == tuple(f"event {number}" for number in range(MAX_EVENTS))


def test_an_event_that_adds_up_says_how_often_it_was():
    budget = RequestBudget(1)
    for event, times in [("Once.", 1), ("Often.", 1), ("Often.", 2), ("Uncounted.", 0), ("Uncounted.", 0)]:
        budget.note(event, times)
    assert budget.stats.events == ("Once.", "Often (3 times).", "Uncounted.")
