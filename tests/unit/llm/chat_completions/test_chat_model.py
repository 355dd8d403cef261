"""One model over real HTTP: what leaves, and what comes back, whole, streamed and in text."""

import json
from collections.abc import Sequence

import pytest
from pydantic import SecretStr
from tests.turns import CALL, KEY, REVIEW, refused, result, round_of

from pr_review.domain.chat import FinishReason, Message, RequestedCall, Role
from pr_review.errors import ConfigError, InvalidTurn, ModelError, TerminationReason

pytestmark = pytest.mark.anyio


# --- what leaves ------------------------------------------------------------------------------------------


async def test_the_body_holds_exactly_the_portable_fields(chat_server, open_model, conversation, tools):
    chat_server.add(chat_server.completion(REVIEW))
    model = open_model()
    await model.complete(conversation, tools)
    sent = chat_server.requests[0]
    assert list(sent.json) == ["model", "messages", "tools", "tool_choice"]
    assert (sent.json["model"], sent.json["tool_choice"]) == ("m-1", "auto")
    assert sent.body == json.dumps(sent.json, ensure_ascii=False, separators=(",", ":")).encode()
    assert sent.body == model.encode_body(conversation, tools)
    assert "Ünïcode ✓".encode() in sent.body
    assert (sent.method, sent.path) == ("POST", "/v1/chat/completions")
    assert sent.headers["content-type"] == "application/json"


async def test_encoding_a_body_sends_nothing(chat_server, open_model, conversation, tools, budget):
    """What dry-run shows."""
    model = open_model()
    assert model.encode_body(conversation, tools)
    assert (chat_server.requests, budget.stats.requests) == ([], 0)


async def test_the_key_travels_in_its_header_only(chat_server, open_model, conversation, tools):
    chat_server.add(chat_server.completion(REVIEW), chat_server.completion(REVIEW))
    await open_model().complete(conversation, tools)
    await open_model("azure").complete(conversation, tools)
    bearer, azure = chat_server.requests
    assert bearer.headers["authorization"] == f"Bearer {KEY}"
    assert "api-key" not in bearer.headers
    assert azure.headers["api-key"] == KEY
    assert "authorization" not in azure.headers
    for request in chat_server.requests:
        assert KEY.encode() not in request.body
        assert KEY not in request.path
        assert sum(KEY in value for value in request.headers.values()) == 1


async def test_without_a_key_no_header_is_sent(chat_server, open_model, conversation, tools):
    chat_server.add(chat_server.completion(REVIEW))
    await open_model("ollama", api_key=None).complete(conversation, tools)
    assert "authorization" not in chat_server.requests[0].headers


async def test_extra_headers_go_along_but_override_nothing_of_ours(
    chat_server, open_model, conversation, tools
):
    chat_server.add(chat_server.completion(REVIEW))
    extra = {
        "X-Team": "a",
        "Authorization": "Basic x",
        "Content-Type": "text/plain",
        "X-OpenCode-Session": "y",
    }
    headers = {name: SecretStr(value) for name, value in extra.items()}
    await open_model("opencode", extra_headers=headers).complete(conversation, tools)
    sent = chat_server.requests[0].headers
    assert sent["x-team"] == "a"
    assert sent["authorization"] == f"Bearer {KEY}"
    assert sent["content-type"] == "application/json"
    assert sent["x-opencode-session"] == "session-1"


async def test_the_session_header_is_the_same_in_every_round(chat_server, open_model, conversation, tools):
    """And only where the gateway wants it."""
    chat_server.rule = lambda _: chat_server.completion(REVIEW)
    model = open_model("opencode")
    await model.complete(conversation, tools)
    await model.complete(conversation, tools)
    await open_model().complete(conversation, tools)
    sent = [request.headers.get("x-opencode-session") for request in chat_server.requests]
    assert sent == ["session-1", "session-1", None]


async def test_extra_body_and_the_profiles_fields_come_last(chat_server, open_model, conversation, tools):
    chat_server.add(chat_server.completion(REVIEW))
    await open_model("openrouter", extra_body={"max_completion_tokens": 9, "seed": 1}).complete(
        conversation, tools
    )
    assert list(chat_server.bodies[0])[4:] == ["provider", "max_tokens", "seed"]
    assert chat_server.bodies[0]["max_tokens"] == 9


async def test_the_operator_may_override_a_field_of_the_profile(open_model, conversation, tools):
    model = open_model("openrouter", extra_body={"provider": {"order": ["x"]}})
    assert json.loads(model.encode_body(conversation, tools))["provider"] == {"order": ["x"]}


@pytest.mark.parametrize(
    ("profile", "name", "sent"),
    [
        ("openai", "max_tokens", "max_completion_tokens"),
        ("groq", "max_tokens", "max_completion_tokens"),
        ("kimi", "max_completion_tokens", "max_tokens"),
        ("generic", "max_tokens", "max_tokens"),
        ("vllm", "max_completion_tokens", "max_completion_tokens"),
    ],
)
async def test_the_output_cap_has_the_servers_name(open_model, conversation, tools, profile, name, sent):
    body = json.loads(open_model(profile, extra_body={name: 9}).encode_body(conversation, tools))
    assert {"max_tokens", "max_completion_tokens"} & body.keys() == {sent}


async def test_fields_that_a_server_refuses_are_left_out_and_recorded(
    open_model, conversation, tools, budget
):
    model = open_model("groq", extra_body={"response_format": {"type": "json_object"}, "seed": 1})
    assert "response_format" not in json.loads(model.encode_body(conversation, tools))
    assert budget.stats.events == ("Profile groq never sends response_format.",)


async def test_the_schema_has_the_servers_form(open_model, conversation, tools):
    strict = json.loads(open_model("gemini-compat").encode_body(conversation, tools))
    assert "required" not in strict["tools"][1]["function"]["parameters"]


async def test_the_second_request_holds_the_turn_byte_for_byte(chat_server, open_model, conversation, tools):
    """Unknown fields, nulls, key order and characters come back as they came."""
    turn = (
        '{"reasoning_content":"","content":null,"z":[1.5,{"é":"✓"}],"role":"assistant","tool_calls":[{"function":'
        '{"arguments":"{\\"path\\":\\"a\\"}","name":"read_repository_file"},"type":"function","id":"c1",'
        '"extra_content":{"google":{"thought_signature":"c2ln"}}}],"refusal":null}'
    )
    body = f'{{"id":"r","choices":[{{"index":0,"finish_reason":"tool_calls","message":{turn}}}]}}'
    chat_server.add(chat_server.raw(body.encode()), chat_server.completion(REVIEW))
    model = open_model()
    reply = await model.complete(conversation, tools)
    history = [*conversation, Message(role=Role.ASSISTANT, raw=reply.message), result("c1")]
    await model.complete(history, tools)
    assert f',{turn},{{"role":"tool","tool_call_id":"c1","content":'.encode() in chat_server.requests[1].body


@pytest.mark.parametrize(
    "options", [{}, {"stream": True}, {"tool_mode": "text"}], ids=["whole", "stream", "text"]
)
async def test_each_request_begins_with_the_last_one(open_model, conversation, tools, options):
    """Prompt caches: every message but the last, and the tools, are a byte-for-byte prefix."""
    model, history = open_model(**options), list(conversation)
    before = model.encode_body(history, tools)
    for number in range(4):
        history += round_of(f"a{number}", f"b{number}", size=number)
        after = model.encode_body(history, tools)
        assert after.startswith(before[: before.rindex(b'{"role":')])
        assert json.loads(before).get("tools") == json.loads(after).get("tools")
        before = after


async def test_a_broken_history_is_a_bug_of_ours_and_is_not_sent(
    chat_server, open_model, conversation, tools, budget
):
    model = open_model()
    with pytest.raises(RuntimeError):
        await model.complete([*conversation, result("c1")], tools)
    assert (chat_server.requests, budget.stats.requests) == ([], 0)


# --- what comes back --------------------------------------------------------------------------------------


@pytest.mark.parametrize("gzipped", [False, True])
async def test_a_reply(chat_server, open_model, conversation, tools, gzipped):
    chat_server.add(chat_server.completion(None, [CALL], gzipped=gzipped))
    reply = await open_model().complete(conversation, tools)
    assert (reply.request_id, reply.model, reply.finish_word) == ("chatcmpl-1", "m-1", "tool_calls")
    assert (reply.text, len(reply.calls), reply.usage.prompt_tokens) == (None, 1, 11)


@pytest.mark.parametrize(
    "body",
    [
        b'{"choices": "SECRET"',
        b"\xef\xbb\xbf{}",
        b'{"a":NaN}',
        b"[" * 5000,
        b'{"a":1,"a":2}',
    ],
    ids=["cut", "bom", "nan", "deep", "duplicate"],
)
async def test_a_success_that_is_not_json_is_an_invalid_response(
    chat_server, open_model, conversation, tools, body, budget
):
    """It may be a reply that was garbled on its way, so a conversation may ask again."""
    chat_server.add(chat_server.raw(body, headers={"Content-Type": "application/json"}))
    model = open_model()
    with pytest.raises(InvalidTurn) as error:
        await model.complete(conversation, tools)
    assert error.value.reason is TerminationReason.INVALID_MODEL_RESPONSE
    assert "SECRET" not in f"{error.value} {error.value.advice}"
    assert budget.stats.requests == 1


PAGE = b"<!DOCTYPE html><title>SECRET</title>\n<style>\ndata: SECRET\n</style>"
FOREIGN = {
    "a login page": (200, "text/html; charset=utf-8", PAGE, "status 200 and a body of type text/html"),
    "a page under an API's type": (200, "application/json", PAGE, "a body of type application/json"),
    "a page under a stream's type": (200, "text/event-stream", PAGE, "a body of type text/event-stream"),
    "a page without a type": (
        203,
        None,
        b"\n <html>SECRET",
        "status 203 and a body without a usable content",
    ),
    "plain text": (200, "text/plain", b"SECRET OK", "a body of type text/plain"),
    "text without a type": (200, None, b"OK SECRET", "a body without a usable content type"),
    "a number": (200, "text/plain", b"1", "a body of type text/plain"),
    "XML": (200, "application/xml", b"<?xml version='1.0'?><a>SECRET</a>", "of type application/xml"),
    "a picture": (200, "image/png", b"\x89PNG\r\n\x1a\nSECRET", "of type image/png"),
    "lines of JSON": (200, "application/x-ndjson", b'{"a":1}\n{"a":2}', "of type application/x-ndjson"),
    "an empty body": (200, "application/json", b"", "status 200 and an empty body"),
    "blanks": (200, "text/html", b" \r\n ", "status 200 and an empty body"),
    "no content": (204, None, b"", "status 204 and an empty body"),
    "a hostile type": (200, "text/SECRET-<b>x</b>", b"SECRET", "without a usable content type"),
    "a long type": (200, "text/" + "SECRET" * 20, b"SECRET", "without a usable content type"),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("profile", ["generic", "opencode"])
@pytest.mark.parametrize(("status", "kind", "body", "said"), FOREIGN.values(), ids=FOREIGN.keys())
async def test_what_is_no_reply_of_a_model_costs_one_request(
    chat_server, open_model, conversation, tools, budget, stream, profile, status, kind, body, said
):
    """It is not asked for again, not even as a repair, and nothing of it is shown."""
    headers = {"Content-Type": kind} if kind else {}
    chat_server.rule = lambda _: chat_server.raw(body, status=status, headers=headers)
    model = open_model(profile, stream=stream)
    with pytest.raises(ModelError) as error:
        await model.complete(conversation, tools)
    assert (type(error.value), error.value.code) == (ModelError, "invalid_model_response")
    assert error.value.termination_reason is TerminationReason.INVALID_MODEL_RESPONSE
    assert said in error.value.detail
    assert "endpoint" in error.value.advice
    assert "SECRET" not in f"{error.value} {error.value.advice}"
    assert budget.stats.requests == 1


CUT = {
    "a cut reply": ("application/json", b'{"choices":[{"ind'),
    "a cut reply of a vendor's type": ("application/vnd.acme.v1+json", b'{"choices":[{"ind'),
    "a cut reply without a type": (None, b'{"choices":[{"ind'),
    "JSON that is no object": ("application/json; charset=utf-8", b"null"),
    "a list": ("text/json", b"[]"),
}


@pytest.mark.parametrize(("kind", "body"), CUT.values(), ids=CUT.keys())
async def test_what_may_have_been_a_reply_may_be_asked_for_again(
    chat_server, open_model, conversation, tools, kind, body
):
    headers = {"Content-Type": kind} if kind else {}
    chat_server.add(chat_server.raw(body, headers=headers))
    with pytest.raises(InvalidTurn):
        await open_model().complete(conversation, tools)


TYPES = ["text/event-stream", "text/plain", "application/octet-stream", "text/html", None]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("start", [b"", b": ping\n\n", b"\r\n", b"event: message\r"])
async def test_a_stream_is_read_whatever_its_type(chat_server, open_model, conversation, tools, kind, start):
    whole = b"".join(streamed(chat_server, [{"role": "assistant", "content": REVIEW}]).chunks)
    headers = {"Content-Type": kind} if kind else {}
    chat_server.add(chat_server.raw(start + whole, headers=headers))
    assert (await open_model(stream=True).complete(conversation, tools)).text == REVIEW


async def test_a_stream_without_any_event_has_broken_off(
    chat_server, open_model, conversation, tools, budget
):
    headers = {"Content-Type": "text/event-stream"}
    chat_server.rule = lambda _: chat_server.raw(b": processing\n\n", headers=headers)
    with pytest.raises(InvalidTurn):
        await open_model("opencode", stream=True).complete(conversation, tools)
    assert budget.stats.requests == 3


async def test_the_content_type_does_not_matter_when_it_is_json(chat_server, open_model, conversation, tools):
    answer = chat_server.completion(REVIEW)
    chat_server.add(chat_server.raw(answer.body, headers={"Content-Type": "text/html"}))
    assert (await open_model().complete(conversation, tools)).text == REVIEW


@pytest.mark.parametrize(("profile", "prefix"), [("opencode", "opencode"), ("generic", "provider")])
async def test_authentication_fails_at_once_and_says_nothing_of_the_body(
    chat_server, open_model, conversation, tools, profile, prefix, budget
):
    chat_server.add(refused(chat_server, f"Incorrect key {KEY}", status=401, code="invalid_api_key"))
    model = open_model(profile)
    with pytest.raises(ConfigError) as error:
        await model.complete(conversation, tools)
    assert error.value.code == f"{prefix}_authentication_failed"
    assert KEY not in f"{error.value} {error.value.advice}"
    assert budget.stats.requests == 1


async def test_an_error_that_is_not_json_is_classified_by_its_text(
    chat_server, open_model, conversation, tools
):
    chat_server.add(chat_server.raw(b"model 'x' does not support tools", status=400))
    with pytest.raises(ConfigError, match="tools_not_supported"):
        await open_model(tool_mode="native").complete(conversation, tools)


async def test_what_was_normalised_is_recorded_although_the_turn_is_refused(
    chat_server, open_model, conversation, tools, budget
):
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": "<think>a</think>```\n{}\n```\nand more"},
    }
    chat_server.add(chat_server.json({"choices": [choice]}))
    with pytest.raises(InvalidTurn):
        await open_model("ollama", tool_mode="text").complete(conversation, tools)
    assert [text for text in budget.stats.events if "a leading `<think>` block" in text] != []


# --- text mode and streams --------------------------------------------------------------------------------


async def test_text_mode_end_to_end(chat_server, open_model, conversation, tools):
    block = '```json\n{"tool_calls":[{"name":"read_repository_file","arguments":{"path":"a"}}]}\n```'
    chat_server.add(chat_server.completion(block), chat_server.completion(f"```json\n{REVIEW}\n```"))
    model = open_model(tool_mode="text")
    reply = await model.complete(conversation, tools)
    (call,) = reply.calls
    call_id = call.id
    assert call == RequestedCall(id=call_id, name="read_repository_file", arguments={"path": "a"})
    assert (reply.finish, reply.finish_word) == (FinishReason.TOOL_CALLS, "stop")
    history = [*conversation, Message(role=Role.ASSISTANT, raw=reply.message), result(call_id)]
    final = await model.complete(history, tools)
    assert (final.text, final.calls, final.finish) == (REVIEW, (), FinishReason.STOP)
    messages = chat_server.bodies[1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[2] == {"role": "assistant", "content": block}
    assert messages[3]["content"].startswith(f"Result of call {call_id}: ")


def streamed(server, deltas: Sequence[dict], finish: str = "stop", **last):
    chunks = [{"id": "r1", "model": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}], **last})
    return server.sse([*chunks, "[DONE]"])


async def test_a_streamed_reply_equals_the_whole_one(chat_server, open_model, conversation, tools):
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    function = {"name": "read_repository_file", "arguments": '{"path":"a"}'}
    call = {"id": "c1", "type": "function", "function": function}
    start = {"index": 0} | call | {"function": function | {"arguments": ""}}
    deltas = [
        {"role": "assistant", "content": None, "tool_calls": [start]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"path"'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ':"a"}'}}]},
    ]
    whole = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": whole}
    chat_server.add(
        chat_server.json({"id": "r1", "model": "m", "choices": [choice], "usage": usage}),
        streamed(chat_server, deltas, "tool_calls", usage=usage),
    )
    plain = await open_model().complete(conversation, tools)
    assert await open_model(stream=True).complete(conversation, tools) == plain


@pytest.mark.parametrize(("profile", "options"), [("generic", None), ("vllm", {"include_usage": True})])
async def test_a_stream_is_asked_for(chat_server, open_model, conversation, tools, profile, options):
    chat_server.add(streamed(chat_server, [{"role": "assistant", "content": REVIEW}]))
    await open_model(profile, stream=True).complete(conversation, tools)
    assert chat_server.bodies[0]["stream"] is True
    assert chat_server.bodies[0].get("stream_options") == options


async def test_a_server_that_does_not_stream_is_read_as_it_answers(
    chat_server, open_model, conversation, tools
):
    chat_server.add(chat_server.completion(REVIEW))
    assert (await open_model(stream=True).complete(conversation, tools)).text == REVIEW


async def test_refused_stream_options_are_dropped(chat_server, open_model, conversation, tools):
    chat_server.add(
        refused(chat_server, "Unknown parameter: 'stream_options'", code="unknown_parameter"),
        streamed(chat_server, [{"role": "assistant", "content": REVIEW}]),
    )
    await open_model("vllm", stream=True).complete(conversation, tools)
    assert list(chat_server.bodies[1]) == ["model", "messages", "tools", "tool_choice", "stream"]


@pytest.mark.parametrize(("profile", "requests"), [("generic", 1), ("openrouter", 2)])
async def test_a_stream_that_breaks_off_is_asked_again_under_a_profile(
    chat_server, open_model, conversation, tools, profile, requests
):
    cut = chat_server.sse([{"choices": [{"index": 0, "delta": {"role": "assistant", "content": "{"}}]}])
    chat_server.add(cut, streamed(chat_server, [{"role": "assistant", "content": REVIEW}]))
    model = open_model(profile, stream=True)
    if requests == 1:
        with pytest.raises(InvalidTurn):
            await model.complete(conversation, tools)
    else:
        assert (await model.complete(conversation, tools)).text == REVIEW
    assert len(chat_server.requests) == requests


@pytest.mark.parametrize(("size", "accepted"), [(2_097_151, True), (2_097_152, True), (2_097_153, False)])
async def test_a_stream_is_capped_while_reading(chat_server, open_model, conversation, tools, size, accepted):
    end = b'data: {"choices":[{"index":0,"finish_reason":"stop","delta":{"role":"assistant","content":"x"}}]}'
    padding = b": " + b"k" * (size - len(end) - 4) + b"\n\n"  # a comment
    chat_server.add(chat_server.chunked([padding, end]))
    model = open_model(stream=True)
    if accepted:
        assert (await model.complete(conversation, tools)).text == "x"
        return
    with pytest.raises(ModelError) as error:
        await model.complete(conversation, tools)
    assert error.value.termination_reason is TerminationReason.UPSTREAM_RESPONSE_TOO_LARGE


async def test_an_error_status_on_a_stream_is_that_error(chat_server, open_model, conversation, tools):
    chat_server.add(refused(chat_server, status=401))
    with pytest.raises(ConfigError, match="authentication_failed"):
        await open_model(stream=True).complete(conversation, tools)
