"""Turns and tool calls on one axis of measured time."""

from collections.abc import Iterator
from dataclasses import dataclass

from pr_review.domain.run import Outcome, ProtocolAction, TraceCall, Turn, TurnCall

ACTIONS = {
    ProtocolAction.EXECUTE_TOOLS: "called tools",
    ProtocolAction.RETURN_REVIEW: "gave the review",
    ProtocolAction.REPAIR: "invalid; dropped and asked again",
    ProtocolAction.REFUSE: "refused",
}


@dataclass(frozen=True)
class Bar:
    """A span of time, in percent of the whole axis."""

    start: float
    width: float


@dataclass(frozen=True)
class CallStep:
    """A tool call; ``trace`` is its record with arguments and result, or None when there is none."""

    call: TurnCall
    bar: Bar
    trace: TraceCall | None


@dataclass(frozen=True)
class TurnStep:
    """A turn of the model, then its calls one after the other."""

    turn: Turn
    bar: Bar
    calls: tuple[CallStep, ...]

    @property
    def action(self) -> str:
        """What the run did with the turn, in words."""
        return ACTIONS[self.turn.protocol_action]


def steps(outcome: Outcome) -> Iterator[TurnStep]:
    """Every turn in order; the axis leaves out the waits between requests, which nobody measured."""
    calls = [call for turn in outcome.turns for call in turn.tool_calls]
    whole = sum(turn.duration_ms for turn in outcome.turns) + sum(call.duration_ms for call in calls)
    traces = outcome.trace or ()
    now = 0

    def advance(milliseconds: int) -> Bar:
        nonlocal now
        start, now = now, now + milliseconds
        return Bar(_percent(start, whole), _percent(milliseconds, whole))

    for index, turn in enumerate(outcome.turns):
        traced = traces[index].tool_calls if index < len(traces) else ()
        bar = advance(turn.duration_ms)
        yield TurnStep(
            turn,
            bar,
            tuple(
                CallStep(call, advance(call.duration_ms), traced[number] if number < len(traced) else None)
                for number, call in enumerate(turn.tool_calls)
            ),
        )


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0
