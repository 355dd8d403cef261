"""The scripted model: deterministic, and a ChatModel like the others."""

import pytest

from pr_review.domain.chat import FinishReason, RequestedCall
from pr_review.errors import ModelError, ReviewStopped, TerminationReason
from pr_review.llm.scripted import ScriptedModel, calling, saying

pytestmark = pytest.mark.anyio


async def test_it_plays_its_script_in_order_and_remembers_what_it_was_asked(conversation, tools):
    stopped = ReviewStopped(TerminationReason.REVIEW_TIMEOUT, "late")
    model = ScriptedModel([calling(("c1", "a", {"x": "é"})), stopped, saying("done")])
    first = await model.complete(conversation, tools)
    assert first.calls == (RequestedCall(id="c1", name="a", arguments={"x": "é"}),)
    assert (first.finish, first.text) == (FinishReason.TOOL_CALLS, None)
    with pytest.raises(ReviewStopped):
        await model.complete(conversation, tools)
    last = await model.complete(conversation[:1], ())
    assert (last.finish, last.text, last.calls) == (FinishReason.STOP, "done", ())
    assert model.requests == [(conversation, tools), (conversation, tools), (conversation[:1], ())]


def test_its_turns_have_a_message_to_echo_that_is_no_providers():
    """The conversation carries it without looking into it."""
    assert calling(("c1", "a", {}), ("c2", "a", {})).message == {"calls": ["c1", "c2"]}
    assert saying("done").message == {"text": "done"}


async def test_a_script_that_has_ended_says_so(conversation, tools):
    with pytest.raises(ModelError, match="script_ended"):
        await ScriptedModel([]).complete(conversation, tools)
