"""One model over real HTTP: what leaves, what comes back, what is counted."""

import pytest

pytestmark = pytest.mark.anyio


async def test_the_body_holds_exactly_the_portable_fields(chat_server, open_model, conversation, tools):
    chat_server.add(chat_server.completion('{"summary":"ok","findings":[],"notes":[]}'))
    reply = await open_model().complete(conversation, tools)
    assert list(chat_server.bodies[0]) == ["model", "messages", "tools", "tool_choice"]
    assert reply.finish_reason == "stop"
    assert reply.usage.total_tokens == 18
