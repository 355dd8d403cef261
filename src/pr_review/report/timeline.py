"""Rounds and tool calls on one axis of time, as far as they were measured."""

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
    """Where something stands on the axis, in percent of it."""

    start: float
    width: float


@dataclass(frozen=True)
class CallStep:
    """A tool call; ``trace`` is the same call with arguments and result, when the artifact has them."""

    call: TurnCall
    bar: Bar
    trace: TraceCall | None


@dataclass(frozen=True)
class TurnStep:
    """A turn of the model, and the calls that followed it one after the other."""

    turn: Turn
    bar: Bar
    calls: tuple[CallStep, ...]

    @property
    def action(self) -> str:
        """What became of the turn, in words."""
        return ACTIONS[self.turn.protocol_action]


def steps(outcome: Outcome) -> Iterator[TurnStep]:
    """Every turn in order. Waiting between requests was not measured, so the axis leaves it out."""
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
