"""What happened in a review so far; it is read on every way out."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pr_review.domain.chat import HunkId, Reply, Usage
from pr_review.domain.run import ProtocolAction, TraceCall, TraceTurn, Turn, TurnCall


@dataclass
class Record:
    """Turns, the trace, the hunks that reached the model, and the counters that budgets draw on."""

    turns: list[Turn] = field(default_factory=list)
    trace: list[TraceTurn] = field(default_factory=list)
    shown: set[HunkId] = field(default_factory=set)
    model: str | None = None
    request_id: str | None = None
    truncated_by_server: bool = False
    tool_bytes: int = 0
    calls: int = 0

    @property
    def usage(self) -> Usage | None:
        """Totals over the turns; None when no turn reported any."""
        reported = [turn.usage for turn in self.turns if turn.usage]
        if not reported:
            return None
        return Usage(**{name: _total(reported, name) for name in Usage.model_fields})

    def add(
        self,
        number: int,
        reply: Reply | None,
        action: ProtocolAction,
        duration_ms: int,
        *,
        calls: Sequence[TraceCall] = (),
        error: str | None = None,
    ) -> Turn:
        """Record one turn, in the trace and in the turns; ``reply`` is None if it had no envelope."""
        finish, usage = (reply.finish_reason, reply.usage) if reply else (None, None)
        self.trace.append(
            TraceTurn(
                round=number,
                provider_request_id=reply.request_id if reply else None,
                provider_model=reply.model if reply else None,
                finish_reason=finish,
                protocol_action=action,
                usage=usage,
                tool_calls=tuple(calls),
            )
        )
        turn = Turn(
            round=number,
            finish_reason=finish,
            protocol_action=action,
            usage=usage,
            tool_calls=tuple(_public(call) for call in calls),
            duration_ms=duration_ms,
            error=error,
        )
        self.turns.append(turn)
        return turn


def _total(usages: Sequence[Usage], name: str) -> int | None:
    known = [value for usage in usages if (value := getattr(usage, name)) is not None]
    return sum(known) if known else None


def _public(call: TraceCall) -> TurnCall:
    return TurnCall(**call.model_dump(include=set(TurnCall.model_fields)))
