"""The scripted model: deterministic, and a ChatModel like the others."""

import pytest

from pr_review.domain.run import RequestStats
from pr_review.errors import ModelError, ReviewStopped, TerminationReason
from pr_review.llm.scripted import ScriptedModel, calling, saying

pytestmark = pytest.mark.anyio


async def test_it_plays_its_script_in_order_and_remembers_what_it_was_asked(conversation, tools):
    stopped = ReviewStopped(TerminationReason.REVIEW_TIMEOUT, "late")
    model = ScriptedModel([calling(("c1", "a", {"x": "é"})), stopped, saying("done")])
    first = await model.complete(conversation, tools)
    assert first.tool_calls[0]["function"] == {"name": "a", "arguments": '{"x":"é"}'}
    assert first.message["tool_calls"] == list(first.tool_calls)
    with pytest.raises(ReviewStopped):
        await model.complete(conversation, tools)
    assert (await model.complete(conversation[:1], ())).content == "done"
    assert model.requests == [(conversation, tools), (conversation, tools), (conversation[:1], ())]
    assert model.stats == RequestStats()


async def test_a_script_that_has_ended_says_so(conversation, tools):
    with pytest.raises(ModelError, match="script_ended"):
        await ScriptedModel([]).complete(conversation, tools)
