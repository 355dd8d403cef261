"""From a body to a turn: the envelope is strict but for what the profile accepts."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

from pr_review.domain.chat import CallIdScope, Reply
from pr_review.domain.frozen import JsonObject
from pr_review.llm.chat_completions.calls import read_call
from pr_review.llm.chat_completions.envelope import (
    assistant_message,
    finish_word,
    malformed,
    only_choice,
    require_unicode,
    sent_calls,
)
from pr_review.llm.chat_completions.finish import read_finish
from pr_review.llm.chat_completions.profile import Profile, Tolerance
from pr_review.llm.chat_completions.profiles import PROFILES, accepting, profile_hint
from pr_review.llm.chat_completions.tolerance import TurnContext, normalise_calls
from pr_review.llm.chat_completions.usage import find_usage
from pr_review.llm.errors.classify import classify_failure, error_status
from pr_review.llm.errors.failure import ProviderFailure
from pr_review.llm.errors.kinds import GAVE_UP, MALFORMED

MAX_NAME_CHARS = 256  # of a request id or model name, which go into the artifact
REQUEST_ID_HEADERS = ("x-request-id", "request-id", "apim-request-id")
CALL_MARKERS = re.compile(
    r"<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|<function=|<\uff5ctool\u2581calls\u2581begin\uff5c>"
    r"|<\|tool_calls_section_begin\|>"
)
_THINK_BLOCK = re.compile(r"\s*<think>.*?</think>\s*", re.DOTALL)


class DecodedTurn(NamedTuple):
    """A turn whose envelope is valid; ``normalised`` are the deviations that were put right."""

    reply: Reply
    normalised: tuple[Tolerance, ...] = ()


class Decoder(NamedTuple):
    """Reads replies under one profile; under ``calls_in_text`` (tool-mode text) call markers are legal."""

    profile: Profile
    calls_in_text: bool = False

    def decode(
        self, body: JsonValue, headers: Mapping[str, str], turn: TurnContext
    ) -> DecodedTurn | ProviderFailure:
        """The turn, or the failure that the provider reports; raises ``InvalidTurn`` outside the envelope."""
        if not isinstance(body, dict):
            raise malformed("The provider's reply is not a JSON object.")
        if body.get("error"):
            return self._reported_error(body, headers)
        require_unicode(body)
        choice = only_choice(body)
        word, message = finish_word(choice), assistant_message(choice)
        if word in self.profile.retried_finishes:
            return ProviderFailure(GAVE_UP, self.profile.vendor)
        return self._turn(body, headers, turn, word=word, message=message)

    def _reported_error(self, body: JsonObject, headers: Mapping[str, str]) -> ProviderFailure:
        """Some gateways answer 200 with an error inside; without a profile that is malformed."""
        if self.profile.accepts(Tolerance.ERROR_IN_SUCCESS):
            return classify_failure(error_status(body), headers, body, vendor=self.profile.vendor)
        return ProviderFailure(MALFORMED, note=profile_hint(accepting(Tolerance.ERROR_IN_SUCCESS)))

    def _turn(
        self,
        body: JsonObject,
        headers: Mapping[str, str],
        turn: TurnContext,
        *,
        word: str | None,
        message: JsonObject,
    ) -> DecodedTurn:
        sent = sent_calls(message)
        calls, found = normalise_calls(sent, self.profile, turn)
        if calls != sent:
            message = message | {"tool_calls": calls}
        text, found_in_text = self._text(message)
        found |= found_in_text
        if not calls:
            self._refuse_dead_ends(message, text)
        reply = Reply(
            message=message,
            finish=read_finish(word, calls=bool(calls), calls_imply_tools=self.profile.calls_imply_tools),
            finish_word=word,
            text=text,
            calls=tuple(map(read_call, sent, calls)),
            call_ids=self._call_ids(),
            usage=find_usage(body),
            request_id=_name(body.get("id")) or _header_id(headers),
            model=_name(body.get("model")),
            advice=self._advice(found, word, calls=bool(calls)),
        )
        return DecodedTurn(reply, tuple(sorted(found & self.profile.tolerances)))

    def _text(self, message: JsonObject) -> tuple[str | None, set[Tolerance]]:
        """The text of the turn and its deviations; a list of parts counts only under a profile."""
        content, found = message.get("content"), set[Tolerance]()
        if isinstance(content, list):
            found.add(Tolerance.CONTENT_PARTS)
            content = _text_parts(content) if self.profile.accepts(Tolerance.CONTENT_PARTS) else None
        if not isinstance(content, str):
            return None, found
        if block := _THINK_BLOCK.match(content):
            found.add(Tolerance.THINK_BLOCK)
            content = content[block.end() :] if self.profile.accepts(Tolerance.THINK_BLOCK) else content
        return content, found

    def _refuse_dead_ends(self, message: JsonObject, text: str | None) -> None:
        """Two answers that look like a bad final review and are something else."""
        if not text and isinstance(message.get("refusal"), str):
            raise malformed(
                "The model refused to answer.", "Choose another model, or exclude what it refuses."
            )
        said = (text or "").lstrip()
        if not self.calls_in_text and not said.startswith("{") and CALL_MARKERS.search(said):
            raise malformed(
                "The model wrote its tool call as text, and calls are never taken from prose.",
                "Switch on the server's tool parser for this model, or set tool-mode to text.",
            )

    def _call_ids(self) -> CallIdScope:
        repeated = self.profile.accepts(Tolerance.REPEATED_IDS)
        return CallIdScope.TURN if repeated else CallIdScope.CONVERSATION

    def _advice(self, found: set[Tolerance], word: str | None, *, calls: bool) -> str:
        """What to set when the turn is refused for something that a profile accepts, else ""."""
        refused = found - self.profile.tolerances
        loose = calls and word != "tool_calls" and word not in self.profile.calls_imply_tools
        if not refused and not loose:
            return ""
        return profile_hint(
            profile.name
            for profile in PROFILES.values()
            if refused <= profile.tolerances and (not loose or word in profile.calls_imply_tools)
        )


def _text_parts(parts: list[JsonValue]) -> str:
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def _name(value: JsonValue) -> str | None:
    return value[:MAX_NAME_CHARS] if isinstance(value, str) and value else None


def _header_id(headers: Mapping[str, str]) -> str | None:
    return next((_name(headers[name]) for name in REQUEST_ID_HEADERS if name in headers), None)
