"""A report that takes too long is given up; the ones after it are rendered."""

import signal
import threading
import time

import anyio
import pytest

from pr_review.app.cancellation import Signals
from pr_review.app.deadline import Deadline
from pr_review.app.rendering import REPORT_SECONDS, SECONDS_AFTER, Rendering, TooSlowError
from pr_review.domain.run import Outcome

OUTCOME = Outcome(conclusion="skipped", exit_code=0, provider="offline")


@pytest.fixture
def endless():
    """A report that waits until the test is over."""
    over = threading.Event()
    yield lambda _outcome: str(over.wait(60))
    over.set()


def deadline(seconds: float) -> Deadline:
    return Deadline(time.monotonic, time.monotonic(), seconds)


def test_a_slow_report_is_given_up_and_the_next_is_rendered(endless):
    async def run():
        rendering = Rendering(anyio.current_time() + 0.4)
        with pytest.raises(TooSlowError):
            await rendering.text(endless, OUTCOME)
        return await rendering.text(lambda outcome: outcome.provider, OUTCOME)

    assert anyio.run(run) == "offline"


def test_a_busy_report_is_given_up():
    """One that computes, too: the interpreter changes threads while it does."""
    over = threading.Event()

    def busy(_outcome: Outcome) -> str:
        while not over.is_set():
            pass
        return ""

    async def run():
        with pytest.raises(TooSlowError):
            await Rendering(anyio.current_time() + 0.4).text(busy, OUTCOME)

    try:
        anyio.run(run)
    finally:
        over.set()


def test_what_a_report_raises_is_raised():
    async def run():
        await Rendering(anyio.current_time() + 60).text(lambda _outcome: str(1 / 0), OUTCOME)

    with pytest.raises(ZeroDivisionError):
        anyio.run(run)


@pytest.mark.parametrize(("left", "seconds"), [(0, REPORT_SECONDS), (1, REPORT_SECONDS), (60, 60)])
def test_reports_have_the_time_that_is_left_and_always_some(left, seconds):
    async def run():
        return Rendering.within(deadline(left), Signals()).ends - anyio.current_time()

    assert anyio.run(run) == pytest.approx(seconds, abs=0.3)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("comes", ["before", "while"])
def test_a_signal_leaves_few_seconds(endless, number, comes):
    """Whether it ended the run, or came while a report was rendered."""

    async def run():
        signals = Signals()
        if comes == "before":
            signals.receive(number)
        rendering = Rendering.within(deadline(600), signals)
        started = time.monotonic()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(give_up, rendering)
            await anyio.sleep(0.1)
            signals.receive(number)
        return time.monotonic() - started

    async def give_up(rendering: Rendering) -> None:
        with pytest.raises(TooSlowError):
            await rendering.text(endless, OUTCOME)

    assert anyio.run(run) <= SECONDS_AFTER[number] / 2 + 1


def test_a_later_signal_gives_no_more_time():
    """SIGINT after SIGTERM."""

    async def run():
        signals = Signals()
        rendering = Rendering.within(deadline(600), signals)
        signals.receive(signal.SIGTERM)
        signals.receive(signal.SIGINT)
        return rendering.ends - anyio.current_time()

    assert anyio.run(run) <= SECONDS_AFTER[signal.SIGTERM]
