"""What happened in one conversation so far; it is read on every way out."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pr_review.domain.chat import HunkId, Reply, Usage
from pr_review.domain.run import (
    ConversationEnd,
    ConversationSummary,
    ErrorRecord,
    ProtocolAction,
    Purpose,
    TraceCall,
    TraceTurn,
    Turn,
    TurnCall,
)
from pr_review.errors import PrReviewError, TerminationReason


@dataclass
class ConversationRecord:
    """Turns, trace, hunks that reached the model, and the end of one conversation.

    ``request_id`` is that of the last reply that belongs to the answer. ``events`` say what was adapted to
    the provider. ``truncated_by_server``: the provider cut the prompt without saying so. ``answered``: it
    ended with an answer. ``error`` is what ended it otherwise.
    """

    id: str
    purpose: Purpose
    turns: list[Turn] = field(default_factory=list)
    trace: list[TraceTurn] = field(default_factory=list)
    shown: set[HunkId] = field(default_factory=set)
    events: list[str] = field(default_factory=list)
    model: str | None = None
    request_id: str | None = None
    truncated_by_server: bool = False
    answered: bool = False
    error: PrReviewError | None = None

    @property
    def usage(self) -> Usage | None:
        """Totals over the turns; None when no turn reported any."""
        return total_usage([turn.usage for turn in self.turns])

    def add_turn(
        self,
        number: int,
        reply: Reply | None,
        action: ProtocolAction,
        duration_ms: int,
        *,
        calls: Sequence[TraceCall] = (),
        error: str | None = None,
    ) -> Turn:
        """Record one turn, in the trace and in the turns; ``reply`` is None if it could not be decoded."""
        self.trace.append(
            TraceTurn(
                conversation=self.id,
                round=number,
                provider_request_id=reply.request_id if reply else None,
                provider_model=reply.model if reply else None,
                finish_reason=reply.finish_word if reply else None,
                protocol_action=action,
                usage=reply.usage if reply else None,
                tool_calls=tuple(calls),
            )
        )
        turn = Turn(
            conversation=self.id,
            round=number,
            finish_reason=reply.finish_word if reply else None,
            protocol_action=action,
            usage=reply.usage if reply else None,
            tool_calls=tuple(_without_arguments(call) for call in calls),
            duration_ms=duration_ms,
            error=error,
        )
        self.turns.append(turn)
        return turn

    def summary(self) -> ConversationSummary:
        """The conversation as reports show it."""
        return ConversationSummary(
            id=self.id,
            purpose=self.purpose,
            model=self.model,
            turns=len(self.turns),
            usage=self.usage,
            end=self._end,
        )

    @property
    def _end(self) -> ConversationEnd:
        if self.error:
            return ConversationEnd(
                termination_reason=self.error.termination_reason, error=ErrorRecord.of(self.error)
            )
        reason = TerminationReason.FINAL_REVIEW if self.answered else None
        return ConversationEnd(termination_reason=reason)


def total_usage(usages: Sequence[Usage | None]) -> Usage | None:
    """The sum of what was reported; None when nothing was."""
    reported = [usage for usage in usages if usage]
    if not reported:
        return None
    return Usage(**{name: _total(reported, name) for name in Usage.model_fields})


def _total(usages: Sequence[Usage], name: str) -> int | None:
    known = [value for usage in usages if (value := getattr(usage, name)) is not None]
    return sum(known) if known else None


def _without_arguments(call: TraceCall) -> TurnCall:
    return TurnCall(**call.model_dump(include=set(TurnCall.model_fields)))
