"""The advice of an incomplete review fits the reason for which something was not reviewed."""

import pytest

from pr_review.domain.finding import Review
from pr_review.domain.run import (
    Conclusion,
    ConversationSummary,
    Coverage,
    CoverageStatus,
    FileCoverage,
    Limits,
    Outcome,
    ProtocolAction,
    Purpose,
    Turn,
    TurnCall,
    Unreviewed,
)
from pr_review.errors import TerminationReason
from pr_review.report.wording.outcome import advice, headline

CALL = TurnCall(name="x", ok=True, result_bytes=1, truncated=False, duration_ms=1)


def incomplete(*reasons, turns=3, calls=4, provider="chat-completions", **fields):
    """A review that ended by itself, with files that were not reviewed for these reasons."""
    files = (
        FileCoverage(path=f"{number}.py", status=CoverageStatus.NOT_REVIEWED, reason=reason)
        for number, reason in enumerate(reasons)
    )
    turn = Turn(
        conversation="find-1",
        round=1,
        finish_reason="tool_calls",
        protocol_action=ProtocolAction.EXECUTE_TOOLS,
        usage=None,
        duration_ms=1,
        tool_calls=(CALL,) * calls,
    )
    known = {
        "conclusion": Conclusion.INCOMPLETE,
        "exit_code": 0,
        "provider": provider,
        "review": Review(summary="s"),
        "termination_reason": TerminationReason.FINAL_REVIEW,
        "coverage": Coverage(files=tuple(files)),
        "conversations": (ConversationSummary(id="find-1", purpose=Purpose.FIND, turns=turns),),
        "turns": (turn,),
        "limits": Limits(max_rounds=8, max_tool_calls=32),
    }
    return Outcome(**known | fields)


UNSEEN = f"3 of 9 {Unreviewed.UNSEEN}"


@pytest.mark.parametrize(
    ("outcome", "named", "not_named"),
    [
        (incomplete(UNSEEN), ["stopped by itself", "rounds left"], ["max-rounds", "exclude"]),
        (incomplete(Unreviewed.HEADER), ["stopped by itself"], ["max-rounds"]),
        (incomplete(UNSEEN, turns=8), ["raise max-rounds"], ["stopped by itself"]),
        (incomplete(UNSEEN, calls=32), ["raise max-tool-calls"], ["max-rounds", "stopped by itself"]),
        (incomplete(Unreviewed.OVERSIZED), ["exclude", "no budget"], ["max-rounds", "stopped by itself"]),
        (incomplete(f"1 of 9 {Unreviewed.TOO_LONG}"), ["exclude"], ["max-rounds", "stopped by itself"]),
        (incomplete(Unreviewed.NOT_TEXT), ["exclude"], ["max-rounds"]),
        (incomplete(Unreviewed.UNLISTED), ["newest event"], ["max-rounds", "exclude"]),
        (incomplete(UNSEEN, Unreviewed.OVERSIZED, turns=8), ["raise max-rounds", "exclude"], []),
        (incomplete("something of an older version"), ["The list of files says why"], ["max-rounds"]),
        (incomplete(UNSEEN, provider="offline"), ["exclude"], ["model", "max-rounds"]),
    ],
)
def test_the_advice_names_what_helps_and_nothing_else(outcome, named, not_named):
    said = advice(outcome)
    assert [words for words in named if words not in said] == []
    assert [words for words in not_named if words in said] == []
    assert said.count(said.split(".")[0]) == 1


def test_no_reason_for_a_missing_review_speaks_of_a_model():
    """The rules review offline, and no model is there."""
    assert [cause for cause in Unreviewed if "model" in cause] == []


def test_a_review_that_ended_early_says_when_nothing_was_found_so_far():
    assert headline(incomplete(UNSEEN)) == "incomplete review, nothing found so far"
    assert headline(incomplete(UNSEEN, review=None)) == "incomplete review"
