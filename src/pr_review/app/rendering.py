"""Reports are rendered while there is time: in a worker thread, which is abandoned when the time is over.

An abandoned thread ends with the process, which waits for none of its threads.
"""

import signal
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio
from anyio.to_thread import run_sync

from pr_review.app.cancellation import Signals
from pr_review.app.deadline import Deadline
from pr_review.domain.run import Outcome

REPORT_SECONDS = 3.0  # for the reports of a run that has used up its time
# GitHub's runner sends SIGINT, 7.5 seconds later SIGTERM, and kills 2.5 seconds after that.
SECONDS_AFTER = {signal.SIGINT: 5.0, signal.SIGTERM: 1.5}

Render = Callable[[Outcome], str]


class TooSlowError(Exception):
    """A report was not rendered in its time."""


@dataclass
class Rendering:
    """The time that is left for reports; a signal shortens it, also while one is being rendered."""

    ends: float
    _scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    @classmethod
    def within(cls, deadline: Deadline, signals: Signals) -> "Rendering":
        """The rest of the run's time, and never less than ``REPORT_SECONDS`` unless a signal came."""
        rendering = cls(anyio.current_time() + max(REPORT_SECONDS, deadline.remaining()))
        signals.notify(rendering.hurry)
        return rendering

    def hurry(self, number: int) -> None:
        """A signal came: only so much time is left."""
        self.ends = min(self.ends, anyio.current_time() + SECONDS_AFTER[signal.Signals(number)])
        self._scope.deadline = min(self._scope.deadline, self._share())

    async def text(self, render: Render, outcome: Outcome) -> str:
        """The report; raises ``TooSlowError`` when it takes more than half of the time that is left."""
        with anyio.CancelScope(deadline=self._share()) as self._scope:
            return await run_sync(render, outcome, abandon_on_cancel=True)
        raise TooSlowError

    def _share(self) -> float:
        now = anyio.current_time()
        return now + max(0.0, self.ends - now) / 2
