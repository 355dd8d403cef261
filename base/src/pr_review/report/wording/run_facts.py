"""The figures of a run in words: reviewer, rounds, tool calls, tokens, requests, time, version."""

from collections.abc import Iterator

from pr_review import __version__
from pr_review.domain.run import Outcome, ProtocolAction
from pr_review.report.wording.outcome import is_offline, reviewer
from pr_review.report.wording.quantities import count, duration, tokens


def run_facts(outcome: Outcome) -> list[str]:
    """One text a fact; a fact that the run does not have is absent."""
    who = reviewer(outcome) if outcome.turns else ""
    return [
        *([f"reviewed by {who}"] if who else []),
        *_loop_facts(outcome),
        *_request_facts(outcome),
        duration(outcome.duration_ms),
        f"pr-review {__version__}",
    ]


def _loop_facts(outcome: Outcome) -> Iterator[str]:
    if not outcome.turns:
        return
    calls = sum(len(turn.tool_calls) for turn in outcome.turns)
    rounds = _rounds(outcome)
    if len(outcome.conversations) > 1:  # limits are those of one conversation
        yield count(len(outcome.conversations), "conversation")
    if len(outcome.conversations) > 1 or is_offline(outcome):  # the budgets of rules follow from the change
        yield count(rounds, "round")
        yield count(calls, "tool call")
    else:
        yield f"{rounds} of at most {count(outcome.limits.max_rounds, 'round')}"
        yield f"{calls:,} of at most {count(outcome.limits.max_tool_calls, 'tool call')}"
    repaired = sum(turn.protocol_action is ProtocolAction.REPAIR for turn in outcome.turns)
    if repaired:
        yield f"{count(repaired, 'invalid turn')} dropped and asked again"


def _rounds(outcome: Outcome) -> int:
    """Of all conversations: the number of the last turn of each."""
    last = {turn.conversation: turn.round for turn in outcome.turns}
    return sum(last.values())


def _request_facts(outcome: Outcome) -> Iterator[str]:
    if is_offline(outcome) or not outcome.requests.requests:
        return
    if outcome.usage is not None or outcome.turns:
        yield tokens(outcome.usage)
    again = outcome.requests.retries
    waited = f", {again:,} of them repeated, {outcome.requests.waited_seconds:.1f} s waited" if again else ""
    yield count(outcome.requests.requests, "request") + waited
