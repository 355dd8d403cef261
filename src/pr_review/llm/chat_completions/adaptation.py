"""What a run changes once a server has refused it: each change is made once, stays, and is recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from pr_review.domain import strict_json
from pr_review.domain.chat import Message, Role
from pr_review.domain.frozen import JsonObject
from pr_review.llm.chat_completions.profile import Profile

OUTPUT_CAPS = ("max_tokens", "max_completion_tokens")
KEPT_SHARE = 0.6  # of the request that overflowed the context window
STUB = strict_json.dumps({
    "ok": False,
    "error": {"code": "dropped", "message": "Dropped to fit the context window; call again if still needed."},
}).decode()  # fmt: skip


@dataclass
class Adaptation:
    """The changes so far; ``stubbed_results`` counts the oldest tool results that became stubs."""

    text_mode: bool = False
    stubbed_results: int = 0
    reasoning_off: bool = False
    _dropped: set[str] = field(default_factory=set)
    _renamed: dict[str, str] = field(default_factory=dict)

    def apply(self, fields: Mapping[str, JsonValue]) -> JsonObject:
        """The optional fields of a request as the server takes them."""
        adapted = {self._renamed.get(name, name): value for name, value in fields.items()}
        if self.reasoning_off:
            adapted["reasoning_effort"] = "none"
        return {name: value for name, value in adapted.items() if name not in self._dropped}

    def drop_or_rename(self, name: str) -> str:
        """Leave a refused field out from now on; an output cap is first tried under its other name.

        Returns what was done, for the record.
        """
        if name in OUTPUT_CAPS and not self._renamed:
            other = OUTPUT_CAPS[1 - OUTPUT_CAPS.index(name)]
            self._renamed[name] = other
            return f"The provider refused {name}; sent as {other} instead."
        self._dropped.add(name)
        return f"The provider refused {name}; sent without it."

    def stub_oldest(self, conversation: Sequence[Message], request_bytes: int) -> bool:
        """Replace the oldest tool results until ``KEPT_SHARE`` of the request is left; the last one stays."""
        results = [len(message.content.encode()) for message in conversation if message.role is Role.TOOL]
        excess = request_bytes * (1 - KEPT_SHARE)
        for size in results[:-1]:
            if excess <= 0:
                break
            excess -= size - len(STUB)
            self.stubbed_results += 1
        return self.stubbed_results > 0

    def stub(self, conversation: Sequence[Message]) -> list[Message]:
        """The conversation with its oldest results as one-line stubs; calls and results stay paired."""
        left = self.stubbed_results
        stubbed: list[Message] = []
        for message in conversation:
            replaced = message.role is Role.TOOL and left > 0
            left -= replaced
            stubbed.append(message.model_copy(update={"content": STUB}) if replaced else message)
        return stubbed


def operator_fields(extra_body: JsonObject, profile: Profile) -> tuple[JsonObject, list[str]]:
    """The profile's and the operator's fields under this server's names, and what had to be left out."""
    kept = {name: value for name, value in extra_body.items() if name not in profile.never_send}
    if profile.output_cap:
        kept = {profile.output_cap if name in OUTPUT_CAPS else name: value for name, value in kept.items()}
    refused = sorted(extra_body.keys() & profile.never_send)
    return profile.body | kept, [f"Profile {profile.name} never sends {name}." for name in refused]
