"""What a run may spend on HTTP requests to a model, and what it spent."""

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
        self._events: dict[str, None] = {}

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

    def note(self, event: str) -> None:
        """Record once what was adapted for the server; our own words, never a provider's."""
        if len(self._events) < MAX_EVENTS:
            self._events.setdefault(event)

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
            events=tuple(self._events),
        )
