"""From a decoded body to a ``Reply``: the envelope of section C, strict but for what the profile accepts."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from pr_review.domain import strict_json
from pr_review.domain.chat import Reply, Usage
from pr_review.domain.frozen import JsonObject
from pr_review.errors import InvalidTurn, TerminationReason
from pr_review.llm.chat_completions.profile import Profile, Tolerance
from pr_review.llm.chat_completions.profiles import PROFILES, accepting
from pr_review.llm.chat_completions.tolerance import Round, repair_calls
from pr_review.llm.errors.classify import Failure, classify, error_status
from pr_review.llm.errors.kinds import GAVE_UP, MALFORMED

MAX_NAME_CHARS = 256  # of a request id or model name, which go into the artifact
MAX_FINISH_CHARS = 64
MAX_COUNT = 10**12  # of tokens; a number that cannot be one is none, and never too long to be printed
REQUEST_ID_HEADERS = ("x-request-id", "request-id", "apim-request-id")
CALL_MARKERS = re.compile(
    r"<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|<function=|<\uff5ctool\u2581calls\u2581begin\uff5c>"
    r"|<\|tool_calls_section_begin\|>"
)
_THINK_BLOCK = re.compile(r"\s*<think>.*?</think>\s*", re.DOTALL)


class Decoder(NamedTuple):
    """Reads replies under one profile; ``calls_in_text`` is tool-mode text, where call markers are legal."""

    profile: Profile
    calls_in_text: bool = False

    def decode(self, body: JsonValue, headers: Mapping[str, str], current: Round) -> Reply | Failure:
        """The reply; a failure when the provider reports one, ``InvalidTurn`` outside the envelope."""
        if not isinstance(body, dict):
            raise malformed("The provider's reply is not a JSON object.")
        if body.get("error"):
            return self._reported_error(body, headers)
        require_unicode(body)
        choice = only_choice(body)
        finish, message = finish_reason(choice), _assistant(choice)
        if finish in self.profile.retried_finishes:
            return Failure(GAVE_UP, self.profile.vendor)
        return self._reply(body, headers, current, finish=finish, message=message)

    def _reported_error(self, body: JsonObject, headers: Mapping[str, str]) -> Failure:
        """Some gateways answer 200 with an error inside (sample 31); strict calls that malformed."""
        if self.profile.accepts(Tolerance.ERROR_IN_SUCCESS):
            return classify(error_status(body), headers, body, vendor=self.profile.vendor)
        return Failure(MALFORMED, note=profile_hint(accepting(Tolerance.ERROR_IN_SUCCESS)))

    def _reply(
        self,
        body: JsonObject,
        headers: Mapping[str, str],
        current: Round,
        *,
        finish: str | None,
        message: JsonObject,
    ) -> Reply:
        sent = _calls(message)
        calls, found = repair_calls(sent, self.profile, current)
        if calls != sent:
            message = message | {"tool_calls": calls}
        content = self._content(message, found)
        if not calls:
            self._refuse_dead_ends(message, content)
        return Reply(
            request_id=_name(body.get("id")) or _header_id(headers),
            model=_name(body.get("model")),
            finish_reason=finish,
            message=message,
            content=content,
            tool_calls=tuple(calls),
            usage=find_usage(body),
            calls_signal=finish in self.profile.calls_decide,
            repeats_ids=self.profile.accepts(Tolerance.REPEATED_IDS),
            hint=self._hint(found, finish, calls=bool(calls)),
            put_right=tuple(sorted(found & self.profile.tolerances)),
            original_ids=tuple(map(_original_id, sent, calls)),
        )

    def _content(self, message: JsonObject, found: set[Tolerance]) -> str | None:
        """The text of the turn; parts and a leading think block only count under a profile."""
        content = message.get("content")
        if isinstance(content, list):
            found.add(Tolerance.CONTENT_PARTS)
            content = _text_parts(content) if self.profile.accepts(Tolerance.CONTENT_PARTS) else None
        if not isinstance(content, str):
            return None
        if block := _THINK_BLOCK.match(content):
            found.add(Tolerance.THINK_BLOCK)
            content = content[block.end() :] if self.profile.accepts(Tolerance.THINK_BLOCK) else content
        return content

    def _refuse_dead_ends(self, message: JsonObject, content: str | None) -> None:
        """Two answers that look like a bad final review and are something else."""
        if not content and isinstance(message.get("refusal"), str):
            raise malformed(
                "The model refused to answer.", "Choose another model, or exclude what it refuses."
            )
        text = (content or "").lstrip()
        if not self.calls_in_text and not text.startswith("{") and CALL_MARKERS.search(text):
            raise malformed(
                "The model wrote its tool call as text, and calls are never taken from prose.",
                "Switch on the server's tool parser for this model, or set tool-mode to text.",
            )

    def _hint(self, found: Iterable[Tolerance], finish: str | None, *, calls: bool) -> str:
        """What to set when the turn is refused for what some profile accepts (decision 5)."""
        refused = {tolerance for tolerance in found if not self.profile.accepts(tolerance)}
        loose = calls and finish != "tool_calls" and finish not in self.profile.calls_decide
        if not refused and not loose:
            return ""
        return profile_hint(
            profile.name
            for profile in PROFILES.values()
            if refused <= profile.tolerances and (not loose or finish in profile.calls_decide)
        )


def malformed(detail: str, advice: str = MALFORMED.advice) -> InvalidTurn:
    """A reply outside the envelope."""
    return InvalidTurn(TerminationReason.INVALID_MODEL_RESPONSE, detail, advice)


def require_unicode(body: JsonObject) -> None:
    """A lone surrogate would break the next request and the artifact: nothing of such a reply travels on."""
    try:
        strict_json.dumps(body)
    except ValueError:
        raise malformed("The provider's reply holds text that is not valid Unicode.") from None


def find_usage(body: JsonObject) -> Usage | None:
    """Token counts, also from the odd places of sample 35; what is not a count is None (item 28)."""
    for candidate in _usage_places(body):
        if isinstance(candidate, dict):
            usage = Usage(**{name: _count(candidate.get(name)) for name in Usage.model_fields})
            if usage != Usage():
                return usage
    return None


def _usage_places(body: JsonObject) -> Iterable[JsonValue]:
    yield body.get("usage")
    choices = body.get("choices")
    yield (
        choices[0].get("usage")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict)
        else None
    )
    groq = body.get("x_groq")
    yield groq.get("usage") if isinstance(groq, dict) else None


def _count(value: JsonValue) -> int | None:
    number = value if isinstance(value, int) and not isinstance(value, bool) else -1
    return number if 0 <= number <= MAX_COUNT else None


def only_choice(body: JsonObject) -> JsonObject:
    """The one choice, of index 0 (item 27)."""
    choices = body.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        raise malformed("The provider's reply does not hold exactly one choice.")
    index = choices[0].get("index")
    if index != 0 or isinstance(index, bool | float):
        raise malformed("The choice of the provider's reply does not have index 0.")
    return choices[0]


def finish_reason(choice: JsonObject) -> str | None:
    """The raw finish reason, bounded; absent counts as null."""
    finish = choice.get("finish_reason")
    if finish is not None and not isinstance(finish, str):
        raise malformed("The finish reason of the provider's reply is neither text nor null.")
    return finish[:MAX_FINISH_CHARS] if finish is not None else None


def _assistant(choice: JsonObject) -> JsonObject:
    message = choice.get("message")
    if not isinstance(message, dict) or message.get("role") != "assistant":
        raise malformed("The provider's reply holds no assistant message.")
    return message


def _calls(message: JsonObject) -> list[JsonValue]:
    """Absent, null and empty are the same case (sample 7)."""
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        raise malformed("The tool calls of the provider's reply are not a list.")
    return calls or []


def _original_id(sent: JsonValue, call: JsonValue) -> str | None:
    """The id that ours replaced, which is empty unless it was text; None where it stayed."""
    if not isinstance(sent, dict) or not isinstance(call, dict) or sent.get("id") == call.get("id"):
        return None
    return sent_id if isinstance(sent_id := sent.get("id"), str) else ""


def _text_parts(parts: list[JsonValue]) -> str:
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def _name(value: JsonValue) -> str | None:
    return value[:MAX_NAME_CHARS] if isinstance(value, str) and value else None


def _header_id(headers: Mapping[str, str]) -> str | None:
    return next((_name(headers[name]) for name in REQUEST_ID_HEADERS if name in headers), None)


def profile_hint(names: Iterable[str]) -> str:
    """One sentence naming the profiles under which this is accepted; empty when there is none."""
    listed = ", ".join(names)
    return f"With provider-profile {listed} this is accepted: set it if that is the server." if listed else ""
