"""What a run may spend on HTTP requests to a model, and what it spent."""

from collections import Counter

from pr_review.domain.run import RequestStats
from pr_review.errors import ReviewStopped, TerminationReason

MAX_EVENTS = 50  # the artifact stays small whatever a server makes us adapt to


class RequestBudget:
    """Counts every HTTP request to a model, whatever its cause; one budget may serve several models."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._requests = 0
        self._retries = 0
        self._waited = 0.0
        self._events: Counter[str] = Counter()

    def spend(self) -> None:
        """Count one request that is about to be sent; raises ``ReviewStopped`` when none is left."""
        self._require_one()
        self._requests += 1

    def retry(self, waited_seconds: float) -> None:
        """Record that the next request repeats one that failed, after a wait; raises as ``spend`` does.

        Nothing is waited for that could not be sent.
        """
        self._require_one()
        self._retries += 1
        self._waited += waited_seconds

    def note(self, event: str, times: int = 0) -> None:
        """Record what was adapted for the server, a sentence of ours that is kept once.

        ``times`` counts it up, so that the record says how often it was; 0 for what does not add up.
        """
        if event in self._events or len(self._events) < MAX_EVENTS:
            self._events[event] += times

    def _require_one(self) -> None:
        if self._requests >= self._limit:
            raise ReviewStopped(
                TerminationReason.MAX_ROUNDS,
                f"The review used all of its {self._limit} requests to the model.",
                "Raise max-requests if the provider's failures are worth paying for.",
                code="max_requests",
            )

    @property
    def stats(self) -> RequestStats:
        """What was spent so far."""
        return RequestStats(
            requests=self._requests,
            retries=self._retries,
            waited_seconds=round(self._waited, 3),
            events=tuple(_told(event, times) for event, times in self._events.items()),
        )


def _told(event: str, times: int) -> str:
    return event if times <= 1 else f"{event.removesuffix('.')} ({times} times)."
