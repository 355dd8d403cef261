"""The body and the headers of a request."""

from collections.abc import Sequence

from pr_review.domain import strict_json
from pr_review.domain.chat import Message, ToolSpec
from pr_review.domain.frozen import JsonObject
from pr_review.llm.chat_completions import text_tools
from pr_review.llm.chat_completions.adaptation import Adaptation, operator_fields
from pr_review.llm.chat_completions.chat_settings import ChatSettings
from pr_review.llm.chat_completions.encode import encode_messages
from pr_review.llm.chat_completions.schemas import encode_tools


def request_body(
    settings: ChatSettings,
    adaptation: Adaptation,
    conversation: Sequence[Message],
    tools: Sequence[ToolSpec],
) -> bytes:
    """Compact JSON, in which an assistant message keeps the bytes it came with."""
    profile = settings.profile
    body: JsonObject = {"model": settings.model}
    if adaptation.text_mode:
        body["messages"] = encode_messages(text_tools.write_as_text(conversation, tools), profile)
    else:
        body["messages"] = encode_messages(conversation, profile)
        body["tools"] = encode_tools(tools, profile.schema)
    return strict_json.dumps(body | optional_fields(settings, adaptation))


def optional_fields(settings: ChatSettings, adaptation: Adaptation) -> JsonObject:
    """Everything that a request could do without, in a stable order: ours, the profile's, the operator's."""
    fields: JsonObject = {} if adaptation.text_mode else {"tool_choice": "auto"}
    if settings.stream:
        fields["stream"] = True
        if settings.profile.stream_usage:
            fields["stream_options"] = {"include_usage": True}
    given, _ = operator_fields(settings.extra_body, settings.profile)
    return adaptation.apply(fields | given)


def request_headers(settings: ChatSettings) -> dict[str, str]:
    """The operator's headers, then ours, which win; the key travels in its own header and nowhere else."""
    profile = settings.profile
    headers = {name.lower(): value.get_secret_value() for name, value in settings.extra_headers.items()}
    headers["content-type"] = "application/json"
    if settings.api_key is not None:
        key = settings.api_key.get_secret_value()
        headers[profile.key_header] = f"Bearer {key}" if profile.key_header == "authorization" else key
    if profile.session_header is not None:
        headers[profile.session_header] = settings.session_id
    return headers
