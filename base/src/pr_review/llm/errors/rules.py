"""How a status, a code or a phrase of an error body names a kind of failure; the order matters."""

from collections.abc import Collection
from typing import NamedTuple

from pr_review.llm.errors.kinds import (
    AUTHENTICATION,
    CONTEXT_OVERFLOW,
    ENDPOINT_NOT_FOUND,
    INPUT_FILTERED,
    INVALID_TOOLS,
    MODEL_NOT_FOUND,
    OUTPUT_FILTERED,
    OVERLOADED,
    PERIOD_LIMIT,
    PERMISSION,
    QUOTA,
    RATE_LIMITED,
    REASONING_WITH_TOOLS,
    REDIRECT,
    REJECTED,
    REQUEST_TOO_LARGE,
    SERVER_ERROR,
    SESSION,
    TOOL_USE_FAILED,
    TOOLS_NOT_SUPPORTED,
    UNSUPPORTED_PARAMETER,
    FailureKind,
)


class ClassificationRule(NamedTuple):
    """Matches a status (when given) and a code or a phrase (when given); the first matching rule decides."""

    kind: FailureKind
    statuses: Collection[int] = ()
    codes: Collection[str] = ()
    phrases: str = ""


BAD_REQUEST = (400, 404, 422, 500, 501)
RULES = (
    ClassificationRule(REJECTED, codes={"string_above_max_length"}),
    ClassificationRule(
        PERIOD_LIMIT, {413, 429}, phrases=r"per day|per_?day|\b[rt]pd\b|per week|per month|usage limit"
    ),
    ClassificationRule(RATE_LIMITED, {429}, {"resource_exhausted"}),
    ClassificationRule(
        QUOTA,
        codes={
            "insufficient_quota",
            "billing_hard_limit_reached",
            "credit_balance_exhausted",
            "exceeded_current_quota_error",
            "billing_error",
            "creditserror",
            "budget_exceeded",
        },
        phrases=r"credit balance is too low|insufficient balance|exceeded (your )?current quota|no credits",
    ),
    ClassificationRule(QUOTA, {402}),
    ClassificationRule(SESSION, codes={"missingsessionid"}, phrases=r"x-opencode-session"),
    ClassificationRule(REQUEST_TOO_LARGE, {413, 429}, {"request_too_large"}, r"request too large"),
    ClassificationRule(
        CONTEXT_OVERFLOW,
        codes={
            "context_length_exceeded",
            "exceed_context_size_error",
            "tokens_limit_reached",
            "model_context_window_exceeded",
        },
        phrases=(
            r"maximum context length is|prompt is too long|exceeds the maximum number of tokens allowed"
            r"|exceeds the available context size|exceed context limit|longer than the model's context length"
            r"|input tokens exceed the configured limit|`inputs` tokens \+ `max_new_tokens` must be"
            r"|input is too long|too many input tokens|prompt tokens \(.*exceed model maximum"
            r"|request payload size exceeds|exceeded model token limit|reduce the length of the messages"
            r"|context window exceeds limit|no user query found in messages|contextwindowexceedederror"
        ),
    ),
    ClassificationRule(
        REASONING_WITH_TOOLS,
        BAD_REQUEST,
        phrases=(
            r"tools with reasoning|reasoning_effort.{1,60}tools|use /v1/responses"
            r"|only supported in v1/responses"
        ),
    ),
    ClassificationRule(
        UNSUPPORTED_PARAMETER,
        BAD_REQUEST,
        phrases=r"response mime type|response_format.{1,60}tool|json mode.{1,60}tool",
    ),
    ClassificationRule(
        TOOLS_NOT_SUPPORTED,
        codes={"tools_not_supported"},
        phrases=(
            r"does not support (tools|function calling|tool)|support tool use"
            r"|requires --enable-auto-tool-choice|only supports single tool-calls|requires --jinja"
            r"|(tools|tool use|tool calling|function calling) (is|are) not supported"
            r"|does not support parameters: [^=]{0,80}\btools\b"
        ),
    ),
    ClassificationRule(TOOL_USE_FAILED, codes={"tool_use_failed"}),
    ClassificationRule(
        INVALID_TOOLS,
        BAD_REQUEST,
        {"invalid_tools", "invalid_function_call", "invalid_function_parameters"},
        r"parse grammar|function_declarations|input_schema|field is not repeating|invalid schema for function"
        r"|tools\.\d|tools\[\d|tool call id",
    ),
    ClassificationRule(
        OUTPUT_FILTERED,
        codes={"output_blocked"},
        phrases=r"output (was )?blocked|output data may contain inappropriate",
    ),
    ClassificationRule(
        INPUT_FILTERED,
        BAD_REQUEST,
        {
            "content_filter",
            "responsibleaipolicyviolation",
            "content_policy_violation",
            "data_inspection_failed",
        },
        r"content management policy|prompt was (blocked|filtered)|contentpolicyviolationerror",
    ),
    ClassificationRule(
        AUTHENTICATION,
        codes={
            "invalid_api_key",
            "authentication_error",
            "unauthenticated",
            "api_key_invalid",
            "no_db_connection",  # LiteLLM without a database: the key is not the master key
        },
        phrases=r"api key not valid|(invalid|incorrect) api key",
    ),
    ClassificationRule(AUTHENTICATION, {401}),
    ClassificationRule(
        MODEL_NOT_FOUND,
        {400, 404, 422},
        {"model_not_found", "deploymentnotfound", "invalid_model", "model_not_available"},
        r"model not exist|not a valid model|invalid model|model.{0,100}(not found|does not exist)"
        r"|no endpoints found for",
    ),
    ClassificationRule(PERMISSION, {403}),
    ClassificationRule(PERMISSION, codes={"permission_error", "permission_denied"}),
    ClassificationRule(
        UNSUPPORTED_PARAMETER,
        {400, 422},
        {"unsupported_parameter", "unsupported_value", "unknown_parameter"},
        r"unsupported parameter|unrecognized request argument|unknown parameter|invalid temperature"
        r"|not supported with this model|does not support parameters",
    ),
    ClassificationRule(ENDPOINT_NOT_FOUND, {404, 405, 410}),
    ClassificationRule(REQUEST_TOO_LARGE, {413}),
    ClassificationRule(
        OVERLOADED,
        codes={"overloaded_error", "engine_overloaded_error", "modelnotreadyexception"},
        phrases=r"loading model|overloaded|at capacity",
    ),
    ClassificationRule(OVERLOADED, {503, 529}),
    ClassificationRule(RATE_LIMITED, {429}),
    ClassificationRule(
        RATE_LIMITED, codes={"rate_limit_exceeded", "rate_limit_error", "throttlingexception"}
    ),
    ClassificationRule(SERVER_ERROR, {408, 409, 425, *range(500, 600)}),
    ClassificationRule(REDIRECT, range(300, 400)),
    ClassificationRule(REJECTED, range(400, 500)),
)
