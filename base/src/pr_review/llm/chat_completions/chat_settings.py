"""What a run is told about its chat-completions endpoint."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import SecretStr

from pr_review.domain.frozen import JsonObject
from pr_review.llm.chat_completions.profile import Profile


@dataclass(frozen=True)
class ChatSettings:
    """One endpoint, its complete URL, and how to speak to it.

    ``session_id`` is random for each run. ``extra_headers`` and ``extra_body`` are the operator's.
    ``tool_mode`` says whether tools are native, described in text, or native until the server refuses them.
    """

    endpoint: str
    model: str
    profile: Profile
    session_id: str
    api_key: SecretStr | None = None
    extra_headers: Mapping[str, SecretStr] = field(default_factory=dict)
    extra_body: JsonObject = field(default_factory=dict)
    stream: bool = False
    tool_mode: Literal["auto", "native", "text"] = "auto"
