"""Rounds and calls on one axis."""

from pr_review.report.wording.timeline import Bar, steps


def test_turns_and_calls_follow_one_another(outcomes):
    """8,200 ms, then calls of 3 and 12 ms, then 4,100 and 9,000 ms: 21,315 in all."""
    first, second, third = steps(outcomes.rich)
    assert first.bar == Bar(0.0, 38.47)
    assert [step.bar for step in first.calls] == [Bar(38.47, 0.01), Bar(38.48, 0.06)]
    assert (second.bar.start, third.bar.start) == (38.54, 57.78)
    assert round(third.bar.start + third.bar.width) == 100
    assert [step.action for step in (first, second, third)] == [
        "called tools",
        "invalid; dropped and asked again",
        "gave the review",
    ]


def test_trace_stands_beside_its_call(outcomes):
    """The trace of the fixture ends after the first call: no other gets one."""
    first, second, _ = steps(outcomes.rich)
    assert first.calls[0].trace == outcomes.rich.trace[0].tool_calls[0]
    assert first.calls[1].trace is None
    assert second.calls == ()
    assert all(call.trace is None for step in steps(outcomes.clean) for call in step.calls)


def test_turns_that_took_no_time(outcomes):
    """A scripted model answers within a millisecond: no division by zero."""
    turns = [turn.model_copy(update={"duration_ms": 0, "tool_calls": ()}) for turn in outcomes.rich.turns]
    assert [step.bar for step in steps(outcomes.rich.model_copy(update={"turns": tuple(turns)}))] == [
        Bar(0.0, 0.0)
    ] * 3
