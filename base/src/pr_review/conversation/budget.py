"""What one conversation may still spend; each budget is checked before it is spent."""

from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import ConversationLimits
from pr_review.errors import ReviewStopped, TerminationReason

RESERVED_BYTES = 128  # for "remaining" and "final", which the last result of a round also carries


class ConversationBudget:
    """Counts rounds, tool calls, bytes of tool results and repairs against their limits."""

    def __init__(self, limits: ConversationLimits) -> None:
        self._limits = limits
        self._max_rounds = limits.max_rounds
        self.rounds = 0
        self.calls = 0
        self._tool_bytes = 0
        self._repairs = 0

    @property
    def in_last_round(self) -> bool:
        """No further turn of the model is allowed."""
        return self.rounds >= self._max_rounds

    @property
    def bytes_left(self) -> int:
        """UTF-8 bytes that the next tool result may have."""
        return self._limits.tool_context_bytes - self._tool_bytes - RESERVED_BYTES

    def start_round(self) -> None:
        """Take one round; raises ``ReviewStopped`` when none is left."""
        if self.in_last_round:
            raise out_of_rounds()
        self.rounds += 1

    def limit_rounds(self, further: int) -> None:
        """Allow at most so many further rounds, and never more than the limits do."""
        self._max_rounds = min(self._limits.max_rounds, self.rounds + further)

    def check_calls(self, count: int) -> None:
        """Raise ``ReviewStopped`` unless one round may make so many calls."""
        if count > self._limits.calls_per_round or self.calls + count > self._limits.max_tool_calls:
            raise ReviewStopped(
                TerminationReason.MAX_TOOL_CALLS,
                "Review exceeded the configured tool call limit.",
                "Raise max-tool-calls together with timeout-seconds, or narrow the review with exclude.",
            )

    def take_calls(self, count: int) -> None:
        """Count the calls of a round that is about to run."""
        self.calls += count

    def take_bytes(self, count: int) -> None:
        """Count the bytes of one tool result."""
        self._tool_bytes += count

    def take_repair(self) -> bool:
        """Whether the model may be asked again after an invalid turn; if so, it is counted."""
        if self._repairs >= self._limits.max_repairs or self.in_last_round:
            return False
        self._repairs += 1
        return True

    def remaining_note(self, last_result_bytes: int) -> JsonObject:
        """What the last result of a round says is left; ``final``: the next reply must be the answer."""
        rounds = self._max_rounds - self.rounds
        calls = self._limits.max_tool_calls - self.calls
        left = max(0, self.bytes_left - last_result_bytes)
        remaining: JsonObject = {"rounds": rounds, "calls": calls, "bytes": left}
        return {"remaining": remaining} | ({"final": True} if rounds == 1 or not calls else {})


def out_of_rounds() -> ReviewStopped:
    """The error of a conversation that would need one more round than it has."""
    return ReviewStopped(
        TerminationReason.MAX_ROUNDS,
        "The model did not finish within the allowed rounds.",
        "Raise max-rounds together with timeout-seconds, or narrow the review with exclude.",
    )
