"""What one conversation may still spend; each budget is checked before it is spent."""

from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import ConversationLimits
from pr_review.domain.sizes import KIB
from pr_review.errors import ReviewStopped, TerminationReason
from pr_review.tools.tool import MIN_RESULT_BYTES

FINAL_NOTE = (
    "No further tool call can run. Your next reply must be your final answer, from what you have seen so far."
)
RESERVED_BYTES = 128  # for "remaining" and "final", which the last result of a round also carries
NOTE_BYTES = len(FINAL_NOTE) + 32  # for the sentence that says what "final" means, and its key
# Told earlier what remains, models stop reading too soon.
TOLD_ROUNDS = 3
TOLD_CALLS = 12


class ConversationBudget:
    """Counts rounds, tool calls, bytes of tool results and repairs against their limits.

    Without repairs a conversation is ``strict``: a spent budget ends it at once. Otherwise a spent budget
    leaves room for one final request, in which no call can run.
    """

    def __init__(self, limits: ConversationLimits) -> None:
        self.strict = limits.max_repairs == 0
        self._limits = limits
        self._max_rounds = limits.max_rounds
        self._reserved = RESERVED_BYTES + (0 if self.strict else NOTE_BYTES)
        self.rounds = 0
        self.calls = 0
        self._tool_bytes = 0
        self._repairs = 0

    @property
    def in_last_round(self) -> bool:
        """No further turn of the model is allowed."""
        return self.rounds >= self._max_rounds

    @property
    def rounds_left(self) -> int:
        """Further turns that the model may have."""
        return self._max_rounds - self.rounds

    @property
    def may_go_on(self) -> bool:
        """A further tool round and an answer after it are possible."""
        return self.rounds_left > 1 and self.spent() is None

    def spent(self) -> ReviewStopped | None:
        """The budget because of which no call of the present round can run; None when calls can."""
        if self.in_last_round:
            return self.out_of_rounds()
        if self.calls >= self._limits.max_tool_calls:
            return self._out_of_calls()
        if self._bytes_left < MIN_RESULT_BYTES and not self.strict:
            return self._out_of_bytes()
        return None

    @property
    def _bytes_left(self) -> int:
        return self._limits.tool_context_bytes - self._tool_bytes - self._reserved

    def start_round(self) -> None:
        """Take one round; raises ``ReviewStopped`` when none is left."""
        if self.in_last_round:
            raise self.out_of_rounds()
        self.rounds += 1

    def limit_rounds(self, further: int) -> None:
        """Allow at most so many further rounds, and never more than the limits do."""
        self._max_rounds = min(self._limits.max_rounds, self.rounds + further)

    def refusal(self, calls: int) -> ReviewStopped | None:
        """Why a round cannot make so many calls, or None; each call of a round has room for a result."""
        if self.exceeds_a_round(calls) or self.calls + calls > self._limits.max_tool_calls:
            return self._out_of_calls()
        if self._bytes_left < MIN_RESULT_BYTES * calls and not self.strict:
            return self._out_of_bytes()
        return None

    def exceeds_a_round(self, calls: int) -> bool:
        """Whether these are more calls than one round may make."""
        return calls > self._limits.calls_per_round

    def take_calls(self, count: int) -> None:
        """Count the calls of a round that is about to run."""
        self.calls += count

    def room(self, following: int) -> int:
        """UTF-8 bytes that the next result may have, with so many calls of its round still to come.

        Raises ``ReviewStopped`` when that is too little for any result.
        """
        left = self._bytes_left - (0 if self.strict else MIN_RESULT_BYTES * following)
        if left < MIN_RESULT_BYTES:
            raise self._out_of_bytes()
        return left

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
        calls = self._limits.max_tool_calls - self.calls
        left = max(0, self._bytes_left - last_result_bytes)
        final = self.rounds_left == 1 or not calls or (left < MIN_RESULT_BYTES and not self.strict)
        note: JsonObject = {}
        if self.strict or final or self.rounds_left <= TOLD_ROUNDS or calls <= TOLD_CALLS:
            note |= {"remaining": {"rounds": self.rounds_left, "calls": calls, "bytes": left}}
        if final:
            note |= {"final": True} if self.strict else {"final": True, "note": FINAL_NOTE}
        return note

    def out_of_rounds(self) -> ReviewStopped:
        """The error of a conversation that would need one more round than it has."""
        return ReviewStopped(
            TerminationReason.MAX_ROUNDS,
            f"The budget of model turns (max-rounds: {self._limits.max_rounds}) ended the review.",
            "Raise max-rounds together with timeout-seconds, or narrow the review with exclude.",
        )

    def _out_of_calls(self) -> ReviewStopped:
        return ReviewStopped(
            TerminationReason.MAX_TOOL_CALLS,
            f"The budget of tool calls (max-tool-calls: {self._limits.max_tool_calls}, at most "
            f"{self._limits.calls_per_round} in one turn) ended the review.",
            "Raise max-tool-calls together with timeout-seconds, or narrow the review with exclude.",
        )

    def _out_of_bytes(self) -> ReviewStopped:
        return ReviewStopped(
            TerminationReason.INVALID_MODEL_RESPONSE,
            f"The budget of tool results ({self._limits.tool_context_bytes // KIB} KiB) ended the review.",
            "Narrow the review with include or exclude, or split the pull request.",
            code="max_tool_bytes",
        )


def out_of_time() -> ReviewStopped:
    """The error of a conversation that was asked for its answer because most of the run's time was over."""
    return ReviewStopped(
        TerminationReason.REVIEW_TIMEOUT,
        "The budget of time (timeout-seconds) ended the review: 80 % of it were over, so the model was asked "
        "for its findings.",
        "Raise timeout-seconds, or narrow the review with exclude.",
    )
