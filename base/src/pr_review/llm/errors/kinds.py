"""The kinds of failure a provider or a network can answer with: what each is called, and what to do."""

from dataclasses import dataclass, replace
from enum import Enum

from pr_review.errors import TerminationReason

MANY = 4  # retries of what usually passes by itself
FEW = 2  # retries of what the same request may well provoke again


class RaisedAs(Enum):
    """Which class of the error tree a kind of failure is raised as."""

    CONFIG = "config"
    MODEL = "model"
    TURN = "turn"
    OVERFLOW = "overflow"


@dataclass(frozen=True)
class FailureKind:
    """One kind of failure; ``code`` may hold ``{vendor}``, ``retries`` is how often to ask again."""

    code: str
    sentence: str
    advice: str
    retries: int = 0
    raised_as: RaisedAs = RaisedAs.MODEL
    reason: TerminationReason | None = None


AUTHENTICATION = FailureKind(
    "{vendor}_authentication_failed",
    "The provider did not accept the API key.",
    "Check the api-key input; the key is sent in its header only.",
    raised_as=RaisedAs.CONFIG,
)
PERMISSION = FailureKind(
    "provider_permission_denied",
    "The key may not use this model or endpoint.",
    "Give the key access to the model, or choose another model.",
    raised_as=RaisedAs.CONFIG,
)
QUOTA = FailureKind(
    "provider_quota_exhausted",
    "The account's credit or quota is used up.",
    "Add credit with the provider, wait for the next period, or use another key.",
)
MODEL_NOT_FOUND = FailureKind(
    "model_not_found",
    "The provider does not know the configured model.",
    "Check the model input against the provider's list of models.",
    raised_as=RaisedAs.CONFIG,
)
ENDPOINT_NOT_FOUND = FailureKind(
    "endpoint_not_found",
    "The endpoint does not exist.",
    "Give the complete URL of the chat-completions endpoint, not the base URL.",
    raised_as=RaisedAs.CONFIG,
)
REDIRECT = FailureKind(
    "endpoint_redirects",
    "The endpoint redirects elsewhere, and a key never follows a redirect.",
    "Set endpoint to the final URL.",
    raised_as=RaisedAs.CONFIG,
)
SESSION = FailureKind(
    "session_header_required",
    "The gateway asks for a session header.",
    "Use provider-profile opencode, which sends one, or add the header with extra-headers.",
    raised_as=RaisedAs.CONFIG,
)
TOOLS_NOT_SUPPORTED = FailureKind(
    "tools_not_supported",
    "The configured model or server does not support native tool calls.",
    "Choose a model with tool calling, switch the server's tool parser on, or set tool-mode to text.",
    raised_as=RaisedAs.CONFIG,
)
REASONING_WITH_TOOLS = FailureKind(
    "reasoning_with_tools",
    "The model does not take tools together with reasoning on this endpoint.",
    'Set extra-body to {"reasoning_effort":"none"}, choose another model, or use a proxy in between.',
    raised_as=RaisedAs.CONFIG,
)
UNSUPPORTED_PARAMETER = FailureKind(
    "provider_unsupported_parameter",
    "The provider does not accept a parameter of the request.",
    "Remove it from extra-body.",
    raised_as=RaisedAs.CONFIG,
)
INVALID_TOOLS = FailureKind(
    "invalid_tools",
    "The provider refused the tool definitions or the replayed calls.",
    "This is most likely ours: try the provider-profile of this server, then report it.",
)
TOOL_USE_FAILED = FailureKind(
    TerminationReason.INVALID_TOOL_CALL,
    "The provider refused its own model's tool call.",
    "Run again; if it persists choose a model with reliable tool calling.",
    raised_as=RaisedAs.TURN,
    reason=TerminationReason.INVALID_TOOL_CALL,
)
CONTEXT_OVERFLOW = FailureKind(
    "context_overflow",
    "The conversation no longer fits into the model's context window.",
    "Narrow the review with include or exclude, or choose a model with a larger context window.",
    raised_as=RaisedAs.OVERFLOW,
    reason=TerminationReason.INVALID_MODEL_RESPONSE,
)
INPUT_FILTERED = FailureKind(
    "input_filtered",
    "The provider's content filter refused the request.",
    "Text in the pull request probably triggered it; exclude that file, or relax the filter for this use.",
)
OUTPUT_FILTERED = FailureKind(
    "output_filtered",
    "The provider's content filter blocked the answer.",
    "Text in the pull request probably triggered it; exclude that file, or relax the filter for this use.",
    reason=TerminationReason.UNSUPPORTED_FINISH_REASON,
)
REQUEST_TOO_LARGE = FailureKind(
    "provider_request_too_large",
    "One request is larger than the provider or its tokens-per-minute limit allows.",
    "Narrow the review with include or exclude, lower the output cap, or raise the account's limit.",
)
RATE_LIMITED = FailureKind(
    "{vendor}_rate_limited",
    "The provider limits the rate of requests.",
    "Run again later, or raise the account's limit.",
    retries=MANY,
)
PERIOD_LIMIT = replace(
    RATE_LIMITED, sentence="The provider's limit for a longer period is used up.", retries=0
)
OVERLOADED = FailureKind(
    "provider_overloaded", "The provider is overloaded or still starting.", "Run again later.", retries=MANY
)
SERVER_ERROR = FailureKind("provider_failed", "The provider failed.", "Run again later.", retries=MANY)
REJECTED = FailureKind(
    "provider_rejected_request",
    "The provider rejected the request.",
    "Check endpoint, model and extra-body; a provider-profile may be needed for this server.",
)
MALFORMED = FailureKind(
    TerminationReason.INVALID_MODEL_RESPONSE,
    "The provider's reply is outside the chat-completions protocol.",
    "Check that endpoint is a chat-completions URL and no proxy answers in its place.",
    raised_as=RaisedAs.TURN,
    reason=TerminationReason.INVALID_MODEL_RESPONSE,
)
UNREACHABLE = FailureKind(
    "provider_unreachable",
    "The endpoint could not be reached.",
    "Check endpoint, proxy variables and the runner's network.",
    retries=MANY,
)
GAVE_UP = FailureKind(
    TerminationReason.UNSUPPORTED_FINISH_REASON,
    "The provider gave up in the middle of its answer.",
    "Run again later.",
    retries=FEW,
    reason=TerminationReason.UNSUPPORTED_FINISH_REASON,
)
STREAM_BROKEN = FailureKind(
    TerminationReason.INVALID_MODEL_RESPONSE,
    "The provider's stream reported an error or broke off before the reply was complete.",
    "Run again; if it persists set stream to false.",
    retries=FEW,
    raised_as=RaisedAs.TURN,
    reason=TerminationReason.INVALID_MODEL_RESPONSE,
)
CONNECTION_LOST = FailureKind(
    "provider_connection_lost",
    "The connection to the provider broke before its reply was complete.",
    "Run again; if it persists look at proxies in between, or set stream to true.",
    retries=MANY,
)
TIMED_OUT = FailureKind(
    "provider_timeout",
    "The provider did not answer in time.",
    "Run again, or raise timeout-seconds.",
    retries=MANY,
)
TLS_FAILED = FailureKind(
    "provider_tls_failed",
    "The endpoint's TLS certificate could not be verified.",
    "Point SSL_CERT_FILE at the bundle of the authority that signed it.",
    raised_as=RaisedAs.CONFIG,
)
