"""The classifier of failures: total, ordered, and silent about what providers say."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.errors import ConfigError, ContextOverflow, InvalidTurn, ModelError, TerminationReason
from pr_review.llm.errors import kinds, rules
from pr_review.llm.errors.classify import (
    MAX_TEXT_CHARS,
    classify_failure,
    error_status,
    matching_rule,
    read_signals,
)
from pr_review.llm.errors.failure import ProviderFailure
from pr_review.llm.errors.kinds import FailureKind

KEYS = st.sampled_from([
    "error", "innererror", "message", "code", "type", "status", "detail", "details", "loc", "msg", "param",
    "reason", "retryDelay", "metadata", "raw", "x",
])  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)
ALL_KINDS = [value for value in vars(kinds).values() if isinstance(value, FailureKind)]
SECRET = "sk-proj-Zx81-LEAK"


def error(message: str = "m", **fields: object) -> dict:
    return {"error": {"message": message, **fields}}


def _poison(value):
    if isinstance(value, dict):
        return {key: _poison(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_poison(child) for child in value]
    return value + SECRET if isinstance(value, str) else value


@given(st.integers(0, 1000), st.dictionaries(st.text(), st.text()), JSON)
def test_any_status_and_body_give_a_failure_and_an_error(status, headers, body):
    failure = classify_failure(status, headers, body, optional={"temperature"})
    assert failure.error().code
    assert failure.retryable == (failure.kind.retries > 0)


@given(JSON.map(_poison))
def test_nothing_of_a_body_reaches_the_error(body):
    """A provider may quote the key or private text."""
    for status in (200, 307, 400, 401, 404, 413, 422, 429, 500, 529):
        raised = classify_failure(status, {"retry-after": SECRET, "x": SECRET}, body).error()
        assert SECRET not in f"{raised} {raised.code} {raised.detail} {raised.advice} {raised.args}"


def test_error_statuses_inside_successes():
    assert error_status(error(code=429)) == 429
    assert error_status(error(code="429")) == 429
    for unusable in (
        error(code=True),
        error(code="x"),
        error(code=200),
        error(code=99999),
        error(),
        [],
        None,
        5,
    ):
        assert error_status(unusable) == 502


TABLE = [
    # status, body, kind
    (401, error("Incorrect API key provided: sk-abc***xyz", code="invalid_api_key"), kinds.AUTHENTICATION),
    (401, None, kinds.AUTHENTICATION),
    (400, [error("API key not valid. Pass a valid one.", status="INVALID_ARGUMENT")], kinds.AUTHENTICATION),
    (403, error(), kinds.PERMISSION),
    (400, error(type="permission_error"), kinds.PERMISSION),
    (402, None, kinds.QUOTA),
    (502, error(code="rate_limit_exceeded"), kinds.RATE_LIMITED),
    (503, None, kinds.OVERLOADED),
    (403, error("exceeded", type="exceeded_current_quota_error"), kinds.QUOTA),
    (402, error("Insufficient Balance", code="invalid_request_error"), kinds.QUOTA),
    (400, error("Your credit balance is too low", type="invalid_request_error"), kinds.QUOTA),
    (429, error("You exceeded your current quota", code="insufficient_quota"), kinds.QUOTA),
    (429, [error("You exceeded your current quota", status="RESOURCE_EXHAUSTED")], kinds.RATE_LIMITED),
    (429, [error("GenerateRequestsPerDayPerProject", status="RESOURCE_EXHAUSTED")], kinds.PERIOD_LIMIT),
    (429, error("Rate limit reached (RPM)", code="rate_limit_exceeded"), kinds.RATE_LIMITED),
    (429, error("Rate limit reached on tokens per day (TPD): Limit 100000"), kinds.PERIOD_LIMIT),
    (429, error("usage limit", type="usage_limit_error"), kinds.PERIOD_LIMIT),
    (429, error("Request too large for gpt on tokens per min (TPM)"), kinds.REQUEST_TOO_LARGE),
    (413, error("Request too large (TPM): Limit 8000", code="rate_limit_exceeded"), kinds.REQUEST_TOO_LARGE),
    (413, "<html>413 Request Entity Too Large</html>", kinds.REQUEST_TOO_LARGE),
    (413, error("Request body too large", code="tokens_limit_reached"), kinds.CONTEXT_OVERFLOW),
    (400, error(code="context_length_exceeded"), kinds.CONTEXT_OVERFLOW),
    (400, error("This model's maximum context length is 131072 tokens"), kinds.CONTEXT_OVERFLOW),
    (400, error("request exceeds the available context size", code=400), kinds.CONTEXT_OVERFLOW),
    (400, error("Your request exceeded model token limit: 262144"), kinds.CONTEXT_OVERFLOW),
    (400, error("prompt is too long: 201130 tokens > 200000 maximum"), kinds.CONTEXT_OVERFLOW),
    (500, error("no user query found in messages"), kinds.CONTEXT_OVERFLOW),
    (400, error("maximum length is 40", code="string_above_max_length"), kinds.REJECTED),
    (400, error("filtered", code="content_filter", innererror={"code": "ResponsibleAIPolicyViolation"}),
     kinds.INPUT_FILTERED),
    (400, error("litellm.ContextWindowExceededError: x", code="400"), kinds.CONTEXT_OVERFLOW),
    (400, error("litellm.ContentPolicyViolationError: x", code="400"), kinds.INPUT_FILTERED),
    (400, error("No connected db.", type="no_db_connection", code="400"), kinds.AUTHENTICATION),
    (400, error("Budget has been exceeded!", type="budget_exceeded", code="400"), kinds.QUOTA),
    (400, error("UnsupportedParamsError: x does not support parameters: ['tools', 'tool_choice'], for"),
     kinds.TOOLS_NOT_SUPPORTED),
    (400, error("UnsupportedParamsError: x does not support parameters: ['seed'], for model=tools"),
     kinds.UNSUPPORTED_PARAMETER),
    (400, error("Output blocked by content filtering policy"), kinds.OUTPUT_FILTERED),
    (400, error(code="tools_not_supported"), kinds.TOOLS_NOT_SUPPORTED),
    (400, error('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'),
     kinds.TOOLS_NOT_SUPPORTED),
    (400, error("registry.ollama.ai/library/x does not support tools"), kinds.TOOLS_NOT_SUPPORTED),
    (400, {"error": 'model "x" does not support tools'}, kinds.TOOLS_NOT_SUPPORTED),
    (404, error("No endpoints found that support tool use.", code=404), kinds.TOOLS_NOT_SUPPORTED),
    (500, error("This model only supports single tool-calls at once!"), kinds.TOOLS_NOT_SUPPORTED),
    (500, error("tools param requires --jinja flag"), kinds.TOOLS_NOT_SUPPORTED),
    (400, error(code="invalid_tools"), kinds.INVALID_TOOLS),
    (400, [error("Unknown name at 'tools[0].function_declarations[0].parameters'")], kinds.INVALID_TOOLS),
    (400, error("tools.0.custom.input_schema: does not support oneOf"), kinds.INVALID_TOOLS),
    (400, error("Proto field is not repeating, cannot start list."), kinds.INVALID_TOOLS),
    (400, error("Failed to initialize samplers: failed to parse grammar"), kinds.INVALID_TOOLS),
    (400, {"message": "Tool call id", "type": "invalid_function_call", "code": "3280"}, kinds.INVALID_TOOLS),
    (400, error("Failed to call a function.", code="tool_use_failed"), kinds.TOOL_USE_FAILED),
    (400, error("Function tools with reasoning_effort are not supported", param="reasoning_effort"),
     kinds.REASONING_WITH_TOOLS),
    (400, error("Unsupported parameter: 'max_tokens'", param="max_tokens", code="unsupported_parameter"),
     kinds.UNSUPPORTED_PARAMETER),
    (400, error("invalid temperature: only 1 is allowed for this model"), kinds.UNSUPPORTED_PARAMETER),
    (400, error("Function calling with a response mime type: 'application/json' is unsupported"),
     kinds.UNSUPPORTED_PARAMETER),
    (400, error("Missing x-opencode-session header", type="MissingSessionID"), kinds.SESSION),
    (404, error("The model `x` does not exist", code="model_not_found"), kinds.MODEL_NOT_FOUND),
    (404, {"error": "model 'x' not found"}, kinds.MODEL_NOT_FOUND),
    (400, error("Model Not Exist"), kinds.MODEL_NOT_FOUND),
    (400, error("x/y is not a valid model ID"), kinds.MODEL_NOT_FOUND),
    (404, error(code="DeploymentNotFound"), kinds.MODEL_NOT_FOUND),
    (404, "404 page not found", kinds.ENDPOINT_NOT_FOUND),
    (405, None, kinds.ENDPOINT_NOT_FOUND),
    (400, error("property 'reasoning_content' is unsupported"), kinds.REJECTED),
    (422, {"detail": [{"loc": ["body", "messages"], "type": "extra_forbidden"}]}, kinds.REJECTED),
    (400, {"object": "error", "message": "m", "type": "BadRequestError", "code": 400}, kinds.REJECTED),
    (400, {"message": "m"}, kinds.REJECTED),
    (400, "plain text", kinds.REJECTED),
    (400, 5, kinds.REJECTED),
    (429, error("overloaded", type="engine_overloaded_error"), kinds.OVERLOADED),
    (529, {"type": "error", "error": {"type": "overloaded_error", "message": "m"}}, kinds.OVERLOADED),
    (503, error("Loading model"), kinds.OVERLOADED),
    (429, None, kinds.RATE_LIMITED),
    (500, None, kinds.SERVER_ERROR),
    (502, "<html>502 Bad Gateway</html>", kinds.SERVER_ERROR),
    (504, None, kinds.SERVER_ERROR),
    (408, None, kinds.SERVER_ERROR),
    (409, None, kinds.SERVER_ERROR),
    (425, None, kinds.SERVER_ERROR),
    (307, None, kinds.REDIRECT),
    (418, None, kinds.REJECTED),
    (199, None, kinds.MALFORMED),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "kind"), TABLE)
def test_each_shape_is_its_kind(status, body, kind):
    assert classify_failure(status, {}, body).kind is kind


REFUSED_TOOLS = [
    error("invalid tools"),
    error("Invalid tools: expected an array of objects"),
    error("Bad request: invalid tool definition"),
    error("Invalid tool call in message 4"),
    error("INVALID_TOOLS"),
    {"error": "invalid tools"},
    {"message": "Invalid tools"},
    "invalid tools",
    error("Failed to deserialize the JSON body: tools[0]: missing field `type` at line 1 column 112"),
    error("missing field `type`"),
    error("missing field 'type' at line 1"),
    error('Missing field "type"'),
    error("missing field type"),
    error("missing required field: type"),
    error("Missing required parameter: 'tools[0].type'.", code="missing_required_parameter"),
    error("missing property 'function'"),
    error("'type' is a required property"),
    error("field `type` is missing"),
    error("The `type` field is required"),
    error("the type field is missing"),
    {"detail": [{"loc": ["body", "tools", 0, "type"], "msg": "Field required", "type": "missing"}]},
    {"detail": [{"loc": ["body", "tools", 1, "function", "name"], "msg": "Field required"}]},
    {"detail": "body -> tools -> 0 -> type: field required"},
    error("Invalid request", param="tools[2].function.parameters"),
    error("'/tools/0/function/parameters' does not validate"),
    error("tools.function.parameters is not a valid moonshot flavored json schema"),
    error("Invalid schema for function 'read': None is not of type 'object'"),
    error("Invalid 'tools[0].function.name': string does not match pattern"),
    error("Invalid 'messages[2].tool_calls[0].id': string too long", code="string_above_max_length"),
    error("Invalid type for 'tools': expected an array"),
    error("Unsupported tool type: custom"),
    error("Unknown function parameter: x"),
    error("Tool schema for read is malformed"),
    error("Malformed tool definition"),
    error("tool definitions are not valid"),
    error("GenerateContentRequest.tools[0].functionDeclarations[0].name: must start with a letter"),
    error("An assistant message with 'tool_calls' must be followed by messages for each 'tool_call_id'"),
    error("messages with role 'tool' must be a response to a preceding message with 'tool_calls'"),
    error("`tool_use` ids were found without `tool_result` blocks", type="invalid_request_error"),
    error("unexpected `tool_use_id` found in `tool_result` blocks: toolu_1"),
    {"message": "The toolConfig field must be defined when using toolUse and toolResult content blocks."},
    error("Unexpected role 'tool' after role 'user'"),
    error("Not the same number of function calls and responses"),
    error("Please ensure that the number of function response parts equals that of function call parts"),
    error("Duplicate function declaration found: read"),
    error("No tool call found for function call output with call_id c1."),
    error(code="invalid_tool_schema"),
]  # fmt: skip


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize("body", REFUSED_TOOLS, ids=str)
def test_refused_tools_by_any_name_are_most_likely_ours(status, body):
    failure = classify_failure(status, {}, body)
    assert failure.kind is kinds.INVALID_TOOLS
    assert not failure.retryable


OTHERS = [
    (error("Invalid tool_choice: none", param="tool_choice"), kinds.REJECTED),
    (error("Invalid value for 'tool_choice'"), kinds.REJECTED),
    (error("missing field `model`"), kinds.REJECTED),
    (error("missing field `messages` at line 1 column 2"), kinds.REJECTED),
    (error("Missing required parameter: 'response_format.type'"), kinds.REJECTED),
    (error("Content-Type is required"), kinds.REJECTED),
    (error("Unsupported media type"), kinds.REJECTED),
    (error("Invalid schema for response_format 'review'"), kinds.REJECTED),
    (error("Invalid value", param="temperature"), kinds.REJECTED),
    ({"detail": [{"loc": ["body", "model"], "msg": "Field required", "type": "missing"}]}, kinds.REJECTED),
    (error("The model `invalid-toolsmith` does not exist"), kinds.MODEL_NOT_FOUND),
    (error("Unsupported parameter: 'tools'", param="tools", code="unsupported_parameter"),
     kinds.TOOLS_NOT_SUPPORTED),
    (error("'tools' is not supported with this model"), kinds.TOOLS_NOT_SUPPORTED),
]  # fmt: skip


@pytest.mark.parametrize(("body", "kind"), OTHERS, ids=str)
def test_what_only_sounds_like_refused_tools_is_not(body, kind):
    assert classify_failure(400, {}, body).kind is kind


def test_phrases_are_searched_in_linear_time():
    """Each of them, in as much text as is ever read."""
    texts = (
        "tool definition " * 300,
        "missing required field " * 200,
        "tools -> " * 500,
        "does not support ",
    )
    for text in texts:
        started = time.process_time()
        for rule in rules.RULES:
            re.search(rule.phrases, text[:MAX_TEXT_CHARS])
        assert time.process_time() - started < 0.2


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
def test_what_cannot_pass_by_itself_is_never_retried(status):
    assert not classify_failure(status, {}, error()).retryable


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_by_itself_is_retried(status):
    assert classify_failure(status, {}, error()).retryable


def test_every_rule_is_reached():
    """A rule that no row of the table needs is dead, or hidden behind an earlier one."""
    reached = [matching_rule(status, read_signals(body)) for status, body, _ in TABLE]
    assert [rule for rule in rules.RULES if rule not in reached] == []


def test_a_phrase_beyond_what_is_read_is_not_seen():
    """A body of 2 MiB does not make the search slow."""
    phrase = "prompt is too long"
    assert (
        classify_failure(400, {}, error("x" * (MAX_TEXT_CHARS - len(phrase)) + phrase)).kind
        is kinds.CONTEXT_OVERFLOW
    )
    assert (
        classify_failure(400, {}, error("x" * (MAX_TEXT_CHARS - len(phrase) + 1) + phrase)).kind
        is kinds.REJECTED
    )


def test_the_vendor_names_two_codes():
    assert classify_failure(401, {}, None, vendor="opencode").code == "opencode_authentication_failed"
    assert classify_failure(429, {}, None, vendor="opencode").code == "opencode_rate_limited"
    assert classify_failure(401, {}, None).code == "provider_authentication_failed"
    assert classify_failure(429, {}, None).code == "provider_rate_limited"


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        (error("Unsupported parameter", param="top_k", code="unsupported_parameter"), "top_k"),
        (error("invalid temperature: only 1 is allowed"), "temperature"),
        (error("bad", param="top_k"), "top_k"),
        ({"detail": [{"loc": ["body", "top_k"], "msg": "m", "type": "extra_forbidden"}]}, "top_k"),
        (error("bad", param="messages"), None),
        (error("the temperature outside is fine"), None),
        (error("prompt is too long", param="top_k"), None),
        (error("Unsupported parameter: 'max_completion_tokens'"), "max_completion_tokens"),
    ],
)
def test_the_parameter_is_one_that_we_sent_and_the_failure_is_about(body, parameter):
    optional = {"temperature", "top_k", "max", "max_completion_tokens"}
    assert classify_failure(400, {}, body, optional=optional).parameter == parameter


@pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: kind.code)
def test_every_kind_becomes_the_error_it_says(kind):
    raised = ProviderFailure(kind).error()
    expected = {"config": ConfigError, "model": ModelError, "turn": InvalidTurn, "overflow": ContextOverflow}
    assert type(raised) is expected[kind.raised_as.value]
    assert raised.termination_reason is kind.reason
    assert raised.detail.endswith(".")
    assert raised.advice.endswith(".")
    assert "{" not in raised.code


def test_an_overflow_names_the_size_of_its_request_and_ends_as_incomplete():
    stopped = ProviderFailure(kinds.CONTEXT_OVERFLOW, request_bytes=7).error()
    assert stopped.request_bytes == 7
    assert stopped.code == "context_overflow"
    assert stopped.termination_reason is TerminationReason.INVALID_MODEL_RESPONSE


def test_signals_collect_every_shape():
    signals = read_signals(
        {"error": {"code": 5, "type": "T", "message": "One", "innererror": {"code": "Deep"}}}
    )
    assert signals.codes == {"5", "t", "deep"}
    assert signals.text == "one"
