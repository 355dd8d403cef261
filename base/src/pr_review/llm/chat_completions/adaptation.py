"""What a conversation changes once its server has refused it: each change is made once, and stays."""

from collections.abc import Mapping

from pydantic import JsonValue

from pr_review.domain.frozen import JsonObject
from pr_review.llm.chat_completions.chat_settings import ChatSettings
from pr_review.llm.chat_completions.profile import Profile
from pr_review.llm.errors import kinds
from pr_review.llm.errors.failure import ProviderFailure

OUTPUT_CAPS = ("max_tokens", "max_completion_tokens")
REFUSED_PARAMETER = frozenset({
    kinds.UNSUPPORTED_PARAMETER, kinds.REASONING_WITH_TOOLS, kinds.REJECTED,
})  # fmt: skip


class Adaptation:
    """The changes of one conversation so far. Each method that makes one says what it did, for the record."""

    def __init__(self, settings: ChatSettings) -> None:
        self.text_mode = settings.tool_mode == "text"
        self._may_use_text = settings.tool_mode == "auto"
        self._may_switch_reasoning_off = settings.profile.reasoning_off
        self._reasoning_off = False
        self._dropped: set[str] = set()
        self._renamed: dict[str, str] = {}

    def apply(self, fields: Mapping[str, JsonValue]) -> JsonObject:
        """The optional fields of a request as the server takes them."""
        adapted = {self._renamed.get(name, name): value for name, value in fields.items()}
        if self._reasoning_off:
            adapted["reasoning_effort"] = "none"
        return {name: value for name, value in adapted.items() if name not in self._dropped}

    def adapt(self, failure: ProviderFailure, *, started: bool) -> str | None:
        """Change one thing that may satisfy the server; None when there is nothing left to change.

        ``started``: the model has had a turn. A history of native calls cannot be told in text.
        """
        kind = failure.kind
        if kind is kinds.REASONING_WITH_TOOLS and self._may_switch_reasoning_off:
            return None if self._reasoning_off else self._switch_reasoning_off()
        if kind in REFUSED_PARAMETER and failure.parameter:
            return self._drop_or_rename(failure.parameter)
        if kind is kinds.TOOLS_NOT_SUPPORTED and self._may_use_text and not self.text_mode and not started:
            return self._describe_tools_in_text()
        return None

    def _switch_reasoning_off(self) -> str:
        self._reasoning_off = True
        return "The model refused tools together with reasoning; sent with reasoning off."

    def _describe_tools_in_text(self) -> str:
        self.text_mode = True
        return "The server does not support native tool calls; tools are described in text instead."

    def _drop_or_rename(self, name: str) -> str:
        """Leave a refused field out from now on; an output cap is first tried under its other name."""
        if name in OUTPUT_CAPS and not self._renamed:
            other = OUTPUT_CAPS[1 - OUTPUT_CAPS.index(name)]
            self._renamed[name] = other
            return f"The provider refused {name}; sent as {other} instead."
        self._dropped.add(name)
        return f"The provider refused {name}; sent without it."


def operator_fields(extra_body: JsonObject, profile: Profile) -> tuple[JsonObject, list[str]]:
    """The profile's and the operator's fields under this server's names, and what had to be left out."""
    kept = {name: value for name, value in extra_body.items() if name not in profile.never_send}
    if profile.output_cap:
        kept = {profile.output_cap if name in OUTPUT_CAPS else name: value for name, value in kept.items()}
    refused = sorted(extra_body.keys() & profile.never_send)
    return profile.body | kept, [f"Profile {profile.name} never sends {name}." for name in refused]
